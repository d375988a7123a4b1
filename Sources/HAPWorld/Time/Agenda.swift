/// The queue of everything that will happen in a world, and the world's clock.
///
/// Actions run in the order of their time. The seed decides the order of actions with equal times.
/// Nothing here reads a real clock; the time moves only in `runNext()`.
package final class Agenda {
  /// Names a scheduled action. It stays valid, without effect, after the action has run.
  package struct Token: Hashable, Sendable {
    fileprivate let slot: UInt32
    fileprivate let generation: UInt32
  }

  /// The place of an action in the order.
  private struct Key {
    let time: UInt64
    let tie: UInt64
    let sequence: UInt64
    let slot: UInt32

    @inline(__always)
    static func < (one: Key, other: Key) -> Bool {
      if one.time != other.time { return one.time < other.time }
      if one.tie != other.tie { return one.tie < other.tie }
      return one.sequence < other.sequence
    }
  }

  /// What is kept of an action apart from its place in the order. Slots are reused.
  private struct Slot {
    var action: (() -> Void)?
    /// The index in `heap`; -1: free.
    var position: Int32
    var generation: UInt32
    var owner: UInt64
  }

  /// The time in nanoseconds since the world began.
  package private(set) var now: UInt64 = 0
  package let trace = Trace()
  package let seed: UInt64
  private var ties: WorldRandom
  private var sequence: UInt64 = 0
  /// A heap in which each entry has four children.
  private var heap: [Key] = []
  private var slots: [Slot] = []
  private var free: [UInt32] = []

  package init(seed: UInt64) {
    self.seed = seed
    ties = WorldRandom(seed: seed).fork("agenda")
  }

  /// The number of actions that wait.
  package var count: Int { heap.count }
  /// The places for actions that were ever needed at once.
  var slotCount: Int { slots.count }
  /// The time of the next action; nil: none waits.
  package var nextTime: UInt64? { heap.first?.time }

  /// Schedules an action. A time in the past becomes now.
  /// - Parameter owner: a number to cancel all actions of one owner by; 0: none.
  @discardableResult
  package func schedule(at time: UInt64, owner: UInt64 = 0, _ action: @escaping () -> Void) -> Token {
    let slot: UInt32
    if let reused = free.popLast() {
      slot = reused
    } else {
      slot = UInt32(slots.count)
      slots.append(Slot(action: nil, position: -1, generation: 0, owner: 0))
    }
    slots[Int(slot)].action = action
    slots[Int(slot)].owner = owner
    sequence += 1
    heap.append(Key(time: max(time, now), tie: ties.next(), sequence: sequence, slot: slot))
    rise(heap.count - 1)
    return Token(slot: slot, generation: slots[Int(slot)].generation)
  }

  /// Schedules an action after a delay in nanoseconds. A time beyond the end of the clock becomes the end.
  @discardableResult
  package func schedule(after delay: UInt64, owner: UInt64 = 0, _ action: @escaping () -> Void) -> Token {
    let (time, overflow) = now.addingReportingOverflow(delay)
    return schedule(at: overflow ? .max : time, owner: owner, action)
  }

  /// Removes an action that has not run yet, and releases what it holds.
  /// - Returns: whether it was still waiting.
  @discardableResult
  package func cancel(_ token: Token) -> Bool {
    guard isWaiting(token) else { return false }
    _ = remove(at: Int(slots[Int(token.slot)].position))
    return true
  }

  /// Returns whether the action has neither run nor been cancelled.
  package func isWaiting(_ token: Token) -> Bool {
    Int(token.slot) < slots.count && slots[Int(token.slot)].generation == token.generation
      && slots[Int(token.slot)].position >= 0
  }

  /// Removes all actions of an owner. Takes time in proportion to `count`.
  package func cancelAll(owner: UInt64) {
    guard owner != 0 else { return }
    let leaving = heap.filter { slots[Int($0.slot)].owner == owner }.map(\.slot)
    for slot in leaving { _ = remove(at: Int(slots[Int(slot)].position)) }
  }

  /// Removes everything, so that no cycle of references survives through an action.
  package func removeAll() {
    while !heap.isEmpty { _ = remove(at: heap.count - 1) }
  }

  /// Moves the clock to the next action and runs it.
  /// - Returns: whether there was one.
  @discardableResult
  package func runNext() -> Bool {
    guard let first = heap.first else { return false }
    now = first.time
    trace.now = now
    trace.mix(first.time)
    trace.mix(first.sequence)
    let action = remove(at: 0)
    action?()
    return true
  }

  /// Runs everything up to a time, included, and sets the clock to that time.
  package func run(until end: UInt64) {
    while let next = nextTime, next <= end { runNext() }
    now = max(now, end)
    trace.now = now
  }

  /// Runs until nothing waits, or `limit` actions have run.
  /// - Returns: whether nothing waits any more.
  @discardableResult
  package func runAll(limit: Int = .max) -> Bool {
    var left = limit
    while left > 0, runNext() { left -= 1 }
    return heap.isEmpty
  }

  // MARK: The heap

  private func remove(at position: Int) -> (() -> Void)? {
    let slot = Int(heap[position].slot)
    let action = slots[slot].action
    slots[slot].action = nil
    slots[slot].position = -1
    slots[slot].generation &+= 1
    free.append(UInt32(slot))
    let last = heap.removeLast()
    if position < heap.count {
      heap[position] = last
      slots[Int(last.slot)].position = Int32(position)
      sink(position)
      rise(Int(slots[Int(last.slot)].position))
    }
    return action
  }

  private func rise(_ start: Int) {
    var position = start
    let key = heap[position]
    while position > 0 {
      let parent = (position - 1) / 4
      guard key < heap[parent] else { break }
      place(heap[parent], at: position)
      position = parent
    }
    place(key, at: position)
  }

  private func sink(_ start: Int) {
    var position = start
    let key = heap[position]
    while true {
      let first = position * 4 + 1
      guard first < heap.count else { break }
      var least = first
      for child in (first + 1)..<max(first + 1, min(first + 4, heap.count)) where heap[child] < heap[least] {
        least = child
      }
      guard heap[least] < key else { break }
      place(heap[least], at: position)
      position = least
    }
    place(key, at: position)
  }

  @inline(__always)
  private func place(_ key: Key, at position: Int) {
    heap[position] = key
    slots[Int(key.slot)].position = Int32(position)
  }
}
