import HAPCommandLine
import HAPController
import HAPWire

/// What a line of the shell asks for.
enum ShellCommand: Equatable, Sendable {
  case accessories(withMeta: Bool)
  case get([String])
  case put([Assignment])
  case watch([String])
  case unwatch([String])
  case identify
  case help
  case quit

  /// The words that begin a line, with what stands behind them and what they do.
  static let all: [(name: String, operands: String, meaning: String)] = [
    ("accessories", "[--meta]", "all services and characteristics, with their values"),
    ("get", "[CHARACTERISTIC…]", "reads; without a characteristic all"),
    ("put", "CHARACTERISTIC VALUE…", "writes, many in one request"),
    ("watch", "[CHARACTERISTIC…]", "shows every change from now on; without a characteristic of all"),
    ("unwatch", "[CHARACTERISTIC…]", "shows them no longer"),
    ("identify", "", "lets the accessory blink or beep"),
    ("help", "", "this list"),
    ("quit", "", "ends, as Ctrl-D does"),
  ]

  static var helpText: [String] {
    definitionList(all.map { ("\($0.name) \($0.operands)", $0.meaning) }, width: 100)
      + ["", "A characteristic is 1.10, \"Target Door State\", or \"Light Bulb/On\". Tab completes."]
  }

  /// - Returns: nil for an empty line, and for a comment behind #.
  init?(_ line: String) throws(UsageError) {
    let start = line.unicodeScalars.first { $0 != " " && $0 != "\t" }
    guard let start, start != "#" else { return nil }
    var words = try ShellWords.split(line)[...]
    guard let name = words.popFirst() else { return nil }
    let rest = Array(words)
    switch name {
    case "accessories":
      guard rest.isEmpty || rest == ["--meta"] else { throw UsageError("accessories takes --meta, or nothing") }
      self = .accessories(withMeta: !rest.isEmpty)
    case "get": self = .get(rest)
    case "put":
      guard rest.count >= 2 else { throw UsageError("put needs a characteristic and a value") }
      guard rest.count % 2 == 0 else { throw UsageError("the last one has no value") }
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
