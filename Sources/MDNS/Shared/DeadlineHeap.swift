/// A priority queue of keys, ordered by their due times. Keys with equal times are returned in the order of insertion.
///
/// An entry stays until it is due. The caller then compares it with the current state of the key.
struct DeadlineHeap<Key: Sendable>: Sendable {
  struct Entry: Sendable {
    var due: Int64
    var number: UInt32
    var key: Key

    @inline(__always)
    func precedes(_ other: Entry) -> Bool {
      // Numbers start again at 0 after 2^32 entries, so the difference is compared.
      due != other.due ? due < other.due : Int32(bitPattern: number &- other.number) < 0
    }
  }

  private var entries: [Entry] = []
  private var lastNumber: UInt32 = 0

  var isEmpty: Bool { entries.isEmpty }
  var first: Entry? { entries.first }
  var count: Int { entries.count }

  mutating func insert(_ key: Key, at due: Int64) {
    lastNumber &+= 1
    entries.append(Entry(due: due, number: lastNumber, key: key))
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].precedes(entries[parent]) else { break }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes the entry that is due first. The heap isn't empty.
  mutating func removeFirst() -> Entry {
    let first = entries[0]
    let last = entries.removeLast()
    if entries.isEmpty { return first }
    var hole = 0
    while true {
      var child = 2 * hole + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, entries[child + 1].precedes(entries[child]) { child += 1 }
      guard entries[child].precedes(last) else { break }
      entries[hole] = entries[child]
      hole = child
    }
    entries[hole] = last
    return first
  }

  mutating func removeAll() { entries.removeAll() }
}

/// Times of the state machines: nanoseconds since an origin that the caller chooses.
enum Time {
  static let never = Int64.max
  /// A time before all others. Its distance from them exceeds every duration that is compared.
  static let past = Int64.min / 4
  static let second: Int64 = 1_000_000_000
  static let millisecond: Int64 = 1_000_000

  /// Returns a duration in nanoseconds, limited to 70 years.
  static func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let limit: Int64 = 70 * 365 * 86400
    return min(max(seconds, -limit), limit) * second + attoseconds / 1_000_000_000
  }
}
