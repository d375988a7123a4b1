/// Writes answers and events. Head and body leave in one buffer, with Content-Length.
package enum HTTPWriter {
  /// "HTTP/1.1 470 Connection Authorization Required" and so on; an empty reason for a status that HAP does not use.
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

  /// A head on its own; the caller appends `contentLength` bytes of body next.
  ///
  /// Without a content type and with length 0 neither header is written for 204; other answers say `Content-Length: 0`,
  /// so that no controller waits.
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

  /// The head of an event. HAP R2 §6.8.
  package static func eventHead(contentLength: Int, into buffer: inout ByteBuffer) {
    buffer.append("EVENT/1.0 200 OK\r\n")
    fields(status: 200, .hapJSON, contentLength, false, &buffer)
  }

  /// A head whose body follows in chunks: `chunk`s and then `lastChunk`. Only for manners of other stacks.
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

  /// One chunk; an empty one is left out, since it would end the body.
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
  /// Room for the longest head that we write: about 130 bytes.
  private static let headRoom = 192

  /// Starts a message whose length is not known: append the body, then call `finish` or `finishEvent`.
  package static func beginBody(in buffer: inout ByteBuffer) -> ByteBuffer.Gap { buffer.openGap(headRoom) }

  /// Writes the head right in front of the body, which stays where it is.
  package static func finish(
    _ gap: ByteBuffer.Gap, status: Int, contentType: HTTPContentType, closes: Bool = false, in buffer: inout ByteBuffer
  ) {
    let length = buffer.count(after: gap)
    close(gap, in: &buffer) {
      head(status: status, contentType: contentType, contentLength: length, closes: closes, into: &$0)
    }
  }

  /// The same with the body in one chunk. Only for manners of other stacks.
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

  /// The head goes behind the body first, where there is room for it, and from there to its place: no allocation.
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
