import HAPAlmanac
import HAPModel
import HAPWire

extension JSONNode {
  /// The greatest depth of a document of a home. A condition of the greatest depth fits.
  package static let homeDepthLimit = 128
}

// MARK: Reading

extension HomeCommand {
  /// Reads a command from its JSON text: `{"command": "add-room", "home": "…", "name": "Kitchen"}`.
  /// - Throws: 3, with the path and the place of the first mistake.
  package init(json text: [UInt8]) throws(HomeError) {
    let node: JSONNode
    do throws(JSONError) {
      node = try JSONNode.parse(text, depthLimit: JSONNode.homeDepthLimit)
    } catch {
      throw HomeError(.invalidParameter, nil, "not JSON: \(error.message) (at \(error.place))")
    }
    do throws(JSONProblem) { try self.init(node) } catch { throw HomeError(error) }
  }

  /// Reads a command from an object.
  /// - Parameter others: the other members that the object may have, such as the identifier of a request.
  /// - Throws: the first mistake.
  package init(_ node: JSONNode, and others: [String] = []) throws(JSONProblem) {
    let word = try node.string("command")
    guard let name = HomeCommandName(rawValue: word) else {
      let words = HomeCommandName.allCases.map(\.rawValue)
      let hint = nearestName(to: word, in: words).map { "did you mean \"\($0)\"?" }
      throw try node.required("command").problem(
        "there is no command \"\(word.shortened)\": \(hint ?? "there are \(words.joined(separator: ", "))")")
    }
    try node.refuseUnknownMembers(except: ["command"] + others + HomeCommandForm[name].members.map(\.name))
    try self.init(name, node, ["command"] + others)
  }

  /// Parses a command from an object with its members besides `command`.
  /// - Throws: the first mistake.
  package init(_ name: HomeCommandName, of node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: HomeCommandForm[name].members.map(\.name))
    try self.init(name, node, [])
  }

  private init(_ name: HomeCommandName, _ node: JSONNode, _ others: [String]) throws(JSONProblem) {
    switch name {
    case .addHome:
      self = .addHome(
        name: try node.name(), zone: try node.timeZone(), location: try node.optional("location", JSONNode.place),
        owner: try node.string("owner"))
    case .removeHome: self = .removeHome(try node.home())
    case .setPrimaryHome: self = .setPrimaryHome(try node.home())
    case .setTimeZone: self = .setTimeZone(home: try node.home(), try node.timeZone())
    case .setLocation: self = .setLocation(home: try node.home(), try node.nullable("location", JSONNode.place))
    case .rename: self = .rename(try node.required("object").identifier(), try node.name())
    case .addRoom: self = .addRoom(home: try node.home(), name: try node.name())
    case .removeRoom: self = .removeRoom(try node.identifier(.room))
    case .addZone: self = .addZone(home: try node.home(), name: try node.name())
    case .removeZone: self = .removeZone(try node.identifier(.zone))
    case .addRoomToZone: self = .addRoomToZone(room: try node.identifier(.room), zone: try node.identifier(.zone))
    case .removeRoomFromZone:
      self = .removeRoomFromZone(room: try node.identifier(.room), zone: try node.identifier(.zone))
    case .addGroup: self = .addGroup(home: try node.home(), name: try node.name())
    case .removeGroup: self = .removeGroup(try node.identifier(.group))
    case .addServiceToGroup:
      self = .addServiceToGroup(service: try node.identifier(.service), group: try node.identifier(.group))
    case .removeServiceFromGroup:
      self = .removeServiceFromGroup(service: try node.identifier(.service), group: try node.identifier(.group))
    case .addDevice: self = .addDevice(home: try node.home(), try DeviceDescription(node))
    case .updateDevice: self = .updateDevice(home: try node.home(), try DeviceDescription(node))
    case .removeAccessory: self = .removeAccessory(try node.identifier(.accessory))
    case .moveAccessory:
      self = .moveAccessory(try node.identifier(.accessory), room: try node.identifier(.room))
    case .blockAccessory: self = .blockAccessory(try node.identifier(.accessory))
    case .unblockAccessory: self = .unblockAccessory(try node.identifier(.accessory))
    case .setAssociatedType:
      self = .setAssociatedType(
        service: try node.identifier(.service), try node.nullable("type", JSONNode.typeID))
    case .addActionSet, .removeActionSet, .addAction, .updateAction, .removeAction, .addTrigger, .updateTrigger,
      .removeTrigger, .enableTrigger, .disableTrigger, .addActionSetToTrigger, .removeActionSetFromTrigger,
      .addOwnedActionSet, .addUser, .setRole, .removeUser:
      try self.init(automation: name, node, others)
    }
  }

  /// Reads a command of action sets, triggers or users.
  private init(automation name: HomeCommandName, _ node: JSONNode, _ others: [String]) throws(JSONProblem) {
    switch name {
    case .addActionSet: self = .addActionSet(home: try node.home(), name: try node.name())
    case .removeActionSet: self = .removeActionSet(try node.identifier(.actionSet))
    case .addAction: self = .addAction(actionSet: try node.identifier(.actionSet), try HomeAction(membersOf: node))
    case .updateAction:
      self = .updateAction(actionSet: try node.identifier(.actionSet), try HomeAction(membersOf: node))
    case .removeAction:
      self = .removeAction(
        actionSet: try node.identifier(.actionSet), characteristic: try node.identifier(.characteristic))
    case .addTrigger:
      self = .addTrigger(
        home: try node.home(), name: try node.name(), try node.triggerKind(and: others + ["home", "name"]))
    case .updateTrigger:
      self = .updateTrigger(try node.identifier(.trigger), try node.triggerKind(and: others + ["trigger"]))
    case .removeTrigger: self = .removeTrigger(try node.identifier(.trigger))
    case .enableTrigger: self = .enableTrigger(try node.identifier(.trigger))
    case .disableTrigger: self = .disableTrigger(try node.identifier(.trigger))
    case .addActionSetToTrigger:
      self = .addActionSetToTrigger(
        actionSet: try node.identifier(.actionSet), trigger: try node.identifier(.trigger))
    case .removeActionSetFromTrigger:
      self = .removeActionSetFromTrigger(
        actionSet: try node.identifier(.actionSet), trigger: try node.identifier(.trigger))
    case .addOwnedActionSet:
      self = .addOwnedActionSet(trigger: try node.identifier(.trigger), try node.actions())
    case .addUser: self = .addUser(home: try node.home(), name: try node.name(), role: try node.role())
    case .setRole: self = .setRole(user: try node.identifier(.user), try node.role())
    case .removeUser: self = .removeUser(try node.identifier(.user))
    default: preconditionFailure("\(name) is not a command of action sets, triggers or users")
    }
  }
}

