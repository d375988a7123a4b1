import HAPAlmanac
import HAPWorld

/// The lines of a demonstration. Commands are as in a shell; other lines set and move the time of the world.
struct StageScript: Equatable {
  /// What a line does.
  enum Step: Equatable {
    /// A line for the reader: a comment, or nothing.
    case text
    /// Sets the civil time at which the world starts, and the zone of all later times.
    case clock(CivilTime, ZoneName)
    case command(Command)
    /// Sets a variable to a member of the JSON that a command prints.
    case variable(name: String, Command, member: [String])
    case wait(Duration)
    /// Waits until the next time of day in the zone: minutes from midnight.
    case until(minute: Int)
    /// Ends a background command, as `kill` in a shell: the number is that of the command, from 1.
    case kill(job: Int, isForced: Bool)
  }

  struct Command: Equatable {
    var words: [String]
    /// Whether the line ends in `&`.
    var isBackground = false
    /// Whether the line begins with `!`: the command has to fail.
    var fails = false
  }

  struct Line: Equatable {
    /// From 1.
    var number: Int
    /// As written.
    var text: String
    var step: Step
  }

  struct Problem: Error, Equatable, CustomStringConvertible {
    var line: Int
    var message: String
    var description: String { "script:\(line): \(message)" }
  }

  var lines: [Line]

  init(_ text: String) throws(Problem) {
    lines = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      lines.append(Line(number: index + 1, text: String(line), step: try Self.step(String(line), index + 1)))
    }
    if lines.last?.text.isEmpty == true { lines.removeLast() }
  }

  private static func step(_ text: String, _ number: Int) throws(Problem) -> Step {
    func problem(_ message: String) -> Problem { Problem(line: number, message: message) }
    if text.isEmpty || text.hasPrefix("#") { return .text }
    if let step = try variable(text, number) { return step }
    guard var words = shellWords(text), let first = words.first else { throw problem("a quote is not closed") }
    words.removeFirst()
    switch first {
    case "$":
      var command = Command(words: words)
      if command.words.first == "!" {
        command.fails = true
        command.words.removeFirst()
      }
      if command.words.last == "&" {
        command.isBackground = true
        command.words.removeLast()
      }
      guard !command.words.isEmpty else { throw problem("a command is missing") }
      return .command(command)
    case "wait":
      guard words.count == 2, let count = Int(words[0]), (1...100_000).contains(count), let unit = units[words[1]]
      else {
        throw problem("expected \"wait 30 min\", with s, min or h")
      }
      return .wait(unit * count)
    case "until":
      guard words.count == 1, let minute = minute(words[0]) else { throw problem("expected \"until 18:00\"") }
      return .until(minute: minute)
    case "clock":
      guard words.count == 2, let time = try? CivilTime(words[0]), let zone = ZoneName(words[1]) else {
        throw problem("expected \"clock 2015-06-08T17:30:00 America/Los_Angeles\"")
      }
      return .clock(time, zone)
    case "kill":
      let isForced = words.first == "-9"
      guard let job = words.last.flatMap({ $0.hasPrefix("%") ? Int($0.dropFirst()) : nil }), job > 0,
        words.count == (isForced ? 2 : 1)
      else { throw problem("expected \"kill %1\" or \"kill -9 %1\"") }
      return .kill(job: job, isForced: isForced)
    default: throw problem("expected a line that begins with $, #, clock, wait, until or kill")
    }
  }

  /// Parses `$ room=$(hapctl home show Kitchen --json | jq -r .room.id)`; nil for another line.
  private static func variable(_ text: String, _ number: Int) throws(Problem) -> Step? {
    guard text.hasPrefix("$ "), let start = text.firstRange(of: "=$(") else { return nil }
    let name = String(text[text.index(text.startIndex, offsetBy: 2)..<start.lowerBound])
    guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }) else {
      return nil
    }
    let rest = text[start.upperBound...]
    guard rest.hasSuffix(")"), let pipe = rest.ranges(of: " | jq -r .").last,
      let words = shellWords(String(rest[..<pipe.lowerBound])), !words.isEmpty
    else { throw Problem(line: number, message: "expected \"$ name=$(hapctl … --json | jq -r .member)\"") }
    let member = rest[pipe.upperBound...].dropLast().split(separator: ".", omittingEmptySubsequences: false)
    return .variable(name: name, Command(words: words), member: member.map(String.init))
  }

  private static let units: [String: Duration] = ["s": .seconds(1), "min": .seconds(60), "h": .seconds(3600)]

  /// Returns the minutes from midnight of a text such as "18:00".
  private static func minute(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let hour = parts[0], let minute = parts[1], (0..<24).contains(hour),
      (0..<60).contains(minute)
    else { return nil }
    return hour * 60 + minute
  }
}
