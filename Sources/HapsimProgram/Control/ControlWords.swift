import HapsimFiles
import HAPCommandLine
import HAPHost
import HAPModel
import HAPVocabulary
import HAPWire

/// A parsed command line for a running hapsim.
struct ControlWords: Equatable {
  let name: CommandName
  /// The selected accessory, also for commands that have no such member.
  let accessory: AccessorySelector?
  /// The command as one line of JSON, without a newline.
  let json: String

  /// Each command with its operands, as usage lines show them: "press [single|double|long]".
  static let usage: [String] = CommandForm.all.map(\.usage)

  /// - Parameters:
  ///   - accessory: the value of `--accessory`.
  ///   - service: the value of `--service`.
  ///   - folder: the base of relative paths.
  init(_ words: [String], accessory: String?, service: String?, folder: String) throws(UsageError) {
    guard let word = words.first else { throw UsageError("a command is missing: \(Self.names)") }
    guard let name = CommandName(rawValue: word) else {
      let meant = nearestName(to: word, in: CommandName.words)
      throw UsageError(
        "there is no command \(shown(word)): " + (meant.map { "did you mean \($0)?" } ?? "there are \(Self.names)"))
    }
    let form = CommandForm[name]
    let members = form.members.map(\.kind)
    let given = words.dropFirst()
    let expected = form.words
    if given.count < expected.count, expected[given.count].isRequired {
      throw UsageError("\(expected[given.count].label) is missing: \(form.usage)")
    }
    guard given.count <= expected.count else {
      throw UsageError("unexpected argument \(shown(given[given.startIndex + expected.count])): \(form.usage)")
    }
    guard service == nil || members.contains(.service) else { throw UsageError("\(word) takes no --service") }
    var whose = accessory
    var values: [(member: String, value: Value)] = []
    for (word, text) in zip(expected, given) {
      if word.kind == .accessory {
        guard whose == nil else { throw UsageError("the accessory is named twice: \(shown(text)) and --accessory") }
        whose = text
      } else {
        values.append((word.name, try Self.value(of: text, as: word.kind, name.rawValue, folder)))
      }
    }
    let selector = whose.map { UInt64($0).map { AccessorySelector.aid($0) } ?? .name($0) }
    self.name = name
    self.accessory = selector
    json = JSONWriter.text { json in
      json.object { json in
        json.key("command")
        json.string(name.rawValue)
        if members.contains(.accessory), let selector {
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
    // Parse the command by the rules of the running process, so that errors are reported here.
    do throws(CommandRefusal) { _ = try SimulatorCommand(json: Array(json.utf8)) } catch {
      let message = error.error.message
      // Use the last occurrence, because the user's text may contain such words.
      let place = message.ranges(of: " (at ").last?.lowerBound ?? message.endIndex
      throw UsageError(String(message[..<place]))
    }
  }

  private static var names: String { CommandName.words.joined(separator: ", ") }

  private static func value(
    of text: String, as kind: CommandMember.Kind, _ name: String, _ folder: String
  ) throws(UsageError) -> Value {
    if let range = kind.range {
      guard let number = Int128(text), range.contains(number) else {
        throw UsageError(
          "\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not \(shown(text))")
      }
      return .integer(number)
    }
    switch kind {
    case .flag:
      guard text == "on" || text == "off" else { throw UsageError("\(name) is on or off, not \(shown(text))") }
      return .bool(text == "on")
    case .profile:
      // The running process has a different working folder, so it gets an absolute path.
      let path = (try? ShippedProfiles.installed.path(of: text)) ?? text
      return .string(path.hasPrefix("/") ? path : folder + "/" + path)
    case .characteristic, .value, .press, .duration, .controller, .accessory, .service, .fault, .quirks, .window,
      .percent, .seconds, .fabric:
      return .string(text)
    }
  }
}
