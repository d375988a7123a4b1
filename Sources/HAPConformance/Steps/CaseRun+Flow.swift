import HAPExpectation
import HAPLoop
import HAPSuite
import HAPWire

extension CaseRun {
  func repeated(_ node: JSONNode) async throws {
    let head = try scope.resolve(head(node, without: ["steps", "until"]))
    guard let times = try head["times"].map({ try ByteMaker.count($0) }) else {
      throw StepError(node, "\"times\" is missing")
    }
    let every = try duration(head["every"], default: .zero)
    let limit = try head["within"].map { try duration($0, default: .zero) }
    let start = recorder.now
    for turn in 0..<times {
      scope[head["as"]?.stringValue ?? "index"] = .integer(turn)
      try await run(stepsOf(node["steps"]))
      if let until = node["until"] {
        let that = try scope.resolve(until["that"] ?? JSONNode(.null))
        let pattern = try scope.resolve(until["is"] ?? JSONNode(.null))
        guard let problem = try Pattern.mismatch(that, pattern) else { return }
        if let limit, recorder.now - start >= limit {
          throw CaseFailure(
            try reason(until) + "not within \(limit.roundText): \(problem)", accepted: [Pattern.words(pattern)],
            got: Pattern.shown(that))
        }
      }
      if every > .zero { try await pause(every) }
    }
    if let until = node["until"] {
      let pattern = try scope.resolve(until["is"] ?? JSONNode(.null))
      let that = try scope.resolve(until["that"] ?? JSONNode(.null))
      throw CaseFailure(
        try reason(until) + "not after \(times) times: \(try Pattern.mismatch(that, pattern) ?? "")",
        accepted: [Pattern.words(pattern)],
        got: Pattern.shown(that))
    }
  }

  private func reason(_ until: JSONNode) throws -> String {
    try until["because"].map { Scope.text(try scope.resolve($0)) + ": " } ?? ""
  }

  func each(_ node: JSONNode) async throws {
    let list = try scope.resolve(node["in"] ?? JSONNode(.null))
    guard let elements = list.elements ?? list.members?.map(\.value) else {
      throw StepError(node, "a list is expected, not \(list.kindName)")
    }
    let name = node["as"]?.stringValue ?? "index"
    for element in elements {
      scope[name] = element
      try await run(stepsOf(node["steps"]))
    }
  }

  func branch(_ node: JSONNode) async throws {
    let that = try scope.resolve(node["that"] ?? JSONNode(.null))
    let pattern = try node["is"].map { try scope.resolve($0) } ?? JSONNode(.bool(true))
    let isSo = try Pattern.mismatch(that, pattern) == nil
    try await run(stepsOf(node[isSo ? "then" : "else"]))
  }

  /// Several lists of steps at once. The first failure counts; the others are waited for.
  func together(_ node: JSONNode) async throws {
    let lanes = node.elements ?? []
    var failure: (any Error)?
    await withTaskGroup(of: (any Error)?.self) { group in
      for lane in lanes {
        group.addTask {
          do {
            try await self.run(self.stepsOf(lane))
            return nil
          } catch { return error }
        }
      }
      for await error in group where failure == nil { failure = error }
    }
    if let failure { throw failure }
  }

  func attempt(_ node: JSONNode) async throws {
    var problem = ""
    let failure = await failure(of: stepsOf(node["steps"]))
    var last: (any Error)?
    if let always = node["always"] {
      // What is to be put back is put back though the time is up, or the run is ended.
      let steps = stepsOf(always)
      last = await loop.startTask { await self.failure(of: steps) }.value
    }
    if let failure {
      guard let found = failure as? CaseFailure, node["always"] == nil || node["save"] != nil else {
        if let last { note("what is always done went wrong: \(Self.text(of: last))") }
        throw failure
      }
      problem = found.message
    }
    if let last { throw last }
    if let name = node["save"]?.stringValue { scope[name] = .text(problem) }
  }

  /// What steps fail by; nil: they don't.
  private func failure(of steps: [JSONNode]) async -> (any Error)? {
    do {
      try await run(steps)
      return nil
    } catch { return error }
  }

  /// Adds values to lists.
  func collect(_ node: JSONNode) throws {
    for member in node.members ?? [] {
      let value = try scope.resolve(member.value)
      scope[member.name] = .list((scope[member.name]?.elements ?? []) + [value])
      used.save([member.name], from: used.sources(of: member.value) + used.sources(ofVariable: member.name))
    }
  }

  func check(_ node: JSONNode) throws {
    for entry in node.elements ?? [node] {
      guard let pattern = entry["is"] else { throw StepError(entry, "\"is\" is missing") }
      guard let problem = try Pattern.mismatch(entry["that"], pattern) else { continue }
      let message = entry["because"].map { "\(Scope.text($0)): \(problem)" } ?? problem
      if let who = entry["deviation"]?.stringValue {
        deviate("\(message) (so do \(who))")
        continue
      }
      throw CaseFailure(message, accepted: [Pattern.words(pattern)], got: Pattern.shown(entry["that"]))
    }
  }

  func mark(_ name: String) async {
    marks[name] = recorder.now
    if let observer = world.observer { multicastMarks[name] = await observer.mark }
    // Read when it is asked for: see `elapsed`.
    refreshMarks()
  }

  /// `${elapsed.NAME}` counts on: it is made anew before every step that resolves texts.
  func refreshMarks() {
    scope["elapsed"] = .object(marks.sorted { $0.key < $1.key }.map { ($0.key, milliseconds(recorder.now - $0.value)) })
  }

  /// A step without the parts that are resolved later.
  func head(_ node: JSONNode, without names: Set<String>) -> JSONNode {
    JSONNode(.object((node.members ?? []).filter { !names.contains($0.name) }), place: node.place, path: node.path)
  }
}
