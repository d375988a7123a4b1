import HAPCrypto
import HAPExpectation
import HAPLoop
import HAPReport
import HAPSuite
import HAPWire

/// Runs one case with its variants, and returns its result.
struct CaseExecution {
  let entry: Plan.Entry
  let device: TestedAccessory
  let world: CaseWorld
  let options: TestOptions
  /// The subjects found for it in the database.
  let found: [(name: String, value: JSONNode)]
  /// Cleans up after a variant: restores values and removes pairings.
  let tidy: @Sendable (CaseRun) async -> String?

  private var definition: CaseDefinition { entry.definition }

  private static let interruption = "the run was interrupted"

  /// The result of one variant.
  struct Ending {
    /// Name of the variant; nil if the case has no variants.
    var name: String?
    var verdict = Verdict.pass
    var message = ""
    var failure: CaseFailure?
  }

  /// The result of the case, and its failed variants in order, which determine it.
  struct Result {
    var outcome: CaseOutcome
    var failures: [Ending] = []
    /// Whether the accessory's process ended. No other case can be the cause then.
    var isCrash = false
  }

  func run() async -> Result {
    let recorder = Recorder(on: device.loop, start: device.start)
    let seed = Self.seed(options.seed, definition.id)
    var outcome = CaseOutcome(definition.description, .pass, start: recorder.now, seed: seed)
    var endings: [Ending] = []
    let variants: [CaseVariant?] = definition.variants.isEmpty ? [nil] : definition.variants.map { $0 }
    for (number, variant) in variants.enumerated() {
      if let name = variant?.name { recorder.note("variant: \(name)") }
      let run = CaseRun(
        definition, on: device, world: world, recorder: recorder, expectations: entry.expectations,
        random: .seeded(seed &+ UInt64(number)))
      var ending = await self.ending(of: run, variant)
      ending.name = variant?.name
      endings.append(ending)
      // Clean up on the device even if the run is cancelled.
      if let problem = await device.loop.startTask({ await run.finish() }).value {
        outcome.notes.append("cleanup was incomplete: \(problem)")
      }
      // Prefix the texts with the variant's name, if the case has variants.
      let prefix = variant?.name.map { "\($0): " } ?? ""
      func named(_ texts: [String]) -> [String] { texts.map { $0.hasPrefix(prefix) ? $0 : prefix + $0 } }
      outcome.deviations += named(await run.deviations)
      outcome.notes += named(await run.notes)
      await run.close()
      if let problem = await tidy(run) { outcome.notes.append(problem) }
      if let step = ending.failure?.step {
        outcome.failedAt.append("\(definition.file):\(step.place): \(step.path)")
      }
      if let name = variant?.name {
        outcome.variants.append(.init(name: name, verdict: ending.verdict, message: ending.message))
      }
      if Task.isCancelled { break }
      // A failed variant doesn't end the case: later variants may fail for other reasons.
    }
    conclude(&outcome, endings)
    let isWhole = endings.count == variants.count && endings.last?.verdict != .skip
    if Task.isCancelled, !isWhole, outcome.verdict != .fail, outcome.verdict != .error {
      outcome.verdict = .skip
      outcome.message = Self.interruption
    }
    outcome.duration = recorder.now - outcome.start
    outcome.transcript = recorder.entries
    outcome.sessionKeys = recorder.keys
    let failures = outcome.verdict == .fail ? endings.filter { $0.verdict == .fail } : []
    return Result(outcome: outcome, failures: failures)
  }

  private func ending(of run: CaseRun, _ variant: CaseVariant?) async -> Ending {
    var ending = Ending()
    let usual = definition.needs.isLong ? options.longCaseLimit : options.caseLimit
    let limit = max(usual, definition.limit ?? .zero)
    do {
      try await run.prepare(variant: variant, found: found)
      try await Self.limited(to: limit, on: device.loop) { try await run.run(definition.steps) }
    } catch let failure as CaseFailure {
      // An answer that was awaited when the run was interrupted is no failure.
      guard !Task.isCancelled else { return Ending(verdict: .skip, message: Self.interruption) }
      ending.verdict = .fail
      ending.message = failure.message
      ending.failure = failure
    } catch let error as StepError {
      ending.verdict = .error
      ending.message = "\(definition.file):\(error.place.line):\(error.place.column): \(error.message)"
    } catch let skip as CaseSkip {
      ending.verdict = .skip
      ending.message = skip.reason
    } catch is CaseInterrupted {
      ending.verdict = Task.isCancelled ? .skip : .error
      ending.message = Task.isCancelled ? Self.interruption : "not done within \(limit)"
    } catch {
      ending.verdict = .error
      ending.message = "\(error)"
    }
    return ending
  }

  /// Sets the case's verdict from its worst variant. A case of the level `info` has no requirement, so it can't fail.
  private func conclude(_ outcome: inout CaseOutcome, _ endings: [Ending]) {
    var decisive = endings.first { $0.verdict == .error } ?? endings.first { $0.verdict == .fail }
    if decisive == nil, endings.allSatisfy({ $0.verdict == .skip }) { decisive = endings.first }
    guard let decisive else {
      if definition.level == .info {
        outcome.verdict = .info
        outcome.message = outcome.notes.first ?? outcome.deviations.first ?? ""
      } else if !outcome.deviations.isEmpty {
        outcome.verdict = .nonStrict
        outcome.message = outcome.deviations[0]
      }
      return
    }
    outcome.verdict = decisive.verdict
    outcome.decide(by: decisive)
    if definition.level == .info, decisive.failure != nil {
      outcome.verdict = .info
      outcome.notes.append(outcome.message)
    }
  }

  /// Derives a case's seed from the run's seed and the case's ID.
  static func seed(_ seed: UInt64, _ id: String) -> UInt64 {
    let hash = SHA512.hash(withUnsafeBytes(of: seed.littleEndian, Array.init) + Array(id.utf8))
    return hash[..<8].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Runs `work`, and cancels it after `limit`.
  private static func limited(
    to limit: Duration, on loop: EventLoop, _ work: @escaping @Sendable () async throws -> Void
  ) async throws {
    let task = loop.startTask { try await work() }
    let timer = CaseTimer(loop)
    timer.start(limit) { task.cancel() }
    defer { timer.stop() }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

extension CaseOutcome {
  /// Uses the message and the evidence of the decisive variant.
  mutating func decide(by ending: CaseExecution.Ending) {
    message = ending.name.map { "\($0): \(ending.message)" } ?? ending.message
    guard let failure = ending.failure else { return }
    sent = failure.sent
    accepted = failure.accepted
    got = failure.got
  }
}

/// A timer that is started once and then stopped, from any thread.
private struct CaseTimer: Sendable {
  private let loop: EventLoop
  private let timer: LoopBound<LoopTimer?>

  init(_ loop: EventLoop) {
    self.loop = loop
    timer = LoopBound(loop, nil)
  }

  func start(_ limit: Duration, _ fire: @escaping @Sendable () -> Void) {
    loop.schedule { [loop, timer] in
      let new = LoopTimer(loop, onFire: fire)
      new.start(after: limit)
      timer.value = new
    }
  }

  func stop() {
    loop.schedule { [timer] in
      timer.value?.close()
      timer.value = nil
    }
  }
}
