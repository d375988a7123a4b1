import HAPWire

/// A parsed request to an API.
package struct WebRequest: Equatable, Sendable {
  /// Unchanged: "GET", "PATCH", …
  package var method: String
  /// The decoded parts of the path between slashes; empty for "/".
  package var path: [String]
  /// Decoded, in order of appearance.
  package var query: [(name: String, value: String)] = []
  /// With names in lower case, in order of appearance.
  package var fields: [HTTPField] = []
  package var body: [UInt8] = []

  package init(
    _ method: String, path: [String], query: [(name: String, value: String)] = [],
    fields: [HTTPField] = [], body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.fields = fields
    self.body = body
  }

  /// The field's value. Values of repeated fields are joined by commas (RFC 9110 §5.3).
  /// - Parameter name: in lower case.
  package subscript(field name: String) -> String? {
    let values = fields.filter { $0.name == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  package static func == (one: Self, other: Self) -> Bool {
    one.method == other.method && one.path == other.path && one.body == other.body && one.fields == other.fields
      && one.query.elementsEqual(other.query, by: ==)
  }
}

extension WebRequest {
  /// - Parameters:
  ///   - head: the parser's result for `bytes`.
  ///   - body: the range of the body.
  /// - Throws: 400 if the target is not a path.
  package init(_ head: HTTPRequestHead, body: Range<Int>, in bytes: UnsafeRawBufferPointer) throws(WebProblem) {
    method = Self.text(bytes, head.methodRange)
    var path = Self.text(bytes, head.path)
    let authority = Self.takeAuthority(of: &path)
    guard path.hasPrefix("/") else {
      throw WebProblem(400, "bad-request", "the request's target is not a path: \(path.prefix(100))")
    }
    var parts: [String] = []
    for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      parts.append(try Self.decoded(part))
    }
    if parts == [""] { parts = [] }
    self.path = parts
    if let query = head.query { self.query = try Self.query(Self.text(bytes, query)) }
    // The parser has refused malformed fields.
    fields = HTTPHeadText(bytes[..<body.lowerBound]).fields.map { HTTPField($0.name.lowercased(), $0.trimmedValue) }
    if let authority {
      // RFC 9112 §3.2.2: Host is ignored then.
      fields.removeAll { $0.name == "host" }
      fields.append(HTTPField("host", authority))
    }
    self.body = [UInt8](bytes[body])
  }

  /// Removes and returns the authority of a target in absolute form, such as "http://127.0.0.1:8080/v1", which clients send to proxies.
  private static func takeAuthority(of path: inout String) -> String? {
    let scheme = "http://"
    guard path.prefix(scheme.count).lowercased() == scheme else { return nil }
    let rest = path.dropFirst(scheme.count)
    let end = rest.firstIndex(of: "/") ?? rest.endIndex
    path = end == rest.endIndex ? "/" : String(rest[end...])
    return String(rest[..<end])
  }

  private static func text(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  private static func query(_ text: String) throws(WebProblem) -> [(name: String, value: String)] {
    var query: [(name: String, value: String)] = []
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = parts.count > 1 ? parts[1] : ""
      query.append((try decoded(parts[0], plusIsSpace: true), try decoded(value, plusIsSpace: true)))
    }
    return query
  }

  /// Decodes percent-encoding. RFC 3986 §2.1.
  private static func decoded(_ text: Substring, plusIsSpace: Bool = false) throws(WebProblem) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard digits.utf8.count == 2, let byte = Hexadecimal.bytes(digits)?.first else {
          throw WebProblem(400, "bad-request", "a percent sign in the target is not followed by two digits")
        }
        rest.removeFirst(2)
        bytes.append(byte)
      } else {
        bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    guard let decoded = String(validating: bytes, as: UTF8.self) else {
      throw WebProblem(400, "bad-request", "the request's target is not UTF-8")
    }
    return decoded
  }
}
