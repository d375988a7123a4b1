import HAPModel
import HAPWire

extension JSONWriter {
  /// Writes a value as HAP encodes it: data and tlv8 in base64.
  package mutating func value(_ value: Value) {
    switch value {
    case .null: null()
    case .bool(let bool): self.bool(bool)
    case .integer(let integer): self.integer(integer)
    case .float(let float): double(float)
    case .string(let string): self.string(string)
    case .data(let data): base64(data)
    }
  }
}
