import HAPModel
import HAPWire

extension CharacteristicDefinition {
  /// Returns an explicit entry for a profile: its type, and the value that it would have by default.
  ///
  /// The value is left out if the characteristic isn't readable, if the value is empty, or if it follows something else: the
  /// service's name or a target.
  func writtenOut(value: Value? = nil) -> JSONNode {
    var members = [(name: "type", value: JSONNode.text(identifier))]
    if let node = written(value ?? defaultValue), value != nil || !follows { members.append(("value", node)) }
    return .object(members)
  }

  private var follows: Bool { type == .name || type == .configuredName || ProfileReader.twins[type] != nil }

  private func written(_ value: Value) -> JSONNode? {
    guard perms.contains(.pairedRead) else { return nil }
    if let word = word(for: value) { return .text(word) }
    switch value {
    case .null: return nil
    case .bool(let bool): return JSONNode(.bool(bool))
    case .integer(let integer): return .integer(integer)
    case .float(let float): return .number(float)
    case .string(let text): return text.isEmpty ? nil : .text(text)
    case .data(let bytes): return bytes.isEmpty ? nil : .text(Base64.encode(bytes))
    }
  }
}

extension ServiceRequest {
  /// Returns the entry for a profile.
  ///
  /// - Parameter number: its position among the accessory's services of this type, from 1, used as its Service Label Index.
  func writtenOut(name: String?, label: String? = nil, isPrimary: Bool = false, number: Int) -> JSONNode {
    var members = [(name: "type", value: JSONNode.text(spelling))]
    if let name { members.append(("name", .text(name))) }
    if isPrimary { members.append(("primary", JSONNode(.bool(true)))) }
    if let label { members.append(("id", .text(label))) }
    if !characteristics.isEmpty {
      let list = characteristics.map {
        $0.writtenOut(value: $0.type == .serviceLabelIndex ? .integer(Int128(number)) : nil)
      }
      members.append(("characteristics", .list(list)))
    }
    return .object(members)
  }
}
