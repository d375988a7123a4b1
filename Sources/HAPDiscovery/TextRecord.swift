import HAPWire

/// The keys and values of a service's TXT record, in the order of the record. RFC 6763 §6.
package struct TextRecord: Equatable, Sendable {
  package struct Entry: Equatable, Sendable {
    package let key: String
    package let value: String
  }

  package let entries: [Entry]
  /// The strings of a deliberately malformed record. They are used instead of `entries`.
  private let loose: [String]?

  /// A record whose keys can be malformed or duplicate, for accessories that violate the rules on purpose.
  package init(texts: [String]) {
    loose = texts
    entries = texts.map { text in
      let equals = text.firstIndex(of: "=") ?? text.endIndex
      return Entry(key: String(text[..<equals]), value: String(text[equals...].dropFirst()))
    }
  }

  package init(_ pairs: [(key: String, value: String)]) {
    entries = pairs.map { Entry(key: $0.key, value: $0.value) }
    loose = nil
  }

  package subscript(_ key: String) -> String? { entries.first { $0.key == key }?.value }

  /// "key=value" of each entry, as in the record.
  package var strings: [[UInt8]] {
    loose?.map { Array($0.utf8) }
      ?? entries.map { entry in
        var string: [UInt8] = []
        string.reserveCapacity(entry.key.utf8.count + 1 + entry.value.utf8.count)
        string += entry.key.utf8
        string.append(UInt8(ascii: "="))
        string += entry.value.utf8
        return string
      }
  }

  /// Checks the record. Every key must be 1 or more printable ASCII characters other than `=`. Keys must be unique, ignoring case.
  /// A `key=value` has at most 255 bytes, and the record at most the 1300 bytes that fit into one packet.
  /// - Throws: if the record can't be advertised. A deliberately malformed record is checked only for its size.
  package func check() throws(RecordError) {
    var size = 0
    for (index, entry) in entries.enumerated() {
      let key = entry.key
      if loose == nil {
        guard !key.isEmpty, key.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }) else {
          throw .malformedKey(key)
        }
        guard !entries[..<index].contains(where: { Self.isSame($0.key, key) }) else { throw .duplicateKey(key) }
      }
      let count = key.utf8.count + 1 + entry.value.utf8.count
      guard count <= 255 else { throw .entryTooLong(key: key, bytes: count) }
      size += 1 + count
    }
    guard size <= 1300 else { throw .textTooLong(bytes: size) }
  }

  /// Whether two keys are equal, ignoring the case of ASCII letters.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    one.utf8.count == other.utf8.count
      && zip(one.utf8, other.utf8).allSatisfy { DNSName.folded($0) == DNSName.folded($1) }
  }
}
