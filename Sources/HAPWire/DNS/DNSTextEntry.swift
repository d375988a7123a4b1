/// A string of a TXT record as key and value. RFC 6763 §6.
package struct DNSTextEntry: Hashable, Sendable {
  /// The bytes before the first `=`; none when it stands first, or in an empty string.
  package let key: [UInt8]
  /// The bytes after it; nil without a `=`, which says that the key is there.
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

  /// Keys are the same in any case of their ASCII letters.
  package func hasKey(_ name: String) -> Bool { foldedKey == DNSTextEntry(Array(name.utf8)).foldedKey }

  /// The key in lower case.
  package var foldedKey: [UInt8] { key.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 } }

  /// The value of the first of `strings` that has the key, as RFC 6763 §6.4 wants it where there are several; nil when the key isn't there, or has no `=`.
  package static func value(of name: String, in strings: [[UInt8]]) -> [UInt8]? {
    strings.lazy.map(DNSTextEntry.init).first { $0.hasKey(name) }?.value
  }
}
