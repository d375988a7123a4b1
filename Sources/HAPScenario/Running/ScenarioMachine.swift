import HAPModel
import HAPVocabulary
import HAPWire

/// The state machine of a running scenario. It receives the time, events and the outcomes of commands, and returns
/// actions. It performs nothing itself.
///
/// Each step runs at the simulated time at which it is due. Steps that are due at the same time run in the order of the
/// file.
package final class ScenarioMachine {
  package enum Action: Equatable, Sendable {
    /// Perform a command. Its outcome is passed to `answered`.
    case perform(SimulatorCommand, ticket: Int)
    case note(String)
    /// The scenario has failed.
    case fail(ScenarioFailure)
    /// The scenario has ended, and all expectations were met.
    case end
  }

  private let scenario: Scenario
  private let world: any ScenarioWorld
  private let chance: () -> UInt64
  /// Whether simulated time is held while a controller is awaited.
  private let holdsTime: Bool
  private var branches: [Branch] = []
  private var begin = Duration.zero
  private var now = Duration.zero
  private var actions: [Action] = []
  private var log: [ScenarioLogEntry] = []
  private var lastTicket = 0
  private var lastWatch = 0
  private var isAtWork = false
  /// The number of steps since time passed for a branch, or since an event that no command caused.
  private var count = 0
  package private(set) var isOver = false

  /// The maximum number of steps at one time. More of them are an endless loop.
  private static let mostAtOnce = 100_000
  /// The maximum number of simultaneous branches.
  private static let mostBranches = 1000
  /// The maximum duration: 10,000 years, far below the limit of `Duration`.
  private static let longest = Duration.seconds(10_000 * 8766 * 3600)
  private static let logLength = 30

  /// - Parameters:
  ///   - chance: returns random numbers. Equal numbers give an equal run.
  ///   - holdsTime: whether the caller holds simulated time while the machine `awaitsController`.
  package init(
    _ scenario: Scenario, in world: any ScenarioWorld, holdsTime: Bool, chance: @escaping () -> UInt64
  ) {
    self.scenario = scenario
    self.world = world
    self.holdsTime = holdsTime
    self.chance = chance
  }

  // MARK: Inputs

  package func start(at time: Duration) {
    precondition(branches.isEmpty && !isOver, "a scenario can be started only once")
    begin = time
    now = time
    branches = [Branch(scenario.steps, since: now)]
    work()
  }

  package func advance(to time: Duration) {
    now = max(now, time)
    work()
  }

  package func heard(_ event: ScenarioEvent, at time: Duration) {
    now = max(now, time)
    note(event.text)
    // An event while no command is pending comes from outside, so it is no sign of an endless loop.
    if !isBusy { count = 0 }
    for branch in branches { branch.hear(event) }
    work()
  }

  /// - Parameter refusal: the reason why the command was refused; nil if it was carried out.
  package func answered(_ ticket: Int, _ refusal: String?, at time: Duration) {
    now = max(now, time)
    guard let branch = branches.first(where: { $0.state == .performing(ticket) }) else { return }
    if let refusal { return fail("the command was refused: \(refusal)", branch.step) }
    branch.stepIsOver(now)
    work()
  }

  /// Ends a wait for a controller, because the time limit on the machine's clock has passed.
  /// - Parameter number: the number of the wait in `controllerWaits`.
  package func controllerIsLate(_ number: Int) {
    for branch in branches where branch.watchNumber == number && branch.awaitsController { branch.isLate = true }
    work()
  }

  package func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  // MARK: Waits

  /// The next time at which the machine acts without an input.
  package var nextDeadline: Duration? {
    guard !isOver else { return nil }
    var deadline = scenario.limit.map { begin + $0 }
    for branch in branches {
      guard let own = branch.deadline(holdsTime) else { continue }
      deadline = min(deadline ?? own, own)
    }
    return deadline
  }

  /// Whether a command has not been answered.
  package var isBusy: Bool {
    branches.contains { if case .performing = $0.state { true } else { false } }
  }

  /// Whether a step can continue only after an action of a controller.
  package var awaitsController: Bool { !isOver && branches.contains(where: \.awaitsController) }

  /// The waits for controllers: a number for each, and its time limit on the machine's clock (nil: no limit).
  package var controllerWaits: [(number: Int, limit: Duration?)] {
    isOver ? [] : branches.filter(\.awaitsController).map { ($0.watchNumber, $0.limit) }
  }

  /// Whether a wait is not over, even if it does not depend on a controller at the moment.
  package func isWaiting(_ number: Int) -> Bool {
    branches.contains { $0.watchNumber == number && $0.watch != nil }
  }

  // MARK: Work

  private func work() {
    guard !isOver, !isAtWork, !branches.isEmpty else { return }
    isAtWork = true
    defer { isAtWork = false }
    var goesOn = true
    while goesOn, !isOver {
      goesOn = false
      for branch in branches where !isOver {
        while !isOver, progress(branch) {
          goesOn = true
          count += 1
          if count > Self.mostAtOnce {
            return fail("the steps here run endlessly without time passing", branch.step)
          }
        }
      }
      branches.removeAll { $0.state == .done }
      if branches.count > Self.mostBranches {
        return fail("more than \(Self.mostBranches) branches run at the same time", branches.last?.step)
      }
      if !isOver, !branches.contains(where: { !$0.isBackground }) {
        isOver = true
        actions.append(.end)
      }
    }
    if !isOver, now - begin > Self.longest {
      return fail("the scenario has run for ten thousand years", branches.first?.step)
    }
    if !isOver, let limit = scenario.limit, now >= begin + limit {
      let at = branches.first { !$0.isBackground }?.step
      fail("the scenario is not finished after \(limit.roundText)", at)
    }
  }

  private func fail(_ message: String, _ step: ScenarioStep?) {
    guard !isOver else { return }
    isOver = true
    let place = step?.place ?? JSONPlace(line: 1, column: 1)
    actions.append(.fail(ScenarioFailure(place: place, time: now - begin, message: message, log: log)))
    branches = []
  }

  private func note(_ text: String) {
    log.append(ScenarioLogEntry(time: now - begin, text: text))
    if log.count > Self.logLength { log.removeFirst() }
  }

  /// - Returns: whether the branch made progress.
  private func progress(_ branch: Branch) -> Bool {
    switch branch.state {
    case .done, .performing: return false
    case .joining:
      guard branch.children.allSatisfy({ $0.state == .done }) else { return false }
      branch.children = []
      branch.forget()
      branch.stepIsOver(now)
      return true
    case .ready:
      guard let step = branch.nextStep() else { return endOfRound(branch) }
      begin(step, on: branch)
      return true
    case .waiting(let until):
      guard now >= until else { return false }
      timePassed(branch)
      carryOut(branch)
      return true
    case .pausing(let until):
      guard now >= until else { return false }
      timePassed(branch)
      branch.state = .ready
      return true
    case .watching(let purpose): return look(purpose, branch)
    }
  }

  private func timePassed(_ branch: Branch) {
    count = 0
    branch.forget()
  }

  // MARK: Start of steps

  private func begin(_ step: ScenarioStep, on branch: Branch) {
    switch step.start {
    case .atOnce: carryOut(branch)
    case .at(let time): wait(until: begin + time, branch)
    case .after(let span): wait(until: branch.freeSince + draw(span), branch)
    case .when(let condition, let within): watch(condition, .start, within, on: branch)
    }
  }

  private func wait(until time: Duration, _ branch: Branch) {
    if time > now { branch.state = .waiting(until: time) } else { carryOut(branch) }
  }

  private func watch(
    _ condition: ScenarioCondition, _ purpose: Branch.Purpose, _ within: Duration?, on branch: Branch
  ) {
    do throws(ScenarioTrouble) {
      branch.watch = try ConditionWatch(condition, world)
      branch.watchedSince = now
      branch.limit = within
      branch.isLate = false
      lastWatch += 1
      branch.watchNumber = lastWatch
      branch.state = .watching(purpose)
      switch purpose {
      case .start, .expectation: branch.recall()
      case .refusal, .rule, .rearming: break
      }
    } catch {
      fail(error.message, branch.step)
    }
  }

  private func look(_ purpose: Branch.Purpose, _ branch: Branch) -> Bool {
    guard let watch = branch.watch else { preconditionFailure("a watching branch has a watch") }
    if watch.isFulfilled {
      switch purpose {
      case .start: carryOut(branch)
      case .expectation: branch.stepIsOver(now)
      case .refusal:
        let since = now - branch.watchedSince
        fail("\(watch.condition): must not occur, but occurred after \(since.shortText)", branch.step)
      case .rule(let steps):
        branch.forget()
        branch.state = .ready
        branch.push(steps, .init(), now)
      case .rearming: return false
      }
      return true
    }
    if case .rearming = purpose {
      // The condition must become false before it can become true again.
      branch.state = .ready
      return true
    }
    let isDue = branch.isLate || branch.deadline(holdsTime).map { now >= $0 } ?? false
    guard isDue else { return false }
    switch purpose {
    case .refusal:
      timePassed(branch)
      branch.stepIsOver(now)
    case .start, .expectation:
      let time = branch.limit.flatMap { $0 > .zero ? " within \($0.roundText)" : nil } ?? ""
      fail("expected\(time): \(watch.condition); \(watch.finding)", branch.step)
    case .rule, .rearming: return false
    }
    return true
  }

  // MARK: Actions

  private func carryOut(_ branch: Branch) {
    branch.watch = nil
    guard let step = branch.step else { preconditionFailure("a branch that carries out a step has a step") }
    switch step.action {
    case .nothing: branch.stepIsOver(now)
    case .command(let step):
      lastTicket += 1
      branch.forget()
      branch.state = .performing(lastTicket)
      note("command \(step.command.text)")
      actions.append(.perform(step.command, ticket: lastTicket))
    case .note(let text):
      note(text)
      actions.append(.note(text))
      branch.stepIsOver(now)
    case .expect(let condition, let within): watch(condition, .expectation, within, on: branch)
    case .never(let condition, let time): watch(condition, .refusal, time, on: branch)
    case .steps(let steps, let repetition):
      branch.state = .ready
      branch.push(steps, repetition, now)
      branch.frames[branch.frames.count - 1].isEntered = false
    case .together(let lists): fork(branch, lists)
    case .choose(let lists):
      branch.state = .ready
      branch.push(lists[Int(draw(below: UInt64(lists.count)))], .init(), now)
    case .whenever(let condition, let steps):
      let rule = Branch([], since: now)
      rule.isBackground = true
      rule.rule = (condition, steps, step)
      branches.append(rule)
      branch.stepIsOver(now)
    }
  }

  private func fork(_ branch: Branch, _ lists: [[ScenarioStep]]) {
    branch.children = lists.map { branch.fork($0, now) }
    branches += branch.children
    branch.state = .joining
  }

  /// Handles the end of a list of steps: repeats it, or continues the step that contains it.
  private func endOfRound(_ branch: Branch) -> Bool {
    if let (condition, steps, step) = branch.rule, branch.frames.count == 1 {
      branch.standIn = step
      // After the steps, a value condition must become false before the rule can run again. An event can occur again
      // immediately.
      if branch.hasRun {
        branch.hasRun = false
        watch(condition, .rearming, nil, on: branch)
        return true
      }
      branch.hasRun = true
      watch(condition, .rule(steps), nil, on: branch)
      return true
    }
    guard var frame = branch.frames.last else { preconditionFailure("a branch without frames is done") }
    if frame.isEntered { frame.rounds += 1 }
    guard frame.repetition.times.map({ frame.rounds < $0 }) ?? true else {
      branch.pop(now)
      return true
    }
    var due = now
    if let every = frame.repetition.every, frame.isEntered { due = max(now, frame.begun + draw(every)) }
    frame.isEntered = true
    frame.begun = due
    frame.next = frame.repetition.chance >= 100 || roll() * 100 < frame.repetition.chance ? 0 : frame.steps.count
    branch.frames[branch.frames.count - 1] = frame
    branch.freeSince = due
    branch.state = due > now ? .pausing(until: due) : .ready
    return true
  }

  // MARK: Randomness

  private func draw(_ span: DurationSpan) -> Duration {
    span.least == span.most ? span.least : span.least + (span.most - span.least) * roll()
  }

  /// Returns a random number from 0 to 1.
  private func roll() -> Double { Double(chance() >> 11) / Double(1 << 53) }

  private func draw(below bound: UInt64) -> UInt64 { chance() % bound }
}
