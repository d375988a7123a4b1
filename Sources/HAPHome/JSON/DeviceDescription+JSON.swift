import HAPModel
import HAPWire

extension DeviceDescription {
  /// Reads the members of a paired device. `accessories` is the list in the answer to `GET /accessories`.
  init(_ node: JSONNode) throws(JSONProblem) {
    self.init(
      device: try JSONNode.deviceID(try node.required("device")),
      configurationNumber: try node.required("configurationNumber").number(),
      category: try node.required("category").number(),
      accessories: try node.required("accessories").elements { node throws(JSONProblem) in try Accessory(node) })
  }

  /// The members that `init(_:)` reads.
  var members: [JSONMember] {
    [
      ("device", .text(device.text)), ("configurationNumber", .integer(configurationNumber)),
      ("category", .integer(category)), ("accessories", .list(accessories.map(\.node))),
    ]
  }
}

extension Accessory {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["aid", "services"])
    self.init(
      aid: try node.required("aid").number(from: 1),
      services: try node.required("services").elements { node throws(JSONProblem) in try Service(node) })
  }

  fileprivate var node: JSONNode {
    .object([("aid", .integer(aid)), ("services", .list(services.map(\.node)))])
  }
}

extension Service {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["iid", "type", "primary", "hidden", "linked", "characteristics"])
    self.init(
      iid: try node.required("iid").number(from: 1), type: try JSONNode.typeID(try node.required("type")),
      isPrimary: try node.bool("primary", default: false), isHidden: try node.bool("hidden", default: false),
      linked: try node.linkedServices(),
      characteristics: try node.required("characteristics").elements { node throws(JSONProblem) in
        try node.characteristic(hasValue: true)
      })
  }

  fileprivate var node: JSONNode {
    .members(
      ("iid", .integer(iid)), ("type", .text(type.wireForm)), ("primary", isPrimary ? .flag(true) : nil),
      ("hidden", isHidden ? .flag(true) : nil),
      ("linked", linked.isEmpty ? nil : .list(linked.map { .integer($0) })),
      ("characteristics", .list(characteristics.map(\.node))))
  }
}

extension Characteristic {
  fileprivate var node: JSONNode {
    .characteristic(
      iid: iid, type: type, perms: perms, rules: valueRules, unit: unit, description: description, value: value)
  }
}
