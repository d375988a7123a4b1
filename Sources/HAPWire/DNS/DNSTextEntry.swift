/// A string of a TXT record, split into key and value. RFC 6763 §6.
package struct DNSTextEntry: Hashable, Sendable {
  /// The bytes before the first `=`; empty if the string begins with `=` or is empty.
  package let key: [UInt8]
  /// The bytes after it; nil without a `=`, which means that the key is present without a value.
  package let value: [UInt8]?

  package init(_ string: [UInt8]) {
    guard let equals = string.firstIndex(of: UInt8(ascii: "=")) else {
      key = string
      value = nil
      return
    }
    key = Array(string[..<equals])
    value = Array(string[(equals + 1)...])
  }

  /// Returns whether the key matches, ignoring the case of ASCII letters.
  package func hasKey(_ name: String) -> Bool { foldedKey == DNSTextEntry(Array(name.utf8)).foldedKey }

  /// The key in lower case.
  package var foldedKey: [UInt8] { key.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 } }

  /// Returns the value of the first of `strings` that has the key, as RFC 6763 §6.4 requires for duplicates; nil if
  /// the key is missing or has no `=`.
  package static func value(of name: String, in strings: [[UInt8]]) -> [UInt8]? {
    strings.lazy.map(DNSTextEntry.init).first { $0.hasKey(name) }?.value
  }
}
