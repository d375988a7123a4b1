/// The running timers of a loop, ordered by deadline. Timers with equal deadlines keep the order in which they were
/// started.
///
/// A binary heap in which each timer stores its index. The loop keeps the timers alive; a timer is removed before it
/// is closed.
struct TimerQueue {
  private struct Entry {
    let deadline: UInt64
    let number: UInt64
    unowned(unsafe) let timer: LoopTimer

    func precedes(_ other: Entry) -> Bool {
      deadline != other.deadline ? deadline < other.deadline : number < other.number
    }
  }

  private var entries: [Entry] = []
  /// The number of the last started timer.
  private(set) var lastNumber: UInt64 = 0

  /// Read in each turn. In unoptimized builds, `first` would allocate.
  var firstDeadline: UInt64? { entries.isEmpty ? nil : entries[0].deadline }

  /// - Parameter timer: must not be in the queue.
  mutating func insert(_ timer: LoopTimer, at deadline: UInt64) {
    lastNumber += 1
    let entry = Entry(deadline: deadline, number: lastNumber, timer: timer)
    entries.append(entry)
    rise(entry, from: entries.count - 1)
  }

  /// Does nothing if `timer` is not in the queue.
  mutating func remove(_ timer: LoopTimer) {
    guard let place = timer.queuePlace else { return }
    timer.queuePlace = nil
    let last = entries.removeLast()
    if place == entries.count { return }
    if place > 0, last.precedes(entries[(place - 1) / 2]) { rise(last, from: place) } else { sink(last, from: place) }
  }

  /// Removes the first timer if it is due at `time` and its number is at most `number`.
  mutating func removeFirst(dueBy time: UInt64, upTo number: UInt64) -> LoopTimer? {
    guard let first = entries.first, first.deadline <= time, first.number <= number else { return nil }
    remove(first.timer)
    return first.timer
  }

  private mutating func rise(_ entry: Entry, from place: Int) {
    var hole = place
    while hole > 0, entry.precedes(entries[(hole - 1) / 2]) {
      put(entries[(hole - 1) / 2], at: hole)
      hole = (hole - 1) / 2
    }
    put(entry, at: hole)
  }

  private mutating func sink(_ entry: Entry, from place: Int) {
    var hole = place
    while 2 * hole + 1 < entries.count {
      var child = 2 * hole + 1
      if child + 1 < entries.count, entries[child + 1].precedes(entries[child]) { child += 1 }
      guard entries[child].precedes(entry) else { break }
      put(entries[child], at: hole)
      hole = child
    }
    put(entry, at: hole)
  }

  private mutating func put(_ entry: Entry, at place: Int) {
    entries[place] = entry
    entry.timer.queuePlace = place
  }
}
