import HAPDevices
import HAPDeviations
import HAPHost
import HAPIP
import HAPModel
import HAPProfile
import HAPWire

/// What a person, a script or a page can ask of running accessories: the one vocabulary of standard input, `hapsim ctl`, hooks, scenarios,
/// the control API and the page.
///
/// As JSON it is one object: `{"id": 7, "command": "set", "accessory": "Garage", "characteristic": "TargetDoorState", "value": "open"}`.
package struct SimulatorCommand: Equatable, Sendable {
  package enum Action: Equatable, Sendable {
    /// Give a characteristic a value by hand.
    case set(CharacteristicSelector, value: JSONNode)
    /// Let the accessory identify itself, as a controller's Identify would.
    case identify
    /// Put something in the way of a door, or take it away.
    case obstruct(Bool, service: ServiceSelector?)
    /// Do anything else to a service.
    case deed(Deed, service: ServiceSelector?)
    /// Let simulated time pass, where it stands still.
    case advance(Duration)
    /// Let the device leave reads of a characteristic without an answer, or answer them again.
    case stall(CharacteristicSelector, Bool)
    /// Switch a fault on, with its parameters, or off.
    case fault(FaultChoice, Bool)
    /// Take the record off the network and leave everything else as it is, or tell it again.
    case announce(Bool)
    /// Lose an accessory behind a bridge, or find it again.
    case reachable(Bool)
    /// Take the accessory off the network, or bring it back.
    case radio(Bool)
    /// Close the connections of a controller, by its identifier; nil: all.
    case disconnect(controller: String?)
    /// Remove the pairing of a controller, by its identifier; nil: all.
    case unpair(controller: String?)
    case restart(Restart)
    /// Start the accessory anew with another conduct.
    case conduct(Conduct)
    /// Serve another profile, by its path.
    case replace(profile: String)
    /// Serve one more accessory, by its profile's path.
    case add(profile: String)
    /// Stop an accessory and forget that it was served.
    case remove
    /// Tell which accessories there are, and what time it is.
    case list
    /// Tell how the accessories are.
    case status
    /// Stop serving: one accessory, or all and the process.
    case stop
  }
  /// Comes back in the answer: a string or a number of the sender's choice.
  package var id: JSONNode?
  /// `nil`: the only one; for `list`, `status` and `stop`: all of them.
  package var accessory: AccessorySelector?
  package var action: Action

  package init(id: JSONNode? = nil, accessory: AccessorySelector? = nil, _ action: Action) {
    self.id = id
    self.accessory = accessory
    self.action = action
  }
}

/// A command that could not be understood, with the `id` to answer to where that much could be read.
package struct CommandRefusal: Error, Equatable, Sendable {
  package var id: JSONNode?
  package var error: CommandError
}

extension SimulatorCommand {
  /// The commands' names and the members each may have besides `id` and `command`.
  package static let vocabulary: [(name: String, members: [String])] = [
    ("set", ["accessory", "service", "characteristic", "value"]),
    ("identify", ["accessory"]),
    ("press", ["accessory", "service", "kind"]),
    ("trigger", ["accessory", "service"]),
    ("obstruct", ["accessory", "service", "value"]),
    ("jam", ["accessory", "service", "value"]),
    ("tamper", ["accessory", "service", "value"]),
    ("battery", ["accessory", "service", "value"]),
    ("stall", ["accessory", "service", "characteristic", "value"]),
    ("advance", ["duration"]),
    ("fault", ["accessory", "fault", "value"]),
    ("announce", ["accessory", "value"]),
    ("offline", ["accessory"]),
    ("online", ["accessory"]),
    ("radio", ["accessory", "value"]),
    ("disconnect", ["accessory", "controller"]),
    ("unpair", ["accessory", "controller"]),
    ("reboot", ["accessory"]),
    ("power-cut", ["accessory"]),
    ("factory-reset", ["accessory"]),
    ("conduct", ["accessory", "value"]),
    ("replace", ["accessory", "profile"]),
    ("add", ["profile"]),
    ("remove", ["accessory"]),
    ("list", ["accessory"]),
    ("status", ["accessory"]),
    ("stop", ["accessory"]),
  ]

  /// Those that name a file of this machine.
  package static let namingFiles = ["add", "replace"]

  /// Reads one command from its JSON text, as on a line of standard input.
  package init(json line: [UInt8]) throws(CommandRefusal) { try self.init(Self.parse(line)) }

  /// The JSON of one command, which may have any form.
  static func parse(_ line: [UInt8]) throws(CommandRefusal) -> JSONNode {
    do throws(JSONError) {
      return try JSONNode.parse(line)
    } catch {
      let error = CommandError(.malformed, "not JSON: \(error.message) (at \(error.place))")
      throw CommandRefusal(id: nil, error: error)
    }
  }

  package init(_ node: JSONNode) throws(CommandRefusal) {
    let id = node["id"].flatMap { $0.stringValue != nil || $0.numberValue != nil ? $0 : nil }
    do throws(CommandError) {
      try self.init(node, id: id)
    } catch { throw CommandRefusal(id: id, error: error) }
  }

