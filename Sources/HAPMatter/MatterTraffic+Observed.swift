import HAPModel
import MatterModel
import MatterProtocol

extension MatterTraffic {
  init(_ observed: ObservedMessage) {
    let peer = observed.peer.socketAddress.map { "\($0)" } ?? "unknown"
    switch observed.content {
    case .unreadable(let bytes, let reason): self = .unreadable(peer: peer, bytes: bytes, reason: reason)
    case .message(let message):
      let header = message.header
      self = .message(
        MatterMessage(
          isReceived: observed.isReceived, peer: peer, session: MatterMessage.Session(message.subject),
          sessionID: message.session, controller: message.subject?.name, exchange: header.exchange,
          isFromInitiator: header.isFromInitiator,
          protocolID: UInt32(header.protocolID.vendor) << 16 | UInt32(header.protocolID.number),
          opcode: header.opcode, counter: message.counter, acknowledged: header.acknowledged,
          isReliable: header.wantsAcknowledgement, isRepeated: message.isRepeated, payload: message.payload))
    }
  }
}

extension MatterMessage.Session {
  /// - Parameter subject: nil: the session is unsecured.
  fileprivate init(_ subject: Subject?) {
    self =
      switch subject {
      case nil: .unsecured
      case .passcode: .pase
      case .node: .caseSession
      }
  }
}
