import HAPAlmanac
import HAPModel
import HAPWire

// Each object has the members `id` and `name`, and those of `memberNames`. In a row of the store, `id` and `name` are
// columns.

extension JSONNode {
  /// Reads the member `name` of an object that exists: 1 to 64 characters, not only spaces and apostrophes.
  func homeName() throws(JSONProblem) -> HomeName {
    let node = try required("name")
    guard let name = HomeName(stored: try node.asString()) else { throw node.problem(HomeName.storedRule) }
    return name
  }

  /// Reads an object that is not in a row.
  func object<T>(
    _ members: [String], _ read: (JSONNode, HomeObjectID, HomeName) throws(JSONProblem) -> T
  ) throws(JSONProblem) -> T {
    try refuseUnknownMembers(except: ["id", "name"] + members)
    return try read(self, try required("id").identifier(), try homeName())
  }

  /// Writes an object that is not in a row.
  static func object(_ id: HomeObjectID, _ name: HomeName, _ members: [JSONMember]) -> JSONNode {
    .object([("id", .id(id)), ("name", .text(name.text))] + members)
  }

  /// Reads a list of different identifiers.
  fileprivate func identifiers(_ name: String, of kind: HomeObjectKind) throws(JSONProblem) -> [HomeObjectID] {
    var seen: Set<HomeObjectID> = []
    return try list(name) { node throws(JSONProblem) in
      let id = try node.identifier(of: kind)
      guard seen.insert(id).inserted else { throw node.problem("the \(kind.rawValue) occurs twice") }
      return id
    }
  }
}

extension HomeName {
  static let storedRule = "a name has 1 to \(greatestLength) characters, not only spaces and apostrophes"

  /// Returns nil for a text that no command and no accessory can have given to an object.
  init?(stored text: String) {
    guard text.count <= Self.greatestLength else { return nil }
    self.init(text)
    if key.isEmpty { return nil }
  }
}

extension Room {
  init(_ node: JSONNode, id: HomeObjectID, name: HomeName) throws(JSONProblem) { self.init(id: id, name: name) }

  var node: JSONNode { .object(id, name, []) }
}

extension RoomZone {
  static let memberNames = ["rooms"]

  init(_ node: JSONNode, id: HomeObjectID, name: HomeName) throws(JSONProblem) {
    self.init(id: id, name: name, rooms: try node.identifiers("rooms", of: .room))
  }

  var members: [JSONMember] { [("rooms", .ids(rooms))] }
}

extension ServiceGroup {
  static let memberNames = ["services"]

  init(_ node: JSONNode, id: HomeObjectID, name: HomeName) throws(JSONProblem) {
    self.init(id: id, name: name, services: try node.identifiers("services", of: .service))
  }

  var members: [JSONMember] { [("services", .ids(services))] }
}

extension ActionSet {
  static let memberNames = ["type", "actions", "lastExecution"]

  init(_ node: JSONNode, id: HomeObjectID, name: HomeName) throws(JSONProblem) {
    self.init(
      id: id, name: name, kind: try node.required("type").word("a type of action sets", of: Kind.self),
      actions: try node.actions(), lastExecution: try node.optional("lastExecution", JSONNode.moment))
    var seen: Set<HomeObjectID> = []
    for action in actions where !seen.insert(action.characteristic).inserted {
      throw try node.required("actions").problem("the characteristic \(action.characteristic) has two actions")
    }
  }

  var members: [JSONMember] {
    present(
      ("type", .text(kind.rawValue)), ("actions", actions.node),
      ("lastExecution", lastExecution.map { IdentifierNotation().written($0) }))
  }
}

extension Trigger {
  static let memberNames = ["run", "enabled", "lastFire"] + IdentifierNotation.triggerMembers

  init(_ node: JSONNode, id: HomeObjectID, name: HomeName) throws(JSONProblem) {
    self.init(
      id: id, name: name, kind: try node.triggerKind(and: ["id", "name"] + Self.memberNames),
      actionSets: try node.identifiers("run", of: .actionSet), isEnabled: try node.bool("enabled", default: false),
      lastFire: try node.optional("lastFire", JSONNode.moment))
  }

  var members: [JSONMember] {
    IdentifierNotation().members(kind)
      + present(
        ("run", .ids(actionSets)), ("enabled", isEnabled ? .flag(true) : nil),
        ("lastFire", lastFire.map { IdentifierNotation().written($0) }))
  }
}

extension HomeUser {
  static let memberNames = ["role", "controller"]

  init(_ node: JSONNode, id: HomeObjectID, name: HomeName) throws(JSONProblem) {
    self.init(
      id: id, name: name.text, role: try node.role(), controller: try node.optional("controller", UserController.read))
  }

  /// Reads a user who is not the owner.
  init(guest node: JSONNode, id: HomeObjectID, name: HomeName) throws(JSONProblem) {
    try self.init(node, id: id, name: name)
    if role == .owner { throw node.problem("the owner is the member \"owner\" of the home, and there is no other one") }
  }

