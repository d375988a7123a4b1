import HAPAlmanac
import HAPHome
import HAPModel
import HAPWire

// Members and values of several lines.

extension JSONNode {
  static func actionSet(_ node: JSONNode) throws(JSONProblem) -> HomeObjectID { try node.identifier(of: .actionSet) }

  static func characteristic(_ node: JSONNode) throws(JSONProblem) -> HomeObjectID {
    try node.identifier(of: .characteristic)
  }

  static func accessory(_ node: JSONNode) throws(JSONProblem) -> HomeObjectID { try node.identifier(of: .accessory) }

  static func moment(_ instant: Instant) -> JSONNode { IdentifierNotation().written(instant) }

  /// Reads the member `device`.
  func device() throws(JSONProblem) -> DeviceID {
    try Self.deviceID(try required("device"))
  }

  /// Reads the member `app`: 1 to 64 characters without control characters, because programs print it.
  func appName() throws(JSONProblem) -> String {
    let node = try required("app")
    let name = try node.asString()
    guard (1...64).contains(name.count), name.utf8.count <= 512,
      !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else { throw node.problem("the name of an app has 1 to 64 characters, and no control characters") }
    return name
  }

  /// Reads bytes from base64.
  func bytes(_ count: Int) throws(JSONProblem) -> [UInt8] {
    let bytes = try parsed("base64", Base64.decode)
    guard bytes.count == count else { throw problem("\(count) bytes are expected, not \(bytes.count)") }
    return bytes
  }

  /// Reads a list of a request.
  func limited<T>(_ name: String, _ read: (JSONNode) throws(JSONProblem) -> T) throws(JSONProblem) -> [T] {
    let list = try required(name)
    guard try list.asList().count <= HubLimits.list else {
      throw list.problem("at most \(HubLimits.list) elements are expected")
    }
    return try list.elements(read)
  }
}

// Lists with hundreds of values are written without a `JSONNode` for each of their parts.
extension JSONWriter {
  /// Writes a member; nil: none.
  package mutating func member(_ name: String, _ value: JSONNode?) {
    guard let value else { return }
    key(name)
    node(value)
  }

  package mutating func member(_ name: String, _ id: HomeObjectID) {
    key(name)
    string(id.description)
  }

  package mutating func members(_ members: [JSONMember]) { for (name, value) in members { member(name, value) } }
}
