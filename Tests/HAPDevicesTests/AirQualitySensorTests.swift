import HAPModel
import HAPTestSupport
import Testing

@testable import HAPDevices

private let state = AttributeID(aid: 1, iid: 9), active = AttributeID(aid: 1, iid: 10)
private let level = AttributeID(aid: 1, iid: 11)

@Suite("Air quality sensors") struct AirQualitySensorTests {
  static let densities: [(CharacteristicDefinition, String, [Double])] = [
    (.ozoneDensity, "ozone", [80, 120, 180, 240]), (.nitrogenDioxideDensity, "nitrogenDioxide", [40, 100, 200, 400]),
    (.sulphurDioxideDensity, "sulphurDioxide", [100, 200, 350, 500]), (.pm2_5Density, "pm2.5", [10, 20, 25, 50]),
    (.pm10Density, "pm10", [20, 35, 50, 100]), (.vocDensity, "voc", [100, 300, 500, 800]),
  ]

  private func world(_ behaviour: String = "{}", quality: Value = 0) -> VirtualWorld {
    sensor(
      .airQualitySensor, .make(9, .airQuality, quality), behaviour,
      more: Self.densities.enumerated().map { .make(UInt64(11 + $0), $1.0, 0) })
  }

  @Test("[SV-21] Air Quality is that of the worst density", arguments: 0..<6)
  func thresholds(_ index: Int) throws {
    let world = world()
    #expect(world.changes() == ["1.9=1"])
    let id = AttributeID(aid: 1, iid: UInt64(11 + index))
    for (level, limit) in Self.densities[index].2.enumerated() {
      try world.setByHand(id, .float(limit))
      #expect(world[state] == .integer(Int128(level + 1)))
      try world.setByHand(id, .float(limit + 1))
      #expect(world[state] == .integer(Int128(level + 2)))
    }
    try world.setByHand(AttributeID(aid: 1, iid: UInt64(11 + (index + 1) % 6)), 1)
    #expect(world[state] == 5)
    try world.setByHand(id, 0)
    #expect(world[state] == 1)
  }

  @Test("[SV-21] A value set by hand is kept until a density changes")
  func byHand() throws {
    let world = world(#"{"walk": 100, "every": "1s"}"#)
    try world.setByHand(state, 3)
    world.pass(.seconds(100))
    #expect(world[state] == 3 && world.changes().count > 100)
    try world.setByHand(active, false)
    try world.setByHand(active, true)
    #expect(world[state] == 3)
    try world.setByHand(level, 1000)
    #expect(world[state] == 5)
    let alone = sensor(.airQualitySensor, .make(9, .airQuality, 2))
    #expect(alone.changes() == [])
  }

  @Test("With Status Active false, Air Quality isn't updated")
  func inactive() throws {
    let world = world()
    try world.setByHand(active, false)
    try world.setByHand(level, 1000)
    #expect(world[state] == 1)
    try world.setByHand(active, true)
    #expect(world[state] == 5)
  }

  @Test("\"replayed\" selects the density of the series; by default, it is the first existing one", arguments: 0..<6)
  func replayed(_ index: Int) {
    let word = Self.densities[index].1
    let world = world(#"{"replay": [[1, 900]], "replayed": "\#(word)"}"#)
    world.pass(.seconds(1))
    #expect(world.changes() == ["1.9=1", "1.\(11 + index)=900.0", "1.9=5"])
    let first = self.world(#"{"replay": [[1, 900]]}"#)
    first.pass(.seconds(1))
    #expect(first.changes().contains("1.11=900.0"))
    let none = sensor(
      .airQualitySensor, .make(9, .airQuality, 0), #"{"replay": [[1, 900]], "replayed": "voc"}"#,
      more: [.make(11, .ozoneDensity, 0)])
    none.pass(.seconds(10))
    #expect(none.changes() == ["1.9=1"])
  }

  @Test("All densities change at random, except the replayed one")
  func walks() {
    let world = world(#"{"walk": 10, "every": "1s", "replay": [[0, 7]], "replayed": "pm10"}"#)
    _ = world.changes()
    world.pass(.seconds(50))
    let moved = Set(world.changes().compactMap { $0.split(separator: "=").first }).subtracting(["1.9"])
    #expect(moved == ["1.11", "1.12", "1.13", "1.14", "1.16"])
  }
}
