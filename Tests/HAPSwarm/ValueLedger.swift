import HAPModel

/// A characteristic whose values a swarm checks: numbers in steps, with separate values for each writer.
struct Watched: Sendable {
  let id: AttributeID
  let minimum: Double
  let step: Double
  /// The number of values.
  let count: Int
  let isInteger: Bool

  /// - Returns: `nil` unless the characteristic can be read, written and subscribed to, and has many values.
  init?(_ id: AttributeID, _ characteristic: Characteristic) {
    let needed: Permissions = [.pairedRead, .pairedWrite, .events]
    guard characteristic.perms.isSuperset(of: needed), characteristic.constraints.validValues == nil,
      let minimum = characteristic.constraints.minValue?.doubleValue,
      let maximum = characteristic.constraints.maxValue?.doubleValue
    else { return nil }
    let step = characteristic.constraints.minStep?.doubleValue ?? 1
    let count = Int(((maximum - minimum) / step).rounded(.down)) + 1
    guard count >= 80 else { return nil }
    self.id = id
    self.minimum = minimum
    self.step = step
    self.count = count
    isInteger = characteristic.format != .float
  }

  func value(_ index: Int) -> Value {
    let number = minimum + Double(index) * step
    return isInteger ? .integer(Int128(number.rounded())) : .float((number * 1000).rounded() / 1000)
  }

  func index(_ value: Double) -> Int { Int(((value - minimum) / step).rounded()) }
}

/// The known writes to one characteristic, in the order of their start. Times are the world's, in nanoseconds.
struct Register {
  struct Write {
    let index: Int
    let writer: Int
    let start: UInt64
    /// The time after which the write can't take effect; `.max` if unknown.
    var end: UInt64
    /// Whether the write certainly took effect between `start` and `end`.
    var isDone: Bool
  }

  let watched: Watched
  private(set) var writes: [Write]

  init(_ watched: Watched, initial: Int) {
    self.watched = watched
    writes = [Write(index: initial, writer: -1, start: 0, end: 0, isDone: true)]
  }

  /// Records the start of a write.
  /// - Returns: the index of the write, for `finish`.
  mutating func begin(_ index: Int, by writer: Int, at time: UInt64) -> Int {
    writes.append(Write(index: index, writer: writer, start: time, end: .max, isDone: false))
    return writes.count - 1
  }

  mutating func finish(_ place: Int, at time: UInt64) {
    // After a crash in the meantime, the write may be lost.
    guard writes[place].end == .max else { return }
    writes[place].end = time
    writes[place].isDone = true
  }

  /// Marks a write as refused by the accessory. It had no effect.
  mutating func refuse(_ place: Int) {
    writes[place].end = 0
    writes[place].isDone = false
    isRefused.insert(place)
  }
  private var isRefused: Set<Int> = []

  /// Handles the end of the accessory's process. Writes without an answer can no longer take effect.
  /// - Parameter losesValues: whether older values may reappear.
  mutating func crashed(at time: UInt64, losesValues: Bool) {
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
  mutating func reset(at time: UInt64) {
    for place in writes.indices where writes[place].end == .max { writes[place].end = time }
    writes.append(Write(index: writes[0].index, writer: -1, start: time + 1, end: time + 1, isDone: true))
  }

  /// Returns whether a read between two times may return this value.
  func allows(_ index: Int, from start: UInt64, to end: UInt64) -> Bool {
    writes.indices.contains { place in
      let write = writes[place]
      guard write.index == index, write.start <= end, !isRefused.contains(place) else { return false }
      return !writes.contains { $0.isDone && $0.start > write.end && $0.end < start }
    }
  }

  /// Returns the values that a read may return now.
  func candidates(at time: UInt64) -> [Int] {
    writes.indices.filter { allows(writes[$0].index, from: time, to: time) }.map { writes[$0].index }
  }

  /// Returns whether a writer other than `writer` has written this value.
  func isFromOthers(_ index: Int, than writer: Int) -> Bool {
    writes.contains { $0.index == index && $0.writer != writer }
  }
}
