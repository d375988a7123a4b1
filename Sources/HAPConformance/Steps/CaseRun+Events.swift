import HAPExpectation
import HAPSuite
import HAPWire

extension CaseRun {
  func event(_ expectation: EventExpectation) async throws {
    let name = expectation.on
    let connection = try existing(name)
    let limit = expectation.within ?? .seconds(5)
    let start = recorder.now
    var last = "none received"
    var chosen: AnswerPattern?
    let alternatives = expectation.alternatives
    let event = try await connection.event(within: limit, keeping: expectation.keeps) { message throws(StepError) in
      for alternative in alternatives {
        guard let problem = try AnswerComparison.problem(of: message, alternative) else {
          chosen = alternative
          return true
        }
        last = problem
      }
      return false
    }
    if Task.isCancelled { throw CaseInterrupted() }
    guard let event else {
      throw CaseFailure(
        "no such event within \(limit.roundText): \(last)", sent: lastRequest[name],
        accepted: alternatives.map { AnswerComparison.describe($0) }, got: last, isSilence: last == "none received")
    }
    if let who = chosen?.deviation { deviate("\(event.title) (so do \(who))") }
    let view = AnswerView(arrival: .message(event), took: event.time - start)
    save(expectation.save, from: [.event]) { view.value($0) }
  }

  /// Collects events until there are enough entries, then for a while longer.
  func events(_ collection: EventCollection) async throws {
    let connection = try existing(collection.on)
    var gathered = GatheredEvents(ids: collection.ids)
    let least = collection.least
    let deadline = recorder.now + (collection.within ?? .seconds(5))
    while gathered.entries.count < least, let event = try await nextEvent(on: connection, until: deadline) {
      gathered.take(event)
    }
    let end = recorder.now + collection.rest
    while let event = try await nextEvent(on: connection, until: end) { gathered.take(event) }
    let all = gathered.variable
    save(collection.save, from: [.event]) { all.at($0) }
  }

  /// Returns the first event. Events that already arrived are returned even after the deadline.
  private func nextEvent(on connection: WireConnection, until deadline: Duration) async throws -> WireMessage? {
    let event = try await connection.event(within: max(deadline - recorder.now, .zero)) { _ in true }
    if Task.isCancelled { throw CaseInterrupted() }
    return event
  }

  func silence(_ silence: Silence) async throws {
    let name = silence.on
    let connection = try existing(name)
    let limit = silence.duration
    let ids = silence.ids
    let arrival = await connection.silence(for: limit) { arrival in
      guard case .message(let message) = arrival, message.isEvent else { return silence.isWhole }
      guard let ids else { return true }
      let entries = AnswerView(arrival: arrival, took: .zero).json?["characteristics"]?.elements ?? []
      return entries.contains { entry in
        guard let aid = entry["aid"]?.integerValue, let iid = entry["iid"]?.integerValue else { return true }
        return ids.contains("\(aid).\(iid)")
      }
    }
    if Task.isCancelled { throw CaseInterrupted() }
    guard let arrival else { return }
    let view = AnswerView(arrival: arrival, took: .zero)
    if let who = silence.deviation { return deviate("\(view.summary) (so do \(who))") }
    throw CaseFailure(
      "a message was received where none was expected", sent: lastRequest[name],
      accepted: ["nothing for \(limit.roundText)"], got: view.summary)
  }
}

/// Collects events for the variable of the step `events`.
private struct GatheredEvents {
  /// Counts only entries of these characteristics; nil: all.
  var ids: Set<String>?
  private(set) var events: [JSONNode] = []
  private(set) var entries: [JSONNode] = []

  init(ids: Set<String>?) { self.ids = ids }

  mutating func take(_ message: WireMessage) {
    let view = AnswerView(arrival: .message(message), took: .zero)
    let fitting = (view.json?["characteristics"]?.elements ?? []).filter { entry in
      guard let ids, let aid = entry["aid"]?.integerValue, let iid = entry["iid"]?.integerValue else { return true }
      return ids.contains("\(aid).\(iid)")
    }
    if ids != nil, fitting.isEmpty { return }
    entries += fitting
    let members = ["version", "status", "type", "chunked", "at", "json"]
    events.append(.object(members.map { ($0, view.value($0) ?? JSONNode(.null)) }))
  }

  var variable: JSONNode {
    .object([
      ("events", .list(events)), ("count", .integer(events.count)), ("entries", .list(entries)),
      ("values", .list(entries.map { $0["value"] ?? JSONNode(.null) })),
    ])
  }
}
