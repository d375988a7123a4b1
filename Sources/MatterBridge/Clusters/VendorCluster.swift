import HAPModel
import MatterModel
import MatterWire

/// The vendor's cluster for the characteristics of a service that no cluster of Matter shows.
///
/// Attribute n is the characteristic with the number n; a characteristic that can only be written is command n with the
/// value in field 0. Attribute 4000 describes all of them: a list of {0: number, 1: UUID, 2: description, 3: format, 4:
/// unit, 5: minimum, 6: maximum, 7: step}.
enum VendorCluster {
  /// - Returns: nil if all numbers of clusters were given.
  static func template(
    for characteristics: [Characteristic], of service: TypeID, vendor: UInt16, numbers: inout EndpointNumbers
  ) -> ClusterTemplate? {
    guard let id = numbers.vendorCluster(for: service).map({ ClusterName.own($0, of: vendor) }) else { return nil }
    var numbered: [(number: AttributeNumber, characteristic: Characteristic)] = []
    for characteristic in characteristics
    where !numbered.contains(where: { $0.characteristic.type == characteristic.type }) {
      guard let number = numbers.vendorAttribute(for: characteristic.type, in: service) else { continue }
      numbered.append((number, characteristic))
    }
    let description = Element.Value.list(numbered.map { describe($0.number, $0.characteristic) })
    return template(id, numbered, [.constant(EndpointNumbers.descriptionAttribute, description)])
  }

  /// - Parameter others: attributes that are no characteristics.
  static func template(
    _ id: ClusterID, _ numbered: [(number: UInt32, characteristic: Characteristic)], _ others: [AttributeBinding] = []
  ) -> ClusterTemplate {
    ClusterTemplate(
      id: id, revision: 1, attributes: numbered.compactMap { attribute($0.number, $0.characteristic) } + others,
      commands: numbered.compactMap { command($0.number, $0.characteristic) })
  }

  private static func attribute(_ number: AttributeNumber, _ characteristic: Characteristic) -> AttributeBinding? {
    let (type, format) = (characteristic.type, characteristic.format)
    guard characteristic.perms.contains(.pairedRead) else { return nil }
    let write: AttributeBinding.Writer = { access, value throws(InteractionStatus) in
      try access.write(type, try format.value(of: value))
    }
    let isWritable = characteristic.perms.contains(.pairedWrite)
    return AttributeBinding(
      number, "x", of: [type], readPrivilege: characteristic.privilege(.pairedRead, usually: .view),
      writing: isWritable ? [type] : [],
      writePrivilege: characteristic.privilege(.pairedWrite, usually: .operate), write: isWritable ? write : nil
    ) { access throws(InteractionStatus) in format.element(of: try access.value(type)) }
  }

  private static func command(_ number: AttributeNumber, _ characteristic: Characteristic) -> CommandBinding? {
    let (type, format) = (characteristic.type, characteristic.format)
    guard characteristic.perms.contains(.pairedWrite), !characteristic.perms.contains(.pairedRead) else { return nil }
    return CommandBinding(
      number, writing: [type], privilege: characteristic.privilege(.pairedWrite, usually: .operate)
    ) { access, fields throws(InteractionStatus) in
      let field = try fields.value(0)
      let value: Value
      do throws(InteractionStatus) {
        value = try format.value(of: field)
      } catch {
        throw error.code == .invalidDataType ? InteractionStatus(.invalidCommand) : error
      }
      try access.write(type, value)
    }
  }

  private static func describe(_ number: AttributeNumber, _ characteristic: Characteristic) -> Element {
    var members: [Element] = []
    var nextTag: UInt8 = 0
    func add(_ value: Element.Value?) {
      if let value { members.append(Element(.context(nextTag), value)) }
      nextTag += 1
    }
    let constraints = characteristic.constraints
    let text = characteristic.description ?? Catalogue.characteristic(characteristic.type)?.name
    add(.unsigned(UInt64(number)))
    add(.text(characteristic.type.uuid))
    add(text.map { .text($0) })
    add(.text(characteristic.format.rawValue))
    add(characteristic.unit.map { .text($0.rawValue) })
    for limit in [constraints.minValue, constraints.maxValue, constraints.minStep] {
      add(limit.map { characteristic.format.limit($0) })
    }
    return Element(.container(.structure, members))
  }
}

extension Characteristic {
  /// The privilege for an operation: only administrators may do what HAP allows only to admin controllers.
  fileprivate func privilege(_ operation: Permissions, usually privilege: Privilege) -> Privilege {
    adminOnly.contains(operation) ? .administer : privilege
  }
}

/// How values of a format are written in Matter: uint* unsigned, int signed, float as a double, bytes as octets.
extension Format {
  func element(of value: Value) -> Element.Value {
    switch value {
    case .null: .null
    case .bool(let isTrue): .bool(isTrue)
    case .integer(let number):
      self == .int
        ? .signed(Int64(truncatingIfNeeded: number)) : .unsigned(UInt64(truncatingIfNeeded: number))
    case .float(let number): .double(number)
    case .string(let text): .text(text)
    case .data(let bytes): .octets(bytes)
    }
  }

  /// The limit of a number. A float may have integers as limits.
  fileprivate func limit(_ value: Value) -> Element.Value {
    self == .float ? .double(value.doubleValue ?? 0) : element(of: value)
  }

  func value(of element: Element.Value) throws(InteractionStatus) -> Value {
    switch (self, element) {
    case (.bool, .bool(let isTrue)): return .bool(isTrue)
    case (.uint8, _), (.uint16, _), (.uint32, _), (.uint64, _), (.int, _):
      switch element {
      case .unsigned(let number): return .integer(Int128(number))
      case .signed(let number): return .integer(Int128(number))
      default: throw InteractionStatus(.invalidDataType)
      }
    case (.float, .double(let number)): return .float(number)
    case (.float, .single(let number)): return .float(Double(number))
    case (.string, .text(let text)): return .string(text)
    case (.tlv8, .octets(let bytes)), (.data, .octets(let bytes)): return .data(bytes)
    default: throw InteractionStatus(.invalidDataType)
    }
  }
}
