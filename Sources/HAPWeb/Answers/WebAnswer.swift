import HAPWire

/// An answer of the control API.
package struct WebAnswer: Equatable, Sendable {
  package var status: Int
  /// Empty if there is no body.
  package var contentType = ""
  package var body: [UInt8] = []
  package var fields: [HTTPField] = []
  /// If set, the journal's events follow this answer until the connection ends.
  package var stream: EventStreamStart?

  package init(_ status: Int, contentType: String = "", body: [UInt8] = []) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  /// Success without content.
  package static let done = WebAnswer(204)

  package static func json(_ status: Int = 200, _ write: (inout JSONWriter) -> Void) -> WebAnswer {
    WebAnswer(status, contentType: "application/json", body: JSONWriter.bytes(write))
  }

  package static func text(_ text: StaticString, _ contentType: String) -> WebAnswer {
    WebAnswer(200, contentType: contentType, body: text.withUTF8Buffer { Array($0) })
  }

  /// Returns the encoded answer.
  /// - Parameters:
  ///   - hasBody: false for the answer to HEAD, which contains the body's length but not the body.
  ///   - closes: whether the connection closes afterwards.
  package func bytes(hasBody: Bool, closes: Bool) -> [UInt8] {
    var head = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
    func field(_ name: String, _ value: String) { head += "\(name): \(value)\r\n" }
    for rule in Self.safety { field(rule.name, rule.value) }
    for extra in fields { field(extra.name, extra.value) }
    if !contentType.isEmpty { field("Content-Type", contentType) }
    if stream == nil {
      if status != 204 { field("Content-Length", String(body.count)) }
      if closes { field("Connection", "close") }
    }
    return Array((head + "\r\n").utf8) + (hasBody ? body : [])
  }

  /// Header fields of every answer that protect browsers. The page loads only its own scripts, styles and pictures.
  private static let safety: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; font-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
  ]

  private static func reason(_ status: Int) -> StaticString {
    switch status {
    case 201: "Created"
    case 404: "Not Found"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 415: "Unsupported Media Type"
    case 502: "Bad Gateway"
    case 504: "Gateway Timeout"
    default: HTTPWriter.reason(status)
    }
  }
}
