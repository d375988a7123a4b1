import Foundation

/// The lines of a script: taps in an app, and what happens around it.
public struct AppScript: Sendable {
  /// What a line does.
  enum Step: Equatable, Sendable {
    /// A line for the reader: a comment, or nothing.
    case text
    /// Sets the civil time and the time zone of the world. One of the first lines.
    case clock(Date, TimeZone)
    /// A home that exists before the app starts, with its latitude and longitude.
    case home(String, latitude: Double?, longitude: Double?)
    /// An accessory that is in this home before the app starts.
    case accessory(String, profile: String, room: String?)
    /// A new accessory on the network.
    case serve(String, profile: String)
    /// Starts the app, or starts it again.
    case start
    case tap(String)
    case type(String, field: String)
    /// A person at the device sets a value.
    case set(String, accessory: String, value: String)
    /// Prints the value that the device has.
    case show(String, accessory: String)
    /// Disconnects an accessory from the network, or connects it again.
    case connect(String, Bool)
    case wait(Duration)
    /// Waits until the next time of the day: minutes from midnight.
    case until(minute: Int)
  }

  struct Line: Equatable, Sendable {
    /// From 1.
    var number: Int
    /// As written.
    var text: String
    var step: Step
  }

  let lines: [Line]
  /// The civil time and the time zone at the start.
  let (date, zone): (Date?, TimeZone)

  /// Reads a script.
  /// - Throws: ``AppScriptProblem`` with the number of the line.
  public init(_ text: String) throws(AppScriptProblem) {
    var lines: [Line] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      lines.append(Line(number: index + 1, text: String(line), step: try Self.step(String(line), index + 1)))
    }
    if lines.last?.text.isEmpty == true { lines.removeLast() }
    self.lines = lines
    var clock: (Date?, TimeZone) = (nil, .gmt)
    for case .clock(let date, let zone) in lines.map(\.step) { clock = (date, zone) }
    (date, zone) = clock
  }

  /// Reads a line of a script or of standard input.
  static func step(_ text: String, _ number: Int) throws(AppScriptProblem) -> Step {
    if text.isEmpty || text.hasPrefix("#") { return .text }
    let words = words(text)
    let operands = words.dropFirst().map { $0 }
    switch (words[0], operands.count) {
    case ("clock", 2):
      if let step = clock(operands[0], operands[1]) { return step }
    case ("home", 1): return .home(operands[0], latitude: nil, longitude: nil)
    case ("home", 3):
      if let latitude = Double(operands[1]), let longitude = Double(operands[2]) {
        return .home(operands[0], latitude: latitude, longitude: longitude)
      }
    case ("accessory", 2): return .accessory(operands[0], profile: operands[1], room: nil)
    case ("accessory", 3): return .accessory(operands[0], profile: operands[1], room: operands[2])
    case ("serve", 2): return .serve(operands[0], profile: operands[1])
    case ("start", 0): return .start
    case ("tap", 1): return .tap(operands[0])
    case ("type", 2): return .type(operands[1], field: operands[0])
    case ("set", 3): return .set(operands[1], accessory: operands[0], value: operands[2])
    case ("show", 2): return .show(operands[1], accessory: operands[0])
    case ("disconnect", 1): return .connect(operands[0], false)
    case ("connect", 1): return .connect(operands[0], true)
    case ("wait", 2):
      if let count = Int(operands[0]), let unit = units[operands[1]] { return .wait(unit * count) }
    case ("until", 1):
      if let minute = minute(operands[0]) { return .until(minute: minute) }
    default: break
    }
    throw AppScriptProblem(
      "\"\(text)\" is not a line of a script; Examples/Home/support/README.md lists them", line: number)
  }

  private static let units: [String: Duration] = ["s": .seconds(1), "min": .seconds(60), "h": .seconds(3600)]

  private static func clock(_ time: String, _ zone: String) -> Step? {
    guard let zone = TimeZone(identifier: zone) else { return nil }
    var style = Date.ISO8601FormatStyle(timeZone: zone)
    style = style.year().month().day().time(includingFractionalSeconds: false)
    return (try? style.parse(time)).map { .clock($0, zone) }
  }

  /// Returns the minutes from midnight of a text such as "18:00".
  private static func minute(_ text: String) -> Int? {
    let parts = text.split(separator: ":").map { Int($0) }
    guard parts.count == 2, let hour = parts[0], let minute = parts[1], (0..<24).contains(hour),
      (0..<60).contains(minute)
    else { return nil }
    return hour * 60 + minute
  }

  /// Splits a line at its spaces. Double quotes enclose a text with spaces.
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    for (index, part) in text.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
      if index % 2 == 1 { words.append(String(part)) } else { words += part.split(separator: " ").map(String.init) }
    }
    return words.isEmpty ? [""] : words
  }
}

/// An error in a script, or of a line that can't be performed.
public struct AppScriptProblem: Error, CustomStringConvertible, Sendable {
  /// The error.
  public let message: String
  /// The line, from 1.
  public let line: Int

  init(_ message: String, line: Int) { (self.message, self.line) = (message, line) }

  /// "taps:LINE: MESSAGE".
  public var description: String { "taps:\(line): \(message)" }
}
