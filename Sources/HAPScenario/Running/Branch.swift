import HAPWire

/// One branch of a running scenario: its current steps, and the condition or time that it waits for.
final class Branch {
  /// The purpose of watching a condition.
  enum Purpose {
    /// The condition starts the step.
    case start
    case expectation
    /// The condition must not occur.
    case refusal
    /// The condition runs the steps each time it occurs.
    case rule([ScenarioStep])
    /// The rule waits until its condition is false again.
    case rearming
  }

  enum State {
    case ready
    /// Waits until its step is due.
    case waiting(until: Duration)
    /// Waits until its next round is due.
    case pausing(until: Duration)
    case watching(Purpose)
    case performing(Int)
    /// Waits until its children are done.
    case joining
    case done
  }

  /// A list of steps that is being run.
  struct Frame {
    let steps: [ScenarioStep]
    let repetition: ScenarioStep.Repetition
    var next = 0
    var rounds = 0
    /// The start of this round.
    var begun: Duration
    /// Whether the first round has begun.
    var isEntered = true
  }

  var frames: [Frame]
  var state = State.ready
  /// The end of the previous step.
  var freeSince: Duration
  var children: [Branch] = []
  /// Whether the scenario can end without this branch.
  var isBackground = false
  /// The rule of a `whenever`.
  var rule: (condition: ScenarioCondition, steps: [ScenarioStep], step: ScenarioStep)?
  var hasRun = false
  var watch: ConditionWatch?
  var watchedSince = Duration.zero
  /// The unique number of the watch.
  var watchNumber = 0
  /// The time limit of the watch.
  var limit: Duration?
  var isLate = false
  /// The events since the last command, or since the branch last waited for time. A command's effects can precede its
  /// answer.
  private(set) var recent: [ScenarioEvent] = []
  /// The step to report while no step of a list is current.
  var standIn: ScenarioStep?

  init(_ steps: [ScenarioStep], since now: Duration) {
    frames = [Frame(steps: steps, repetition: .init(), begun: now)]
    freeSince = now
  }

  /// The current step.
  var step: ScenarioStep? {
    if let standIn { return standIn }
    guard let frame = frames.last, frame.next > 0 else { return nil }
    return frame.steps[frame.next - 1]
  }

  /// Advances to the next step and returns it; nil at the end of a list.
  func nextStep() -> ScenarioStep? {
    guard let frame = frames.last, frame.isEntered, frame.next < frame.steps.count else { return nil }
    standIn = nil
    frames[frames.count - 1].next += 1
    return frame.steps[frame.next]
  }

  func push(_ steps: [ScenarioStep], _ repetition: ScenarioStep.Repetition, _ now: Duration) {
    standIn = nil
    frames.append(Frame(steps: steps, repetition: repetition, begun: now))
    freeSince = now
  }

  /// Ends the last list, and the step that it belongs to.
  func pop(_ now: Duration) {
    frames.removeLast()
    if frames.isEmpty { state = .done } else { stepIsOver(now) }
  }

  func stepIsOver(_ now: Duration) {
    watch = nil
    limit = nil
    freeSince = now
    state = .ready
  }

  private static let mostRecent = 1000

  func hear(_ event: ScenarioEvent) {
    if watch?.hear(event) == true { return }
    switch state {
    // Events during a wait for time are in the past afterwards. A waiting rule has no command whose effects could be
    // early.
    case .waiting, .pausing, .watching(.rule), .watching(.rearming): return
    case .ready, .performing, .watching, .joining, .done: break
    }
    recent.append(event)
    if recent.count > Self.mostRecent { recent.removeFirst() }
  }

  /// Offers the past events to the watch.
  func recall() {
    recent.removeAll { watch?.hear($0) ?? false }
  }

  func forget() { recent = [] }

  /// Creates a branch with the same past events.
  func fork(_ steps: [ScenarioStep], _ now: Duration) -> Branch {
    let child = Branch(steps, since: now)
    child.isBackground = isBackground
    child.recent = recent
    return child
  }

  /// Whether only a controller's action can continue the branch.
  var awaitsController: Bool {
    guard case .watching(let purpose) = state, let watch else { return false }
    switch purpose {
    case .start, .expectation: return !watch.isFulfilled && watch.isOutside
    case .refusal, .rule, .rearming: return false
    }
  }

  /// Returns the time at which the branch continues in any case.
  /// - Parameter holdsTime: whether simulated time is held while a controller is awaited.
  func deadline(_ holdsTime: Bool) -> Duration? {
    switch state {
    case .waiting(let until), .pausing(let until): return until
    case .watching:
      guard let limit, !(holdsTime && awaitsController) else { return nil }
      return watchedSince + limit
    case .ready, .performing, .joining, .done: return nil
    }
  }
}

extension Branch.State: Equatable {
  static func == (a: Branch.State, b: Branch.State) -> Bool {
    switch (a, b) {
    case (.performing(let one), .performing(let other)): one == other
    case (.done, .done): true
    default: false
    }
  }
}
