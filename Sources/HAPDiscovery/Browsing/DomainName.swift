/// Names of the DNS, as responders take them in text: labels with dots between, and "\." or "\032" for what is no plain character.
enum DomainName {
  /// One label, such as a service's name, as it stands in a full name.
  static func escaped(_ label: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in label {
      switch byte {
      case UInt8(ascii: "."), UInt8(ascii: "\\"): text += "\\" + String(UnicodeScalar(byte))
      case 0x21...0x7E: text.unicodeScalars.append(UnicodeScalar(byte))
      default: text += "\\" + (byte < 10 ? "00" : byte < 100 ? "0" : "") + "\(byte)"
      }
    }
    return text
  }

  /// A name from a record's data, RFC 1035 §3.1, in lower case.
  /// - Returns: nil unless `bytes` are exactly one name: labels of 1...63 bytes, 255 bytes at most, and the end. Compressed ones don't stand in
  ///   data that a responder has taken apart.
  static func text(ofWireForm bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.count <= 255 else { return nil }
    var labels: [String] = []
    var rest = bytes
    while let length = rest.popFirst() {
      if length == 0 { return rest.isEmpty && !labels.isEmpty ? labels.joined(separator: ".") : nil }
      guard length <= 63, rest.count >= Int(length) else { return nil }
      labels.append(escaped(rest.prefix(Int(length)).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }))
      rest = rest.dropFirst(Int(length))
    }
    return nil
  }
}
