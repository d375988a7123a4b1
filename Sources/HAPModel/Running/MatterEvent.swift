/// An event of an accessory as a Matter node that HAP does not have.
package enum MatterEvent: Hashable, Sendable {
  case windowOpened(MatterWindow)
  case windowClosed(MatterWindow.End)
  case subscriptionBegan(MatterSubscription)
  case subscriptionEnded(MatterSubscription, reason: String)
  /// A message was received or sent. Messages are frequent, so they are only reported on demand, like requests of HAP.
  indirect case message(DecodedTraffic)

  /// The controller that caused it; nil: none, or its name is not known.
  package var controller: String? {
    switch self {
    case .windowOpened, .windowClosed: nil
    case .subscriptionBegan(let subscription), .subscriptionEnded(let subscription, _): subscription.controller
    case .message(let traffic): traffic.message?.controller
    }
  }
}

/// A subscription to attributes and events of a Matter node.
package struct MatterSubscription: Hashable, Sendable {
  package let id: UInt32
  /// "Matter fabric 1 node 0000000000000001"
  package let controller: String
  /// The number of paths, which can have wildcards.
  package let attributes: Int
  package let events: Int
  /// The intervals of reports, in seconds.
  package let minimum: Int
  package let maximum: Int

  package init(id: UInt32, controller: String, attributes: Int, events: Int, minimum: Int, maximum: Int) {
    (self.id, self.controller, self.attributes, self.events) = (id, controller, attributes, events)
    (self.minimum, self.maximum) = (minimum, maximum)
  }
}
