import HAPIP
import HAPModel

/// The picture of every simulated camera: colour bars, with the camera's name and its running time.
final class TestCardCamera: SnapshotSource {
  /// Larger pictures are reduced to this size, because drawing them would block the loop.
  static let largestWidth = 1280
  static let largestHeight = 960

  private let names: [UInt64: String]
  private let now: () -> Duration
  /// The last picture. All requests within a second get the same one.
  private var last: (card: Card, jpeg: [UInt8])?

  /// Everything that a picture shows.
  private struct Card: Equatable {
    var name: String
    var second: Int64
    var width, height: Int
  }

  /// - Parameter names: the names of the cameras, by aid. A request without an aid gets the first camera.
  init(names: [UInt64: String], now: @escaping () -> Duration) {
    self.names = names
    self.now = now
  }

  /// Makes the pictures of those accessories of a database that have a camera service; `nil` if none has. The pictures
  /// show simulated time.
  convenience init?(in database: AttributeDatabase, named names: [UInt64: String], _ clock: SimulationClock) {
    let cameras = database.accessoryEntries.filter { accessory in
      database.services[accessory.services].contains { $0.type == ServiceDefinition.cameraRTPStreamManagement.type }
    }.map(\.aid)
    let names = names.filter { cameras.contains($0.key) }
    if names.isEmpty { return nil }
    self.init(names: names) { clock.now }
  }

  func snapshot(_ request: SnapshotRequest) -> [UInt8]? {
    guard let name = (request.aid ?? names.keys.min()).flatMap({ names[$0] }) else { return nil }
    let (width, height) = Self.size(width: request.width, height: request.height)
    let time = now()
    let card = Card(name: name, second: time.components.seconds, width: width, height: height)
    if let last, last.card == card { return last.jpeg }
    let jpeg = Self.card(name: name, time: time, width: width, height: height).jpeg(quality: 80)
    last = jpeg.map { (card, $0) }
    return jpeg
  }

  /// Returns the requested size, or the largest possible size with the same aspect ratio.
  static func size(width: Int, height: Int) -> (width: Int, height: Int) {
    let shrink = min(1, Double(largestWidth) / Double(width), Double(largestHeight) / Double(height))
    return (max(1, Int(Double(width) * shrink)), max(1, Int(Double(height) * shrink)))
  }

  static func card(name: String, time: Duration, width: Int, height: Int) -> Picture {
    var picture = Picture(width: width, height: height)
    let bars: [Picture.Colour] = [
      .init(red: 192, green: 192, blue: 192), .init(red: 192, green: 192, blue: 0),
      .init(red: 0, green: 192, blue: 192),
      .init(red: 0, green: 192, blue: 0), .init(red: 192, green: 0, blue: 192), .init(red: 192, green: 0, blue: 0),
      .init(red: 0, green: 0, blue: 192),
    ]
    for (index, colour) in bars.enumerated() {
      picture.fill(x: index * width / bars.count..<(index + 1) * width / bars.count, y: 0..<height, colour)
    }
    let lines = [String(name.prefix(24)), clock(time)]
    let longest = lines.map(\.count).max() ?? 1
    let dot = max(1, min(width * 8 / 10 / (longest * (PixelFont.width + 1)), height / 24))
    let boxHeight = (2 * PixelFont.height + 4) * dot
    let top = (height - boxHeight) / 2
    picture.fill(x: 0..<width, y: top..<top + boxHeight, .black)
    for (index, line) in lines.enumerated() {
      let left = (width - (line.count * (PixelFont.width + 1) - 1) * dot) / 2
      picture.write(line, x: left, y: top + (index * (PixelFont.height + 2) + 1) * dot, dot: dot, .white)
    }
    return picture
  }

  /// "1:02:03"
  private static func clock(_ time: Duration) -> String {
    let seconds = max(0, time.components.seconds)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }
}
