/// A domain name: labels of any bytes. Names that differ only in the case of ASCII letters are equal. RFC 6762 §16.
package struct DNSName: Sendable {
  /// Each label after its length byte, without the terminator: the uncompressed wire form.
  let wireForm: [UInt8]

  /// - Parameter labels: 1...63 bytes each, and 253 bytes with the dots for a valid name. Labels of up to 255 bytes
  ///   can be built for deliberately invalid messages.
  package init(_ labels: [[UInt8]]) {
    var bytes: [UInt8] = []
    for label in labels {
      precondition(label.count <= 255, "the length of a label is one byte")
      bytes.append(UInt8(label.count))
      bytes += label
    }
    wireForm = bytes
  }

  /// - Parameter wireForm: labels after their length bytes, each 1...63 bytes.
  init(wireForm: [UInt8]) { self.wireForm = wireForm }

  /// - Parameter text: labels separated by dots, with an optional dot at the end; `\.` and `\065` are escaped bytes.
  ///   "." and "" are the root.
  /// - Returns: nil unless it is a name that is valid in a message.
  package init?(_ text: String) {
    var labels: [[UInt8]] = []
    var label: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "."):
        if label.isEmpty, rest.isEmpty, labels.isEmpty { break }
        labels.append(label)
        label = []
      case UInt8(ascii: "\\"):
        guard let escaped = Self.escapedByte(&rest) else { return nil }
        label.append(escaped)
      default: label.append(byte)
      }
    }
    if !label.isEmpty { labels.append(label) }
    guard labels.allSatisfy({ (1...63).contains($0.count) }) else { return nil }
    self.init(labels)
    guard isWellFormed else { return nil }
  }

  /// Parses the part after a backslash: three digits, or a literal byte.
  private static func escapedByte(_ rest: inout ArraySlice<UInt8>) -> UInt8? {
    guard let first = rest.first else { return nil }
    guard (0x30...0x39).contains(first) else { return rest.popFirst() }
    let digits = rest.prefix(3)
    guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    rest = rest.dropFirst(3)
    return UInt8(exactly: digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
  }

  package var labels: [[UInt8]] {
    var found: [[UInt8]] = []
    var at = 0
    while at < wireForm.count {
      let end = at + 1 + Int(wireForm[at])
      found.append(Array(wireForm[(at + 1)..<end]))
      at = end
    }
    return found
  }

  /// Whether it is valid in a message: labels of 1...63 bytes, at most 255 bytes with their lengths and the
  /// terminator. RFC 1035 §2.3.4.
  package var isWellFormed: Bool { wireForm.count <= 254 && labels.allSatisfy { (1...63).contains($0.count) } }

  /// The number of bytes on the wire without pointers, with the terminator.
  package var byteCount: Int { wireForm.count + 1 }

  /// The first label, which is the visible part of a full service name; nil for the root.
  package var firstLabel: [UInt8]? { wireForm.first.map { Array(wireForm[1..<(1 + Int($0))]) } }

  /// The name without its first label; nil for the root.
  package var parent: DNSName? { wireForm.first.map { DNSName(wireForm: Array(wireForm[(1 + Int($0))...])) } }

  /// Returns the name with one more label in front.
  package func prefixed(by label: [UInt8]) -> DNSName { DNSName([label] + labels) }

  /// Returns whether it is `ancestor` or a subdomain of it.
  package func isWithin(_ ancestor: DNSName) -> Bool {
    var at = 0
    while wireForm.count - at >= ancestor.wireForm.count {
      if DNSName(wireForm: Array(wireForm[at...])) == ancestor { return true }
      if at >= wireForm.count { return false }
      at += 1 + Int(wireForm[at])
    }
    return false
  }
}

extension DNSName: Hashable {
  // The lengths of valid labels are below all letters, so folding doesn't change them.
  package static func == (one: DNSName, other: DNSName) -> Bool {
    one.wireForm.count == other.wireForm.count
      && zip(one.wireForm, other.wireForm).allSatisfy { folded($0) == folded($1) }
  }

  package func hash(into hasher: inout Hasher) {
    for byte in wireForm { hasher.combine(Self.folded(byte)) }
  }

  /// Returns an ASCII letter in lower case, and any other byte unchanged.
  package static func folded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}

extension DNSName: CustomStringConvertible {
  /// The escaped text, such as "Lamp\032A._hap._tcp.local"; `init(_:)` parses it. "." for the root.
  package var description: String {
    wireForm.isEmpty ? "." : labels.map { Self.escaped($0) }.joined(separator: ".")
  }

  /// Returns one label of any length in the form of `description`: a dot or backslash is escaped with a backslash,
  /// and a byte outside 0x21...0x7E is a backslash and three digits. RFC 1035 §5.1.
  package static func escaped(_ label: some Sequence<UInt8>) -> String {
    label.reduce(into: "") { text, byte in
      switch byte {
      case UInt8(ascii: "."), UInt8(ascii: "\\"): text += "\\" + String(UnicodeScalar(byte))
      case 0x21...0x7E: text.unicodeScalars.append(UnicodeScalar(byte))
      default: text += "\\" + (byte < 10 ? "00" : byte < 100 ? "0" : "") + "\(byte)"
      }
    }
  }
}
