/// The head of a request. Ranges are offsets into the parsed bytes.
package struct HTTPRequestHead: Equatable, Sendable {
  package var method: HTTPMethod
  package var methodRange: Range<Int>
  /// Path and query.
  package var target: Range<Int>
  package var path: Range<Int>
  /// The part after the `?`; nil without a `?`, empty if nothing follows it.
  package var query: Range<Int>?
  /// 0 or 1, the digit after `HTTP/1.`.
  package var minorVersion: Int
  package var fields: HTTPFields

  /// Nil without a Content-Length header; HomeKitADK then refuses pairing requests.
  package var contentLength: Int? { fields.contentLength }
  package var isChunked: Bool { fields.isChunked }
  package var contentType: HTTPContentType { fields.contentType }
  package var expectsContinue: Bool { fields.expectsContinue }
  package var headerCount: Int { fields.headerCount }
  /// Whether the peer requests that the connection is closed after the response.
  package var closes: Bool { fields.closes }

  package func hasPath(_ path: StaticString, in bytes: UnsafeRawBufferPointer) -> Bool {
    UnsafeRawBufferPointer(rebasing: bytes[self.path]).equals(path)
  }
}

/// Parses requests in place from the bytes of a connection, without allocation. RFC 9112.
///
/// Call `parse` with all unconsumed bytes of the connection whenever more have arrived; the parser remembers its
/// position. After a request, the caller consumes its bytes before it parses the next one. Lines end in CRLF; a bare
/// LF is accepted everywhere.
package struct HTTPRequestParser: Sendable {
  package enum Result: Equatable, Sendable {
    case incomplete
    /// `body` and the head's ranges are offsets into the given bytes; `consumed` is the offset of the next message.
    case request(HTTPRequestHead, body: Range<Int>, consumed: Int)
    /// Following bytes can't be parsed: answer and close. Further calls return the same error.
    case malformed(HTTPError)
  }

  private enum State { case head, body(HTTPRequestHead, start: Int), chunks(HTTPRequestHead), failed(HTTPError) }

  package var limits: HTTPLimits
  private var state = State.head
  private var finder = HTTPHeadFinder()
  private var joiner = HTTPChunkJoiner(bodyStart: 0)

  package init(limits: HTTPLimits = HTTPLimits()) { self.limits = limits }

  /// The head of a request whose body is incomplete. The caller uses it to answer `Expect: 100-continue`.
  package var pendingHead: HTTPRequestHead? {
    switch state {
    case .head, .failed: nil
    case .body(let head, _), .chunks(let head): head
    }
  }

  /// The offset of the incomplete body of `pendingHead`.
  package var pendingBodyStart: Int? {
    switch state {
    case .head, .failed: nil
    case .body(_, let start): start
    case .chunks: joiner.bodyStart
    }
  }

  /// - Parameter bytes: writable, because the chunks of a body are joined in place.
  package mutating func parse(_ bytes: UnsafeMutableRawBufferPointer) -> Result {
    switch state {
    case .failed(let error): return .malformed(error)
    case .head:
      switch finder.find(in: UnsafeRawBufferPointer(bytes), limit: limits.head) {
      case .incomplete: return .incomplete
      case .malformed(let error): return fail(error)
      case .found(let range):
        switch Self.head(UnsafeRawBufferPointer(bytes), range, limits) {
        case .failure(let error): return fail(error)
        case .success(let head):
          if head.isChunked {
            joiner = HTTPChunkJoiner(bodyStart: range.upperBound)
            state = .chunks(head)
            return joinChunks(bytes, head)
          }
          state = .body(head, start: range.upperBound)
          return takeBody(bytes, head, range.upperBound)
        }
      }
    case .body(let head, let start): return takeBody(bytes, head, start)
    case .chunks(let head): return joinChunks(bytes, head)
    }
  }

  private mutating func takeBody(
    _ bytes: UnsafeMutableRawBufferPointer, _ head: HTTPRequestHead, _ start: Int
  ) -> Result {
    let length = head.contentLength ?? 0
    guard bytes.count - start >= length else { return .incomplete }
    startOver()
    return .request(head, body: start..<(start + length), consumed: start + length)
  }

  private mutating func joinChunks(_ bytes: UnsafeMutableRawBufferPointer, _ head: HTTPRequestHead) -> Result {
    switch joiner.join(bytes, limits: limits) {
    case .incomplete: return .incomplete
    case .malformed(let error): return fail(error)
    case .joined(let body, let consumed):
      startOver()
      return .request(head, body: body, consumed: consumed)
    }
  }

  private mutating func startOver() {
    state = .head
    finder = HTTPHeadFinder()
  }

  private mutating func fail(_ error: HTTPError) -> Result {
    state = .failed(error)
    return .malformed(error)
  }

  private static func head(
    _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ limits: HTTPLimits
  ) -> Swift.Result<HTTPRequestHead, HTTPError> {
    var at = range.lowerBound
    while isTokenByte(bytes[at]) { at += 1 }  // ends at the line's LF, which is not a token byte
    let methodRange = range.lowerBound..<at
    guard !methodRange.isEmpty, bytes[at] == 0x20 else { return .failure(.badStartLine) }
    at += 1
    let targetStart = at
    var question: Int?
    while bytes[at] > 0x20, bytes[at] != 0x7F {
      if question == nil, bytes[at] == UInt8(ascii: "?") { question = at }
      at += 1
    }
    let target = targetStart..<at
    guard !target.isEmpty, bytes[at] == 0x20 else { return .failure(.badStartLine) }
    at += 1
    let versionStart = at
    while bytes[at] != 0x0A { at += 1 }
    let next = at + 1
    if bytes[at - 1] == 0x0D { at -= 1 }
    let version = UnsafeRawBufferPointer(rebasing: bytes[versionStart..<max(versionStart, at)])
    let minorVersion: Int
    if version.equals("HTTP/1.1") {
      minorVersion = 1
    } else if version.equals("HTTP/1.0") {
      minorVersion = 0
    } else {
      let isHTTP = version.count >= 5 && UnsafeRawBufferPointer(rebasing: version[..<5]).equals("HTTP/")
      return .failure(isHTTP ? .unsupportedVersion : .badStartLine)
    }
    var fields = HTTPFields()
    if let error = fields.read(bytes, in: next..<range.upperBound, limits: limits) { return .failure(error) }
    let name = UnsafeRawBufferPointer(rebasing: bytes[methodRange])
    let method: HTTPMethod =
      name.equals("GET") ? .get : name.equals("PUT") ? .put : name.equals("POST") ? .post : .other
    return .success(
      HTTPRequestHead(
        method: method, methodRange: methodRange, target: target,
        path: target.lowerBound..<(question ?? target.upperBound),
        query: question.map { ($0 + 1)..<target.upperBound },
        minorVersion: minorVersion, fields: fields))
  }
}
