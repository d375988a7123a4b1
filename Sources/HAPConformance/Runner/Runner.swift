import HAPExpectation
import HAPLoop
import HAPReport
import HAPSuite
import HAPWire

/// Runs a plan: brings the accessory into the states that cases want, runs them one by one or side by side, and leaves it as it was found.
///
/// An actor on the loop's thread. What it does is told as events, in order; a run that is cancelled still tidies up.
package actor Runner {
  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let device: TestedAccessory
  private let world: CaseWorld
  private let options: RunOptions
  private let baseline: Baseline?
  private let today: String?
  private let tell: @Sendable (RunEvent) -> Void
  private let keeper: Keeper

  private var counts: [Verdict: Int] = [:]
  private var outcomes: [CaseOutcome] = []
  private var leftovers: [String] = []
  /// Nothing more runs.
  private var isLost = false
  private var wasInterrupted = false
  /// Why there is no pairing, or none with which a session comes about.
  private var noPairing: String?
  /// Services that cases side by side are busy with.
  private var taken: Set<SubjectFinder.ServiceKey> = []

  /// - Parameters:
  ///   - tell: told every event, on the loop.
  ///   - today: "2026-11-21", for entries of the baseline that expire.
  package init(
    _ device: TestedAccessory, world: CaseWorld, options: RunOptions, baseline: Baseline? = nil, today: String? = nil,
    tell: @escaping @Sendable (RunEvent) -> Void
  ) {
    loop = device.loop
    self.device = device
    self.world = world
    self.options = options
    self.baseline = baseline
    self.today = today
    self.tell = tell
    keeper = Keeper(device: device, world: world, seed: options.seed)
  }

  /// Whether the accessory can be reached, and whether somebody else's controller is paired with it. Before the plan is made.
  /// - Parameter isDeclared: whether its record, its ready line or the user says that it is an accessory. Another is
  ///   tested only if an answer looks like HAP.
  /// - Throws: when it doesn't answer, and when no HAP accessory does.
  package func look(isDeclared: Bool) async throws(Unreachable) -> (isForeign: Bool, isBorrowed: Bool) {
    do throws(Keeper.Refusal) {
      try await keeper.isThere()
      if !isDeclared { try await keeper.lookForHAP() }
      if device.owner != nil {
        try await keeper.noteForeignPairings()
        return (false, true)
      }
      // What answers nonsense is paired with nobody as far as can be told; the cases will say what it answers.
      return ((try? await keeper.isPairedWithSomebody()) ?? false, false)
    } catch {
      let place = "\(device.address)"
      let message =
        switch error.absence {
        case .otherServer: "no HAP accessory answers at \(place). \(error.message)"
        case .noAnswer:
          "nothing answers at \(place). \(error.message). "
            + "If an accessory is there, restart it; --txt sf=1 tests it as it is"
        case nil: "\(place) can't be reached: \(error.message)"
        }
      throw Unreachable(message: message)
    }
  }

  /// - `message`: with the address.
  package struct Unreachable: Error, Equatable { package var message: String }

  /// How the run went as a whole.
  package struct Result: Sendable {
    package var outcomes: [CaseOutcome]
    package var isLost: Bool
    package var wasInterrupted: Bool
  }

  /// Runs all of it.
  package func run(_ plan: Plan, header: RunHeader) async -> Result {
    let start = device.now
    tell(.began(header))
    tell(.planned(plan.planned))
    for entry in plan.entries {
      if let reason = entry.skipReason { conclude(CaseOutcome(entry.definition.description, .skip, message: reason)) }
      if let reason = entry.errorReason { conclude(CaseOutcome(entry.definition.description, .error, message: reason)) }
    }
    let entries = plan.entries.filter { $0.skipReason == nil && $0.errorReason == nil }
    for phase in Set(entries.map { Plan.phase($0.definition) }).sorted() {
      guard mayGoOn else { break }
      let group = entries.filter { Plan.phase($0.definition) == phase }
      if phase == 3 { await sideBySide(group) } else { await oneByOne(group) }
    }
    if wasInterrupted || Task.isCancelled {
      wasInterrupted = true
      tell(.interrupted)
    }
    if !isLost { await leave() }
    tell(.ended(RunSummary(duration: device.now - start, counts: counts, leftovers: leftovers)))
    return Result(outcomes: outcomes, isLost: isLost, wasInterrupted: wasInterrupted)
  }

  private var mayGoOn: Bool {
    if Task.isCancelled { wasInterrupted = true }
    return !isLost && !wasInterrupted
  }

  // MARK: Cases

  private func oneByOne(_ entries: [Plan.Entry]) async {
    for entry in entries where mayGoOn {
      guard await prepare(entry) else { continue }
      switch find(entry, taken: []) {
      case .skip(let reason): conclude(CaseOutcome(entry.definition.description, .skip, message: reason))
      case .error(let reason): conclude(CaseOutcome(entry.definition.description, .error, message: reason))
      case .busy: preconditionFailure("nothing is taken")
      case .ready(let found, _): await repeated(entry, found)
      }
      await checkLife(behind: entry.definition.id)
    }
  }

  /// Cases that only use what they are given, a few at a time.
  private func sideBySide(_ entries: [Plan.Entry]) async {
    var waiting = entries
    if entries.contains(where: { $0.definition.needs.state == .paired }) { waiting = await pairOrSkip(entries) }
    var running = 0
    await withTaskGroup(of: Set<SubjectFinder.ServiceKey>.self) { group in
      while mayGoOn {
        var index = 0
        while index < waiting.count, running < max(1, options.lanes) {
          let entry = waiting[index]
          switch find(entry, taken: taken) {
          case .skip(let reason):
            waiting.remove(at: index)
            conclude(CaseOutcome(entry.definition.description, .skip, message: reason))
          case .error(let reason):
            waiting.remove(at: index)
            conclude(CaseOutcome(entry.definition.description, .error, message: reason))
          case .busy: index += 1
          case .ready(let found, let services):
            waiting.remove(at: index)
            taken.formUnion(services)
            running += 1
            group.addTask {
              await self.repeated(entry, found)
              return services
            }
          }
        }
        guard running > 0, let services = await group.next() else { break }
        running -= 1
        taken.subtract(services)
        if outcomes.last.map({ $0.verdict == .fail || $0.verdict == .error }) ?? false {
          await checkLife(behind: outcomes.last?.description.id ?? "")
        }
      }
      for await services in group { taken.subtract(services) }
    }
    if mayGoOn { await checkLife(behind: "the cases that ran side by side") }
  }

  private enum Readiness {
    case ready([(name: String, value: JSONNode)], Set<SubjectFinder.ServiceKey>)
    case busy
    case skip(String)
    case error(String)
  }

  /// Looks for what a case wants in the database.
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
        switch try finder.find(member.value, among: { name in found.first { $0.name == name }?.value }) {
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

  /// A case as often as it is to be repeated; its outcome is the first that isn't as the others, or the last.
  private func repeated(_ entry: Plan.Entry, _ found: [(name: String, value: JSONNode)]) async {
    tell(.caseBegan(id: entry.definition.id))
    let keeper = keeper
    var all: [CaseOutcome] = []
    for turn in 0..<max(1, options.repetitions) where !Task.isCancelled || all.isEmpty {
      // A case that pairs or unpairs leaves another state than the next turn wants.
      if turn > 0, !entry.definition.isShared, await !isBroughtBack(entry) { break }
      var options = options
      let number = options.firstTurn + turn
      options.seed = options.seed &+ UInt64(number)
      let execution = CaseExecution(entry: entry, device: device, world: world, options: options, found: found) {
        [loop] run in
        // Tidying up goes on when the run is cancelled.
        await loop.startTask { await keeper.tidy(behind: run) }.value
      }
      var outcome = await execution.run()
      outcome.turn = number
      // One that was interrupted says nothing beside whole ones.
      if Task.isCancelled, outcome.verdict == .skip, !all.isEmpty { break }
      all.append(outcome)
    }
    var outcome = all[all.count - 1]
    outcome.repetitions = all.map(\.verdict)
    if Set(outcome.repetitions).count > 1 {
      if let failed = all.first(where: { $0.verdict == .fail || $0.verdict == .error }) { outcome = failed }
      outcome.repetitions = all.map(\.verdict)
      outcome.verdict = .flaky
      let good = all.count { $0.verdict != .fail && $0.verdict != .error }
      outcome.message = "\(good) of \(all.count) times it held: \(outcome.message)"
    }
    conclude(outcome)
  }

  /// Holds an outcome against the baseline, and tells it.
  private func conclude(_ outcome: CaseOutcome) {
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
    counts[outcome.verdict, default: 0] += 1
    outcomes.append(outcome)
    tell(.caseEnded(outcome))
  }

  // MARK: States

  /// Brings the accessory into the state that a case wants; where that fails the case is skipped.
  private func prepare(_ entry: Plan.Entry) async -> Bool {
    do throws(Keeper.Refusal) {
      switch entry.definition.needs.state {
      case .any: return true
      case .unpaired:
        try await keeper.unpair()
        return true
      case .paired: return await !pairOrSkip([entry]).isEmpty
      }
    } catch {
      conclude(CaseOutcome(entry.definition.description, .skip, message: "it can't be unpaired: \(error.message)"))
      return false
    }
  }

  /// The state that a case wants, once more.
  private func isBroughtBack(_ entry: Plan.Entry) async -> Bool {
    do throws(Keeper.Refusal) {
      switch entry.definition.needs.state {
      case .any: break
      case .unpaired: try await keeper.unpair()
      case .paired: try await keeper.pair()
      }
      return true
    } catch { return false }
  }

  /// Pairs; what needs more than there is then is skipped, with the reason.
  /// - Returns: what can run.
  private func pairOrSkip(_ entries: [Plan.Entry]) async -> [Plan.Entry] {
    if noPairing == nil {
      let wasPaired = device.owner != nil
      do throws(Keeper.Refusal) {
        try await keeper.pair()
        if !wasPaired { tell(.note("paired")) }
        return entries
      } catch {
        noPairing = error.message
        tell(
          .note("\(device.owner == nil ? "Pair Setup failed" : "paired, but there is no session"): \(error.message)"))
      }
    }
    // With a pairing alone, what sessions are built on can still be judged.
    let isPaired = device.owner != nil
    var ready: [Plan.Entry] = []
    for entry in entries {
      let needs = entry.definition.needs
      if needs.state != .paired || (isPaired && needs.isBelowSessions) {
        ready.append(entry)
      } else {
        let what = isPaired ? "session" : "pairing"
        conclude(
          CaseOutcome(entry.definition.description, .skip, message: "there is no \(what): \(noPairing ?? "")"))
      }
    }
    return ready
  }

  /// A dead accessory passes no further case, and fails none.
  private func checkLife(behind id: String) async {
    guard mayGoOn else { return }
    let lastSent = device.lastSent
    var reason = ""
    // It may be restarting, or have its hands full for a moment.
    for _ in 0..<3 {
      do throws(Keeper.Refusal) { return try await keeper.isAlive() } catch { reason = error.message }
      if Task.isCancelled { return }
      try? await loop.sleep(for: .seconds(1))
    }
    isLost = true
    tell(.lost(reason: "behind \(id): \(reason)", lastSent: lastSent.title, bytes: Array(lastSent.bytes.prefix(4096))))
  }

  /// Leaves the accessory as it was found: without the tester's pairing, unless the tester came with it.
  private func leave() async {
    let keeper = keeper
    let isBorrowed = device.isBorrowed
    let problem: String? = await loop.startTask {
      do throws(Keeper.Refusal) {
        if !isBorrowed { try await keeper.unpair() }
        return nil
      } catch { return error.message }
    }.value
    if let problem { leftovers.append("the tester's pairing could not be removed: \(problem)") }
  }
}
