/// An open hash table of numbers by the hash of a name. Different names may have the same hash, so a caller must
/// compare the names.
struct NameIndex: Sendable {
  fileprivate struct Slot: Sendable {
    var hash: UInt64
    var value: UInt32
  }

  fileprivate static let empty = UInt32.max
  private var slots: [Slot]
  private var count = 0

  init() { slots = Array(repeating: Slot(hash: 0, value: Self.empty), count: 16) }

  @inline(__always)
  private func home(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: ((hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15) >> 20) & (slots.count - 1)
  }

  /// - Parameter value: any number but `UInt32.max`.
  mutating func insert(_ value: UInt32, _ hash: UInt64) {
    if 2 * (count + 1) > slots.count { grow() }
    place(Slot(hash: hash, value: value))
    count += 1
  }

  private mutating func place(_ slot: Slot) {
    var at = home(slot.hash)
    while slots[at].value != Self.empty { at = (at + 1) & (slots.count - 1) }
    slots[at] = slot
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(hash: 0, value: Self.empty), count: 2 * old.count)
    for slot in old where slot.value != Self.empty { place(slot) }
  }

  mutating func remove(_ value: UInt32, _ hash: UInt64) {
    var at = home(hash)
    while slots[at].value != value || slots[at].hash != hash {
      if slots[at].value == Self.empty { return }
      at = (at + 1) & (slots.count - 1)
    }
    count -= 1
    // Moves later entries into the gap, so that a search doesn't stop too early.
    var next = (at + 1) & (slots.count - 1)
    while slots[next].value != Self.empty {
      let distance = (next - home(slots[next].hash)) & (slots.count - 1)
      if distance >= (next - at) & (slots.count - 1) {
        slots[at] = slots[next]
        at = next
      }
      next = (next + 1) & (slots.count - 1)
    }
    slots[at].value = Self.empty
  }

  /// Returns the values of a hash. They are a sequence, because a closure that gets each value may copy the state that
  /// it captures.
  func values(_ hash: UInt64) -> Values { Values(slots: slots, hash: hash, place: home(hash)) }

  struct Values: Sequence, IteratorProtocol {
    fileprivate let slots: [Slot]
    fileprivate let hash: UInt64
    fileprivate var place: Int

    mutating func next() -> UInt32? {
      while slots[place].value != NameIndex.empty {
        let slot = slots[place]
        place = (place + 1) & (slots.count - 1)
        if slot.hash == hash { return slot.value }
      }
      return nil
    }
  }

  /// Returns the first value of the hash for which the condition is true.
  @inline(__always)
  func first(_ hash: UInt64, where matches: (UInt32) -> Bool) -> UInt32? {
    var at = home(hash)
    while slots[at].value != Self.empty {
      if slots[at].hash == hash, matches(slots[at].value) { return slots[at].value }
      at = (at + 1) & (slots.count - 1)
    }
    return nil
  }
}
