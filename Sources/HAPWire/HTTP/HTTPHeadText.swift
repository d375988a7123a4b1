/// A header field as text, valid or not.
package struct HTTPField: Equatable, Sendable {
  package var name: String
  /// Without leading blanks.
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// The value without trailing blanks, which RFC 9110 §5.5 excludes from the value.
  package var trimmedValue: String {
    let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
    return String(decoding: value.utf8.reversed().drop(while: isBlank).reversed(), as: UTF8.self)
  }
}

/// The head of a request, a response or an event as text, for code that needs more than ``HTTPFields``.
///
/// The parsers decide whether bytes are HTTP. This type finds a head in any bytes: a first line, and the fields up to
/// the empty line.
package struct HTTPHeadText: Equatable, Sendable {
  /// `GET /accessories HTTP/1.1`, `HTTP/1.1 200 OK`, `EVENT/1.0 200 OK`.
  package var start = ""
  /// The fields in their order, with names in their original spelling. Lines without a colon are skipped.
  package var fields: [HTTPField] = []

  /// - Parameter bytes: with or without the empty line and the following bytes. Empty lines at the start are ignored.
  package init(_ bytes: some BidirectionalCollection<UInt8>) {
    var rest = bytes[...]
    // Compares bytes, because CR and LF together are one character, and Unicode has more line ends.
    while !rest.isEmpty {
      var line = rest.prefix { $0 != 0x0A }
      rest = rest[line.endIndex...].dropFirst()
      if line.last == 0x0D { line = line.dropLast() }
      if start.isEmpty {
        start = String(decoding: line, as: UTF8.self)
      } else if line.isEmpty {
        break
      } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
        let value = line[colon...].dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        fields.append(
          HTTPField(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self)))
      }
    }
  }

  /// The words of the first line: at most three; the last may contain blanks.
  package var words: [Substring] { start.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false) }
}
