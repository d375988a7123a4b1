import HAPHome

/// Which accessories can be reached, as reported to apps: a change is reported when it has lasted 250 ms. Pure; times
/// are those of a clock that is never set.
struct HubReachability {
  /// The time without another change, after which a change is reported. home.md §10.
  static let quiet = Duration.milliseconds(250)

  private struct Entry {
    /// The reason why it can't be reached; nil: it can.
    var why: String?
    var reported: String?
    /// The time of the last change that is not reported; nil: there is none.
    var changed: Duration?
  }
  private var entries: [HomeObjectID: Entry] = [:]

  /// The reported reason why an accessory can't be reached; nil: it can.
  subscript(_ id: HomeObjectID) -> String? { entries[id]?.reported }

  /// The time of the next report; nil: nothing has changed.
  var nextDeadline: Duration? { entries.values.lazy.compactMap(\.changed).min().map { $0 + Self.quiet } }

  /// Receives the state of an accessory. The first one is not reported.
  mutating func set(_ id: HomeObjectID, _ why: String?, at time: Duration) {
    guard var entry = entries[id] else {
      entries[id] = Entry(why: why, reported: why)
      return
    }
    if entry.why == why { return }
    entry.why = why
    entry.changed = why == entry.reported ? nil : time
    entries[id] = entry
  }

  /// Returns the changes that are due, in the order of the identifiers.
  mutating func takeDue(at time: Duration) -> [(id: HomeObjectID, why: String?)] {
    let due = entries.filter { $0.value.changed.map { $0 + Self.quiet <= time } ?? false }.keys.sorted()
    return due.map { id in
      let why = entries[id]?.why
      entries[id] = Entry(why: why, reported: why)
      return (id, why)
    }
  }

  /// Forgets all other accessories.
  mutating func keep(_ ids: Set<HomeObjectID>) { entries = entries.filter { ids.contains($0.key) } }
}

/// Counts the times at which a device broke the protocol.
struct ViolationCounter {
  /// home.md §10.
  static let limit = 3
  static let window = Duration.seconds(600)
  private var times: [Duration] = []

  /// Returns whether there were three in the last ten minutes. Then the count starts again.
  mutating func add(at time: Duration) -> Bool {
    times = times.filter { time - $0 < Self.window } + [time]
    guard times.count >= Self.limit else { return false }
    times = []
    return true
  }
}
