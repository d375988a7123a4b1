import HAPReport
import HAPSuite
import HAPWire

/// Formats bodies for transcripts.
package enum Readable {
  /// The limit in bytes. Larger bodies are cut.
  private static let limit = 64 << 10

  /// Returns a body's transcript content. TLV8 and JSON are formatted when a report needs them; of any other body only the first bytes are
  /// kept.
  package static func content(_ bytes: [UInt8], type: String?) -> TranscriptEntry.Content {
    let isReadable = type == "application/pairing+tlv8" || isJSON(bytes)
    return isReadable && bytes.count <= limit ? .body(bytes, type: type, decode: body) : .text(body(bytes, type: type))
  }

  private static func isJSON(_ bytes: [UInt8]) -> Bool {
    bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[")
  }

  static func body(_ bytes: [UInt8], type: String?) -> String {
    guard !bytes.isEmpty else { return "" }
    if type == "application/pairing+tlv8" { return tlv(bytes) }
    if isJSON(bytes) {
      guard bytes.count <= limit, let node = try? JSONNode.parse(bytes) else {
        return String(decoding: bytes.prefix(limit), as: UTF8.self)
      }
      return node.indentedText
    }
    return "\(bytes.count) bytes: \(Hexadecimal.text(bytes.prefix(256)))"
  }

  /// Returns one line per item, with the item's name.
  package static func tlv(_ bytes: [UInt8]) -> String {
    guard let message = try? TLV(decoding: bytes) else { return "not TLV8: \(Hexadecimal.text(bytes.prefix(512)))" }
    return message.items.map { item in
      let name = Vocabulary.itemTypes.first { $0.type == item.type }?.name ?? "item 0x\(String(item.type, radix: 16))"
      return "\(name): \(value(item))"
    }.joined(separator: "\n")
  }

  private static func value(_ item: TLV.Item) -> String {
    switch item.type {
    case TLVType.error:
      let number = item.value.first ?? 0
      let name = Vocabulary.errorNames.first { $0.value == number }?.name
      return item.value.count == 1 ? "\(number)" + (name.map { " (\($0))" } ?? "") : Hexadecimal.text(item.value)
    case TLVType.identifier: return String(decoding: item.value, as: UTF8.self)
    case TLVType.state, TLVType.method, TLVType.permissions:
      return item.value.count == 1 ? "\(item.value[0])" : Hexadecimal.text(item.value)
    default:
      return "\(item.value.count) bytes" + (item.value.isEmpty ? "" : " \(Hexadecimal.text(item.value.prefix(400)))")
    }
  }
}
