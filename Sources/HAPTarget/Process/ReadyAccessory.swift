import HAPWire

/// An accessory as described in the `ready` line of hapsim.
package struct ReadyAccessory: Equatable, Sendable {
  package var name: String
  /// "AA:BB:CC:DD:EE:FF".
  package var deviceID: String
  /// "031-45-154".
  package var setupCode: String
  /// "X-HM://…".
  package var setupPayload: String
  /// A slug: "garage-door-opener".
  package var category: String
  /// An IP address.
  package var address: String
  package var port: UInt16

  init(_ node: JSONNode) throws(JSONProblem) {
    name = try node.string("name")
    deviceID = try node.string("deviceID")
    setupCode = try node.string("setupCode")
    setupPayload = try node.string("setupPayload")
    category = try node.string("category")
    address = try node.string("address")
    port = UInt16(try node.required("port").asInteger(in: 1...65_535))
  }

  /// Returns the accessories of a `ready` line; nil for any other line.
  static func list(_ line: JSONNode) throws(JSONProblem) -> [ReadyAccessory]? {
    guard line["event"]?.stringValue == "ready" else { return nil }
    return try line.list("accessories") { node throws(JSONProblem) in try ReadyAccessory(node) }
  }
}
