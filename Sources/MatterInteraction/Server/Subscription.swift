import MatterModel

/// A subscription: what it asked for, and what has changed since the last report. Matter 1.4 §8.5.
struct Subscription: Sendable {
  let id: UInt32
  let peer: InteractionPeer
  let attributes: [AttributePattern]
  let events: [EventPattern]
  let isFabricFiltered: Bool
  /// The minimum interval of reports.
  let minimum: Duration
  /// The maximum interval of reports, in seconds.
  let maximumSeconds: UInt16

  /// Whether the response was sent.
  var isActive = false
  /// Whether the subscriber has the response, so that reports follow. It would refuse an earlier report, because it does
  /// not know the subscription, and that would end it.
  var isKnown = false
  var changed: Set<AttributePath> = []
  /// Whether there is an event that must not wait for the next report.
  var hasUrgentEvent = false
  /// When the last report was begun.
  var lastReport = Duration.zero
  var nextEvent: UInt64
  /// The exchange of the last report, until the subscriber has acknowledged that.
  var exchange: InteractionExchange?
  /// Whether a report was withheld.
  var hasLostReport = false
  /// Whether that report is not yet answered.
  var isReporting = false

  init(_ request: SubscribeRequest, id: UInt32, peer: InteractionPeer) {
    (self.id, self.peer, attributes, events) = (id, peer, request.attributes, request.events)
    (isFabricFiltered, nextEvent) = (request.isFabricFiltered, request.eventsFrom)
    minimum = .seconds(Int64(request.minimum))
    // With 0, the server would do nothing else.
    maximumSeconds = max(1, request.maximum)
  }

  /// Forgets what has changed, if its report is withheld.
  mutating func lose(_ withheld: WithheldReports, nextEvent: UInt64) {
    switch withheld {
    case .none: return
    case .first: guard !hasLostReport, !changed.isEmpty || hasUrgentEvent else { return }
    case .all: break
    }
    (changed, hasUrgentEvent, hasLostReport, self.nextEvent) = ([], false, true, nextEvent)
  }

  var maximum: Duration { .seconds(Int64(maximumSeconds)) }

  /// When the next report has to be sent; nil: another one is in progress. No empty report follows one that is not
  /// acknowledged: the failure of the first shows that the subscriber has vanished.
  var due: Duration? {
    guard isKnown, !isReporting else { return nil }
    guard changed.isEmpty, !hasUrgentEvent else { return lastReport + minimum }
    return exchange == nil ? lastReport + maximum : nil
  }

  func isDue(at now: Duration) -> Bool { due.map { $0 <= now } ?? false }

  /// Whether a request comes from the same peer.
  func belongs(to other: InteractionPeer) -> Bool {
    switch (peer.subject, other.subject) {
    case (.node(let node, let fabric, _), .node(let otherNode, let otherFabric, _)):
      node == otherNode && fabric == otherFabric
    default: peer.session == other.session
    }
  }
}

/// A subscription that has begun or ended, for logs.
package struct SubscriptionChange: Hashable, Sendable {
  package enum End: Hashable, Sendable {
    /// The subscriber has begun another one that keeps no others.
    case replaced
    /// The subscriber has answered a report with an error.
    case refused
    /// The subscriber has not answered a report.
    case unanswered
    case sessionEnded
  }

  package let id: UInt32
  package let subject: Subject
  /// The number of paths, which can have wildcards.
  package let attributeCount: Int
  package let eventCount: Int
  /// The intervals of reports.
  package let minimum: Duration
  package let maximum: Duration
  /// nil: it has begun.
  package let end: End?

  init(_ subscription: Subscription, _ end: End? = nil) {
    (id, subject, self.end) = (subscription.id, subscription.peer.subject, end)
    (attributeCount, eventCount) = (subscription.attributes.count, subscription.events.count)
    (minimum, maximum) = (subscription.minimum, subscription.maximum)
  }
}
