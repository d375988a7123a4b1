/// The known writes to one value, in the order of their start. Values are numbered. Times are the world's, in nanoseconds.
package struct ValueHistory: Sendable {
  package struct Write: Sendable {
    package let index: Int
    let writer: Int
    package let start: UInt64
    /// The time after which the write can't take effect; `.max` if unknown.
    package fileprivate(set) var end: UInt64
    /// Whether the write certainly took effect between `start` and `end`.
    package fileprivate(set) var isDone: Bool
  }

  package private(set) var writes: [Write]
  private var isRefused: Set<Int> = []

  package init(initial: Int) {
    writes = [Write(index: initial, writer: -1, start: 0, end: 0, isDone: true)]
  }

  /// Records the start of a write.
  /// - Returns: the index of the write, for `finish`.
  package mutating func begin(_ index: Int, by writer: Int, at time: UInt64) -> Int {
    writes.append(Write(index: index, writer: writer, start: time, end: .max, isDone: false))
    return writes.count - 1
  }

  package mutating func finish(_ place: Int, at time: UInt64) {
    // After a crash in the meantime, the write may be lost.
    guard writes[place].end == .max else { return }
    writes[place].end = time
    writes[place].isDone = true
  }

  /// Marks a write without an answer, which can still take effect until a time.
  package mutating func abandon(_ place: Int, until time: UInt64) {
    if writes[place].end == .max { writes[place].end = time }
  }

  /// Marks a write as refused by the accessory. It had no effect.
  package mutating func refuse(_ place: Int) {
    writes[place].end = 0
    writes[place].isDone = false
    isRefused.insert(place)
  }

  /// Handles the end of the accessory's process. Writes without an answer can no longer take effect.
  /// - Parameter losesValues: whether older values may reappear.
  package mutating func crashed(at time: UInt64, losesValues: Bool) {
    for place in writes.indices where !isRefused.contains(place) {
      if losesValues {
        writes[place].end = time
        writes[place].isDone = false
      } else if writes[place].end == .max {
        writes[place].end = time
      }
    }
  }

  /// Handles a reset, after which the accessory has its first value. Answers to earlier requests may still arrive.
  package mutating func reset(at time: UInt64) {
    for place in writes.indices where writes[place].end == .max { writes[place].end = time }
    writes.append(Write(index: writes[0].index, writer: -1, start: time + 1, end: time + 1, isDone: true))
  }

  /// Returns whether a read between two times may return this value.
  package func allows(_ index: Int, from start: UInt64, to end: UInt64) -> Bool {
    writes.indices.contains { place in
      let write = writes[place]
      guard write.index == index, write.start <= end, !isRefused.contains(place) else { return false }
      return !writes.contains { $0.isDone && $0.start > write.end && $0.end < start }
    }
  }

  /// Returns whether a write can have had an effect between two times.
  package func canHaveChanged(from start: UInt64, to end: UInt64) -> Bool {
    writes.indices.contains { !isRefused.contains($0) && writes[$0].start <= end && writes[$0].end >= start }
  }

  /// Returns the values that a read may return now.
  package func candidates(at time: UInt64) -> [Int] {
    writes.indices.filter { allows(writes[$0].index, from: time, to: time) }.map { writes[$0].index }
  }

  /// Returns whether a writer other than `writer` has written this value.
  package func isFromOthers(_ index: Int, than writer: Int) -> Bool {
    writes.contains { $0.index == index && $0.writer != writer }
  }
}
