import MatterModel
import MatterWire

extension InteractionServer {
  mutating func subscribe(
    _ request: SubscribeRequest, _ context: RequestContext, _ target: some InteractionTarget
  ) throws(InteractionStatus) -> [InteractionAction] {
    try check(request.attributes, request.events, request.versions)
    guard request.minimum <= request.maximum, Self.matches(request, context.peer.subject, target) else {
      throw InteractionStatus(.invalidAction)
    }
    if !request.keepsOthers { endSubscriptions(.replaced) { $0.belongs(to: context.peer) } }
    let fabric = context.peer.subject.fabric
    guard subscriptions.values.count(where: { $0.peer.subject.fabric == fabric }) < limits.subscriptionsOfFabric else {
      throw InteractionStatus(.resourceExhausted)
    }
    let id = newSubscription()
    let events = EventCursor(request.events, from: request.eventsFrom, log, reportsErrors: true)
    let cursor = ReportCursor(
      .patterns(request.attributes), isFabricFiltered: request.isFabricFiltered, versions: request.versions,
      events: events, for: context.peer.subject)
    let actions = try sendPriming(id, cursor, context, target)
    subscriptions[id] = Subscription(request, id: id, peer: context.peer)
    return actions
  }

  /// Whether at least one path leads to something that exists and that the subject may view.
  private static func matches(
    _ request: SubscribeRequest, _ subject: Subject, _ target: some InteractionTarget
  ) -> Bool {
    let access = AccessControl(subject, target)
    func exists(
      _ endpoint: EndpointNumber?, _ cluster: ClusterID?, _ isWanted: (ClusterDescription, Privilege) -> Bool
    ) -> Bool {
      (endpoint.map { [$0] } ?? target.endpoints).contains { number in
        target.clusters(of: number).contains { description in
          guard (cluster ?? description.id) == description.id,
            let privilege = access.privilege(on: number, description.id, of: target)
          else { return false }
          return isWanted(description, privilege)
        }
      }
    }
    return request.attributes.contains { pattern in
      exists(pattern.endpoint, pattern.cluster) { description, privilege in
        guard let number = pattern.attribute else { return true }
        guard let needed = description.attribute(number)?.read else { return false }
        return needed <= privilege
      }
    }
      || request.events.contains { pattern in
        exists(pattern.endpoint, pattern.cluster) { description, privilege in
          guard let number = pattern.event else { return true }
          return description.events.contains { $0.number == number && $0.read <= privilege }
        }
      }
  }

  // MARK: The first report

  private mutating func sendPriming(
    _ id: UInt32, _ cursor: ReportCursor, _ context: RequestContext, _ target: some InteractionTarget
  ) throws(InteractionStatus) -> [InteractionAction] {
    var cursor = cursor
    let (message, isDone) = part(&cursor, of: id, target)
    try wait(context, for: .priming(id, cursor, isDone: isDone))
    return [.send(message, on: context.exchange, expectsAnswer: true)]
  }

  /// Returns a message of a report that the subscriber answers.
  private func part(
    _ cursor: inout ReportCursor, of id: UInt32, _ target: some InteractionTarget
  ) -> (InteractionMessage, isDone: Bool) {
    var writer = ReportWriter(subscription: id, limit: limits.payloadBytes)
    let isDone = cursor.fill(&writer, from: target, log)
    return (InteractionMessage(.report, writer.finish(hasMore: !isDone, suppressesResponse: false)), isDone)
  }

  mutating func continuePriming(
    _ id: UInt32, _ cursor: ReportCursor, isDone: Bool, _ context: RequestContext, _ target: some InteractionTarget
  ) throws(InteractionStatus) -> [InteractionAction] {
    guard let subscription = subscriptions[id] else { throw InteractionStatus(.invalidSubscription) }
    guard isDone else { return try sendPriming(id, cursor, context, target) }
    noteBeginning(of: subscription)
    subscriptions[id]?.isActive = true
    subscriptions[id]?.lastReport = context.now
    subscriptions[id]?.nextEvent = cursor.nextEvent
    subscriptions[id]?.exchange = context.exchange
    let response = SubscribeResponse(id: id, maximum: subscription.maximumSeconds)
    return [
      .send(InteractionMessage(.subscribeResponse, response.encoded), on: context.exchange, expectsAnswer: false)
    ]
  }

