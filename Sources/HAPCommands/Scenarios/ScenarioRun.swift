import HAPDevices
import HAPHost
import HAPLoop
import HAPModel
import HAPScenario
import HAPVocabulary
import HAPWire

/// A running scenario. Its commands go to the accessories, and the events of the accessories go to the scenario.
///
/// Belongs to the loop's thread.
package final class ScenarioRun {
  /// The result.
  package enum Outcome: Sendable {
    case passed
    case failed(ScenarioFailure)
  }

  private enum Input {
    case began
    case time
    case event(ScenarioEvent, at: Duration)
    case answer(ticket: Int, refusal: String?)
    case lateController(Int)
  }

  private let clock: SimulationClock
  private let loop: EventLoop
  private let dispatcher: CommandDispatcher
  private let machine: ScenarioMachine
  private var inputs: [Input] = []
  private var isDraining = false
  private var isScheduled = false
  private var isOver = false
  private let timer: SimulationTimer
  /// The timer for controllers. It uses the machine's clock, because simulated time is held while a controller is
  /// awaited.
  private let patience: LoopTimer
  /// The deadline of each wait for a controller, on the machine's clock. A wait keeps its deadline while it does not
  /// depend on a controller.
  private var controllerDeadlines: [Int: Duration] = [:]
  /// Called with each `note` and the simulated time.
  package var onNote: ((String, Duration) -> Void)?
  /// Called once, at the end.
  package var onEnd: ((Outcome, Duration) -> Void)?

  /// Returns the names in a scenario that match nothing in the served accessories: see `Scenario.wordProblems`.
  package static func wordProblems(
    of scenario: Scenario, on simulation: Simulation, _ dispatcher: CommandDispatcher
  ) -> [JSONProblem] {
    scenario.wordProblems(in: RunningWorld(simulation, dispatcher))
  }

  /// - Parameter seed: the random seed if the scenario has none.
  package init(
    _ scenario: Scenario, on simulation: Simulation, _ dispatcher: CommandDispatcher, seed: UInt64
  ) {
    clock = simulation.clock
    loop = simulation.loop
    self.dispatcher = dispatcher
    var random = SimulationRandom(seed: scenario.seed ?? seed)
    machine = ScenarioMachine(
      scenario, in: RunningWorld(simulation, dispatcher), holdsTime: simulation.clock.pace == .jumping,
      chance: { random.next() })
    timer = SimulationTimer(simulation.clock, onFire: {})
    patience = LoopTimer(simulation.loop)
    timer.setAction { [unowned self] in take(.time) }
    patience.onFire = { [unowned self] in
      for (number, deadline) in controllerDeadlines.sorted(by: { $0.key < $1.key }) where deadline <= realNow {
        take(.lateController(number))
      }
    }
  }

  /// Starts the scenario. The first steps run immediately.
  package func start() { take(.began) }

  /// Stops the scenario without further calls or actions.
  package func close() {
    isOver = true
    inputs = []
    onEnd = nil
    onNote = nil
    timer.close()
    patience.close()
  }

  /// Takes an event of an accessory. It is processed after the accessory has finished its work; no simulated time
  /// passes until then.
  package func hear(_ event: SimulatorEvent) {
    guard !isOver else { return }
    inputs.append(.event(ScenarioEvent(event), at: clock.now))
    drainLater()
  }

  private func drainLater() {
    guard !isScheduled, !isDraining else { return }
    isScheduled = true
    clock.isHeld = true
    loop.later { [weak self] in
      self?.isScheduled = false
      self?.drain()
    }
  }

  private func take(_ input: Input) {
    guard !isOver else { return }
    inputs.append(input)
    drain()
  }

  private func drain() {
    guard !isDraining, !isOver else { return }
    isDraining = true
    // After 1000 inputs, other work on the loop gets its turn.
    var left = 1000
    while !inputs.isEmpty, !isOver, left > 0 {
      left -= 1
      give(inputs.removeFirst())
      for action in machine.takeActions() { perform(action) }
    }
    isDraining = false
    if isOver { return }
    if !inputs.isEmpty { return drainLater() }
    settle()
  }

  private func give(_ input: Input) {
    switch input {
    case .began: machine.start(at: clock.now)
    case .time: machine.advance(to: clock.now)
    case .event(let event, let time): machine.heard(event, at: time)
    case .answer(let ticket, let refusal): machine.answered(ticket, refusal, at: clock.now)
    case .lateController(let number): machine.controllerIsLate(number)
    }
  }

  private func perform(_ action: ScenarioMachine.Action) {
    switch action {
    case .perform(let command, let ticket):
      let bound = LoopBound(here: loop, Weak(self))
      dispatcher.take(command) { outcome in bound.value.object?.answered(ticket, outcome) }
    case .note(let text): onNote?(text, clock.now)
    case .fail(let failure): end(.failed(failure))
    case .end: end(.passed)
    }
  }

  private func answered(_ ticket: Int, _ outcome: CommandOutcome) {
    guard !isOver else { return }
    var refusal: String?
    if case .failure(let error) = outcome { refusal = error.message }
    inputs.append(.answer(ticket: ticket, refusal: refusal))
    if !isDraining { drainLater() }
  }

  private func end(_ outcome: Outcome) {
    let tell = onEnd
    let now = clock.now
    close()
    // After the end, nothing makes time jump: only commands advance it.
    clock.standStill()
    tell?(outcome, now)
  }

  /// Sets the timers after all possible work is done. Simulated time then continues unless it is held.
  private func settle() {
    if let deadline = machine.nextDeadline {
      timer.start(after: deadline - clock.now)
    } else {
      timer.cancel()
    }
    guard clock.pace == .jumping else { return }
    let awaited = machine.controllerWaits
    controllerDeadlines = controllerDeadlines.filter { machine.isWaiting($0.key) }
    for (number, limit) in awaited {
      if let limit, controllerDeadlines[number] == nil { controllerDeadlines[number] = realNow + limit }
    }
    if let next = awaited.compactMap({ controllerDeadlines[$0.number] }).min() {
      patience.start(after: max(.zero, next - realNow))
    } else {
      patience.cancel()
    }
    clock.isHeld = machine.isBusy || machine.awaitsController
  }

  private var realNow: Duration { .nanoseconds(Int64(clamping: loop.now)) }
}

extension ScenarioEvent {
  package init(_ event: SimulatorEvent) {
    var members: [(name: String, value: Value)] = []
    event.forEachMember { name, member in
      if case .value(let value) = member { members.append((name, value.asWritten)) }
    }
    self.init(event.name, accessory: event.accessory, members: members, text: event.text)
  }
}
