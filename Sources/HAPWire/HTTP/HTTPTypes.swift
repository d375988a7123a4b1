/// The methods that HAP uses; all others are `other` and answered with 405.
package enum HTTPMethod: Equatable, Sendable { case get, put, post, other }

/// The content types that HAP uses. HAP R2 §6.
package enum HTTPContentType: Equatable, Sendable {
  /// There is no Content-Type header, and none is written.
  case none
  case pairingTLV8
  case hapJSON
  case json
  case jpeg
  case octetStream
  case html
  case other

  /// The header value; empty for `none` and `other`.
  package var text: StaticString {
    switch self {
    case .none, .other: ""
    case .pairingTLV8: "application/pairing+tlv8"
    case .hapJSON: "application/hap+json"
    case .json: "application/json"
    case .jpeg: "image/jpeg"
    case .octetStream: "application/octet-stream"
    case .html: "text/html; charset=utf-8"
    }
  }

  /// Parses a header value. Ignores parameters after `;`, and the case of the name.
  init(_ value: UnsafeRawBufferPointer) {
    let name = UnsafeRawBufferPointer(rebasing: value.prefix { $0 != UInt8(ascii: ";") }).trimmingBlanks
    self =
      if name.matches("application/hap+json") {
        .hapJSON
      } else if name.matches("application/pairing+tlv8") {
        .pairingTLV8
      } else if name.matches("application/json") {
        .json
      } else if name.matches("image/jpeg") {
        .jpeg
      } else if name.matches("application/octet-stream") {
        .octetStream
      } else if name.matches("text/html") {
        .html
      } else {
        .other
      }
  }
}

/// The reason why bytes are not an acceptable message. The next message on the connection can't be found: answer and
/// close.
package enum HTTPError: Error, Equatable, Sendable, CaseIterable {
  case headTooLarge, tooManyHeaders, bodyTooLarge
  case badStartLine, unsupportedVersion, badHeader
  case badContentLength, duplicateContentLength, contentLengthAndChunked
  case unsupportedTransferEncoding, chunkedRefused, badChunk

  /// The status of the answer; nil if closing without an answer is the documented behaviour.
  package var status: Int? {
    switch self {
    case .duplicateContentLength, .contentLengthAndChunked: nil
    case .bodyTooLarge: 413
    case .headTooLarge, .tooManyHeaders: 431
    case .unsupportedVersion: 505
    default: 400
    }
  }

  package var message: StaticString {
    switch self {
    case .headTooLarge: "the head is too large"
    case .tooManyHeaders: "too many header fields"
    case .bodyTooLarge: "the body is too large"
    case .badStartLine: "the first line is not HTTP"
    case .unsupportedVersion: "the version is not HTTP/1.0 or HTTP/1.1"
    case .badHeader: "a header line is malformed"
    case .badContentLength: "Content-Length is not a number"
    case .duplicateContentLength: "Content-Length occurs twice"
    case .contentLengthAndChunked: "both Content-Length and Transfer-Encoding"
    case .unsupportedTransferEncoding: "a transfer encoding other than chunked"
    case .chunkedRefused: "a chunked body, which is not accepted"
    case .badChunk: "malformed chunk"
    }
  }
}

/// The limits of one message, in bytes except for `headerCount`.
package struct HTTPLimits: Equatable, Sendable {
  /// From the first byte to the empty line, both included; also the limit of a chunked body's trailer.
  package var head = 8 * 1024
  package var headerCount = 64
  /// HomeKitADK's inbound limit is 32 KiB.
  package var body = 32 * 1024
  /// HomeKitADK answers 400 to a chunked request.
  package var acceptsChunked = true
  /// Whether field names are accepted in any case, as RFC 9110 §5.1 requires, or only in their usual spelling.
  package var acceptsAnyCase = true

  package init() {}

  package init(head: Int = 8 * 1024, headerCount: Int = 64, body: Int = 32 * 1024, acceptsChunked: Bool = true) {
    self.head = head
    self.headerCount = headerCount
    self.body = body
    self.acceptsChunked = acceptsChunked
  }
}