extension HomeError {
  /// The error for a mistake in JSON: 3, with the path and the place.
  package init(_ problem: JSONProblem) {
    let path = problem.path.isEmpty ? "" : "\(problem.path): "
    self.init(.invalidParameter, nil, "\(path)\(problem.message) (at \(problem.place))")
  }
}

// MARK: Writing

extension HomeCommand {
  /// The command as one line of JSON, without a newline. `init(json:)` reads it as the same command.
  package var json: String { node.compactText }

  /// The object of the command.
  package var node: JSONNode { .object([("command", .text(name.rawValue))] + members) }

  /// The members besides `command`, without those that are optional and missing.
  private var members: [JSONMember] {
    switch self {
    case .addHome(let name, let zone, let location, let owner):
      [("name", .text(name)), ("timeZone", .text(zone.text))] + (location.map { [("location", $0.node)] } ?? [])
        + [("owner", .text(owner))]
    case .removeHome(let home), .setPrimaryHome(let home): [member(.home, home)]
    case .setTimeZone(let home, let zone): [member(.home, home), ("timeZone", .text(zone.text))]
    case .setLocation(let home, let location): [member(.home, home), ("location", location?.node ?? JSONNode(.null))]
    case .rename(let object, let name): [("object", .id(object)), ("name", .text(name))]
    case .addRoom(let home, let name), .addZone(let home, let name), .addGroup(let home, let name),
      .addActionSet(let home, let name):
      [member(.home, home), ("name", .text(name))]
    case .removeRoom(let room): [member(.room, room)]
    case .removeZone(let zone): [member(.zone, zone)]
    case .addRoomToZone(let room, let zone), .removeRoomFromZone(let room, let zone):
      [member(.room, room), member(.zone, zone)]
    case .removeGroup(let group): [member(.group, group)]
    case .addServiceToGroup(let service, let group), .removeServiceFromGroup(let service, let group):
      [member(.service, service), member(.group, group)]
    case .addDevice(let home, let device), .updateDevice(let home, let device): [member(.home, home)] + device.members
    case .removeAccessory(let accessory), .blockAccessory(let accessory), .unblockAccessory(let accessory):
      [member(.accessory, accessory)]
    case .moveAccessory(let accessory, let room): [member(.accessory, accessory), member(.room, room)]
    case .setAssociatedType(let service, let type):
      [member(.service, service), ("type", type.map { .text($0.wireForm) } ?? JSONNode(.null))]
    case .removeActionSet(let set): [member(.actionSet, set)]
    case .addAction(let set, let action), .updateAction(let set, let action): [member(.actionSet, set)] + action.members
    case .removeAction(let set, let characteristic):
      [member(.actionSet, set), member(.characteristic, characteristic)]
    case .addTrigger(let home, let name, let kind):
      [member(.home, home), ("name", .text(name))] + IdentifierNotation().members(kind)
    case .updateTrigger(let trigger, let kind): [member(.trigger, trigger)] + IdentifierNotation().members(kind)
    case .removeTrigger(let trigger), .enableTrigger(let trigger), .disableTrigger(let trigger):
      [member(.trigger, trigger)]
    case .addActionSetToTrigger(let set, let trigger), .removeActionSetFromTrigger(let set, let trigger):
      [member(.actionSet, set), member(.trigger, trigger)]
    case .addOwnedActionSet(let trigger, let actions): [member(.trigger, trigger), ("actions", actions.node)]
    case .addUser(let home, let name, let role):
      [member(.home, home), ("name", .text(name)), ("role", .text(role.rawValue))]
    case .setRole(let user, let role): [member(.user, user), ("role", .text(role.rawValue))]
    case .removeUser(let user): [member(.user, user)]
    }
  }
}
