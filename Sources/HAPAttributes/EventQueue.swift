import HAPModel

/// The changes that one connection has not sent as events, and the time at which they are due. HAP R2 §6.8.
///
/// Changes of the same characteristic are merged, and sent with the value at the time of sending. Characteristics
/// whose every event counts (a button pressed twice) keep each change with its value.
package struct EventQueue {
  package struct Entry {
    package var slot: Int
    /// The value to send; nil: the value at the time of sending.
    package var value: Value?
  }

  private(set) var entries: [Entry] = []
  /// The time at which the pending changes are due; nil if there are none. Measured from an origin of the caller's
  /// choice.
  private(set) var deadline: Duration?

  /// The maximum number of events for a connection that doesn't accept them; the oldest is dropped first.
  static let limit = 1024

  var isEmpty: Bool { entries.isEmpty }

  /// Adds a change.
  /// - Parameters:
  ///   - value: set if every event counts; nil if only the last value counts.
  ///   - due: the latest time of sending; an earlier deadline stays.
  mutating func add(_ slot: Int, value: Value?, due: Duration) {
    if value == nil, entries.contains(where: { $0.slot == slot && $0.value == nil }) {
      deadline = min(deadline ?? due, due)
      return
    }
    if entries.count == Self.limit { entries.removeFirst() }
    entries.append(Entry(slot: slot, value: value))
    deadline = min(deadline ?? due, due)
  }

  /// Removes the changes of a characteristic, because there are no events after the subscription ended.
  mutating func remove(_ slot: Int) {
    entries.removeAll { $0.slot == slot }
    if entries.isEmpty { deadline = nil }
  }

  /// Replaces the slots.
  /// - Parameter moved: returns the new slot of an old one; nil: its changes are removed.
  mutating func move(_ moved: (Int) -> Int?) {
    entries = entries.compactMap { entry in moved(entry.slot).map { Entry(slot: $0, value: entry.value) } }
    if entries.isEmpty { deadline = nil }
  }

  /// Empties the queue but keeps its capacity.
  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    deadline = nil
  }
}
