import HAPModel

/// The changes that one connection has not sent as events, and when they are due. HAP R2 §6.8.
///
/// Changes of the same characteristic are kept as one, and sent with the value at the time of sending; characteristics whose every event
/// counts (a button pressed twice) keep each with its own value.
package struct EventQueue {
  package struct Entry {
    package var slot: Int
    /// The value to tell; nil: the one the characteristic has when the event is sent.
    package var value: Value?
  }

  private(set) var entries: [Entry] = []
  /// When the waiting changes are due; nil when nothing waits. Time since an origin of the caller's.
  private(set) var deadline: Duration?

  /// Most single events kept for a connection that doesn't get them delivered; the oldest goes first.
  static let limit = 1024

  var isEmpty: Bool { entries.isEmpty }

  /// Notes a change.
  /// - Parameters:
  ///   - value: given where every event counts; nil where only the last value does.
  ///   - due: when it should leave at the latest; an earlier deadline stays.
  mutating func add(_ slot: Int, value: Value?, due: Duration) {
    if value == nil, entries.contains(where: { $0.slot == slot && $0.value == nil }) {
      deadline = min(deadline ?? due, due)
      return
    }
    if entries.count == Self.limit { entries.removeFirst() }
    entries.append(Entry(slot: slot, value: value))
    deadline = min(deadline ?? due, due)
  }

  /// Forgets the changes of a characteristic, because there are no events after the subscription ended.
  mutating func remove(_ slot: Int) {
    entries.removeAll { $0.slot == slot }
    if entries.isEmpty { deadline = nil }
  }

  /// The slots are others now.
  /// - Parameter moved: the new slot of an old one; nil: what waits for it is forgotten.
  mutating func move(_ moved: (Int) -> Int?) {
    entries = entries.compactMap { entry in moved(entry.slot).map { Entry(slot: $0, value: entry.value) } }
    if entries.isEmpty { deadline = nil }
  }

  /// Empties the queue, keeping its room.
  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    deadline = nil
  }
}
