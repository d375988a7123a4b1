import HAPController
import HAPWire

/// One item of a pairing message for a transcript: its name, and its value if that is neither secret nor random.
struct PairingItem: Equatable {
  var type: UInt8
  var name: String
  /// The value as text; nil: only its length is printed.
  var text: String?
  var count: Int

  init(_ item: TLV.Item) {
    type = item.type
    count = item.value.count
    let byte = item.value.count == 1 ? item.value[0] : nil
    switch item.type {
    case TLVType.method:
      name = "Method"
      text = byte.map { byte in PairingMethod(rawValue: byte).map { "\($0)" } ?? "\(byte)" }
    case TLVType.state:
      name = "State"
      text = byte.map { "M\($0)" }
    case TLVType.error:
      name = "Error"
      text = byte.map { byte in PairingError(rawValue: byte).map { "\($0)" } ?? "\(byte)" }
    case TLVType.permissions:
      name = "Permissions"
      text = byte.map { $0 & 1 == 1 ? "admin" : "user" }
    case TLVType.identifier:
      name = "Identifier"
      text = String(decoding: item.value.prefix(64), as: UTF8.self)
    case TLVType.flags:
      name = "Flags"
      text = item.value.count <= 4 ? "0x" + Hexadecimal.text(item.value.reversed()) : nil
    case TLVType.separator:
      name = "Separator"
      text = ""
    default: name = Self.names[item.type] ?? "Item \(item.type)"
    }
  }

  /// The names of items that are secret or random: keys, proofs, salts, signatures and encrypted data.
  private static let names: [UInt8: String] = [
    TLVType.salt: "Salt", TLVType.publicKey: "PublicKey", TLVType.proof: "Proof",
    TLVType.encryptedData: "EncryptedData", TLVType.retryDelay: "RetryDelay", TLVType.certificate: "Certificate",
    TLVType.signature: "Signature", TLVType.fragmentData: "FragmentData", TLVType.fragmentLast: "FragmentLast",
    TLVType.sessionID: "SessionID",
  ]

  /// The item as text, such as "State: M1" or "PublicKey: 384 bytes".
  var line: String { text.map { $0.isEmpty ? name : "\(name): \($0)" } ?? "\(name): \(count) bytes" }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("type")
      json.integer(type)
      json.key("name")
      json.string(name)
      if let text {
        json.key("value")
        json.string(text)
      } else {
        json.key("bytes")
        json.integer(count)
      }
    }
  }
}
