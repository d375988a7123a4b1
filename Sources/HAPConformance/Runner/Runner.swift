import HAPExpectation
import HAPLoop
import HAPReport
import HAPSuite
import HAPWire

/// Runs a plan: brings the accessory into the states that cases need, runs cases one by one or in parallel, and restores the original
/// state.
///
/// An actor on the loop's thread. It reports its progress as events, in order. A cancelled run still cleans up.
package actor Runner {
  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  let device: TestedAccessory
  let world: CaseWorld
  let options: TestOptions
  private let baseline: Baseline?
  private let today: String?
  let tell: @Sendable (RunEvent) -> Void
  let manager: PairingManager

  private var counts: [Verdict: Int] = [:]
  private var outcomes: [CaseOutcome] = []
  var leftovers: [String] = []
  /// Whether the accessory was lost, so that no further case runs.
  var isLost = false
  private var wasInterrupted = false
  /// Why there is no pairing or no session, and the number of failures in a row.
  var noPairing: String?
  var failedPairings = 0
  /// After this number of failures in a row the tester stops trying, because each may wait for an answer.
  static let failedPairingLimit = 3
  /// Services in use by parallel cases.
  private var taken: Set<SubjectFinder.ServiceKey> = []
  private var causes = CauseFinder(owners: [:])
  /// Cases that have not ended, or that can run to find a cause.
  private var pending = CauseFinder.Pending()
  private var selected: Set<String> = []
  /// Results of cases that were not selected.
  private var unselected: [CaseOutcome] = []
  /// Cases that block others.
  private var causeIDs: Set<String> = []

  /// - Parameters:
  ///   - tell: called with every event, on the loop.
  ///   - today: "2026-11-21", for the expiry of baseline entries.
  package init(
    _ device: TestedAccessory, world: CaseWorld, options: TestOptions, baseline: Baseline? = nil, today: String? = nil,
    tell: @escaping @Sendable (RunEvent) -> Void
  ) {
    loop = device.loop
    self.device = device
    self.world = world
    self.options = options
    self.baseline = baseline
    self.today = today
    self.tell = tell
    manager = PairingManager(device: device, world: world, seed: options.seed)
  }

  /// Checks, before planning, whether the accessory is reachable and whether another controller is paired with it.
  /// - Parameter isDeclared: whether its record, its ready line or the user declares it an accessory. Another host is tested only if an
  ///   answer looks like HAP.
  /// - Throws: if there is no answer, or none of a HAP accessory.
  package func look(isDeclared: Bool) async throws(Unreachable) -> (isForeign: Bool, isBorrowed: Bool) {
    do throws(PairingManager.Refusal) {
      try await manager.isThere()
      if !isDeclared { try await manager.lookForHAP() }
      if device.owner != nil {
        try await manager.noteForeignPairings()
        return (false, true)
      }
      // An accessory with nonsensical answers counts as unpaired; the cases report its answers.
      return ((try? await manager.isPairedWithSomebody()) ?? false, false)
    } catch {
      let place = "\(device.address)"
      let message =
        switch error.absence {
        case .otherServer: "no HAP accessory answers at \(place). \(error.message)"
        case .noAnswer:
          "nothing answers at \(place). \(error.message). "
            + "If an accessory is there, restart it, or use --txt sf=1 to skip this check"
        case nil: "\(place) can't be reached: \(error.message)"
        }
      throw Unreachable(message: message)
    }
  }

  /// The accessory can't be reached, or is not a HAP accessory. `message` includes the address.
  package struct Unreachable: Error, Equatable { package var message: String }

  /// The result of the whole run.
  package struct Result: Sendable {
    package var outcomes: [CaseOutcome]
    package var isLost: Bool
    package var wasInterrupted: Bool
  }

  /// Runs the whole plan.
  package func run(_ plan: Plan, header: RunHeader) async -> Result {
    let start = device.now
    tell(.began(header))
    tell(.planned(plan.planned))
    causes = CauseFinder(owners: plan.owners)
    pending.planned = Set(plan.entries.map(\.definition.id))
    selected = pending.planned
    pending.onDemand = Set(plan.others.map(\.definition.id))
    for entry in plan.entries {
      if let reason = entry.skipReason { conclude(entry, .skip, reason) }
      if let reason = entry.errorReason { conclude(entry, .error, reason) }
    }
    let entries = plan.entries.filter { $0.skipReason == nil && $0.errorReason == nil }
    for phase in Set(entries.map { Plan.phase($0.definition) }).sorted() {
      guard mayGoOn else { break }
      // An accessory that could not be paired with may have recovered: each phase tries once more.
      failedPairings = min(failedPairings, Self.failedPairingLimit - 1)
      let group = entries.filter { Plan.phase($0.definition) == phase }
      if phase == 3 { await sideBySide(group) } else { await oneByOne(group) }
    }
    if wasInterrupted || Task.isCancelled {
      wasInterrupted = true
      tell(.interrupted)
    }
    await findCauses(plan.others)
    if !isLost { await leave() }
    if let leftOut = plan.leftOut {
      tell(
        .note(
          "short run: \(leftOut.usual) more cases run without --short; --long adds \(leftOut.long)"))
    }
    tell(.ended(RunSummary(duration: device.now - start, counts: counts, leftovers: leftovers)))
    return Result(outcomes: outcomes, isLost: isLost, wasInterrupted: wasInterrupted)
  }

  var mayGoOn: Bool {
    if Task.isCancelled { wasInterrupted = true }
    return !isLost && !wasInterrupted
  }

  // MARK: Cases

  /// Runs the cases outside the plan that may be the cause of failures, and concludes the failures that wait for them.
  private func findCauses(_ others: [Plan.Entry]) async {
    pending.planned = []
    while !causes.held.isEmpty {
      guard mayGoOn, let id = causes.missing(pending), pending.onDemand.remove(id) != nil,
        let entry = others.first(where: { $0.definition.id == id })
      else {
        // No cause is left to find, or two failed cases wait for each other.
        tell(causes.releaseFirst(pending: mayGoOn ? pending : CauseFinder.Pending()))
        continue
      }
      tell(.note("\(id) runs as well: it may be the cause of a failure"))
      await oneByOne([entry])
    }
    for outcome in unselected where causeIDs.contains(outcome.description.id) { report(outcome) }
  }

  /// Runs cases alone.
  /// - Parameter crash: how the accessory's process ended while these cases ran side by side. If it ends in none of them now, the first one is reported
  ///   as flaky.
  func oneByOne(_ entries: [Plan.Entry], after crash: String? = nil) async {
    var crash = crash
    var survived: [(result: CaseExecution.Result, definition: CaseDefinition)] = []
    for entry in entries where mayGoOn {
      guard await prepare(entry) else { continue }
      switch find(entry, taken: []) {
      case .skip(let reason): conclude(entry, .skip, reason)
      case .error(let reason): conclude(entry, .error, reason)
      case .busy: preconditionFailure("nothing is taken")
      case .ready(let found, _):
        let result = await repeated(entry, found)
        let death = await death()
        if death == nil, crash != nil {
          survived.append((result, entry.definition))
        } else {
          crash = nil
          await conclude(result, entry, after: death)
        }
      }
    }
    if let crash, !survived.isEmpty {
      survived[0].result.noteCrash(crash, beside: survived.dropFirst().map(\.definition.id))
    }
    for (result, definition) in survived { conclude(result, definition) }
  }

  /// A case that ran in parallel with others, and the services that it used.
  private struct SideRun: Sendable {
    var entry: Plan.Entry
    var result: CaseExecution.Result
    var services: Set<SubjectFinder.ServiceKey>
  }

  /// Runs cases that only use their subjects, a few in parallel.
  private func sideBySide(_ entries: [Plan.Entry]) async {
    var waiting = entries
    if entries.contains(where: { $0.definition.needs.state == .paired }) { waiting = await pairOrSkip(entries) }
    var suspects: [SideRun] = []
    var found: Death?
    await withTaskGroup(of: SideRun.self) { group in
      var running = 0
      while true {
        while mayGoOn, found == nil, running < max(1, options.lanes), let next = takeNext(&waiting) {
          running += 1
          group.addTask {
            SideRun(
              entry: next.entry, result: await self.repeated(next.entry, next.found), services: next.services)
          }
        }
        guard running > 0, let run = await group.next() else { break }
        running -= 1
        taken.subtract(run.services)
        let hasFailed = run.result.outcome.verdict == .fail || run.result.outcome.verdict == .error
        if mayGoOn, found == nil, hasFailed { found = await death() }
        // Any of the parallel cases may have crashed the accessory, so each of them runs again, alone.
        if found != nil, hasFailed { suspects.append(run) } else { conclude(run.result, run.entry.definition) }
      }
    }
    if mayGoOn, found == nil { found = await death() }
    let crash = found == nil ? nil : await world.process?.ending()
    if mayGoOn, let found { await startAgain("the cases that ran side by side", found) }
    guard mayGoOn else {
      for run in suspects { conclude(run.result, run.entry.definition) }
      return
    }
    await oneByOne(suspects.map(\.entry), after: crash)
    if mayGoOn, !waiting.isEmpty { await sideBySide(waiting) }
  }

  /// Removes and returns the next case whose services are free. Concludes cases that can't run.
  private func takeNext(_ waiting: inout [Plan.Entry]) -> (
    entry: Plan.Entry, found: [(name: String, value: JSONNode)], services: Set<SubjectFinder.ServiceKey>
  )? {
    var index = 0
    while index < waiting.count {
      let entry = waiting[index]
      switch find(entry, taken: taken) {
      case .busy: index += 1
      case .skip(let reason):
        waiting.remove(at: index)
        conclude(entry, .skip, reason)
      case .error(let reason):
        waiting.remove(at: index)
        conclude(entry, .error, reason)
      case .ready(let found, let services):
        waiting.remove(at: index)
        taken.formUnion(services)
        return (entry, found, services)
      }
    }
    return nil
  }

  private enum Readiness {
    case ready([(name: String, value: JSONNode)], Set<SubjectFinder.ServiceKey>)
    case busy
    case skip(String)
    case error(String)
  }

  /// Finds a case's subjects in the database.
  private func find(_ entry: Plan.Entry, taken: Set<SubjectFinder.ServiceKey>) -> Readiness {
    guard !entry.definition.find.isEmpty else { return .ready([], []) }
    guard let database = device.database else {
      return .skip(device.owner == nil ? "there is no database without a pairing" : "the database can't be read")
    }
    let finder = SubjectFinder(database: database, taken: taken)
    var found: [(name: String, value: JSONNode)] = []
    var services: Set<SubjectFinder.ServiceKey> = []
    for member in entry.definition.find {
      do throws(StepError) {
        switch finder.find(try member.subject(in: Scope()), among: { name in found.first { $0.name == name }?.value }) {
        case .found(let value, let keys):
          found.append((member.name, value))
          services.formUnion(keys)
        case .busy: return .busy
        case .nothing(let reason): return .skip(reason)
        }
      } catch {
        return .error("\(entry.definition.file):\(error.place.line):\(error.place.column): \(error.message)")
      }
    }
    return .ready(found, services)
  }

  /// Runs a case as often as requested. Returns the first outcome that differs from the others, or the last.
  private func repeated(
    _ entry: Plan.Entry, _ found: [(name: String, value: JSONNode)]
  ) async -> CaseExecution.Result {
    tell(.caseBegan(id: entry.definition.id))
    let manager = manager
    var all: [CaseExecution.Result] = []
    for turn in 0..<max(1, options.repetitions) where !Task.isCancelled || all.isEmpty {
      // A case that pairs or unpairs leaves a state that the next repetition can't start in.
      if turn > 0, !entry.definition.isShared, await !isBroughtBack(entry) { break }
      var options = options
      let number = options.firstTurn + turn
      options.seed = options.seed &+ UInt64(number)
      let execution = CaseExecution(entry: entry, device: device, world: world, options: options, found: found) {
        [loop] run in
        // Cleanup continues when the run is cancelled.
        await loop.startTask { await manager.tidy(behind: run) }.value
      }
      var result = await execution.run()
      result.outcome.turn = number
      // Ignore an interrupted repetition after complete ones.
      if Task.isCancelled, result.outcome.verdict == .skip, !all.isEmpty { break }
      all.append(result)
    }
    var result = all[all.count - 1]
    let verdicts = all.map(\.outcome.verdict)
    if Set(verdicts).count > 1 {
      if let failed = all.first(where: { $0.outcome.verdict == .fail || $0.outcome.verdict == .error }) {
        result = failed
      }
      result.outcome.verdict = .flaky
      let good = verdicts.count { $0 != .fail && $0 != .error }
      result.outcome.message = "passed \(good) of \(all.count) times: \(result.outcome.message)"
    }
    result.outcome.repetitions = verdicts
    return result
  }

  /// Concludes a case that did not run.
  func conclude(_ entry: Plan.Entry, _ verdict: Verdict, _ reason: String) {
    conclude(
      CaseExecution.Result(outcome: CaseOutcome(entry.definition.description, verdict, message: reason)),
      entry.definition)
  }

  /// Concludes a case that ended, unless it waits for its cause, and the cases that waited for it.
  func conclude(_ result: CaseExecution.Result, _ definition: CaseDefinition) {
    pending.planned.remove(definition.id)
    tell(causes.take(result, of: definition, pending: pending))
  }

  private func tell(_ judged: [CaseOutcome]) {
    for outcome in judged.map(expected) {
      // An unselected case is reported only if it is the cause for a selected one.
      if !selected.contains(outcome.description.id) {
        unselected.append(outcome)
        continue
      }
      if let cause = outcome.blockedBy { causeIDs.insert(cause) }
      report(outcome)
    }
  }

  private func report(_ outcome: CaseOutcome) {
    counts[outcome.verdict, default: 0] += 1
    outcomes.append(outcome)
    tell(.caseEnded(outcome))
  }

  /// Returns the outcome after applying the baseline.
  private func expected(_ outcome: CaseOutcome) -> CaseOutcome {
    var outcome = outcome
    if let baseline {
      switch baseline.judge(
        id: outcome.description.id, verdict: outcome.verdict, message: outcome.message, today: today)
      {
      case .expected(let reason):
        outcome.expected = reason
        outcome.verdict = .xfail
      case .unexpectedPass(let reason):
        outcome.expected = reason
        outcome.verdict = .xpass
      case .other: break
      }
    }
    return outcome
  }
}
