import HAPModel
import HAPWire

/// Values to report one after the other, recorded from a sensor or invented.
package struct ReplaySeries: Equatable, Sendable {
  package struct Point: Equatable, Sendable {
    /// Time since the start of the series; increasing.
    package var time: Duration
    package var value: Double
  }

  /// The reason why an input is not a series, for users. `line` is set for a file.
  package struct Problem: Error, Equatable {
    package var line: Int?
    package var message: String

    package init(line: Int? = nil, message: String) {
      self.line = line
      self.message = message
    }
  }

  /// A smaller gap would keep the processor busy.
  static let leastGap = Duration.milliseconds(10)
  /// The limit for series in the profile itself, because each copy of an accessory has its own series.
  static let mostWritten = 10_000

  /// At least one.
  package let points: [Point]

  /// The time from one start to the next. The last value lasts as long as the one before it. `nil`: the series has one
  /// value and no period.
  var period: Duration? {
    guard points.count > 1 else { return nil }
    let last = points[points.count - 1].time
    return last + (last - points[points.count - 2].time)
  }

  // MARK: Reading

  /// A list of [time, value] pairs.
  init(_ list: JSONNode) throws(JSONProblem) {
    let pairs = try list.asList()
    guard !pairs.isEmpty else { throw list.problem("a series has at least one [time, value]") }
    guard pairs.count <= Self.mostWritten else {
      throw list.problem("a series in a profile has at most \(Self.mostWritten) values: put a longer one into a file")
    }
    var points: [Point] = []
    points.reserveCapacity(pairs.count)
    for pair in pairs {
      guard let parts = pair.elements, parts.count == 2 else {
        throw pair.problem("[time, value] is expected, such as [60, 21.5] or [\"1min\", 21.5]")
      }
      guard let time = Self.time(parts[0].stringValue ?? parts[0].numberValue?.text ?? "") else {
        throw parts[0].problem(Self.timeExpected)
      }
      guard let value = parts[1].numberValue?.double, value.isFinite else {
        throw parts[1].problem("a number is expected, not \(parts[1].kindName)")
      }
      do throws(Problem) { try Self.append(Point(time: time, value: value), to: &points, line: nil) } catch {
        throw parts[0].problem(error.message)
      }
    }
    self.points = points
  }

  /// Reads a file of lines "time,value". Text after # is a comment.
  init(csv bytes: [UInt8]) throws(Problem) {
    var points: [Point] = []
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let said = line.prefix { $0 != UInt8(ascii: "#") }
      let fields = said.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(Self.trimmed)
      if fields.count == 1, fields[0].isEmpty { continue }
      func problem(_ message: String) -> Problem { Problem(line: index + 1, message: message) }
      guard fields.count == 2 else { throw problem("\"time,value\" is expected, such as \"60,21.5\" or \"1min,21.5\"") }
      guard let time = Self.time(fields[0]) else { throw problem(Self.timeExpected) }
      guard let value = Self.number(fields[1]) else { throw problem("a number is expected after the comma") }
      try Self.append(Point(time: time, value: value), to: &points, line: index + 1)
    }
    guard !points.isEmpty else { throw Problem(line: nil, message: "there is no \"time,value\" in it") }
    self.points = points
  }

  private static let timeExpected =
    "a time is expected: seconds, or a duration such as \"90s\" or \"1.5min\", of at most 1000 hours"

  private static func append(_ point: Point, to points: inout [Point], line: Int?) throws(Problem) {
    if let last = points.last, point.time - last.time < leastGap {
      throw Problem(line: line, message: "times must increase by at least 10ms")
    }
    points.append(point)
  }

  private static func time(_ text: String) -> Duration? {
    if let duration = Duration(text) { return duration }
    guard let seconds = number(text), (0...3_600_000).contains(seconds) else { return nil }
    return .seconds(seconds)
  }

  /// Decimal numbers only, neither hexadecimal nor infinite.
  private static func number(_ text: String) -> Double? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }),
      let number = Double(text), number.isFinite
    else { return nil }
    return number
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
    var bytes = bytes.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}
