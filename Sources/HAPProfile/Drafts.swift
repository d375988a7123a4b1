import HAPModel
import HAPWire

/// An accessory as its document describes it, with defaults added, before ids are assigned.
struct AccessoryDraft: Equatable, Sendable {
  var node: JSONNode
  var name: String
  var manufacturer: String?
  var model: String?
  var serialNumber: String?
  var firmwareRevision: String?
  var category: Category?
  /// The member `id`.
  var id: String?
  var aid: UInt64?
  /// At least 1.
  var copies = 1
  var isBridged = false
  var services: [ServiceDraft] = []

  /// Returns the node of a member, or the node of the accessory if the member was left out.
  func origin(_ member: String) -> JSONNode { node[member] ?? node }
}

struct ServiceDraft: Equatable, Sendable {
  /// The node of the service, or of the accessory if the service was added by default.
  var node: JSONNode
  var type: TypeID
  var definition: ServiceDefinition?
  var name: String?
  var isPrimary = false
  var isHidden = false
  /// The member `id`.
  var label: String?
  var linked: [(label: String, node: JSONNode)] = []
  var iid: UInt64?
  var behaviour: JSONNode?
  /// The member `matter`.
  var matter: JSONNode?
  var characteristics: [CharacteristicDraft] = []
  var isAdded = false
  /// Whether its type is invalid, and `type` is a placeholder.
  var isOfUnknownType = false

  subscript(_ type: TypeID) -> CharacteristicDraft? { characteristics.first { $0.characteristic.type == type } }

  static func == (a: ServiceDraft, b: ServiceDraft) -> Bool { a.node == b.node && a.type == b.type }
}

struct CharacteristicDraft: Equatable, Sendable {
  /// The node of the characteristic. If it was added by default, the node of the service or accessory.
  var node: JSONNode
  /// The characteristic. Its iid is 0 until the accessory is built.
  var characteristic: Characteristic
  var definition: CharacteristicDefinition?
  var iid: UInt64?
  /// The member `matter`.
  var matter: JSONNode?
  /// Whether the profile states a valid value.
  var hasWrittenValue = false
  var isAdded = false
  /// Whether the serial number is derived from the device ID when the accessory is built.
  var isDerivedSerial = false

  func origin(_ member: String) -> JSONNode { node[member] ?? node }
}

// The types that the format treats specially.
extension TypeID {
  static let accessoryInformation: TypeID = 0x3E
  static let protocolInformation: TypeID = 0xA2
  static let statelessProgrammableSwitch: TypeID = 0x89
  static let serviceLabel: TypeID = 0xCC

  static let currentTemperature: TypeID = 0x11
  static let identify: TypeID = 0x14
  static let manufacturer: TypeID = 0x20
  static let model: TypeID = 0x21
  static let name: TypeID = 0x23
  static let serialNumber: TypeID = 0x30
  static let version: TypeID = 0x37
  static let firmwareRevision: TypeID = 0x52
  static let hardwareRevision: TypeID = 0x53
  static let configuredName: TypeID = 0xE3
  static let serviceLabelIndex: TypeID = 0xCB
}
