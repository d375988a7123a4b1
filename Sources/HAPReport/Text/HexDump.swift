/// Bytes as people read them: offset, sixteen bytes, and what of them is ASCII.
enum HexDump {
  static func lines(_ bytes: some Collection<UInt8>) -> [String] {
    let bytes = Array(bytes)
    return stride(from: 0, to: bytes.count, by: 16).map { start in
      let row = bytes[start..<min(start + 16, bytes.count)]
      let offset = String(start, radix: 16)
      let hex = row.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      let left = hex.prefix(8).joined(separator: " ").padded(to: 23)
      let right = hex.dropFirst(8).joined(separator: " ").padded(to: 23)
      let text = String(decoding: row.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
      return "\(String(repeating: "0", count: max(0, 4 - offset.count)))\(offset)  \(left)  \(right)  \(text)"
    }
  }
}
