/// Writes responses and events. Head and body are in one buffer, with Content-Length.
package enum HTTPWriter {
  /// Returns the reason phrase of a status, such as "Connection Authorization Required" for 470. It is empty for a
  /// status that HAP does not use.
  package static func reason(_ status: Int) -> StaticString {
    switch status {
    case 100: "Continue"
    case 200: "OK"
    case 204: "No Content"
    case 207: "Multi-Status"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 413: "Content Too Large"
    case 422: "Unprocessable Entity"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 470: "Connection Authorization Required"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: ""
    }
  }

  /// Writes only a head; the caller appends `contentLength` bytes of body next.
  ///
  /// Without a content type and with length 0, neither header is written for 204. Other responses contain
  /// `Content-Length: 0`, so that no controller waits.
  package static func head(
    status: Int, contentType: HTTPContentType = .none, contentLength: Int = 0, closes: Bool = false,
    into buffer: inout ByteBuffer
  ) {
    buffer.append("HTTP/1.1 ")
    buffer.appendDecimal(UInt64(clamping: status))
    buffer.append(" ")
    buffer.append(reason(status))
    buffer.append("\r\n")
    fields(status: status, contentType, contentLength, closes, &buffer)
  }

  /// Writes the head of an event. HAP R2 §6.8.
  package static func eventHead(contentLength: Int, into buffer: inout ByteBuffer) {
    buffer.append("EVENT/1.0 200 OK\r\n")
    fields(status: 200, .hapJSON, contentLength, false, &buffer)
  }

  /// Writes a head whose body follows in chunks: `chunk`s and then `lastChunk`. Only for quirks of other stacks.
  package static func chunkedHead(
    status: Int, contentType: HTTPContentType, isEvent: Bool = false, into buffer: inout ByteBuffer
  ) {
    buffer.append(isEvent ? "EVENT/1.0 " : "HTTP/1.1 ")
    buffer.appendDecimal(UInt64(clamping: status))
    buffer.append(" ")
    buffer.append(reason(status))
    if contentType != .none {
      buffer.append("\r\nContent-Type: ")
      buffer.append(contentType.text)
    }
    buffer.append("\r\nTransfer-Encoding: chunked\r\n\r\n")
  }

  /// Writes one chunk; an empty one is skipped, because it would end the body.
  package static func chunk(_ bytes: UnsafeRawBufferPointer, into buffer: inout ByteBuffer) {
    guard !bytes.isEmpty else { return }
    buffer.append(String(bytes.count, radix: 16).utf8)
    buffer.append("\r\n")
    buffer.append(bytes)
    buffer.append("\r\n")
  }

  package static func lastChunk(into buffer: inout ByteBuffer) { buffer.append("0\r\n\r\n") }

  private static func fields(
    status: Int, _ contentType: HTTPContentType, _ contentLength: Int, _ closes: Bool, _ buffer: inout ByteBuffer
  ) {
    if contentType != .none, contentType != .other {
      buffer.append("Content-Type: ")
      buffer.append(contentType.text)
      buffer.append("\r\n")
    }
    if contentLength > 0 || !(status == 204 || status < 200) {
      buffer.append("Content-Length: ")
      buffer.appendDecimal(UInt64(clamping: contentLength))
      buffer.append("\r\n")
    }
    if closes { buffer.append("Connection: close\r\n") }
    buffer.append("\r\n")
  }
}

extension HTTPWriter {
  /// Space for the longest head that is written: about 130 bytes.
  private static let headRoom = 192

  /// Starts a message of unknown length: append the body, then call `finish` or `finishEvent`.
  package static func beginBody(in buffer: inout ByteBuffer) -> ByteBuffer.Gap { buffer.openGap(headRoom) }

  /// Writes the head directly in front of the body, which is not moved.
  package static func finish(
    _ gap: ByteBuffer.Gap, status: Int, contentType: HTTPContentType, closes: Bool = false, in buffer: inout ByteBuffer
  ) {
    let length = buffer.count(after: gap)
    close(gap, in: &buffer) {
      head(status: status, contentType: contentType, contentLength: length, closes: closes, into: &$0)
    }
  }

  /// Writes the head and makes the body one chunk. Only for quirks of other stacks.
  package static func finishChunked(
    _ gap: ByteBuffer.Gap, status: Int, contentType: HTTPContentType, in buffer: inout ByteBuffer
  ) {
    let length = buffer.count(after: gap)
    close(gap, in: &buffer) {
      chunkedHead(status: status, contentType: contentType, into: &$0)
      if length > 0 {
        $0.append(String(length, radix: 16).utf8)
        $0.append("\r\n")
      }
    }
    if length > 0 { buffer.append("\r\n") }
    lastChunk(into: &buffer)
  }

  package static func finishEvent(_ gap: ByteBuffer.Gap, in buffer: inout ByteBuffer) {
    let length = buffer.count(after: gap)
    close(gap, in: &buffer) { eventHead(contentLength: length, into: &$0) }
  }

  /// Writes the head after the body first, where there is space, and then copies it to its place: no allocation.
  private static func close(_ gap: ByteBuffer.Gap, in buffer: inout ByteBuffer, _ write: (inout ByteBuffer) -> Void) {
    let before = buffer.readableCount
    write(&buffer)
    let length = buffer.readableCount - before
    withUnsafeTemporaryAllocation(byteCount: headRoom, alignment: 1) { copy in
      buffer.withReadable { copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[before...])) }
      buffer.removeLast(length)
      buffer.closeGap(gap, with: UnsafeRawBufferPointer(rebasing: copy[..<length]))
    }
  }
}
