import HAPCrypto
import HAPExpectation
import HAPLoop
import HAPReport
import HAPSuite
import HAPWire

/// Runs one case with its variants, and says how it ended.
struct CaseExecution {
  let entry: Plan.Entry
  let device: TestedAccessory
  let world: CaseWorld
  let options: RunOptions
  /// What was found in the database for it.
  let found: [(name: String, value: JSONNode)]
  /// Tidies up behind a variant: gives values back, and removes pairings.
  let tidy: @Sendable (CaseRun) async -> String?

  private var definition: CaseDefinition { entry.definition }

  private static let interruption = "the run was ended"

  /// How one variant ended.
  struct Ending {
    /// Of the variant; `nil`: the case has none.
    var name: String?
    var verdict = Verdict.pass
    var message = ""
    var failure: CaseFailure?
  }

  /// How the case ended, and the variants that decided it: those that failed, in order.
  struct Result {
    var outcome: CaseOutcome
    var failures: [Ending] = []
    /// Whether the accessory's process ended: nothing else is the cause.
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
      // What a case took from the device is given back though the run is cancelled.
      if let problem = await device.loop.startTask({ await run.finish() }).value {
        outcome.notes.append("it could not all be put back: \(problem)")
      }
      // Of which variant is worth knowing, where there are some.
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
      // A variant that failed has said enough; but those after it may have more to say.
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
      // What is waited for when the run is ended doesn't come.
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

  /// The worst variant decides. A case of the level `info` requires nothing, so it does not fail.
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

  /// A case's own seed: the run's and its id.
  static func seed(_ seed: UInt64, _ id: String) -> UInt64 {
    let hash = SHA512.hash(withUnsafeBytes(of: seed.littleEndian, Array.init) + Array(id.utf8))
    return hash[..<8].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Ends work that takes too long.
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
  /// Takes the message and the evidence of the variant that decides.
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
