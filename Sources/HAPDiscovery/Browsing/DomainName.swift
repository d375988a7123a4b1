import HAPWire

/// DNS names as text, in the form of `DNSName.description`, which responders use.
enum DomainName {
  /// Decodes a name from a record's data, RFC 1035 §3.1, in lower case.
  /// - Returns: nil unless `bytes` are exactly one name: labels of 1...63 bytes, at most 255 bytes in total, and the end. Names in data
  ///   that a responder has decoded are never compressed.
  static func text(ofWireForm bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.count <= 255 else { return nil }
    var labels: [String] = []
    var rest = bytes
    while let length = rest.popFirst() {
      if length == 0 { return rest.isEmpty && !labels.isEmpty ? labels.joined(separator: ".") : nil }
      guard length <= 63, rest.count >= Int(length) else { return nil }
      labels.append(DNSName.escaped(rest.prefix(Int(length)).lazy.map(DNSName.folded)))
      rest = rest.dropFirst(Int(length))
    }
    return nil
  }
}
