import HAPModel
import HAPWire

extension AccessoryCore {
  /// The maximum body length of a forwarded response in bytes: unread bytes must be kept in memory.
  package static let forwardLimit = 3 << 20

  /// Forwards a request of a verified controller to another accessory. `forwarded` receives the response, and the
  /// connection's next request waits for it.
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

  /// Sends the response to a forwarded request without changes. Ignores late, duplicate and unexpected responses.
  /// - Parameters:
  ///   - answer: nil: there is no response, and the connection is closed.
  ///   - closing: whether the connection is closed after the response.
  package func forwarded(_ answer: LinkMessage?, ticket: Ticket, closing: Bool = false, at now: Duration) {
    guard let connection = forwarded.removeValue(forKey: ticket) else { return }
    connection.isWaiting = false
    guard connection.phase == .open else { return }
    guard let answer, answer.body.count <= Self.forwardLimit else { return close(connection) }
    connection.answer(answer)
    if closing { return close(connection) }
    work(off: connection, at: now)
  }

  /// Sends an event of the proxied accessory to one controller without changes. Does nothing if the controller has no
  /// session.
  package func forwardEvent(_ event: LinkMessage, to id: ConnectionID) {
    guard let connection = connections.first(where: { $0.id == id && $0.isSecured }), connection.phase == .open
    else { return }
    guard event.body.count <= Self.forwardLimit else { return close(connection) }
    connection.sendEvent { $0.append(event.body) }
  }
}
