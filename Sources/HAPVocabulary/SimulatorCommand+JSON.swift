import HAPDevices
import HAPDeviations
import HAPIP
import HAPModel
import HAPProfile
import HAPWire

/// A command that could not be parsed, with the `id` for the answer if that could be read.
package struct CommandRefusal: Error, Equatable, Sendable {
  package var id: SimulatorCommand.ID?
  package var error: CommandError
}

// MARK: Reading

extension SimulatorCommand {
  /// Parses one command from its JSON text, such as a line of standard input.
  package init(json line: [UInt8]) throws(CommandRefusal) {
    let node: JSONNode
    do throws(JSONError) {
      node = try JSONNode.parse(line)
    } catch {
      let error = CommandError(.malformed, "not JSON: \(error.message) (at \(error.place))")
      throw CommandRefusal(id: nil, error: error)
    }
    try self.init(node)
  }

  /// Parses one command that is a complete document.
  package init(_ node: JSONNode) throws(CommandRefusal) {
    let id = node["id"].flatMap { ID($0) }
    do throws(CommandError) {
      try self.init(node, id: id)
    } catch { throw CommandRefusal(id: id, error: error) }
  }

  private init(_ node: JSONNode, id: ID?) throws(CommandError) {
    let word = try Self.reading { () throws(JSONProblem) in try node.string("command") }
    guard let name = CommandName(rawValue: word) else {
      let hint = nearestName(to: word, in: CommandName.words).map { "did you mean \"\($0)\"?" }
      throw CommandError(
        .unknownCommand,
        "there is no command \"\(word)\": " + (hint ?? "there are \(CommandName.words.joined(separator: ", "))"))
    }
    let accessory = try Self.reading { () throws(JSONProblem) in
      let accessory = try Self.accessory(of: node, name, and: ["id", "command"])
      if let written = node["id"], id == nil {
        throw written.problem("a string or a number is expected, not \(written.kindName)")
      }
      return accessory
    }
    if name == .set, let value = node["value"], Value(written: value) == nil {
      throw CommandError(.invalidValue, Value.refusal(of: value))
    }
    let action = try Self.reading { () throws(JSONProblem) in try Action(name, node) }
    self.init(id: id, accessory: accessory, action)
  }

  /// Parses the members of a command inside another document; `id` is not among them.
  package init(_ name: CommandName, membersOf node: JSONNode) throws(JSONProblem) {
    let accessory = try Self.accessory(of: node, name, and: [])
    self.init(accessory: accessory, try Action(name, node))
  }

  /// - Throws: also for a member that the command doesn't have.
  private static func accessory(
    of node: JSONNode, _ name: CommandName, and others: [String]
  ) throws(JSONProblem) -> AccessorySelector? {
    try node.refuseUnknownMembers(except: others + CommandForm[name].members.map(\.name))
    return try node["accessory"].map { node throws(JSONProblem) in try AccessorySelector(node) }
  }

  private static func reading<R>(_ body: () throws(JSONProblem) -> R) throws(CommandError) -> R {
    do throws(JSONProblem) {
      return try body()
    } catch {
      let path = error.path.isEmpty ? "" : "\(error.path): "
      throw CommandError(.malformed, "\(path)\(error.message) (at \(error.place))")
    }
  }
}

extension SimulatorCommand.Action {
  /// - Parameter fault: the fault in the form of `--fault`.
  package init(fault: String, isOn: Bool) throws(JSONProblem) {
    self = .fault(try FaultLibrary.builtIn.choice(fault), isOn)
  }
}

extension SimulatorCommand.ID {
  fileprivate init?(_ node: JSONNode) {
    switch node.kind {
    case .string(let text): self = .text(text)
    case .number(let number): self = .number(number.text)
    case .null, .bool, .array, .object: return nil
    }
  }
}

extension JSONNode {
  func writtenValue() throws(JSONProblem) -> Value {
    let node = try required("value")
    guard let value = Value(written: node) else { throw node.problem(Value.refusal(of: node)) }
    return value
  }

