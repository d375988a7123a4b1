import HAPExpectation
import HAPLoop
import HAPSuite
import HAPWire

extension CaseRun {
  func repeated(_ repetition: Repetition) async throws {
    let start = recorder.now
    for turn in 0..<repetition.times {
      if turn > 0 { await Task.yield() }
      scope[repetition.variable] = .integer(turn)
      try await run(repetition.steps)
      if let until = repetition.until {
        guard let problem = try problem(of: until) else { return }
        if let limit = repetition.within, recorder.now - start >= limit {
          throw try failure(of: until, "not within \(limit.roundText): \(problem)")
        }
      }
      if repetition.every > .zero { try await pause(repetition.every) }
    }
    guard let until = repetition.until else { return }
    throw try failure(of: until, "not after \(repetition.times) times: \(try problem(of: until) ?? "")")
  }

  /// Returns why a repetition does not end yet; nil if it ends.
  private func problem(of until: Repetition.End) throws(StepError) -> String? {
    try Pattern.mismatch(until.that.value(in: scope), until.pattern.value(in: scope))
  }

  private func failure(of until: Repetition.End, _ message: String) throws(StepError) -> CaseFailure {
    let reason = try until.reason.map { reason throws(StepError) in Scope.text(try reason.value(in: scope)) + ": " }
    return CaseFailure(
      (reason ?? "") + message, accepted: [Pattern.words(try until.pattern.value(in: scope))],
      got: Pattern.shown(try until.that.value(in: scope)))
  }

  func each(_ iteration: Iteration) async throws {
    for element in iteration.elements {
      await Task.yield()
      scope[iteration.variable] = element
      try await run(iteration.steps)
    }
  }

  /// Runs several lists of steps in parallel. Throws the first failure after all have ended.
  func together(_ lanes: [[Step]]) async throws {
    var failure: (any Error)?
    await withTaskGroup(of: (any Error)?.self) { group in
      for lane in lanes {
        group.addTask {
          do {
            try await self.run(lane)
            return nil
          } catch { return error }
        }
      }
      for await error in group where failure == nil { failure = error }
    }
    if let failure { throw failure }
  }

  func attempt(_ attempt: Attempt) async throws {
    var problem = ""
    let failure = await failure(of: attempt.steps)
    var last: (any Error)?
    if let steps = attempt.always {
      // Run the `always` steps even after a timeout or an interruption.
      last = await loop.startTask { await self.failure(of: steps) }.value
    }
    if let failure {
      guard let found = failure as? CaseFailure, attempt.always == nil || attempt.save != nil else {
        if let last { note("a step of 'always' failed: \(Self.text(of: last))") }
        throw failure
      }
      problem = found.message
    }
    if let last { throw last }
    if let name = attempt.save { scope[name] = .text(problem) }
  }

  /// Runs steps, and returns their error; nil without one.
  private func failure(of steps: [Step]) async -> (any Error)? {
    do {
      try await run(steps)
      return nil
    } catch { return error }
  }

  /// Appends values to lists.
  func collect(_ values: [VariableValue]) throws(StepError) {
    for value in values {
      let element = try value.value.value(in: scope)
      scope[value.name] = .list((scope[value.name]?.elements ?? []) + [element])
      used.save([value.name], from: used.sources(of: value.value.variables + [value.name]))
    }
  }

  func check(_ checks: [ValueCheck]) throws {
    for check in checks {
      guard let problem = try Pattern.mismatch(check.that, check.pattern) else { continue }
      let message = check.reason.map { "\($0): \(problem)" } ?? problem
      if let who = check.deviation {
        deviate("\(message) (so do \(who))")
        continue
      }
      throw CaseFailure(message, accepted: [Pattern.words(check.pattern)], got: Pattern.shown(check.that))
    }
  }

  func mark(_ name: String) async {
    marks[name] = recorder.now
    if let observer = world.observer { multicastMarks[name] = await observer.mark }
    // Computed on each use; see `refreshMarks`.
    refreshMarks()
  }

  /// Updates `${elapsed.NAME}` before each step that resolves texts.
  func refreshMarks() {
    scope["elapsed"] = .object(marks.sorted { $0.key < $1.key }.map { ($0.key, milliseconds(recorder.now - $0.value)) })
  }
}
