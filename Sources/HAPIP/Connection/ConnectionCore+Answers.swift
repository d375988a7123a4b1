import HAPModel
import HAPWire

/// The HTTP status of a response. HAP R2 §6.7.1, Tables 6-10 and 6-11.
package enum AnswerStatus: Int {
  case ok = 200
  case noContent = 204
  case multiStatus = 207
  case badRequest = 400
  case notFound = 404
  case methodNotAllowed = 405
  case unprocessable = 422
  case connectionAuthorizationRequired = 470
  case internalError = 500
}

extension ConnectionCore {
  /// Sends a response without a body.
  func answer(_ status: AnswerStatus) {
    let start = outgoing.readableCount
    HTTPWriter.head(status: status.rawValue, into: &outgoing)
    conclude(from: start)
  }

  /// Sends an answer that the quirks define; the caller closes the connection if required.
  /// - Parameter statesCode: whether the endpoint sends a HAP status.
  func answer(_ answer: HTTPAnswer, statesCode: Bool = true) {
    guard let http = answer.http else { return }
    let start = outgoing.readableCount
    if statesCode, let code = answer.status {
      let gap = HTTPWriter.beginBody(in: &outgoing)
      outgoing.append("{\"status\":")
      outgoing.appendDecimal(Int64(code.rawValue))
      outgoing.append("}")
      if chunked == .all {
        HTTPWriter.finishChunked(gap, status: http, contentType: .hapJSON, in: &outgoing)
      } else {
        HTTPWriter.finish(gap, status: http, contentType: .hapJSON, in: &outgoing)
      }
    } else {
      HTTPWriter.head(status: http, into: &outgoing)
    }
    conclude(from: start)
  }

  /// Sends a body such as `{"status":-70411}`, which applies to the request as a whole.
  func answer(_ status: AnswerStatus, _ code: HAPStatus) {
    answer(status, .hapJSON) { buffer in
      buffer.append("{\"status\":")
      buffer.appendDecimal(Int64(code.rawValue))
      buffer.append("}")
    }
  }

  /// Sends the response of a pairing procedure: always 200, because the error is in the TLV.
  func answer(_ reply: TLV, _ status: AnswerStatus = .ok) {
    answer(status, .pairingTLV8) { reply.encode(into: &$0) }
  }

  /// Sends head and body together, in one piece of the outgoing buffer.
  func answer(
    _ status: AnswerStatus, _ type: HTTPContentType, chunks: Bool = false, body: (inout ByteBuffer) -> Void
  ) {
    answer(type, chunks: chunks) {
      body(&$0)
      return status
    }
  }

  /// Sends a response whose status is known only after its body was written; `body` returns it.
  func answer(_ type: HTTPContentType, chunks: Bool = false, body: (inout ByteBuffer) -> AnswerStatus) {
    let start = outgoing.readableCount
    let gap = HTTPWriter.beginBody(in: &outgoing)
    let bodyStart = outgoing.readableCount
    let status = body(&outgoing)
    if chunks || isChunked(type, count: outgoing.readableCount - bodyStart) {
      HTTPWriter.finishChunked(gap, status: status.rawValue, contentType: type, in: &outgoing)
    } else {
      HTTPWriter.finish(gap, status: status.rawValue, contentType: type, in: &outgoing)
    }
    conclude(from: start)
  }

  private func isChunked(_ type: HTTPContentType, count: Int) -> Bool {
    switch chunked {
    case .never, .accessories: false
    case .json: type == .hapJSON && count > 0
    case .longJSON: type == .hapJSON && count > 2048
    case .all: count > 0
    }
  }

  /// Sends another accessory's response without changes, except for fields that have no meaning in HAP.
  func answer(_ answer: LinkMessage) {
    let start = outgoing.readableCount
    let type = answer.contentType == .other ? HTTPContentType.none : answer.contentType
    let gap = HTTPWriter.beginBody(in: &outgoing)
    outgoing.append(answer.body)
    if answer.isChunked, !answer.body.isEmpty {
      HTTPWriter.finishChunked(gap, status: answer.status, contentType: type, in: &outgoing)
    } else {
      HTTPWriter.finish(gap, status: answer.status, contentType: type, in: &outgoing)
    }
    conclude(from: start)
  }

  func sendEvent(body: (inout ByteBuffer) -> Void) {
    let start = outgoing.readableCount
    let gap = HTTPWriter.beginBody(in: &outgoing)
    body(&outgoing)
    HTTPWriter.finishEvent(gap, in: &outgoing)
    conclude(from: start)
  }

  /// Finishes the message that begins at `start`: shows it to the observers, seals and sends it.
  private func conclude(from start: Int) {
    if outbox.isWatched {
      // The tap may replace the message, and shows the result to the observers itself.
      if let tap = outbox.tap { return tap.message(from: start, on: self) }
      if let show = outbox.onPlain {
        outgoing.withReadable {
          show(
            id, false, UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0)[start...]),
            .init(start: nil, count: 0))
        }
      }
    }
    seal(from: start)
  }
}
