import HAPIP
import Testing
@testable import HAPHost

@Suite("The test card") struct CameraTests {
  @Test(
    "The picture is a JPEG of the requested size, or the largest of its shape",
    arguments: [
      (640, 480, 640, 480), (1, 1, 1, 1), (1920, 1080, 1280, 720), (16_384, 1, 1280, 1), (1, 16_384, 1, 960),
      (16_384, 16_384, 960, 960),
    ])
  func sizes(width: Int, height: Int, wantedWidth: Int, wantedHeight: Int) throws {
    let size = TestCardCamera.size(width: width, height: height)
    #expect(size == (wantedWidth, wantedHeight))
    let jpeg = try #require(
      TestCardCamera.card(name: "Ünusual ¿ name", time: .seconds(3723), width: size.width, height: size.height).jpeg(
        quality: 80))
    #expect(jpeg.starts(with: [0xFF, 0xD8]) && jpeg.suffix(2) == [0xFF, 0xD9])
    // The size is in the frame header, SOF0.
    let frame = try #require((0..<jpeg.count - 8).first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
    #expect(Int(jpeg[frame + 5]) << 8 | Int(jpeg[frame + 6]) == size.height)
    #expect(Int(jpeg[frame + 7]) << 8 | Int(jpeg[frame + 8]) == size.width)
  }

  @Test("The picture shows the name and the time")
  func changes() {
    func card(_ name: String, _ seconds: Int) -> [UInt8] {
      TestCardCamera.card(name: name, time: .seconds(seconds), width: 320, height: 240).bytes
    }
    #expect(card("Porch", 1) == card("Porch", 1))
    #expect(card("Porch", 1) != card("Porch", 2))
    #expect(card("Porch", 1) != card("Yard", 1))
    // White letters on a black band, in the middle of the bars.
    let picture = TestCardCamera.card(name: "A", time: .zero, width: 320, height: 240).bytes
    #expect(picture[0..<3] == [192, 192, 192])
    #expect(picture[(120 * 320) * 3..<(120 * 320) * 3 + 3] == [0, 0, 0])
    #expect(picture.indices.contains { $0 % 3 == 0 && picture[$0..<$0 + 3] == [255, 255, 255] })
  }

  @Test("Filling clips the rectangle to the picture", arguments: [-3, 0, 1, 4, 9])
  func fills(_ corner: Int) {
    var picture = Picture(width: 8, height: 6)
    picture.fill(x: corner..<corner + 5, y: corner..<corner + 3, .init(red: 1, green: 2, blue: 3))
    for y in 0..<6 {
      for x in 0..<8 {
        let isIn = (corner..<corner + 5).contains(x) && (corner..<corner + 3).contains(y)
        #expect(picture.bytes[(y * 8 + x) * 3..<(y * 8 + x + 1) * 3] == (isIn ? [1, 2, 3] : [0, 0, 0]))
      }
    }
  }

  @Test("All letters differ")
  func letters() {
    let all = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-.'#?/ "
    let drawn = all.map { character in
      (0..<7).flatMap { y in (0..<5).map { PixelFont.isSet(character, x: $0, y: y) } }
    }
    #expect(Set(drawn).count == all.count)
    #expect(PixelFont.isSet("a", x: 1, y: 0) == PixelFont.isSet("A", x: 1, y: 0))
  }

  @Test("Each accessory has its own picture, and an unknown one has none")
  func accessories() throws {
    let camera = TestCardCamera(names: [1: "Bridge", 7: "Yard"]) { .seconds(1) }
    func picture(_ aid: UInt64?) -> [UInt8]? {
      camera.snapshot(SnapshotRequest(aid: aid, width: 64, height: 48))
    }
    #expect(picture(nil) == picture(1) && picture(7) != picture(1) && picture(8) == nil)
    #expect(picture(7) == picture(7))
  }
}
