import HAPAlmanac
import HAPModel
import HAPWire

// A change in JSON: `{"home": "…", "change": "room-renamed", "room": "…", "name": "Kitchen"}`. An object that was added or
// updated is the member `object`.

extension HomeChange {
  /// Reads a change.
  /// - Parameter others: the other members that the object may have, such as the origin of the change.
  package init(_ node: JSONNode, and others: [String] = []) throws(JSONProblem) {
    let name = try node.required("change").word("a change", of: HomeChangeName.self)
    let home = try node.home()
    try node.refuseUnknownMembers(except: ["home", "change"] + others + Self.memberNames(of: name))
    self.init(home, try Detail(name, node))
  }

  /// The change as one line of JSON, without a newline.
  package var json: String { node.compactText }

  /// The object of the change.
  package var node: JSONNode {
    .object([member(.home, home), ("change", .text(detail.name.rawValue))] + detail.members)
  }

  /// The members besides `home` and `change`.
  private static func memberNames(of name: HomeChangeName) -> [String] {
    switch name {
    case .homeRemoved, .homeMadePrimary: []
    case .homeRenamed: ["name"]
    case .timeZoneChanged: ["timeZone"]
    case .locationChanged: ["location"]
    case .homeAdded, .roomAdded, .zoneAdded, .groupAdded, .accessoryAdded, .actionSetAdded, .triggerAdded,
      .triggerUpdated, .userAdded:
      ["object"]
    case .roomRenamed: ["room", "name"]
    case .roomRemoved: ["room"]
    case .zoneRenamed: ["zone", "name"]
    case .zoneRemoved: ["zone"]
    case .roomAddedToZone, .roomRemovedFromZone: ["room", "zone"]
    case .groupRenamed: ["group", "name"]
    case .groupRemoved: ["group"]
    case .serviceAddedToGroup, .serviceRemovedFromGroup: ["service", "group"]
    case .accessoryRenamed: ["accessory", "name"]
    case .accessoryMoved: ["accessory", "room"]
    case .accessoryRemoved, .accessoryBlocked, .accessoryUnblocked: ["accessory"]
    case .servicesUpdated: ["accessory", "services"]
    case .firmwareUpdated: ["accessory", "firmware"]
    case .accessoryDetailsUpdated:
      ["accessory", "category", "configurationNumber"] + AccessoryInformation.memberNames
    case .serviceRenamed: ["accessory", "service", "name"]
    case .associatedTypeChanged: ["accessory", "service", "type"]
    case .actionSetRenamed: ["actionSet", "name"]
    case .actionSetRemoved: ["actionSet"]
    case .actionsChanged: ["actionSet", "actions"]
    case .actionSetExecuted: ["actionSet", "at"]
    case .triggerRenamed: ["trigger", "name"]
    case .triggerFired: ["trigger", "at"]
    case .triggerRemoved: ["trigger"]
    case .userRoleChanged: ["user", "role"]
    case .userRemoved: ["user"]
    case .copyRenewed: HomeCopy.memberNames
    }
  }
}

// MARK: Reading

extension HomeChange.Detail {
  fileprivate init(_ name: HomeChangeName, _ node: JSONNode) throws(JSONProblem) {
    switch name {
    case .homeAdded: self = .homeAdded(try Home(try node.required("object")))
    case .homeRemoved: self = .homeRemoved
    case .homeMadePrimary: self = .homeMadePrimary
    case .homeRenamed: self = .homeRenamed(try node.homeName())
    case .timeZoneChanged: self = .timeZoneChanged(try node.timeZone())
    case .locationChanged: self = .locationChanged(try node.nullable("location", JSONNode.place))
    case .copyRenewed: self = .copyRenewed(try HomeCopy(membersOf: node))
    case .roomAdded: self = .roomAdded(try node.added([], Room.init))
    case .roomRenamed: self = .roomRenamed(try node.identifier(.room), try node.homeName())
    case .roomRemoved: self = .roomRemoved(try node.identifier(.room))
    case .zoneAdded: self = .zoneAdded(try node.added(RoomZone.memberNames, RoomZone.init))
    case .zoneRenamed: self = .zoneRenamed(try node.identifier(.zone), try node.homeName())
    case .zoneRemoved: self = .zoneRemoved(try node.identifier(.zone))
    case .roomAddedToZone:
      self = .roomAddedToZone(room: try node.identifier(.room), zone: try node.identifier(.zone))
    case .roomRemovedFromZone:
      self = .roomRemovedFromZone(room: try node.identifier(.room), zone: try node.identifier(.zone))
    case .groupAdded: self = .groupAdded(try node.added(ServiceGroup.memberNames, ServiceGroup.init))
    case .groupRenamed: self = .groupRenamed(try node.identifier(.group), try node.homeName())
    case .groupRemoved: self = .groupRemoved(try node.identifier(.group))
    case .serviceAddedToGroup:
      self = .serviceAddedToGroup(service: try node.identifier(.service), group: try node.identifier(.group))
    case .serviceRemovedFromGroup:
      self = .serviceRemovedFromGroup(service: try node.identifier(.service), group: try node.identifier(.group))
    case .accessoryAdded, .accessoryRenamed, .accessoryMoved, .accessoryRemoved, .accessoryBlocked, .accessoryUnblocked,
      .servicesUpdated, .firmwareUpdated, .accessoryDetailsUpdated, .serviceRenamed, .associatedTypeChanged:
      try self.init(accessory: name, node)
    case .actionSetAdded, .actionSetRenamed, .actionSetRemoved, .actionsChanged, .actionSetExecuted, .triggerAdded,
      .triggerRenamed, .triggerUpdated, .triggerFired, .triggerRemoved, .userAdded, .userRoleChanged, .userRemoved:
      try self.init(automation: name, node)
    }
  }

