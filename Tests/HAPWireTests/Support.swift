import Foundation
@testable import HAPWire

func hexBytes(_ text: String) -> [UInt8] {
  let digits = Array(text.utf8)
  return stride(from: 0, to: digits.count, by: 2).map {
    UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)!
  }
}

func vectorFile(_ name: String) throws -> [String: Any] {
  let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Vectors/\(name)")
  return try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as! [String: Any]
}

func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

/// The result of a request, copied from the buffer.
struct ParsedRequest: Equatable {
  var method: HTTPMethod
  var path: String
  var query: String?
  var body: [UInt8]
  var contentLength: Int?
  var isChunked: Bool
  var contentType: HTTPContentType
}

struct RequestLog: Equatable {
  var requests: [ParsedRequest] = []
  var error: HTTPError?
  var leftOver = 0
}

/// Passes the pieces one by one through one parser and one buffer, as a connection does.
func parseRequests(_ pieces: [some Sequence<UInt8>], limits: HTTPLimits = HTTPLimits()) -> RequestLog {
  var parser = HTTPRequestParser(limits: limits)
  var buffer = ByteBuffer(capacity: 0)
  var log = RequestLog()
  for piece in pieces {
    buffer.append(Array(piece))
    while true {
      var consumed = 0
      buffer.withReadable { bytes in
        switch parser.parse(bytes) {
        case .incomplete: break
        case .malformed(let error): log.error = error
        case .request(let head, let body, let end):
          func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
          log.requests.append(
            ParsedRequest(
              method: head.method, path: text(head.path), query: head.query.map(text), body: Array(bytes[body]),
              contentLength: head.contentLength, isChunked: head.isChunked, contentType: head.contentType))
          consumed = end
        }
      }
      if log.error != nil { return log }  // the number of bytes before the error depends on the pieces
      if consumed == 0 { break }
      buffer.consume(consumed)
    }
  }
  log.leftOver = buffer.readableCount
  return log
}

func parseRequest(_ text: String, limits: HTTPLimits = HTTPLimits()) -> RequestLog {
  parseRequests([utf8(text)], limits: limits)
}

struct ParsedMessage: Equatable {
  var isEvent: Bool
  var status: Int
  var body: [UInt8]
}

struct MessageLog: Equatable {
  var messages: [ParsedMessage] = []
  var error: HTTPError?
  var leftOver = 0
}

func parseResponses(_ pieces: [some Sequence<UInt8>], closes: Bool = false) -> MessageLog {
  var parser = HTTPResponseParser()
  var buffer = ByteBuffer(capacity: 0)
  var log = MessageLog()
  func take(_ result: HTTPResponseParser.Result, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    switch result {
    case .incomplete: return 0
    case .malformed(let error):
      log.error = error
      return 0
    case .message(let head, let body, let consumed):
      log.messages.append(ParsedMessage(isEvent: head.isEvent, status: head.status, body: Array(bytes[body])))
      return consumed
    }
  }
  for piece in pieces {
    buffer.append(Array(piece))
    while true {
      let consumed = buffer.withReadable { take(parser.parse($0), $0) }
      if log.error != nil { return log }
      if consumed == 0 { break }
      buffer.consume(consumed)
    }
  }
  if closes {
    let consumed = buffer.withReadable { bytes in parser.endOfStream(bytes).map { take($0, bytes) } ?? 0 }
    buffer.consume(consumed)
  }
  log.leftOver = buffer.readableCount
  return log
}
