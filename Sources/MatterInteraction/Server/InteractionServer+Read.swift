import MatterModel

extension InteractionServer {
  mutating func read(
    _ request: ReadRequest, _ context: RequestContext, _ target: some InteractionTarget
  ) throws(InteractionStatus) -> [InteractionAction] {
    try check(request.attributes, request.events, request.versions)
    let events = EventCursor(request.events, from: request.eventsFrom, log, reportsErrors: true)
    let cursor = ReportCursor(
      .patterns(request.attributes), isFabricFiltered: request.isFabricFiltered, versions: request.versions,
      events: events, for: context.peer.subject)
    return try continueRead(cursor, context, target)
  }

  mutating func continueRead(
    _ cursor: ReportCursor, _ context: RequestContext, _ target: some InteractionTarget
  ) throws(InteractionStatus) -> [InteractionAction] {
    var cursor = cursor
    var writer = ReportWriter(subscription: nil, limit: limits.payloadBytes)
    let isDone = cursor.fill(&writer, from: target, log)
    if !isDone { try wait(context, for: .reading(cursor)) }
    let payload = writer.finish(hasMore: !isDone, suppressesResponse: isDone)
    return [.send(InteractionMessage(.report, payload), on: context.exchange, expectsAnswer: !isDone)]
  }

  func check(
    _ attributes: [AttributePattern], _ events: [EventPattern], _ versions: [VersionFilter]
  ) throws(InteractionStatus) {
    guard attributes.allSatisfy(\.isValid) else { throw InteractionStatus(.invalidAction) }
    guard attributes.count + events.count <= limits.paths, versions.count <= limits.paths else {
      throw InteractionStatus(.pathsExhausted)
    }
  }
}
