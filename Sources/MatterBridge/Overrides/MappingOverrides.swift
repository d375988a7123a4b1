import HAPModel
import HAPWire
import MatterModel

/// The choices of a profile about its Matter side: the members `matter` of its services and characteristics.
package struct MappingOverrides: Sendable {
  struct Service: Sendable {
    var isLeftOut = false
    var deviceType: DeviceTypeChoice?
    let node: JSONNode
  }

  struct Characteristic: Sendable {
    var isLeftOut = false
    var place: ChosenPlace?
    let node: JSONNode
  }

  private(set) var services: [AttributeID: Service] = [:]
  private(set) var characteristics: [AttributeID: Characteristic] = [:]
  /// The errors in the members themselves. A member with an error has no effect.
  package private(set) var problems: [JSONProblem] = []

  package init() {}

  var isEmpty: Bool { services.isEmpty && characteristics.isEmpty }

  /// - Parameter members: by the service or the characteristic.
  package init(_ members: [AttributeID: JSONNode], in database: AttributeDatabase) {
    guard !members.isEmpty else { return }
    for (id, node) in members.sorted(by: { ($0.key.aid, $0.key.iid) < ($1.key.aid, $1.key.iid) }) {
      do throws(JSONProblem) {
        if database.slot(of: id) != nil {
          characteristics[id] = try Self.characteristic(node)
        } else {
          services[id] = try Self.service(node)
        }
      } catch { problems.append(error) }
    }
  }

  /// Returns the errors of a member that can be found without the accessory.
  package static func problems(in node: JSONNode, ofService isService: Bool) -> [JSONProblem] {
    do throws(JSONProblem) {
      if isService { _ = try service(node) } else { _ = try characteristic(node) }
      return []
    } catch { return [error] }
  }

  private static func service(_ node: JSONNode) throws(JSONProblem) -> Service {
    if try isLeftOut(node) { return Service(isLeftOut: true, node: node) }
    try node.refuseUnknownMembers(except: ["deviceType"])
    return Service(deviceType: try DeviceTypeChoice(try node.required("deviceType")), node: node)
  }

  private static func characteristic(_ node: JSONNode) throws(JSONProblem) -> Characteristic {
    if try isLeftOut(node) { return Characteristic(isLeftOut: true, node: node) }
    return Characteristic(place: try ChosenPlace(node), node: node)
  }

  private static func isLeftOut(_ node: JSONNode) throws(JSONProblem) -> Bool {
    switch node.kind {
    case .bool(false): return true
    case .object: return false
    default:
      let found = node.kind == .bool(true) ? "true" : node.kindName
      throw node.problem(
        "\"matter\" must be false, to leave this out of Matter, or an object with choices, not \(found)")
    }
  }
}

/// A device type that a profile chooses for a service.
struct DeviceTypeChoice: Sendable {
  let definition: DeviceTypeDefinition
  let node: JSONNode

  /// - Parameter node: a name of the catalogue, or a number as hexadecimal text.
  init(_ node: JSONNode) throws(JSONProblem) {
    let text = try node.asString()
    let number = UInt32(hexadecimal: text)
    guard let definition = DeviceTypeDefinition.all.first(where: { $0.name == text || $0.id == number }) else {
      let hint =
        nearestName(to: text, in: DeviceTypeDefinition.all.map(\.name)).map { ": did you mean \"\($0)\"?" } ?? ""
      throw node.problem("there is no device type \"\(text)\"\(hint)")
    }
    (self.definition, self.node) = (definition, node)
  }
}

/// The attribute or the command of a manufacturer's cluster that a profile chooses for a characteristic.
struct ChosenPlace: Sendable {
  /// The whole number, or only the part after the vendor's prefix.
  let cluster: UInt32
  let number: UInt32
  let isCommand: Bool
  let node: JSONNode