  /// Reads a change of an accessory.
  private init(accessory name: HomeChangeName, _ node: JSONNode) throws(JSONProblem) {
    guard name != .accessoryAdded else {
      self = .accessoryAdded(try node.added(HomeAccessory.memberNames, HomeAccessory.init))
      return
    }
    let id = try node.identifier(.accessory)
    switch name {
    case .accessoryRenamed: self = .accessoryRenamed(id, try node.homeName())
    case .accessoryMoved: self = .accessoryMoved(id, room: try node.identifier(.room))
    case .accessoryRemoved: self = .accessoryRemoved(id)
    case .accessoryBlocked: self = .accessoryBlocked(id)
    case .accessoryUnblocked: self = .accessoryUnblocked(id)
    case .servicesUpdated: self = .servicesUpdated(id, try node.required("services").homeServices(of: id))
    case .firmwareUpdated: self = .firmwareUpdated(id, try node.nullable("firmware", JSONNode.string))
    case .accessoryDetailsUpdated:
      self = .accessoryDetailsUpdated(
        id, try AccessoryInformation(membersOf: node), category: try node.required("category").number(),
        configurationNumber: try node.required("configurationNumber").number())
    case .serviceRenamed:
      self = .serviceRenamed(accessory: id, service: try node.identifier(.service), try node.homeName())
    case .associatedTypeChanged:
      self = .associatedTypeChanged(
        accessory: id, service: try node.identifier(.service), try node.nullable("type", JSONNode.typeID))
    default: preconditionFailure("\(name) is not a change of an accessory")
    }
  }

  /// Reads a change of an action set, a trigger or a user.
  private init(automation name: HomeChangeName, _ node: JSONNode) throws(JSONProblem) {
    switch name {
    case .actionSetAdded: self = .actionSetAdded(try node.added(ActionSet.memberNames, ActionSet.init))
    case .actionSetRenamed: self = .actionSetRenamed(try node.identifier(.actionSet), try node.homeName())
    case .actionSetRemoved: self = .actionSetRemoved(try node.identifier(.actionSet))
    case .actionsChanged: self = .actionsChanged(try node.identifier(.actionSet), try node.actions())
    case .actionSetExecuted: self = .actionSetExecuted(try node.identifier(.actionSet), at: try node.time())
    case .triggerAdded: self = .triggerAdded(try node.added(Trigger.memberNames, Trigger.init))
    case .triggerRenamed: self = .triggerRenamed(try node.identifier(.trigger), try node.homeName())
    case .triggerUpdated: self = .triggerUpdated(try node.added(Trigger.memberNames, Trigger.init))
    case .triggerFired:
      self = .triggerFired(try node.identifier(.trigger), at: try node.nullable("at", JSONNode.moment))
    case .triggerRemoved: self = .triggerRemoved(try node.identifier(.trigger))
    case .userAdded: self = .userAdded(try node.added(HomeUser.memberNames, HomeUser.init(guest:id:name:)))
    case .userRoleChanged: self = .userRoleChanged(try node.identifier(.user), try node.role())
    case .userRemoved: self = .userRemoved(try node.identifier(.user))
    default: preconditionFailure("\(name) is not a change of an action set, a trigger or a user")
    }
  }
}

extension JSONNode {
  /// Reads the member `object`.
  fileprivate func added<T>(
    _ members: [String], _ read: (JSONNode, HomeObjectID, HomeName) throws(JSONProblem) -> T
  ) throws(JSONProblem) -> T {
    try required("object").object(members, read)
  }

  fileprivate func time() throws(JSONProblem) -> Instant { try Self.moment(try required("at")) }
}

