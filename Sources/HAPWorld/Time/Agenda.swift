import Synchronization

/// The queue of scheduled actions in a world, and the world's clock.
///
/// Actions run in the order of their times. The seed determines the order of actions with equal times. No code here
/// reads a real clock; the time moves only in `runNext()`.
package final class Agenda {
  /// The identity of a scheduled action. It has no effect after the action has run.
  package struct Token: Hashable, Sendable {
    fileprivate let slot: UInt32
    fileprivate let generation: UInt32
  }

  /// The time in nanoseconds since the world began. Any thread may read it.
  package var now: UInt64 { clock.load(ordering: .relaxed) }
  private let clock = Atomic<UInt64>(0)
  package let trace = Trace()
  package let seed: UInt64
  private var ties: WorldRandom
  private var sequence: UInt64 = 0
  private var queue = AgendaQueue()

  package init(seed: UInt64) {
    self.seed = seed
    ties = WorldRandom(seed: seed).fork("agenda")
  }

  /// The number of actions that wait.
  package var count: Int { queue.count }
  /// The number of allocated slots: the maximum number of actions that have waited at the same time.
  var slotCount: Int { queue.slots.count }
  /// The time of the next action; nil: none waits.
  package var nextTime: UInt64? { queue.first?.time }

  /// Schedules an action. If the time is in the past, the action runs now.
  /// - Parameter owner: a number for `cancelAll(owner:)`; 0: none.
  @discardableResult
  package func schedule(at time: UInt64, owner: UInt64 = 0, _ action: @escaping () -> Void) -> Token {
    sequence += 1
    let place = queue.insert(time: max(time, now), tie: ties.next(), sequence: sequence, owner: owner, action)
    return Token(slot: place.slot, generation: place.generation)
  }

  /// Schedules an action after a delay in nanoseconds. A time after the end of the clock is replaced by the end.
  @discardableResult
  package func schedule(after delay: UInt64, owner: UInt64 = 0, _ action: @escaping () -> Void) -> Token {
    let (time, overflow) = now.addingReportingOverflow(delay)
    return schedule(at: overflow ? .max : time, owner: owner, action)
  }

  /// Removes an action that has not run yet, and releases it.
  /// - Returns: whether it was still waiting.
  @discardableResult
  package func cancel(_ token: Token) -> Bool {
    guard isWaiting(token) else { return false }
    _ = queue.remove(slot: token.slot)
    return true
  }

  /// Returns whether the action has neither run nor been cancelled.
  package func isWaiting(_ token: Token) -> Bool {
    queue.isWaiting(token.slot, token.generation)
  }

  /// Removes all actions of an owner. The duration is proportional to `count`.
  package func cancelAll(owner: UInt64) {
    if owner != 0 { _ = queue.removeAll(owner: owner) }
  }

  /// Removes all actions, so that they can't keep cycles of references alive.
  package func removeAll() {
    while count > 0 { _ = queue.removeAll(owner: nil) }
  }

  /// Moves the clock to the time of the next action and runs the action.
  /// - Returns: whether there was one.
  @discardableResult
  package func runNext() -> Bool {
    guard let first = queue.first else { return false }
    clock.store(first.time, ordering: .relaxed)
    trace.now = first.time
    trace.mix(first.time)
    trace.mix(first.sequence)
    let action = queue.remove(at: 0)
    action?()
    return true
  }

  /// Runs all actions up to and including a time, and sets the clock to that time.
  package func run(until end: UInt64) {
    while let next = nextTime, next <= end { runNext() }
    clock.store(max(now, end), ordering: .relaxed)
    trace.now = now
  }

  /// Runs until no action waits, or `limit` actions have run.
  /// - Returns: whether no action waits.
  @discardableResult
  package func runAll(limit: Int = .max) -> Bool {
    var left = limit
    while left > 0, runNext() { left -= 1 }
    return count == 0
  }
}