  /// The clusters of a manufacturer, after its prefix. Matter 1.4 §7.19.2.
  private static let suffixes: ClosedRange<UInt32> = 0xFC00...0xFFFE
  /// Those below `ClusterName.own` of the accessory's own vendor; the others are numbered by `EndpointNumbers`.
  private static let freeSuffixes: ClosedRange<UInt32> = 0xFC00...0xFCFF
  private static let attributes: ClosedRange<UInt32> = 0...0x4FFF
  private static let commands: ClosedRange<UInt32> = 0...0xFF

  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["cluster", "attribute", "command"])
    self.node = node
    cluster = try Self.cluster(try node.required("cluster"))
    switch (node["attribute"], node["command"]) {
    case (let attribute?, nil): (number, isCommand) = (try Self.number(attribute, "attribute", Self.attributes), false)
    case (nil, let command?): (number, isCommand) = (try Self.number(command, "command", Self.commands), true)
    case (nil, nil):
      throw node.problem(
        "\"attribute\" is missing: add the number of the attribute, or \"command\" if the characteristic can't be read")
    case (_?, let command?):
      throw command.problem(
        "\"attribute\" and \"command\" exclude each other: remove \"command\", or \"attribute\" if the characteristic can't be read"
      )
    }
  }

  /// The identifier of the cluster in a node of a vendor.
  func clusterID(of vendor: UInt16) -> ClusterID { cluster > 0xFFFF ? cluster : UInt32(vendor) << 16 | cluster }

  private static func hexadecimal(_ node: JSONNode) throws(JSONProblem) -> UInt32 {
    let text = try node.asString()
    guard let number = UInt32(hexadecimal: text) else {
      throw node.problem("\"\(text)\" is no hexadecimal number: use 1 to 8 digits, such as \"FC01\"")
    }
    return number
  }

  private static func cluster(_ node: JSONNode) throws(JSONProblem) -> UInt32 {
    let number = try hexadecimal(node)
    let (vendor, suffix) = (number >> 16, number & 0xFFFF)
    // The vendors for tests are the accessory's own, or those of its neighbours.
    let isOwn = vendor == 0 || (0xFFF1...0xFFF4).contains(vendor)
    let allowed = isOwn ? freeSuffixes : suffixes
    try checkPrefix(of: number, node)
    guard allowed.contains(suffix) else {
      let advice = "use \(allowed.lowerBound.digits) to \(allowed.upperBound.digits)"
      throw node.problem(
        "the cluster \(number.digits) is not one that a manufacturer defines: \(advice)"
          + (isOwn ? ", or the prefix of another vendor, as in 130AFC01" : " after the prefix \(vendor.digits)"))
    }
    // connectedhomeip's controllers expect the attributes of its own test clusters there.
    guard !isOwn || ![0xFC05, 0xFC06, 0xFC20].contains(suffix) else {
      throw node.problem(
        "the cluster \(number.digits) is reserved for connectedhomeip's own tests: use another one of "
          + "\(allowed.lowerBound.digits) to \(allowed.upperBound.digits)")
    }
    return number
  }

  /// A number, with or without a manufacturer's prefix.
  private static func number(
    _ node: JSONNode, _ kind: String, _ range: ClosedRange<UInt32>
  ) throws(JSONProblem) -> UInt32 {
    let number = try hexadecimal(node)
    try checkPrefix(of: number, node)
    guard range.contains(number & 0xFFFF) else {
      throw node.problem(
        "the \(kind) \(number.digits) does not exist: use \(range.lowerBound.digits) to \(range.upperBound.digits), "
          + "with or without the prefix of a manufacturer")
    }
    return number
  }

  private static func checkPrefix(of number: UInt32, _ node: JSONNode) throws(JSONProblem) {
    let prefix = number >> 16
    guard prefix <= 0xFFF4 else {
      throw node.problem("the prefix \(prefix.digits) of \(number.digits) is no vendor: use 0001 to FFF4, or no prefix")
    }
  }
}

extension UInt32 {
  /// - Parameter text: 1 to 8 digits, with or without "0x".
  fileprivate init?(hexadecimal text: String) {
    let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
    guard (1...8).contains(digits.utf8.count), digits.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
    else {
      return nil
    }
    self.init(digits, radix: 16)
  }
}
