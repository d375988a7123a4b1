import HAPHome
import HAPModel

/// The PUTs for one connection: at most one is sent, the others wait in the order of the starts.
struct SceneLane {
  /// A PUT that was not sent yet.
  struct Waiting {
    let ticket: SceneTicket
    let since: Duration
    let plan: ScenePutPlan
  }

  /// The PUT that was sent.
  struct Sent {
    let ticket: SceneTicket
    let number: Int
    let plan: ScenePutPlan
    let deadline: Duration
  }

  enum State {
    /// Next: `sent`, if a PUT waits; `connecting`, if the connection is lost.
    case ready
    /// A PUT was sent. Next: `ready`, after its answer; `connecting`, if there is none.
    case sent(Sent)
    /// There has been no connection since this time. Next: `ready`.
    case connecting(since: Duration)
  }

  var state: State
  /// The waiting PUTs, after at most as many that were sent.
  private(set) var queue: [Waiting] = []
  /// The number of elements at the start of the queue that were sent.
  private var head = 0

  init(state: State) { self.state = state }

  /// Whether no PUT waits.
  var isEmpty: Bool { next == nil }

  /// The PUT that is sent next.
  private var next: Waiting? { head < queue.count ? queue[head] : nil }

  /// The time at which the lane acts without an input.
  func deadline(_ policy: ScenePolicy) -> Duration? {
    switch state {
    case .ready: nil
    case .sent(let sent): sent.deadline
    // The queue is in the order of the starts, so the first one is due first.
    case .connecting(let since): next.map { max(since, $0.since) + policy.connectionLimit }
    }
  }

  mutating func append(_ waiting: Waiting) { queue.append(waiting) }

  /// Removes the PUT that is sent next.
  mutating func takeNext() -> Waiting? {
    guard let next else { return nil }
    head += 1
    if head * 2 >= queue.count {
      queue.removeFirst(head)
      head = 0
    }
    return next
  }
}
