import HAPCrypto
import MatterInteraction
import MatterModel
import MatterWire

/// A message of a node in plain text, without its headers.
package struct TappedMessage: Sendable {
  package let exchange: ExchangeHandle
  /// Whether this end has begun the exchange.
  package let isOwnExchange: Bool
  package let protocolID: ExchangeHeader.ProtocolID
  package private(set) var opcode: UInt8
  package private(set) var payload: [UInt8]
  /// Of the session; nil: it is unsecured.
  package let attestationChallenge: SecretBytes?
}

/// The decision about a message that has arrived.
package enum TapDecision: Sendable {
  case handle
  /// Answers with a message of the same protocol, and does not handle the message.
  case answer(opcode: UInt8, payload: [UInt8])
  /// The fail-safe expires before the message is handled.
  case expireFailSafe
}

/// Sees each message of a node, and can change what happens to it. Without a tap, a message costs one check.
///
/// Confined to the loop of the node.
package protocol NodeTap: AnyObject {
  /// Called with each message before the node handles it.
  func receives(_ message: TappedMessage) -> TapDecision
  /// Called with each message before it is sealed; not again for its retransmissions.
  /// - Returns: the number of transmissions that do not leave, from the first one on. The peer gets the message from a
  ///   later one, if there is one.
  func sends(_ message: inout TappedMessage) -> Int
}

// MARK: - What a message is

extension TappedMessage {
  package enum Kind: Equatable, Sendable {
    case handshake(SecureChannelOpcode)
    case read, subscribe, write, timed
    /// An InvokeRequest with one command of one endpoint that has an answer. Others are of another kind.
    case invoke(CommandPath, reference: UInt16? = nil)
    /// A message of a report, or the answer to a read.
    case report
    case other
  }

  /// Decodes the message as far as its kind needs.
  package var kind: Kind {
    if protocolID == .secureChannel { return SecureChannelOpcode(rawValue: opcode).map { .handshake($0) } ?? .other }
    guard protocolID == .interactionModel, let opcode = InteractionOpcode(rawValue: opcode) else { return .other }
    switch opcode {
    case .read: return .read
    case .subscribe: return .subscribe
    case .write: return .write
    case .timed: return .timed
    case .report: return .report
    case .invoke:
      guard let request = try? InvokeRequest(decoding: payload), !request.suppressesResponse,
        request.items.count == 1, let item = request.items.first, let endpoint = item.path.endpoint
      else { return .other }
      return .invoke(CommandPath(endpoint, item.path.cluster, item.path.command), reference: item.reference)
    case .status, .subscribeResponse, .writeResponse, .invokeResponse: return .other
    }
  }

  /// The first outcome of an InvokeResponse; nil: this is another message.
  package var outcome: CommandOutcome? { invokeResponse?.items.first?.outcome }

  private var invokeResponse: InvokeResponse? {
    guard protocolID == .interactionModel, opcode == InteractionOpcode.invokeResponse.rawValue else { return nil }
    return try? InvokeResponse(decoding: payload)
  }
}

// MARK: - Other messages

extension TappedMessage {
  /// Replaces the first outcome of an InvokeResponse. Other messages do not change.
  package mutating func replaceOutcome(_ outcome: CommandOutcome, of path: CommandPath) {
    guard var response = invokeResponse, !response.items.isEmpty else { return }
    response.items[0] = InvokeResponse.Item(outcome, of: path, reference: response.items[0].reference)
    payload = response.encoded
  }

  /// Replaces a message of the interaction model by a StatusResponse, and one of a handshake by a StatusReport.
  package mutating func replace(by decision: TapDecision) {
    if case .answer(let opcode, let payload) = decision { (self.opcode, self.payload) = (opcode, payload) }
  }
}

extension TapDecision {
  /// Answers with a StatusResponse.
  package static func status(_ code: InteractionStatus.Code) -> TapDecision {
    .answer(opcode: InteractionOpcode.status.rawValue, payload: StatusResponse(code).encoded)
  }

  /// Answers with a StatusReport.
  package static func report(_ code: StatusReport.SecureChannelCode) -> TapDecision {
    let message = HandshakeMessage.status(code)
    return .answer(opcode: message.opcode.rawValue, payload: message.payload)
  }

  /// Answers with an InvokeResponse.
  /// - Parameter reference: of the command.
  package static func outcome(_ outcome: CommandOutcome, of path: CommandPath, reference: UInt16?) -> TapDecision {
    .answer(
      opcode: InteractionOpcode.invokeResponse.rawValue,
      payload: InvokeResponse([InvokeResponse.Item(outcome, of: path, reference: reference)]).encoded)
  }
}

extension InvokeResponse.Item {
  fileprivate init(_ outcome: CommandOutcome, of path: CommandPath, reference: UInt16?) {
    let command = if case .response(let response, _) = outcome { response } else { path.command }
    self.init(CommandPattern(path.endpoint, path.cluster, command), outcome, reference: reference)
  }
}

// MARK: - The places of the tap

extension MessageExchange.Outgoing {
  /// Lets a tap decide about the message. A change that makes it too long has no effect.
  mutating func pass(_ tap: any NodeTap, on exchange: MessageExchange, of channel: SealedChannel?) {
    var message = TappedMessage(
      exchange: exchange.handle, isOwnExchange: exchange.isOwn, protocolID: protocolID, opcode: opcode,
      payload: payload, attestationChallenge: channel?.attestationChallenge)
    lostTransmissions = max(0, tap.sends(&message))
    guard message.payload.count <= MessageLayer.payloadLimit else { return }
    (opcode, payload) = (message.opcode, message.payload)
  }
}

extension NodeServer {
  /// Lets a tap decide about a message that has arrived.
  /// - Returns: whether the tap has answered it.
  func isAnswered(_ received: ReceivedMessage, by tap: any NodeTap, at now: Duration) -> Bool {
    let message = TappedMessage(
      exchange: received.exchange, isOwnExchange: false, protocolID: received.protocolID, opcode: received.opcode,
      payload: received.payload, attestationChallenge: layer.attestationChallenge(of: received.session))
    switch tap.receives(message) {
    case .handle: return false
    case .expireFailSafe:
      node.expireFailSafe("the fail-safe has expired")
      return false
    case .answer(let opcode, let payload):
      layer.send(payload, opcode: opcode, protocolID: received.protocolID, on: received.exchange, at: now)
      layer.closeExchange(received.exchange, at: now)
      forget(received.exchange)
      if received.subject == nil {
        handshakes.fail(received.exchange)
        layer.removeSession(received.session, afterExchanges: true)
      }
      return true
    }
  }
}
