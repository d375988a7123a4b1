import MatterModel
import MatterWire

/// The latest events of a node, some of each priority.
///
/// Numbers rise also over restarts: `storedNumber` has to be stored whenever it has changed, before the event is
/// sent, and is the first number after a restart. It changes once for `step` events.
package struct EventLog: Sendable {
  /// Each larger than those before.
  private(set) var records: [EventRecord] = []
  /// The number of the next event.
  package private(set) var next: UInt64
  package private(set) var storedNumber: UInt64
  private let step: UInt64
  private let capacity: Int
  private var counts: [Int]

  /// - Parameters:
  ///   - next: the `storedNumber` of the run before.
  ///   - capacity: the number of records of each priority.
  package init(next: UInt64 = 1, step: UInt64 = 1024, capacity: Int = 64) {
    precondition(step > 0 && capacity > 0)
    (self.next, self.step, self.capacity) = (next, step, capacity)
    storedNumber = next &+ step
    counts = EventPriority.allCases.map { _ in 0 }
  }

  /// The number of events that can be read.
  package var count: Int { records.count }

  /// Adds an event; the oldest of the same priority makes room.
  /// - Returns: its number.
  mutating func record(
    _ path: EventPath, _ priority: EventPriority, at time: EventTime, _ fields: [Element], fabric: FabricIndex?
  ) -> UInt64 {
    let number = next
    next &+= 1
    if next >= storedNumber { storedNumber = next &+ step }
    let kind = Int(priority.rawValue)
    if counts[kind] == capacity, let oldest = records.firstIndex(where: { $0.priority == priority }) {
      records.remove(at: oldest)
    } else {
      counts[kind] += 1
    }
    records.append(
      EventRecord(number: number, path: path, priority: priority, time: time, fields: fields, fabric: fabric))
    return number
  }

  /// Removes the events that only a fabric may read.
  mutating func removeRecords(of fabric: FabricIndex) {
    records.removeAll { $0.fabric == fabric }
    for priority in EventPriority.allCases {
      counts[Int(priority.rawValue)] = records.count { $0.priority == priority }
    }
  }

  /// The place of the first record with at least a number.
  func index(from number: UInt64) -> Int {
    var (low, high) = (0, records.count)
    while low < high {
      let middle = (low + high) / 2
      if records[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