  private init(_ node: JSONNode, id: JSONNode?) throws(CommandError) {
    let name = try Self.reading { () throws(JSONProblem) in try node.string("command") }
    guard let (_, members) = Self.vocabulary.first(where: { $0.name == name }) else {
      let names = Self.vocabulary.map(\.name)
      let hint = nearestName(to: name, in: names).map { "did you mean \"\($0)\"?" }
      throw CommandError(
        .unknownCommand, "there is no command \"\(name)\": " + (hint ?? "there are \(names.joined(separator: ", "))"))
    }
    self = try Self.reading { () throws(JSONProblem) in
      try node.refuseUnknownMembers(except: ["id", "command"] + members)
      if let written = node["id"], id == nil {
        throw written.problem("a string or a number is expected, not \(written.kindName)")
      }
      let accessory = try node["accessory"].map { node throws(JSONProblem) in try AccessorySelector(node) }
      return SimulatorCommand(id: id, accessory: accessory, try Action(name, node))
    }
  }

  /// Judges a command in a document that has places of its own.
  package static func check(_ node: JSONNode) throws(JSONProblem) {
    let name = try node.string("command")
    guard let (_, members) = vocabulary.first(where: { $0.name == name }) else {
      preconditionFailure("who reads the document knows the commands")
    }
    try node.refuseUnknownMembers(except: ["command"] + members)
    if let accessory = node["accessory"] { _ = try AccessorySelector(accessory) }
    _ = try Action(name, node)
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
  fileprivate init(_ name: String, _ node: JSONNode) throws(JSONProblem) {
    switch name {
    case "set":
      let service = try ServiceSelector.member(of: node)
      self = .set(
        try CharacteristicSelector(try node.required("characteristic"), service: service),
        value: try node.required("value"))
    case "stall":
      let service = try ServiceSelector.member(of: node)
      self = .stall(
        try CharacteristicSelector(try node.required("characteristic"), service: service),
        try node.bool("value", default: true))
    case "identify": self = .identify
    case "obstruct":
      self = .obstruct(try node.bool("value", default: true), service: try ServiceSelector.member(of: node))
    case "press", "trigger", "jam", "tamper", "battery":
      self = .deed(try Deed(name, node), service: try ServiceSelector.member(of: node))
    case "advance": self = .advance(try node.duration("duration"))
    case "fault":
      // One that is switched off needs no parameters: its name is enough.
      self = .fault(
        try FaultLibrary.builtIn.choice(try node.required("fault")), try node.bool("value", default: true))
    case "announce": self = .announce(try node.required("value").asBool())
    case "offline": self = .reachable(false)
    case "online": self = .reachable(true)
    case "radio": self = .radio(try node.required("value").asBool())
    case "disconnect": self = .disconnect(controller: try node.optionalString("controller"))
    case "unpair": self = .unpair(controller: try node.optionalString("controller"))
    case "conduct": self = .conduct(try Conduct(judging: try node.required("value")))
    case "replace": self = .replace(profile: try node.string("profile"))
    case "add": self = .add(profile: try node.string("profile"))
    case "remove": self = .remove
    case "list": self = .list
    case "status": self = .status
    case "stop": self = .stop
    default:
      guard let restart = Restart(rawValue: name) else {
        preconditionFailure("\(name) is in the vocabulary and has no action")
      }
      self = .restart(restart)
    }
  }
}

extension Conduct {
  fileprivate init(judging node: JSONNode) throws(JSONProblem) {
    var problems: [ProfileProblem] = []
    self.init(node, problems: &problems)
    guard let problem = problems.first else { return }
    throw JSONProblem(
      path: problem.path, place: JSONPlace(line: problem.line, column: problem.column), message: problem.message)
  }
}

extension Deed {
  fileprivate init(_ name: String, _ node: JSONNode) throws(JSONProblem) {
    switch name {
    case "press": self = .press(try node["kind"].map { node throws(JSONProblem) in try ButtonPress(node) } ?? .single)
    case "trigger": self = .trigger
    case "jam": self = .jam(try node.bool("value", default: true))
    case "tamper": self = .tamper(try node.bool("value", default: true))
    case "battery": self = .battery(Int(try node.required("value").asInteger(in: 0...100)))
    default: preconditionFailure("\(name) is no deed")
    }
  }
}

extension ButtonPress {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    let names = Self.allCases.map(\.name)
    guard let kind = Self.allCases.first(where: { $0.name == node.stringValue }) else {
      let meant = node.stringValue.flatMap { nearestName(to: $0, in: names) }.map { ": did you mean \"\($0)\"?" }
      throw node.problem("\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "") is expected\(meant ?? "")")
    }
    self = kind
  }
}

extension JSONNode {
  fileprivate func duration(_ name: String) throws(JSONProblem) -> Duration {
    let node = try required(name)
    guard let text = node.stringValue, let duration = Duration(long: text) else {
      throw node.problem(
        "a duration such as \"500ms\", \"12s\", \"1.5min\", \"2h\", \"30d\" or \"1y\" is expected"
          + (node.stringValue.map { ", not \"\($0)\"" } ?? ", not \(node.kindName)"))
    }
    guard duration <= SimulationClock.longestAdvance else { throw node.problem("time is advanced by 10y at most") }
    return duration
  }
}