  /// Returns the flag; true if it is missing.
  func flag() throws(JSONProblem) -> Bool { try bool("value", default: true) }

  func percent() throws(JSONProblem) -> Int { Int(try required("value").asInteger(in: 0...100)) }

  func press() throws(JSONProblem) -> ButtonPress {
    try kind(of: ButtonPress.allCases, named: \.name, default: .single)
  }

  func window() throws(JSONProblem) -> MatterWindow.Kind {
    try kind(of: MatterWindow.Kind.allCases, named: \.rawValue, default: .basic)
  }

  private func kind<Kind>(
    of kinds: [Kind], named name: (Kind) -> String, default standard: Kind
  ) throws(JSONProblem) -> Kind {
    guard let node = self["kind"] else { return standard }
    let names = kinds.map(name)
    guard let place = names.firstIndex(where: { $0 == node.stringValue }) else {
      let meant = node.stringValue.flatMap { nearestName(to: $0, in: names) }.map { ": did you mean \"\($0)\"?" }
      let list = names.dropLast().joined(separator: ", ")
      throw node.problem("\(list) or \(names.last ?? "") is expected\(meant ?? "")")
    }
    return kinds[place]
  }

  func seconds() throws(JSONProblem) -> Int {
    guard let node = self["seconds"] else { return MatterWindow.timeouts.lowerBound }
    return Int(try node.asInteger(in: MatterWindow.timeouts.wide))
  }

  func fabric() throws(JSONProblem) -> UInt8 {
    UInt8(try required("fabric").asInteger(in: MatterFabric.indices.wide))
  }

  func duration() throws(JSONProblem) -> Duration {
    let node = try required("duration")
    guard let text = node.stringValue, let duration = Duration(long: text) else {
      throw node.problem(
        "a duration such as \"500ms\", \"12s\", \"1.5min\", \"2h\", \"30d\" or \"1y\" is expected"
          + (node.stringValue.map { ", not \"\($0)\"" } ?? ", not \(node.kindName)"))
    }
    guard duration <= .longestAdvance else { throw node.problem("time is advanced by 10y at most") }
    return duration
  }

  func quirks() throws(JSONProblem) -> Quirks {
    var problems: [ProfileProblem] = []
    let quirks = Quirks(try required("value"), problems: &problems)
    guard let problem = problems.first else { return quirks }
    throw JSONProblem(
      path: problem.path, place: JSONPlace(line: problem.line, column: problem.column), message: problem.message)
  }
}

// MARK: Writing

extension SimulatorCommand {
  /// The command as one line of JSON, without a newline. `init(json:)` parses it as the same command.
  package var text: String {
    JSONWriter.text { json in
      json.object { json in
        if let id {
          json.key("id")
          id.write(to: &json)
        }
        json.member("command", name.rawValue)
        writeMembers(to: &json)
      }
    }
  }

  /// The object of the members, without the name and `id`. `init(_:membersOf:)` parses it as the same command.
  package var membersText: String { JSONWriter.text { json in json.object { writeMembers(to: &$0) } } }

  private func writeMembers(to json: inout JSONWriter) {
    if let accessory {
      json.key("accessory")
      accessory.write(to: &json)
    }
    action.write(to: &json)
  }
}

extension SimulatorCommand.ID {
  package func write(to json: inout JSONWriter) {
    switch self {
    case .text(let text): json.string(text)
    case .number(let text): json.written(Array(text.utf8))
    }
  }
}

extension JSONWriter {
  mutating func member(_ key: String, _ text: String) {
    self.key(key)
    string(text)
  }

  mutating func member(_ flag: Bool) {
    key("value")
    bool(flag)
  }

  mutating func member(_ service: ServiceSelector?) {
    guard let service else { return }
    key("service")
    service.write(to: &self)
  }

  mutating func member(_ selector: CharacteristicSelector) {
    member(selector.service)
    member("characteristic", selector.text)
  }
}
