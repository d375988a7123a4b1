import HAPExpectation
import HAPModel
import HAPWire

extension CaseRun {
  func event(_ node: JSONNode) async throws {
    let name = name(of: node)
    let connection = try existing(name, node)
    let limit = try duration(node["within"], default: .seconds(5))
    let start = recorder.now
    var last = "none came"
    var chosen: JSONNode?
    let alternatives = node["any"]?.elements.map { list in list.map { joinedEvent($0, node) } } ?? [node]
    let isKept = node["keep"]?.boolValue ?? false
    let event = try await connection.event(within: limit, keeping: isKept) { message throws(StepError) in
      for alternative in alternatives {
        guard let problem = try Self.problem(of: message, alternative) else {
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
        accepted: alternatives.map { Judgement.describe($0) }, got: last, isSilence: last == "none came")
    }
    if let who = chosen?["deviation"] { deviate("\(event.title) (so do \(Scope.text(who)))") }
    let view = AnswerView(arrival: .message(event), took: event.time - start)
    try save(node["save"], from: [.event]) { view.value($0) }
  }

  /// Takes events until there are enough entries, then for a while longer.
  func events(_ node: JSONNode) async throws {
    let connection = try existing(name(of: node), node)
    var gathered = GatheredEvents(ids: node["id"].map { node in Set((node.elements ?? [node]).map { Scope.text($0) }) })
    let least = node["least"]?.integerValue.map { Int(clamping: $0) } ?? 0
    let deadline = recorder.now + (try duration(node["within"], default: .seconds(5)))
    while gathered.entries.count < least, let event = try await nextEvent(on: connection, until: deadline) {
      gathered.take(event)
    }
    let end = recorder.now + (try duration(node["for"], default: .zero))
    while let event = try await nextEvent(on: connection, until: end) { gathered.take(event) }
    let all = gathered.variable
    try save(node["save"], from: [.event]) { all.at($0) }
  }

  /// Whatever came first; what waits already is taken at any time.
  private func nextEvent(on connection: WireConnection, until deadline: Duration) async throws -> WireMessage? {
    let event = try await connection.event(within: max(deadline - recorder.now, .zero)) { _ in true }
    if Task.isCancelled { throw CaseInterrupted() }
    return event
  }

  private func joinedEvent(_ alternative: JSONNode, _ node: JSONNode) -> JSONNode {
    let own = alternative.members ?? []
    let rest = (node.members ?? []).filter { member in
      member.name != "any" && !own.contains { $0.name == member.name }
    }
    return JSONNode(.object(own + rest), place: alternative.place, path: alternative.path)
  }

  private static func problem(of message: WireMessage, _ node: JSONNode) throws(StepError) -> String? {
    let view = AnswerView(arrival: .message(message), took: .zero)
    for name in ["version", "status", "type", "chunked"] {
      guard let pattern = node[name] else { continue }
      if let problem = try Pattern.mismatch(view.value(name), pattern, at: name) { return problem }
    }
    if let pattern = node["json"], let problem = try Pattern.mismatch(view.json, pattern) { return problem }
    if let entries = node["entries"] {
      do {
        if let problem = try Judgement.entriesProblem(view.json, entries, isWhole: node["only"]?.boolValue == true) {
          return problem
        }
      } catch let error as StepError { throw error } catch { throw StepError(node, "\(error)") }
    }
    return nil
  }

  func silence(_ node: JSONNode) async throws {
    let name = name(of: node)
    let connection = try existing(name, node)
    let limit = try duration(node["for"], default: .seconds(1))
    let all = node["of"]?.stringValue == "everything"
    let ids = node["id"].map { node in Set((node.elements ?? [node]).map { Scope.text($0) }) }
    let arrival = await connection.silence(for: limit) { arrival in
      guard case .message(let message) = arrival, message.isEvent else { return all }
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
    if let who = node["deviation"]?.stringValue { return deviate("\(view.summary) (so do \(who))") }
    throw CaseFailure(
      "something came where nothing should", sent: lastRequest[name], accepted: ["nothing for \(limit.roundText)"],
      got: view.summary)
  }
}

/// Events as `events` tells them.
private struct GatheredEvents {
  /// Entries of other characteristics don't count; nil: all do.
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
