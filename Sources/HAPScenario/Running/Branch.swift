import HAPWire

/// One strand of a running scenario: the steps it is in, and what it waits for.
final class Branch {
  /// What a condition is watched for.
  enum Purpose {
    /// The step is carried out then.
    case start
    case expectation
    /// It must not come.
    case refusal
    /// Steps are carried out each time.
    case rule([ScenarioStep])
    /// The same, when it is not so any more.
    case rearming
  }

  enum State {
    case ready
    /// Until its step is due.
    case waiting(until: Duration)
    /// Until its next round is.
    case pausing(until: Duration)
    case watching(Purpose)
    case performing(Int)
    /// Until its children are done.
    case joining
    case done
  }

  /// A list of steps.
  struct Frame {
    let steps: [ScenarioStep]
    let repetition: ScenarioStep.Repetition
    var next = 0
    var rounds = 0
    /// When this round began.
    var begun: Duration
    /// False before the first round.
    var isEntered = true
  }

  var frames: [Frame]
  var state = State.ready
  /// When the step before was over.
  var freeSince: Duration
  var children: [Branch] = []
  /// It is of no account for the scenario's end.
  var isBackground = false
  /// Of a `whenever`.
  var rule: (condition: ScenarioCondition, steps: [ScenarioStep], step: ScenarioStep)?
  var hasRun = false
  var watch: Watch?
  var watchedSince = Duration.zero
  /// Each watch has its own.
  var watchNumber = 0
  /// How long that may take.
  var limit: Duration?
  var isLate = false
  /// What happened since its last command, or since it last waited for time: a command's consequences may be there before its answer.
  private(set) var recent: [ScenarioEvent] = []
  /// Stands for the step where there is none.
  var standIn: ScenarioStep?

  init(_ steps: [ScenarioStep], since now: Duration) {
    frames = [Frame(steps: steps, repetition: .init(), begun: now)]
    freeSince = now
  }

  /// The step that it is at.
  var step: ScenarioStep? {
    if let standIn { return standIn }
    guard let frame = frames.last, frame.next > 0 else { return nil }
    return frame.steps[frame.next - 1]
  }

  /// Takes the next step; nil at the end of a list.
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

  /// The last list is over, and with it the step that it belongs to.
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
    // What happens while time passes is past when it has; who waits for a rule's turn has no command behind it.
    case .waiting, .pausing, .watching(.rule), .watching(.rearming): return
    case .ready, .performing, .watching, .joining, .done: break
    }
    recent.append(event)
    if recent.count > Self.mostRecent { recent.removeFirst() }
  }

  /// Lets what it waits for know of what happened already.
  func recall() {
    recent.removeAll { watch?.hear($0) ?? false }
  }

  func forget() { recent = [] }

  /// A strand of its own, which knows what this one knows.
  func fork(_ steps: [ScenarioStep], _ now: Duration) -> Branch {
    let child = Branch(steps, since: now)
    child.isBackground = isBackground
    child.recent = recent
    return child
  }

  /// It can't go on but for what a controller does.
  var awaitsController: Bool {
    guard case .watching(let purpose) = state, let watch else { return false }
    switch purpose {
    case .start, .expectation: return !watch.isFulfilled && watch.isOutside
    case .refusal, .rule, .rearming: return false
    }
  }

  /// When it goes on, whatever happens.
  /// - Parameter holdsTime: no simulated time passes while a controller is waited for.
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
