import HAPModel
import HAPWire

extension AccessoryCore {
  /// Longer answers are not passed on: what a controller doesn't read has to wait in memory.
  package static let forwardLimit = 3 << 20

  /// A request of a verified controller that somebody else answers: `forwarded` brings the answer, and the next request of the
  /// connection waits for it.
  func forward(
    _ head: HTTPRequestHead, _ bytes: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer,
    on connection: ConnectionCore
  ) {
    let hasBody = head.contentLength != nil || head.isChunked
    let type = head.contentType == .other ? "" : "\(head.contentType.text)"
    let request = ControllerRequest(
      String(decoding: bytes[head.methodRange], as: UTF8.self), String(decoding: bytes[head.target], as: UTF8.self),
      contentType: type.isEmpty ? nil : type, body: hasBody ? [UInt8](body) : nil)
    connection.isWaiting = true
    let ticket = queue.newTicket()
    forwarded[ticket] = connection
    queue.actions.append(.forward(request, connection.id, ticket: ticket))
  }

  /// The answer to a forwarded request, as it is; too late, twice or unasked it changes nothing.
  /// - Parameters:
  ///   - answer: nil: there is none, and the connection closes.
  ///   - closing: the connection closes behind the answer.
  package func forwarded(_ answer: LinkMessage?, ticket: Ticket, closing: Bool = false, at now: Duration) {
    guard let connection = forwarded.removeValue(forKey: ticket) else { return }
    connection.isWaiting = false
    guard connection.phase == .open else { return }
    guard let answer, answer.body.count <= Self.forwardLimit else { return close(connection) }
    connection.answer(answer)
    if closing { return close(connection) }
    work(off: connection, at: now)
  }

  /// An event for one controller, as it came from where its requests go. Nobody is told who has no session.
  package func forwardEvent(_ event: LinkMessage, to id: ConnectionID) {
    guard let connection = connections.first(where: { $0.id == id && $0.isSecured }), connection.phase == .open
    else { return }
    guard event.body.count <= Self.forwardLimit else { return close(connection) }
    connection.sendEvent { $0.append(event.body) }
  }
}
