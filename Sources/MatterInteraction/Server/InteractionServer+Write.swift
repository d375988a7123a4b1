import MatterModel
import MatterWire

/// What a write of several messages keeps between them.
struct WriteProgress: Sendable {
  var isTimed: Bool
  /// The attribute of the last item. Entries that follow need neither privilege nor version again, because the list
  /// that they continue had both.
  var path: AttributePath?
  /// Why the list that the last items continue was not replaced.
  var refusal: InteractionStatus?
}

extension InteractionServer {
  mutating func beginTimed(
    _ request: TimedRequest, _ context: RequestContext
  ) throws(InteractionStatus) -> [InteractionAction] {
    let end = context.now + .milliseconds(Int64(request.milliseconds))
    // It is kept for some time after its end, so that a late request gets Timeout.
    try wait(context, for: .timed(until: end), until: end + limits.answerTimeout)
    return [Self.status(.success, on: context.exchange, expectsAnswer: true)]
  }

  mutating func write(
    _ request: WriteRequest, _ context: RequestContext, _ progress: WriteProgress?,
    _ target: inout some InteractionTarget
  ) throws(InteractionStatus) -> [InteractionAction] {
    if let progress {
      guard progress.isTimed == request.isTimed else { throw InteractionStatus(.timedRequestMismatch) }
    } else {
      try context.checkTimed(request.isTimed)
    }
    let items = Self.joined(request.items)
    guard !(request.hasMore && request.suppressesResponse), items.allSatisfy({ $0.path.path != nil }) else {
      throw InteractionStatus(.invalidAction)
    }
    guard items.count <= limits.writes else { throw InteractionStatus(.resourceExhausted) }
    var progress = progress ?? WriteProgress(isTimed: request.isTimed)
    // Before the changes, because a request that can't continue is refused as a whole.
    if request.hasMore { try wait(context, for: .writing(progress)) }
    var results: [WriteResponse.Item] = []
    for item in items {
      let status = Self.write(item, context.peer.subject, &progress, &target)
      let isAppended = if case .append = item.change { true } else { false }
      results.append(WriteResponse.Item(item.path, isAppended: isAppended, status))
    }
    if request.hasMore { waiting[context.exchange]?.state = .writing(progress) }
    if request.suppressesResponse { return [.close(context.exchange)] }
    let message = InteractionMessage(.writeResponse, WriteResponse(results).encoded)
    return [.send(message, on: context.exchange, expectsAnswer: request.hasMore)]
  }

  /// Joins a list and the entries that follow it to one change, so that the target sees the whole list.
  private static func joined(_ items: [WriteRequest.Item]) -> [WriteRequest.Item] {
    var joined: [WriteRequest.Item] = []
    var place = 0
    while place < items.count {
      var item = items[place]
      place += 1
      if case .replace(.container(.array, var entries)) = item.change {
        while place < items.count, items[place].path == item.path, case .append(let entry) = items[place].change {
          entries.append(Element(.anonymous, entry))
          place += 1
        }
        item.change = .replace(.container(.array, entries))
      }
      joined.append(item)
    }
    return joined
  }

  private static func write(
    _ item: WriteRequest.Item, _ subject: Subject, _ progress: inout WriteProgress,
    _ target: inout some InteractionTarget
  ) -> InteractionStatus {
    guard let path = item.path.path else { return InteractionStatus(.invalidAction) }
    let isEntry = if case .append = item.change { true } else { false }
    do throws(InteractionStatus) {
      if isEntry, progress.path == path {
        if let refusal = progress.refusal { return refusal }
      } else {
        (progress.path, progress.refusal) = (nil, nil)
        try check(path, item.version, subject, isTimed: progress.isTimed, target)
      }
      try target.write(path, item.change, for: subject)
      progress.path = path
      return .success
    } catch {
      if !isEntry { (progress.path, progress.refusal) = (path, error) }
      return error
    }
  }

  /// Checks a write in the order of Matter 1.4 §8.7.3.2.
  private static func check(
    _ path: AttributePath, _ version: UInt32?, _ subject: Subject, isTimed: Bool, _ target: some InteractionTarget
  ) throws(InteractionStatus) {
    let access = AccessControl(subject, target)
    let description = try access.cluster(path.cluster, on: path.endpoint, of: target)
    guard let attribute = description.attribute(path.attribute) else {
      throw InteractionStatus(.unsupportedAttribute)
    }
    guard let needed = attribute.write else { throw InteractionStatus(.unsupportedWrite) }
    try access.demand(needed, on: path.endpoint, path.cluster, of: target)
    if attribute.isFabricScoped, subject.fabric == 0 { throw InteractionStatus(.unsupportedAccess) }
    if attribute.isTimed, !isTimed { throw InteractionStatus(.needsTimedInteraction) }
    if let version, version != target.dataVersion(of: path.endpoint, path.cluster) {
      throw InteractionStatus(.dataVersionMismatch)
    }
  }
}
