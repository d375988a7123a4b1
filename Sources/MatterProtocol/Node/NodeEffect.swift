import HAPCrypto
import MatterInteraction
import MatterModel
import MatterWire

/// An action that a node requests of its caller. The caller performs the actions in their order.
package enum NodeEffect: Equatable, Sendable {
  /// Stores the bytes durably. It is the first effect, and has to be done before the response is sent; all others follow
  /// the response.
  case store(SecretBytes)
  case attributeChanged(AttributePath)
  case event(NodeEvent)
  /// Gives the passcode session a fabric: its subject is `.passcode(fabric:)` from now on.
  case moveSession(to: FabricIndex)
  case endPasscodeSession
  /// Ends all sessions of nodes of a fabric, with their subscriptions and what is kept to resume them.
  case endSessions(of: FabricIndex)
  /// Announces what `advertisements` returns now instead of what it returned before.
  case advertisementsChanged
  case report(NodeReport)
}

/// What happens at a node, for logs.
package enum NodeReport: Hashable, Sendable {
  package typealias Subscription = SubscriptionChange

  case sessionEstablished(Subject)
  /// - Parameter peer: nil: its session is gone.
  case handshakeFailed(HandshakeFailure, peer: PeerAddress?)
  /// A commissioning is complete.
  case fabricAdded(FabricIndex)
  /// A fabric whose commissioning was complete is removed.
  case fabricRemoved(FabricIndex)
  /// A commissioning has ended before it was complete, and is undone.
  /// - Parameter peer: the commissioner; nil: not known.
  case commissioningFailed(reason: String, peer: PeerAddress?)
  case windowOpened(NodeWindow)
  case windowClosed(NodeWindow.End)
  case subscription(Subscription)
  /// Only while `NodeServer.reportsMessages` is true.
  indirect case message(ObservedMessage)
}

/// An event of the root endpoint. The caller gives it a number and a time.
package struct NodeEvent: Hashable, Sendable {
  package var path: EventPath
  package var priority: EventPriority
  /// The members of the event's structure.
  package var fields: [Element]
  /// The only fabric that may read it; nil: all.
  package var fabric: FabricIndex?

  init(
    _ cluster: RootCluster, _ number: EventNumber, _ priority: EventPriority, _ fields: [(UInt8, Element.Value)],
    fabric: FabricIndex? = nil
  ) {
    (path, self.priority, self.fabric) = (EventPath(0, cluster.rawValue, number), priority, fabric)
    self.fields = fields.map { Element(.context($0.0), $0.1) }
  }
}

/// What discovery announces of a node. Matter 1.4 §4.3.
package struct NodeAdvertisements: Hashable, Sendable {
  /// A window that is open. Matter 1.4 §4.3.1.
  package struct Commissionable: Hashable, Sendable {
    /// The name of the instance, which each window draws.
    package var instance: UInt64
    package var discriminator: UInt16
    /// 1 basic, 2 enhanced.
    package var mode: UInt8
  }

  /// A fabric. Matter 1.4 §4.3.2.
  package struct Operational: Hashable, Sendable {
    /// 8 bytes.
    package var compressedFabric: [UInt8]
    package var node: NodeID
  }

  package var commissionable: Commissionable?
  package var operational: [Operational]
}
