import HapsimFiles
import HAPCommandLine
import HAPCommands
import HAPHost
import HAPModel
import HAPWire

/// The words of a command line as a command for a running hapsim.
struct ControlWords: Equatable {
  /// A word that a command takes, by the member it becomes.
  private enum Word: String {
    case characteristic, value, kind, duration, controller, profile, accessory
    case isOn, percent, fault, preset

    var member: String {
      switch self {
      case .isOn, .percent, .preset: "value"
      default: rawValue
      }
    }

    /// As in usage.
    var label: String {
      switch self {
      case .characteristic, .value, .duration, .controller, .profile, .accessory, .percent, .preset:
        rawValue.uppercased()
      case .kind: "single|double|long"
      case .fault: "NAME[:PARAMETER=VALUE…]"
      case .isOn: "on|off"
      }
    }
  }

  /// What a command's words are: those that have to be there, and the last one, which may.
  private static let words: [String: (needed: [Word], optional: Word?)] = [
    "set": ([.characteristic, .value], nil), "press": ([], .kind), "obstruct": ([], .isOn), "jam": ([], .isOn),
    "stall": ([.characteristic], .isOn), "tamper": ([], .isOn), "battery": ([.percent], nil),
    "advance": ([.duration], nil), "offline": ([], .accessory),
    "fault": ([.fault], .isOn), "announce": ([.isOn], nil),
    "online": ([], .accessory), "radio": ([.isOn], nil), "disconnect": ([], .controller), "unpair": ([], .controller),
    "conduct": ([.preset], nil), "replace": ([.profile], nil), "add": ([.profile], nil), "remove": ([], .accessory),
  ]

  let name: String
  /// Whose accessory it is for; also for commands that don't say so themselves.
  let accessory: AccessorySelector?
  /// One line, without its end.
  let json: String

  /// Each command with its words, as usage shows them: "press [single|double|long]".
  static let usage: [String] = SimulatorCommand.vocabulary.map { usage(of: $0.name) }

  private static func usage(of name: String) -> String {
    let words = words[name] ?? ([], nil)
    return ([name] + words.needed.map(\.label) + (words.optional.map { ["[\($0.label)]"] } ?? [])).joined(
      separator: " ")
  }

  /// - Parameters:
  ///   - accessory: what `--accessory` said.
  ///   - service: what `--service` said.
  ///   - folder: from which paths are named.
  init(_ words: [String], accessory: String?, service: String?, folder: String) throws(UsageError) {
    guard let name = words.first else { throw UsageError("a command is missing: \(Self.names)") }
    guard let (_, members) = SimulatorCommand.vocabulary.first(where: { $0.name == name }) else {
      let meant = nearestName(to: name, in: SimulatorCommand.vocabulary.map(\.name))
      throw UsageError(
        "there is no command \(shown(name)): " + (meant.map { "did you mean \($0)?" } ?? "there are \(Self.names)"))
    }
    let form = Self.words[name] ?? ([], nil)
    let given = words.dropFirst()
    let expected = form.needed + (form.optional.map { [$0] } ?? [])
    guard given.count >= form.needed.count else {
      throw UsageError("\(expected[given.count].label) is missing: \(Self.usage(of: name))")
    }
    guard given.count <= expected.count else {
      throw UsageError(
        "\(shown(given[given.startIndex + expected.count])) is one word too many: \(Self.usage(of: name))")
    }
    guard service == nil || members.contains("service") else { throw UsageError("\(name) takes no --service") }
    var whose = accessory
    var values: [(member: String, value: Value)] = []
    for (word, text) in zip(expected, given) {
      if word == .accessory {
        guard whose == nil else { throw UsageError("the accessory is named twice: \(shown(text)) and --accessory") }
        whose = text
      } else {
        values.append((word.member, try Self.value(of: text, as: word, name, folder)))
      }
    }
    let selector = whose.map { UInt64($0).map { AccessorySelector.aid($0) } ?? .name($0) }
    self.name = name
    self.accessory = selector
    json = JSONWriter.text { json in
      json.object { json in
        json.key("command")
        json.string(name)
        if members.contains("accessory"), let selector {
          json.key("accessory")
          switch selector {
          case .name(let name): json.string(name)
          case .aid(let aid): json.integer(aid)
          }
        }
        if let service {
          json.key("service")
          if let iid = UInt64(service) { json.integer(iid) } else { json.string(service) }
        }
        for (member, value) in values {
          json.key(member)
          json.value(value)
        }
      }
    }
    // By the rules of the other side, so that what is wrong is told here.
    do throws(CommandRefusal) { _ = try SimulatorCommand(json: Array(json.utf8)) } catch {
      let message = error.error.message
      // The last one: what was typed may have such words in it.
      let place = message.ranges(of: " (at ").last?.lowerBound ?? message.endIndex
      throw UsageError(String(message[..<place]))
    }
  }

  private static var names: String { SimulatorCommand.vocabulary.map(\.name).joined(separator: ", ") }

  private static func value(
    of text: String, as word: Word, _ name: String, _ folder: String
  ) throws(UsageError) -> Value {
    switch word {
    case .isOn:
      guard text == "on" || text == "off" else { throw UsageError("\(name) is on or off, not \(shown(text))") }
      return .bool(text == "on")
    case .percent:
      guard let percent = Int(text), (0...100).contains(percent) else {
        throw UsageError("\(name) takes a whole number from 0 to 100, not \(shown(text))")
      }
      return .integer(Int128(percent))
    case .profile:
      // The running process has a working folder of its own, so it gets an absolute path.
      let path = (try? ShippedProfiles.installed.path(of: text)) ?? text
      return .string(path.hasPrefix("/") ? path : folder + "/" + path)
    case .characteristic, .value, .kind, .duration, .controller, .accessory, .fault, .preset: return .string(text)
    }
  }
}
