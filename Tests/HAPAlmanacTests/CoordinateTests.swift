import Testing

@testable import HAPAlmanac

@Suite("Coordinates") struct CoordinateTests {
  private func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude))
  }

  @Test("Coordinates outside of their ranges are refused")
  func ranges() {
    for (latitude, longitude) in [(90.1, 0), (-90.1, 0), (0, 180.1), (0, -180.1), (.nan, 0), (0, .infinity)] {
      #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
    }
  }

  @Test("Distances are those on a sphere with the earth's mean radius")
  func distances() throws {
    // The example of the Python package haversine, which has the same radius: 392.2172595594006 km.
    let lyon = try place(45.7597, 4.8422), paris = try place(48.8567, 2.3508)
    #expect(abs(lyon.distance(to: paris) - 392_217.2595594) < 0.001)
    #expect(lyon.distance(to: paris) == paris.distance(to: lyon))
    #expect(lyon.distance(to: lyon) == 0)
    // A quarter and a half of a great circle, over the pole and over the 180th meridian.
    let quarter = 6_371_008.8 * Double.pi / 2
    #expect(abs(try place(0, 0).distance(to: place(90, 17)) - quarter) < 0.001)
    #expect(abs(try place(80, 0).distance(to: place(80, 180)) - quarter * 20 / 90) < 0.001)
    #expect(abs(try place(0, 0).distance(to: place(0, 180)) - quarter * 2) < 0.001)
    #expect(abs(try place(0, 179.5).distance(to: place(0, -179.5)) - quarter / 90) < 0.001)
    // 0.0001° of latitude is 11.1 m.
    #expect(abs(try place(52.52, 13.4).distance(to: place(52.5201, 13.4)) - 11.1195) < 0.001)
  }
}
