/// The header fields of a message that are relevant for HAP.
package struct HTTPFields: Equatable, Sendable {
  package var contentLength: Int?
  package var isChunked = false
  package var contentType = HTTPContentType.none
  /// `Expect: 100-continue`: the peer may wait for "100 Continue" before it sends the body.
  package var expectsContinue = false
  /// `Connection: close`.
  package var closes = false
  package var headerCount = 0

  /// Reads the lines in `range`, which excludes the first line and the empty line. Returns the error, or nil if the
  /// lines are well-formed.
  mutating func read(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>, limits: HTTPLimits) -> HTTPError? {
    var at = range.lowerBound
    while at < range.upperBound {
      var lineEnd = at
      while bytes[lineEnd] != 0x0A { lineEnd += 1 }  // every line in a head has its LF
      let next = lineEnd + 1
      if lineEnd > at, bytes[lineEnd - 1] == 0x0D { lineEnd -= 1 }
      if lineEnd > at {
        headerCount += 1
        if headerCount > limits.headerCount { return .tooManyHeaders }
        if let error = readLine(UnsafeRawBufferPointer(rebasing: bytes[at..<lineEnd]), limits) { return error }
      }
      at = next
    }
    return nil
  }

  private mutating func readLine(_ line: UnsafeRawBufferPointer, _ limits: HTTPLimits) -> HTTPError? {
    var colon = 0
    while colon < line.count, isTokenByte(line[colon]) { colon += 1 }
    // Also refuses a folded line and a blank before the colon, as RFC 9112 §5.1 and §5.2 require of servers.
    guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else { return .badHeader }
    let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
    let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmingBlanks
    if name.matches("host") { return nil }  // not checked: renamed services put any byte into it
    for byte in value where byte == 0 || byte == 0x0D { return .badHeader }
    if !limits.acceptsAnyCase, !name.isUsualSpelling { return nil }
    switch name.count {
    case 14 where name.matches("content-length"):
      if contentLength != nil { return .duplicateContentLength }
      if isChunked { return .contentLengthAndChunked }
      guard let length = value.decimalNumber else {
        return !value.isEmpty && value.allSatisfy { $0 &- 0x30 < 10 } ? .bodyTooLarge : .badContentLength
      }
      if length > limits.body { return .bodyTooLarge }
      contentLength = length
    case 17 where name.matches("transfer-encoding"):
      if contentLength != nil { return .contentLengthAndChunked }
      guard !isChunked, value.matches("chunked") else { return .unsupportedTransferEncoding }
      guard limits.acceptsChunked else { return .chunkedRefused }
      isChunked = true
    case 12 where name.matches("content-type"):
      if contentType == .none { contentType = HTTPContentType(value) }
    case 6 where name.matches("expect"):
      if value.matches("100-continue") { expectsContinue = true }
    case 10 where name.matches("connection"):
      if value.matches("close") { closes = true }
    default: break
    }
    return nil
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the name of a relevant field has its usual spelling.
  fileprivate var isUsualSpelling: Bool {
    equals("Content-Length") || equals("Transfer-Encoding") || equals("Content-Type") || equals("Expect")
      || equals("Connection")
  }
}
