/// The actions of an agenda, in a heap in which each entry has up to four children.
///
/// A removed action is returned instead of released here, because its release may call the agenda.
struct AgendaQueue {
  /// The sort key of an action.
  struct Key {
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

  /// The data of an action apart from its sort key. Slots are reused.
  struct Slot {
    var action: (() -> Void)?
    /// The index in `heap`; -1: free.
    var position: Int32
    var generation: UInt32
    var owner: UInt64
  }

  private var heap: [Key] = []
  private(set) var slots: [Slot] = []
  private var free: [UInt32] = []

  var count: Int { heap.count }
  var first: Key? { heap.first }

  mutating func insert(
    time: UInt64, tie: UInt64, sequence: UInt64, owner: UInt64, _ action: @escaping () -> Void
  ) -> (slot: UInt32, generation: UInt32) {
    let slot: UInt32
    if let reused = free.popLast() {
      slot = reused
    } else {
      slot = UInt32(slots.count)
      slots.append(Slot(action: nil, position: -1, generation: 0, owner: 0))
    }
    slots[Int(slot)].action = action
    slots[Int(slot)].owner = owner
    heap.append(Key(time: time, tie: tie, sequence: sequence, slot: slot))
    rise(heap.count - 1)
    return (slot, slots[Int(slot)].generation)
  }

  func isWaiting(_ slot: UInt32, _ generation: UInt32) -> Bool {
    Int(slot) < slots.count && slots[Int(slot)].generation == generation && slots[Int(slot)].position >= 0
  }

  mutating func remove(slot: UInt32) -> (() -> Void)? { remove(at: Int(slots[Int(slot)].position)) }

  /// Removes all actions of an owner; nil: of all owners.
  /// - Returns: the removed actions.
  mutating func removeAll(owner: UInt64?) -> [(() -> Void)?] {
    let leaving = heap.filter { owner == nil || slots[Int($0.slot)].owner == owner }.map(\.slot)
    var actions: [(() -> Void)?] = []
    for slot in leaving { actions.append(remove(slot: slot)) }
    return actions
  }

  mutating func remove(at position: Int) -> (() -> Void)? {
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

  private mutating func rise(_ start: Int) {
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

  private mutating func sink(_ start: Int) {
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
  private mutating func place(_ key: Key, at position: Int) {
    heap[position] = key
    slots[Int(key.slot)].position = Int32(position)
  }
}
