import MatterModel
import MatterWire

/// A datagram that a message layer has received or sent, with its payload decrypted: for logs and captures.
package struct ObservedMessage: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case message(Message)
    /// A received datagram that was dropped before its payload could be read, as it was received.
    case unreadable([UInt8], reason: String)
  }

  /// A message of a session.
  package struct Message: Hashable, Sendable {
    /// nil: the session is unsecured.
    package var subject: Subject?
    /// The identifier that this end has given to the session; 0: it is unsecured.
    package var session: UInt16
    package var counter: UInt32
    package var header: ExchangeHeader
    package var payload: [UInt8]
    /// Whether the same message was received or sent before.
    package var isRepeated: Bool
  }

  package var isReceived: Bool
  package var peer: PeerAddress
  package var content: Content
}

/// Observing. Without an observer, a message costs one comparison.
extension MessageLayer {
  /// Removes the observed messages since the last call, in order.
  package mutating func takeObserved() -> [ObservedMessage] {
    guard !observed.isEmpty else { return [] }
    defer { observed = [] }
    return observed
  }

  mutating func observe(
    isReceived: Bool, _ index: Int, _ header: ExchangeHeader, counter: UInt32, _ payload: [UInt8],
    peer: PeerAddress, isRepeated: Bool = false
  ) {
    let message = ObservedMessage.Message(
      subject: sessions[index].channel?.subject, session: sessions[index].localID, counter: counter, header: header,
      payload: payload, isRepeated: isRepeated)
    observed.append(ObservedMessage(isReceived: isReceived, peer: peer, content: .message(message)))
  }

  /// Records a datagram that is dropped.
  mutating func observe(dropped datagram: [UInt8], from peer: PeerAddress, _ reason: @autoclosure () -> String) {
    guard isObserved else { return }
    observed.append(
      ObservedMessage(isReceived: true, peer: peer, content: .unreadable(datagram, reason: reason())))
  }

  /// Records the retransmission of the last message of an exchange, or its first transmission that leaves. A message that was sent before the observer came is
  /// not known any more.
  mutating func observeRepetition(_ index: Int, _ place: Int) {
    guard let pending = sessions[index].exchanges[place].pending, let sent = pending.observed,
      case .message(var message) = sent.value.content
    else { return }
    message.isRepeated = pending.hasLeft
    observed.append(ObservedMessage(isReceived: false, peer: sessions[index].peer, content: .message(message)))
  }
}

/// A message that can be sent again. A class, so that exchanges without an observer are no larger.
final class SentMessage {
  let value: ObservedMessage
  init(_ value: ObservedMessage) { self.value = value }
}
