/// The head of a response or an event. Ranges are offsets into the parsed bytes.
package struct HTTPResponseHead: Equatable, Sendable {
  /// Whether it is `EVENT/1.0` and not `HTTP/1.x`.
  package var isEvent: Bool
  /// Three digits, 100...999.
  package var status: Int
  package var reason: Range<Int>
  package var fields: HTTPFields

  package var contentLength: Int? { fields.contentLength }
  package var isChunked: Bool { fields.isChunked }
  package var contentType: HTTPContentType { fields.contentType }
}

/// Parses responses and events in place, for controllers. RFC 9112; HAP R2 §6.8 "Notifications".
///
/// It is used like `HTTPRequestParser`. Messages may be concatenated, and they may arrive byte by byte.
package struct HTTPResponseParser: Sendable {
  package enum Result: Equatable, Sendable {
    case incomplete
    case message(HTTPResponseHead, body: Range<Int>, consumed: Int)
    case malformed(HTTPError)
  }

  private enum State {
    case head, body(HTTPResponseHead, start: Int), chunks(HTTPResponseHead), untilClose(HTTPResponseHead, start: Int)
    case failed(HTTPError)
  }

  package var limits: HTTPLimits
  /// The number of valid bytes at the start of a malformed message; 0 if the error is in its head.
  package private(set) var understoodCount = 0
  private var state = State.head
  private var finder = HTTPHeadFinder()
  private var joiner = HTTPChunkJoiner(bodyStart: 0)

  /// The default allows bodies of up to 16 MiB, more than a large bridge's `/accessories`.
  package init(limits: HTTPLimits = HTTPLimits(body: 16 * 1024 * 1024)) { self.limits = limits }

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
          if head.status < 200 || head.status == 204 || head.status == 304 {  // never a body, RFC 9112 §6.3
            startOver()
            return .message(head, body: range.upperBound..<range.upperBound, consumed: range.upperBound)
          }
          if head.isChunked {
            joiner = HTTPChunkJoiner(bodyStart: range.upperBound)
            state = .chunks(head)
          } else if head.contentLength != nil {
            state = .body(head, start: range.upperBound)
          } else {
            state = .untilClose(head, start: range.upperBound)
          }
          return parse(bytes)
        }
      }
    case .body(let head, let start):
      let length = head.contentLength ?? 0
      guard bytes.count - start >= length else { return .incomplete }
      startOver()
      return .message(head, body: start..<(start + length), consumed: start + length)
    case .chunks(let head):
      switch joiner.join(bytes, limits: limits) {
      case .incomplete: return .incomplete
      case .malformed(let error):
        understoodCount = joiner.cursor
        return fail(error)
      case .joined(let body, let consumed):
        startOver()
        return .message(head, body: body, consumed: consumed)
      }
    case .untilClose(_, let start):
      return bytes.count - start > limits.body ? fail(.bodyTooLarge) : .incomplete
    }
  }

  /// Handles the end of the stream, which ends a response with neither Content-Length nor chunks. Returns nil if no
  /// such response is pending.
  package mutating func endOfStream(_ bytes: UnsafeMutableRawBufferPointer) -> Result? {
    guard case .untilClose(let head, let start) = state else { return nil }
    startOver()
    return .message(head, body: start..<bytes.count, consumed: bytes.count)
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
  ) -> Swift.Result<HTTPResponseHead, HTTPError> {
    var lineEnd = range.lowerBound
    while bytes[lineEnd] != 0x0A { lineEnd += 1 }
    let next = lineEnd + 1
    if lineEnd > range.lowerBound, bytes[lineEnd - 1] == 0x0D { lineEnd -= 1 }
    var at = range.lowerBound
    while at < lineEnd, bytes[at] != 0x20 { at += 1 }
    let version = UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound..<at])
    let isEvent = version.equals("EVENT/1.0")
    guard isEvent || version.equals("HTTP/1.1") || version.equals("HTTP/1.0") else {
      let isHTTP = version.count >= 5 && UnsafeRawBufferPointer(rebasing: version[..<5]).equals("HTTP/")
      return .failure(isHTTP ? .unsupportedVersion : .badStartLine)
    }
    at += 1
    guard lineEnd - at >= 3, let status = UnsafeRawBufferPointer(rebasing: bytes[at..<(at + 3)]).decimalNumber,
      status >= 100, lineEnd - at == 3 || bytes[at + 3] == 0x20
    else { return .failure(.badStartLine) }
    let reason = min(at + 4, lineEnd)..<lineEnd
    var fields = HTTPFields()
    if let error = fields.read(bytes, in: next..<range.upperBound, limits: limits) { return .failure(error) }
    return .success(HTTPResponseHead(isEvent: isEvent, status: status, reason: reason, fields: fields))
  }
}