// MARK: Writing

extension HomeChange.Detail {
  /// The members besides `home` and `change`.
  fileprivate var members: [JSONMember] {
    switch self {
    case .homeAdded(let home): [("object", home.node)]
    case .homeRemoved, .homeMadePrimary: []
    case .homeRenamed(let name): [Self.name(name)]
    case .timeZoneChanged(let zone): [("timeZone", .text(zone.text))]
    case .locationChanged(let place): [("location", place?.node ?? JSONNode(.null))]
    case .copyRenewed(let copy): copy.members
    case .roomAdded(let room): [("object", room.node)]
    case .roomRenamed(let id, let name): [member(.room, id), Self.name(name)]
    case .roomRemoved(let id): [member(.room, id)]
    case .zoneAdded(let zone): [Self.object(zone.id, zone.name, zone.members)]
    case .zoneRenamed(let id, let name): [member(.zone, id), Self.name(name)]
    case .zoneRemoved(let id): [member(.zone, id)]
    case .roomAddedToZone(let room, let zone), .roomRemovedFromZone(let room, let zone):
      [member(.room, room), member(.zone, zone)]
    case .groupAdded(let group): [Self.object(group.id, group.name, group.members)]
    case .groupRenamed(let id, let name): [member(.group, id), Self.name(name)]
    case .groupRemoved(let id): [member(.group, id)]
    case .serviceAddedToGroup(let service, let group), .serviceRemovedFromGroup(let service, let group):
      [member(.service, service), member(.group, group)]
    case .accessoryAdded(let accessory): [Self.object(accessory.id, accessory.name, accessory.members)]
    case .accessoryRenamed(let id, let name): [member(.accessory, id), Self.name(name)]
    case .accessoryMoved(let id, let room): [member(.accessory, id), member(.room, room)]
    case .accessoryRemoved(let id), .accessoryBlocked(let id), .accessoryUnblocked(let id): [member(.accessory, id)]
    case .servicesUpdated(let id, let services): [member(.accessory, id), ("services", services.node)]
    case .firmwareUpdated(let id, let text):
      [member(.accessory, id), ("firmware", text.map { .text($0) } ?? JSONNode(.null))]
    case .accessoryDetailsUpdated(let id, let information, let category, let number):
      [member(.accessory, id), ("category", .integer(category)), ("configurationNumber", .integer(number))]
        + information.members
    case .serviceRenamed(let accessory, let service, let name):
      [member(.accessory, accessory), member(.service, service), Self.name(name)]
    case .associatedTypeChanged(let accessory, let service, let type):
      [
        member(.accessory, accessory), member(.service, service),
        ("type", type.map { .text($0.wireForm) } ?? JSONNode(.null)),
      ]
    case .actionSetAdded, .actionSetRenamed, .actionSetRemoved, .actionsChanged, .actionSetExecuted, .triggerAdded,
      .triggerRenamed, .triggerUpdated, .triggerFired, .triggerRemoved, .userAdded, .userRoleChanged, .userRemoved:
      automationMembers
    }
  }

  private var automationMembers: [JSONMember] {
    switch self {
    case .actionSetAdded(let set): [Self.object(set.id, set.name, set.members)]
    case .actionSetRenamed(let id, let name): [member(.actionSet, id), Self.name(name)]
    case .actionSetRemoved(let id): [member(.actionSet, id)]
    case .actionsChanged(let id, let actions): [member(.actionSet, id), ("actions", actions.node)]
    case .actionSetExecuted(let id, let time): [member(.actionSet, id), Self.time(time)]
    case .triggerAdded(let trigger), .triggerUpdated(let trigger):
      [Self.object(trigger.id, trigger.name, trigger.members)]
    case .triggerRenamed(let id, let name): [member(.trigger, id), Self.name(name)]
    case .triggerFired(let id, let time): [member(.trigger, id), time.map(Self.time) ?? ("at", JSONNode(.null))]
    case .triggerRemoved(let id): [member(.trigger, id)]
    case .userAdded(let user): [Self.object(user.id, HomeName(user.name), user.members)]
    case .userRoleChanged(let id, let role): [member(.user, id), ("role", .text(role.rawValue))]
    case .userRemoved(let id): [member(.user, id)]
    default: preconditionFailure("\(self) is not a change of an action set, a trigger or a user")
    }
  }

  private static func name(_ name: HomeName) -> JSONMember { ("name", .text(name.text)) }

  private static func object(_ id: HomeObjectID, _ name: HomeName, _ members: [JSONMember]) -> JSONMember {
    ("object", .object(id, name, members))
  }

  private static func time(_ time: Instant) -> JSONMember { ("at", IdentifierNotation().written(time)) }
}
