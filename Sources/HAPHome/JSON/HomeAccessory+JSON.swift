import HAPModel
import HAPWire

extension HomeAccessory {
  /// The members besides `id` and `name`.
  static let memberNames =
    [
      "room", "category", "device", "aid", "bridge", "services", "blocked", "configurationNumber",
    ] + AccessoryInformation.memberNames

  /// Reads the members besides `id` and `name`.
  init(_ node: JSONNode, id: HomeObjectID, name: HomeName) throws(JSONProblem) {
    self.init(
      id: id, name: name, room: try node.identifier(.room), category: try node.required("category").number(),
      transport: .hap(
        try JSONNode.deviceID(try node.required("device")), aid: try node.required("aid").number(from: 1)),
      bridge: try node.optional("bridge") { node throws(JSONProblem) in try node.identifier(of: .accessory) },
      services: try node.required("services").homeServices(of: id),
      isBlocked: try node.bool("blocked", default: false), information: try AccessoryInformation(membersOf: node),
      configurationNumber: try node.required("configurationNumber").number())
  }

  /// The members besides `id` and `name`.
  var members: [JSONMember] {
    present(
      ("room", .id(room)), ("category", .integer(category)), ("device", .text(deviceID.text)), ("aid", .integer(aid)),
      ("bridge", bridge.map { .id($0) }), ("blocked", isBlocked ? .flag(true) : nil),
      ("configurationNumber", .integer(configurationNumber))) + information.members + [("services", services.node)]
  }
}

extension AccessoryInformation {
  static let memberNames = ["manufacturer", "model", "serialNumber", "firmware"]

  /// Reads the texts; a text that is missing is nil.
  init(membersOf node: JSONNode) throws(JSONProblem) {
    self.init(
      manufacturer: try node.optional("manufacturer", JSONNode.string),
      model: try node.optional("model", JSONNode.string),
      serialNumber: try node.optional("serialNumber", JSONNode.string),
      firmware: try node.optional("firmware", JSONNode.string))
  }

  /// The texts that are not nil.
  var members: [JSONMember] {
    present(
      ("manufacturer", manufacturer.map { .text($0) }), ("model", model.map { .text($0) }),
      ("serialNumber", serialNumber.map { .text($0) }), ("firmware", firmware.map { .text($0) }))
  }
}

extension JSONNode {
  /// Reads the services of an accessory. No iid occurs twice.
  func homeServices(of accessory: HomeObjectID) throws(JSONProblem) -> [HomeService] {
    var iids: Set<UInt64> = []
    return try elements { node throws(JSONProblem) in
      let service = try HomeService(node, of: accessory)
      for iid in [service.iid] + service.characteristics.map(\.iid) where !iids.insert(iid).inserted {
        throw node.problem("the iid \(iid) occurs twice in the accessory")
      }
      return service
    }
  }
}

extension HomeService {
  fileprivate init(_ node: JSONNode, of accessory: HomeObjectID) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: [
      "iid", "type", "name", "associatedType", "primary", "interactive", "linked", "characteristics",
    ])
    let iid: UInt64 = try node.required("iid").number(from: 1)
    self.init(
      id: accessory.part(iid: iid), iid: iid, type: try JSONNode.typeID(try node.required("type")),
      name: try node.homeName(), associatedType: try node.optional("associatedType", JSONNode.typeID),
      isPrimary: try node.bool("primary", default: false),
      isUserInteractive: try node.bool("interactive", default: false), linked: try node.linkedServices(),
      characteristics: try node.required("characteristics").elements { node throws(JSONProblem) in
        HomeCharacteristic(try node.characteristic(hasValue: false), of: accessory)
      })
  }

  fileprivate var node: JSONNode {
    .members(
      ("iid", .integer(iid)), ("type", .text(type.wireForm)), ("name", .text(name.text)),
      ("associatedType", associatedType.map { .text($0.wireForm) }), ("primary", isPrimary ? .flag(true) : nil),
      ("interactive", isUserInteractive ? .flag(true) : nil),
      ("linked", linked.isEmpty ? nil : .list(linked.map { .integer($0) })),
      ("characteristics", .list(characteristics.map(\.node))))
  }
}

extension HomeCharacteristic {
  fileprivate var node: JSONNode {
    .characteristic(
      iid: iid, type: type, perms: permissions, rules: rules, unit: unit, description: description, value: nil)
  }
}

extension [HomeService] {
  /// The list of services.
  var node: JSONNode { .list(map(\.node)) }
}
