import HAPLoop
import HAPModel
import MatterBridge
import MatterModel
import MatterProtocol

extension MatterFrontEnd {
  /// Reports what happens at the node, as far as possible in the words of HAP's reports: a fabric is a controller that is
  /// paired.
  func tell(_ report: NodeReport) {
    if case .message(let message) = report { return note(message) }
    guard parts.performer.makesReports, let owner = parts.performer.owner else { return }
    switch report {
    case .sessionEstablished(let subject): owner.report(.verified(connection, controller: subject.name))
    case .handshakeFailed(let failure, let peer):
      owner.report(.refusedPeer(Self.name(peer), request: "Matter: handshake", reason: failure.reason))
    case .commissioningFailed(let reason, let peer):
      owner.report(.refusedPeer(Self.name(peer), request: "Matter: commissioning", reason: reason))
    case .fabricAdded(let fabric): owner.report(.paired(controller: Self.name(fabric), isAdmin: true))
    case .fabricRemoved(let fabric): owner.report(.unpaired(controller: Self.name(fabric)))
    case .windowOpened(let window): owner.report(.matter(.windowOpened(shown(window))))
    case .windowClosed(let end): owner.report(.matter(.windowClosed(MatterWindow.End(end))))
    case .subscription(let change): owner.report(.matter(MatterEvent(change)))
    case .message: break
    }
  }

  private func note(_ message: ObservedMessage) {
    guard reportsMessages, let owner = parts.performer.owner else { return }
    owner.report(.matter(.message(DecodedTraffic(MatterTraffic(message), by: DecodedMessage.decode))))
  }

  /// Records the messages and the requests to the attributes. A received message is recorded before the writes that it
  /// causes, and a sent one when it is made, with its values of that time: it leaves later if something is stored before.
  func record(_ node: RunningNode) {
    node.server.onObserved = { [unowned self] message in
      place.capture?.noted(MatterTraffic(message), at: now)
      if message.isReceived { note(message) }
    }
    guard let capture = place.capture else { return }
    capture.joined(node.endpointState, place.setup.matter, at: now)
    node.accessory.onRequest = { [unowned self] request in
      switch request {
      case .write(let writes): capture.wrote(writes, at: now)
      case .ask(let ids): capture.asked(ids, at: now)
      }
    }
  }

  private static func name(_ fabric: FabricIndex) -> String { "Matter fabric \(fabric)" }

  private static func name(_ peer: PeerAddress?) -> String {
    peer?.socketAddress.map { "\($0)" } ?? "a Matter controller"
  }
}

extension MatterWindow.End {
  fileprivate init(_ end: NodeWindow.End) {
    self =
      switch end {
      case .expired: .expired
      case .commissioned: .commissioned
      case .revoked: .revoked
      case .closed: .closed
      case .wrongPasscodes: .wrongPasscodes
      }
  }
}

extension MatterEvent {
  fileprivate init(_ change: NodeReport.Subscription) {
    let subscription = MatterSubscription(
      id: change.id, controller: change.subject.name, attributes: change.attributeCount, events: change.eventCount,
      minimum: Int(change.minimum.components.seconds), maximum: Int(change.maximum.components.seconds))
    self = change.end.map { .subscriptionEnded(subscription, reason: $0.reason) } ?? .subscriptionBegan(subscription)
  }
}

extension NodeReport.Subscription.End {
  fileprivate var reason: String {
    switch self {
    case .replaced: "the controller has begun another one instead"
    case .refused: "the controller has refused a report"
    case .unanswered: "the controller has not answered a report"
    case .sessionEnded: "the session has ended"
    }
  }
}
