import HAPIP
import HAPModel
import HAPWire
import Synchronization

/// A database as cases access it: accessories, services and characteristics as variables.
package struct DatabaseView: Sendable {
  /// The body of /accessories as received.
  let bytes: [UInt8]
  package let node: JSONNode
  let accessories: [Accessory]
  private let variables = Variables()

  /// Parses it as tolerantly as a controller does; `haptest lint` finds the deviations.
  package init(_ bytes: [UInt8]) throws(JSONProblem) {
    self.bytes = bytes
    var reader = AttributeReader()
    node = try reader.parse(bytes)
    accessories = try reader.accessories(node)
  }

  /// A characteristic with its service and accessory.
  package struct Entry {
    var accessory: Accessory
    var service: Service
    package var characteristic: Characteristic
    package var id: AttributeID { AttributeID(aid: accessory.aid, iid: characteristic.iid) }
  }

  package var characteristics: [Entry] {
    accessories.flatMap { accessory in
      accessory.services.flatMap { service in
        service.characteristics.map { Entry(accessory: accessory, service: service, characteristic: $0) }
      }
    }
  }

  package func entry(_ id: AttributeID) -> Entry? {
    guard let accessory = accessories.first(where: { $0.aid == id.aid }) else { return nil }
    for service in accessory.services {
      if let characteristic = service.characteristics.first(where: { $0.iid == id.iid }) {
        return Entry(accessory: accessory, service: service, characteristic: characteristic)
      }
    }
    return nil
  }

  // MARK: As variables

  /// A cache of the variables by index in `characteristics`, because cases request the same ones repeatedly.
  private final class Variables: Sendable {
    let made = Mutex<[Int: JSONNode]>([:])
  }

  /// Returns the variable of `characteristics[index]`, which is `entry`.
  func variable(_ entry: Entry, at index: Int) -> JSONNode {
    if let made = variables.made.withLock({ $0[index] }) { return made }
    let variable = Self.variable(entry)
    variables.made.withLock { $0[index] = variable }
    return variable
  }

  /// Returns the variable of a characteristic. It has `aid`, `iid`, `id`, `type`, `name`, `format`, `perms`, metadata as in HAP's JSON, the
  /// value as read, and derived values: `values`, `other` (not the current one), `another`, `whole`, `above`, `below`, `invalid`,
  /// `off-grid`, `fraction`, `too-long`.
  static func variable(_ entry: Entry) -> JSONNode {
    let characteristic = entry.characteristic
    let constraints = characteristic.constraints
    var members: [(name: String, value: JSONNode)] = [
      ("kind", .text("characteristic")), ("aid", .integer(entry.accessory.aid)), ("iid", .integer(characteristic.iid)),
      ("id", .text("\(entry.id)")), ("type", .text(characteristic.type.wireForm)),
      ("name", .text(Catalogue.characteristic(characteristic.type)?.identifier ?? characteristic.type.wireForm)),
      ("service", .text(serviceName(entry.service))), ("service-iid", .integer(entry.service.iid)),
      ("format", .text(characteristic.format.rawValue)),
      ("perms", .list(characteristic.perms.names.map { .text($0) })), ("value", node(characteristic.value)),
    ]
    if let unit = characteristic.unit { members.append(("unit", .text(unit.rawValue))) }
    for (name, value) in [
      ("minValue", constraints.minValue), ("maxValue", constraints.maxValue), ("minStep", constraints.minStep),
    ] {
      if let value { members.append((name, node(value))) }
    }
    if let length = constraints.maxLen { members.append(("maxLen", .integer(length))) }
    if let length = constraints.maxDataLen { members.append(("maxDataLen", .integer(length))) }
    if let values = constraints.validValues { members.append(("valid-values", .list(values.map { .integer($0) }))) }
    if let range = constraints.validValuesRange {
      members.append(("valid-values-range", .list([.integer(range.lowerBound), .integer(range.upperBound)])))
    }
    let legal = LegalValues(characteristic)
    let values = legal.values.map(node)
    members.append(("values", .list(values)))
    let others = values.filter { !Pattern.equal($0, node(characteristic.value)) }
    // From the middle, because extreme values may have a special meaning, such as brightness 0 or hue 360.
    let other = others.isEmpty ? nil : others[others.count / 2]
    if let other { members.append(("other", other)) }
    if let another = others.count > 1
      ? others[others.count / 4] : values.first(where: { !Pattern.equal($0, other ?? .list([])) })
    {
      members.append(("another", another))
    }
    for (name, value) in [
      ("above", legal.above), ("below", legal.below), ("invalid", legal.invalid), ("off-grid", legal.offGrid),
      ("too-long", legal.tooLong), ("fraction", legal.fraction), ("whole", legal.whole(except: characteristic.value)),
    ] {
      if let value { members.append((name, node(value))) }
    }
    if let room = legal.room { members.append(("room", .integer(room))) }
    return .object(members)
  }

  /// Returns the variable of a service: `aid`, `iid`, `type`, `name`, `linked`, `primary`, `hidden`, `readable` (IDs of its readable
  /// characteristics), and each characteristic by name.
  static func variable(_ service: Service, of accessory: Accessory) -> JSONNode {
    var members: [(name: String, value: JSONNode)] = [
      ("kind", .text("service")), ("aid", .integer(accessory.aid)), ("iid", .integer(service.iid)),
      ("type", .text(service.type.wireForm)), ("name", .text(serviceName(service))),
      ("linked", .list(service.linked.map { .integer($0) })),
      ("primary", JSONNode(.bool(service.isPrimary))), ("hidden", JSONNode(.bool(service.isHidden))),
    ]
    var all: [JSONNode] = []
    for characteristic in service.characteristics {
      let entry = Entry(accessory: accessory, service: service, characteristic: characteristic)
      let variable = variable(entry)
      all.append(variable)
      let name = Catalogue.characteristic(characteristic.type)?.identifier ?? characteristic.type.wireForm
      if !members.contains(where: { $0.name == name }) { members.append((name, variable)) }
    }
    members.append(("characteristics", .list(all)))
    let readable = service.characteristics.filter { $0.perms.contains(.pairedRead) }
    members.append(("readable", .list(readable.map { .text("\(AttributeID(aid: accessory.aid, iid: $0.iid))") })))
    return .object(members)
  }

  /// Returns the variable of an accessory: `aid`, `name`, and its services in `services`.
  static func variable(_ accessory: Accessory) -> JSONNode {
    let information = accessory.services.first { $0.type == 0x3E }
    let name = information?.characteristics.first { $0.type == 0x23 }?.value.stringValue ?? ""
    return .object([
      ("kind", .text("accessory")), ("aid", .integer(accessory.aid)), ("name", .text(name)),
      ("services", .list(accessory.services.map { variable($0, of: accessory) })),
    ])
  }

  private static func serviceName(_ service: Service) -> String {
    Catalogue.service(service.type)?.identifier ?? service.type.wireForm
  }

  /// Returns a value as in HAP's JSON.
  package static func node(_ value: Value) -> JSONNode {
    switch value {
    case .null: JSONNode(.null)
    case .bool(let value): JSONNode(.bool(value))
    case .integer(let value): .integer(value)
    case .float(let value): .number(value)
    case .string(let text): .text(text)
    case .data(let bytes): .text(Base64.encode(bytes))
    }
  }
}