  var members: [JSONMember] { present(("role", .text(role.rawValue)), ("controller", controller?.node)) }
}

extension UserController {
  /// Reads `{"identifier": "…", "publicKey": "…"}`, with the key in Base64.
  package static func read(_ node: JSONNode) throws(JSONProblem) -> UserController {
    try node.refuseUnknownMembers(except: ["identifier", "publicKey"])
    let key = try node.required("publicKey").parsed("base64", Base64.decode)
    guard let controller = UserController(identifier: try node.required("identifier").asString(), publicKey: key)
    else { throw node.problem("an identifier has 1 to 36 printable characters of ASCII, and a key has 32 bytes") }
    return controller
  }

  package var node: JSONNode {
    .object([("identifier", .text(identifier)), ("publicKey", .text(Base64.encode(publicKey)))])
  }
}

extension HomeCopy {
  static let memberNames = ["user", "issued"]

  init(membersOf node: JSONNode) throws(JSONProblem) {
    self.init(user: try node.identifier(.user), issued: try JSONNode.moment(try node.required("issued")))
  }

  fileprivate static func read(_ node: JSONNode) throws(JSONProblem) -> HomeCopy {
    try node.refuseUnknownMembers(except: memberNames)
    return try HomeCopy(membersOf: node)
  }

  var members: [JSONMember] { [("user", .id(user)), ("issued", IdentifierNotation().written(issued))] }
}

extension Home {
  /// The members of the home itself, without its objects.
  static let ownMemberNames = ["timeZone", "location", "roomForEntireHome", "owner", "copy"]
  private static let memberNames =
    ownMemberNames + ["rooms", "zones", "groups", "accessories", "actionSets", "triggers", "users"]

  /// Reads the members of the home itself.
  init(own node: JSONNode, id: HomeObjectID, name: HomeName) throws(JSONProblem) {
    let owner = try node.required("owner")
    self.init(
      id: id, name: name, zone: try node.timeZone(), location: try node.optional("location", JSONNode.place),
      roomForEntireHome: try node.required("roomForEntireHome").object([], Room.init),
      users: [
        try owner.object(["controller"]) { node, id, name throws(JSONProblem) in
          HomeUser(
            id: id, name: name.text, role: .owner, controller: try node.optional("controller", UserController.read))
        }
      ], copy: try node.optional("copy", HomeCopy.read))
  }

  /// Reads a home with all its objects.
  package init(_ node: JSONNode) throws(JSONProblem) {
    self = try node.object(Self.memberNames) { node, id, name throws(JSONProblem) in
      try Home(own: node, id: id, name: name)
    }
    rooms = try node.list("rooms") { node throws(JSONProblem) in try node.object([], Room.init) }
    zones = try node.list("zones") { node throws(JSONProblem) in
      try node.object(RoomZone.memberNames, RoomZone.init)
    }
    groups = try node.list("groups") { node throws(JSONProblem) in
      try node.object(ServiceGroup.memberNames, ServiceGroup.init)
    }
    accessories = try node.list("accessories") { node throws(JSONProblem) in
      try node.object(HomeAccessory.memberNames, HomeAccessory.init)
    }
    actionSets = try node.list("actionSets") { node throws(JSONProblem) in
      try node.object(ActionSet.memberNames, ActionSet.init)
    }
    triggers = try node.list("triggers") { node throws(JSONProblem) in
      try node.object(Trigger.memberNames, Trigger.init)
    }
    users += try node.list("users") { node throws(JSONProblem) in
      try node.object(HomeUser.memberNames, HomeUser.init(guest:id:name:))
    }
  }

  /// The members of the home itself, without its objects.
  var ownMembers: [JSONMember] {
    guard let owner = users.first, owner.role == .owner else { preconditionFailure("the first user is the owner") }
    return present(
      ("timeZone", .text(zone.text)), ("location", location?.node),
      ("roomForEntireHome", roomForEntireHome.node),
      ("owner", .object(owner.id, HomeName(owner.name), present(("controller", owner.controller?.node)))),
      ("copy", copy.map { .object($0.members) }))
  }

  /// The home with all its objects.
  package var node: JSONNode {
    let lists: [JSONMember] = [
      ("rooms", .list(rooms.map(\.node))), ("zones", .list(zones.map { .object($0.id, $0.name, $0.members) })),
      ("groups", .list(groups.map { .object($0.id, $0.name, $0.members) })),
      ("accessories", .list(accessories.map { .object($0.id, $0.name, $0.members) })),
      ("actionSets", .list(actionSets.map { .object($0.id, $0.name, $0.members) })),
      ("triggers", .list(triggers.map { .object($0.id, $0.name, $0.members) })),
      ("users", .list(users.dropFirst().map { .object($0.id, HomeName($0.name), $0.members) })),
    ]
    return .object(id, name, ownMembers + lists)
  }
}
