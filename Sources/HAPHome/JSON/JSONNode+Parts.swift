import HAPAlmanac
import HAPModel
import HAPWire

/// Members and values that several objects of a home have.
extension JSONNode {
  func home() throws(JSONProblem) -> HomeObjectID { try identifier(.home) }

  func name() throws(JSONProblem) -> String { try string("name") }

  func timeZone() throws(JSONProblem) -> ZoneName { try required("timeZone").zoneName() }

  func role() throws(JSONProblem) -> HomeUser.Role { try required("role").word("a role", of: HomeUser.Role.self) }

  func triggerKind(and others: [String]) throws(JSONProblem) -> Trigger.Kind {
    try IdentifierNotation().triggerKind(self, and: others)
  }

  func actions() throws(JSONProblem) -> [HomeAction] {
    try required("actions").elements { node throws(JSONProblem) in try HomeAction(node) }
  }

  static func place(_ node: JSONNode) throws(JSONProblem) -> Coordinate { try node.coordinate() }

  static func typeID(_ node: JSONNode) throws(JSONProblem) -> TypeID {
    try node.parsed("a type such as \"43\", or a UUID,", TypeID.init)
  }

  package static func deviceID(_ node: JSONNode) throws(JSONProblem) -> DeviceID {
    try node.parsed("a device ID such as \"AA:BB:CC:00:00:01\"", DeviceID.init)
  }

  package static func moment(_ node: JSONNode) throws(JSONProblem) -> Instant { try IdentifierNotation().instant(node) }

  package static func string(_ node: JSONNode) throws(JSONProblem) -> String { try node.asString() }
}

extension HomeAction {
  /// Reads an object with `characteristic` and `value`.
  package init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["characteristic", "value"])
    try self.init(membersOf: node)
  }

  /// The object with `characteristic` and `value`.
  package var node: JSONNode { .object(members) }

  /// Reads the members `characteristic` and `value`.
  init(membersOf node: JSONNode) throws(JSONProblem) {
    self.init(try node.identifier(.characteristic), try Value(exact: try node.required("value")))
  }

  /// The members `characteristic` and `value`.
  var members: [JSONMember] { [member(.characteristic, characteristic), ("value", value.exactNode)] }
}

extension [HomeAction] {
  /// The list of actions.
  var node: JSONNode { .list(map(\.node)) }
}