  // MARK: Changes

  /// Notes that an attribute has another value. The caller calls `advance` afterwards.
  package mutating func attributeChanged(_ path: AttributePath) {
    for (id, subscription) in subscriptions where subscription.attributes.contains(where: { $0.matches(path) }) {
      subscriptions[id]?.changed.insert(path)
    }
  }

  /// Adds an event to the log. The caller stores `log.storedNumber` if it has changed, and calls `advance` afterwards.
  /// - Parameter fabric: the only fabric that may read it; nil: all.
  /// - Returns: the number of the event.
  @discardableResult package mutating func record(
    _ path: EventPath, _ priority: EventPriority, at time: EventTime, _ fields: [Element] = [],
    fabric: FabricIndex? = nil
  ) -> UInt64 {
    for (id, subscription) in subscriptions {
      let own = subscription.peer.subject.fabric
      guard (fabric ?? own) == own else { continue }
      if subscription.events.contains(where: { $0.isUrgent && $0.matches(path) }) {
        subscriptions[id]?.hasUrgentEvent = true
      }
    }
    return log.record(path, priority, at: time, fields, fabric: fabric)
  }

  // MARK: Later reports

  /// Sends what has changed; without changes, an empty report if the maximum interval is over.
  mutating func report(_ id: UInt32, at now: Duration, _ target: some InteractionTarget) -> [InteractionAction] {
    guard var subscription = subscriptions[id] else { return [] }
    subscription.lose(withheldReports, nextEvent: log.next)
    let changes = subscription.changed.sorted {
      ($0.endpoint, $0.cluster, $0.attribute) < ($1.endpoint, $1.cluster, $1.attribute)
    }
    let events = EventCursor(subscription.events, from: subscription.nextEvent, log, reportsErrors: false)
    var cursor = ReportCursor(
      .changes(changes), isFabricFiltered: subscription.isFabricFiltered, events: events,
      for: subscription.peer.subject)
    var writer = ReportWriter(subscription: id, limit: limits.payloadBytes)
    let isDone = cursor.fill(&writer, from: target, log)
    let isEmpty = isDone && writer.isEmpty
    (subscription.changed, subscription.hasUrgentEvent) = ([], false)
    subscription.nextEvent = cursor.nextEvent
    if isEmpty, subscription.exchange != nil || now < subscription.lastReport + subscription.maximum {
      // All that has changed is gone, withheld, or no longer allowed.
      subscriptions[id] = subscription
      return []
    }
    let context = RequestContext(exchange: newExchange(), peer: subscription.peer, now: now)
    if !isEmpty { keep(id, cursor, isDone: isDone, context) }
    (subscription.lastReport, subscription.exchange, subscription.isReporting) = (now, context.exchange, !isEmpty)
    subscriptions[id] = subscription
    let payload = writer.finish(hasMore: !isDone, suppressesResponse: isEmpty)
    return [
      .begin(context.exchange, session: subscription.peer.session),
      .send(InteractionMessage(.report, payload), on: context.exchange, expectsAnswer: !isEmpty),
    ]
  }

  mutating func continueReport(
    _ id: UInt32, _ cursor: ReportCursor, isDone: Bool, _ context: RequestContext, _ target: some InteractionTarget
  ) throws(InteractionStatus) -> [InteractionAction] {
    guard subscriptions[id] != nil else { throw InteractionStatus(.invalidSubscription) }
    if isDone {
      subscriptions[id]?.isReporting = false
      return [.close(context.exchange)]
    }
    var cursor = cursor
    let (message, isDone) = part(&cursor, of: id, target)
    keep(id, cursor, isDone: isDone, context)
    subscriptions[id]?.nextEvent = cursor.nextEvent
    return [.send(message, on: context.exchange, expectsAnswer: true)]
  }

  /// Keeps a report until the subscriber has answered. Such exchanges are as many as the subscriptions.
  private mutating func keep(_ id: UInt32, _ cursor: ReportCursor, isDone: Bool, _ context: RequestContext) {
    waiting[context.exchange] = WaitingExchange(
      session: context.peer.session, deadline: context.now + limits.answerTimeout,
      state: .reporting(id, cursor, isDone: isDone))
  }
}
