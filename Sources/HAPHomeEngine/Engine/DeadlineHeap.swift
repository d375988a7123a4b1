import HAPAlmanac
import HAPHome

/// Times at which the engine has to act, the earliest first. Equal times keep the order in which they were added.
///
/// Entries are not removed when they become void: a `Deadline` says how the engine recognizes that.
struct DeadlineHeap: Sendable {
  struct Entry: Sendable {
    let time: Instant
    let deadline: Deadline
    fileprivate let order: Int

    fileprivate func isBefore(_ other: Entry) -> Bool { (time, order) < (other.time, other.order) }
  }

  private var entries: [Entry] = []
  private var added = 0

  var first: Entry? { entries.first }
  var count: Int { entries.count }

  mutating func add(_ deadline: Deadline, at time: Instant) {
    added += 1
    entries.append(Entry(time: time, deadline: deadline, order: added))
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].isBefore(entries[parent]) else { return }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  mutating func removeFirst() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < entries.count else { return }
      let right = left + 1
      let child = right < entries.count && entries[right].isBefore(entries[left]) ? right : left
      guard entries[child].isBefore(entries[parent]) else { return }
      entries.swapAt(child, parent)
      parent = child
    }
  }

  mutating func removeAll() { entries.removeAll(keepingCapacity: true) }
}

/// Something that is due at a time.
enum Deadline: Hashable, Sendable {
  /// An occurrence of a trigger's planned event. Void after the trigger was planned again, with another plan number.
  case occurrence(HomeObjectID, source: Int, plan: Int)
  /// The end of the wait for a read. Void after its ticket was answered.
  case read(EngineTicket)
  /// The end of an effect by a duration. Void if the effect ends at another time.
  case end(HomeObjectID)
}
