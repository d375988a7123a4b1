import HAPCommandLine
import HAPController
import HAPWire

/// A parsed line of the shell.
enum ShellCommand: Equatable, Sendable {
  case accessories(withMeta: Bool)
  case get([String])
  case put([Assignment])
  case watch([String])
  case unwatch([String])
  case identify
  case help
  case quit

  /// The commands with their operands and meanings.
  static let all: [(name: String, operands: String, meaning: String)] = [
    ("accessories", "[--meta]", "show all services and characteristics, with their values"),
    ("get", "[CHARACTERISTIC…]", "read; without a characteristic, read all"),
    ("put", "CHARACTERISTIC VALUE…", "write, all values in one request"),
    ("watch", "[CHARACTERISTIC…]", "print events; without a characteristic, of all"),
    ("unwatch", "[CHARACTERISTIC…]", "stop printing events"),
    ("identify", "", "make the accessory identify itself"),
    ("help", "", "show this list"),
    ("quit", "", "exit, like Ctrl-D"),
  ]

  static var helpText: [String] {
    definitionList(all.map { ("\($0.name) \($0.operands)", $0.meaning) }, width: 100)
      + ["", "CHARACTERISTIC is 1.10, \"Target Door State\", or \"Light Bulb/On\". Tab completes."]
  }

  /// - Returns: nil for an empty line or a comment that begins with #.
  init?(_ line: String) throws(UsageError) {
    let start = line.unicodeScalars.first { $0 != " " && $0 != "\t" }
    guard let start, start != "#" else { return nil }
    var words = try ShellWords.split(line)[...]
    guard let name = words.popFirst() else { return nil }
    let rest = Array(words)
    switch name {
    case "accessories":
      guard rest.isEmpty || rest == ["--meta"] else { throw UsageError("accessories accepts only --meta") }
      self = .accessories(withMeta: !rest.isEmpty)
    case "get": self = .get(rest)
    case "put":
      guard rest.count >= 2 else { throw UsageError("put needs a characteristic and a value") }
      guard rest.count % 2 == 0 else { throw UsageError("the last characteristic has no value") }
      self = .put(stride(from: 0, to: rest.count, by: 2).map { Assignment(path: rest[$0], text: rest[$0 + 1]) })
    case "watch": self = .watch(rest)
    case "unwatch": self = .unwatch(rest)
    case "identify", "help", "quit", "exit":
      guard rest.isEmpty else { throw UsageError("unexpected argument \(shown(rest[0]))") }
      self = name == "identify" ? .identify : name == "help" ? .help : .quit
    default:
      let meant = nearestName(to: name, in: Self.all.map(\.name)).map { "; did you mean \($0)?" } ?? ""
      throw UsageError("unknown command \(shown(name))\(meant)")
    }
  }
}
