import HAPHost
import HAPLoop
import HAPScenario
import HAPWire

/// The latest events, numbered, for the log and for event streams.
///
/// Its size is limited; older events are dropped, and only their numbers remain known. Confined to the control loop's thread.
package final class EventJournal {
  package struct Entry: Sendable {
    /// From 1, without gaps.
    package var number: UInt64
    /// Time of day by the machine's clock, since 1970.
    package var time: Duration
    /// Simulated time.
    package var now: Duration
    package var event: JournalEvent
  }

  /// Largest number of entries.
  package static let room = 2000
  /// Largest size of their values, requests and texts in bytes, not counting the latest entry.
  package static let weightRoom = 8 << 20

  /// Identifies this process. Numbers of another process's journal are meaningless here.
  package let run: String
  /// The oldest entry is at `head`; entries before it were dropped.
  private var entries: [Entry?] = []
  private var head = 0
  private var weight = 0
  private(set) package var lastNumber: UInt64 = 0
  private let timeOfDay: () -> Duration
  /// Callbacks for new events.
  private var listeners: [(id: Int, tell: () -> Void)] = []
  private var lastListener = 0

  /// - Parameters:
  ///   - run: lower-case letters and digits.
  ///   - timeOfDay: returns the time since 1970.
  package init(
    run: String, timeOfDay: @escaping () -> Duration
  ) {
    self.run = run
    self.timeOfDay = timeOfDay
  }

  /// Creates a journal with a random `run`.
  package convenience init(on loop: EventLoop, timeOfDay: @escaping () -> Duration) {
    self.init(run: String(loop.randomNumber(), radix: 36), timeOfDay: timeOfDay)
  }

  private var count: Int { entries.count - head }
  /// Number of the oldest entry, or of the next one if there is none.
  package var oldestNumber: UInt64 { lastNumber - UInt64(count) + 1 }

  package func append(_ event: JournalEvent, now: Duration) {
    lastNumber += 1
    weight += event.weight
    entries.append(Entry(number: lastNumber, time: timeOfDay(), now: now, event: event))
    while count > Self.room || weight > Self.weightRoom && count > 1 { forgetOldest() }
    for listener in listeners { listener.tell() }
  }

  private func forgetOldest() {
    // Moved out, because a copy would cost as much as everything else.
    if let entry = entries[head].take() { weight -= entry.event.weight }
    head += 1
    // Compact the array only after many entries, because this moves all entries that are kept.
    if head > Self.room {
      entries.removeFirst(head)
      head = 0
    }
  }

  /// - Returns: nil if it was dropped or does not exist yet.
  package func entry(_ number: UInt64) -> Entry? {
    guard number >= oldestNumber, number <= lastNumber else { return nil }
    return entries[head + Int(number - oldestNumber)]
  }

  /// Returns the kept entries after a number, the oldest first.
  /// - Parameters:
  ///   - limit: the number of entries to return; the latest ones.
  ///   - admits: the filter.
  package func entries(
    after number: UInt64, limit: Int = EventJournal.room, where admits: (Entry) -> Bool = { _ in true }
  ) -> [Entry] {
    let fresh = lastNumber > number ? Int(min(lastNumber - number, UInt64(count))) : 0
    var found: [Entry] = []
    for entry in entries.suffix(fresh).reversed() {
      guard found.count < limit else { break }
      if let entry, admits(entry) { found.append(entry) }
    }
    return found.reversed()
  }

  /// Returns the event ID for `Last-Event-ID`.
  package func id(_ number: UInt64) -> String { "\(run)-\(number)" }

  /// Returns the position of a client that reconnects with an event ID.
  package func place(ofID id: String) -> EventStreamStart.Place {
    let parts = id.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == run, let number = UInt64(parts[1]) else { return .elsewhere }
    return .behind(number)
  }

  /// - Parameter tell: called for each new event.
  /// - Returns: a number for `stopListening`.
  package func listen(_ tell: @escaping () -> Void) -> Int {
    lastListener += 1
    listeners.append((lastListener, tell))
    return lastListener
  }

  /// Whether a client reads events. The control API sets it.
  package var hasReader = false {
    didSet { if hasReader != oldValue { onReader?(hasReader) } }
  }
  /// Called when `hasReader` changes.
  package var onReader: ((Bool) -> Void)?

  /// Whether an event stream is open.
  var hasListeners: Bool { !listeners.isEmpty }

  package func stopListening(_ id: Int) { listeners.removeAll { $0.id == id } }
}

/// An event in the journal.
package enum JournalEvent: Sendable {
  case simulator(SimulatorEvent)
  /// A note or the result of a scenario, as members of an object; the first one is `event`.
  case other(JSONNode)

  /// All event names.
  static let names = EventVocabulary.all.map(\.name) + ["requested", "note", "scenario", "clock"]

  /// The event's name.
  package var name: String {
    switch self {
    case .simulator(let event): event.name
    case .other(let node): node["event"]?.stringValue ?? "other"
    }
  }

  /// Approximate size of the external data that it keeps, in bytes.
  var weight: Int {
    switch self {
    case .simulator(let event): event.weight
    case .other(let node): node.members?.reduce(0) { $0 + ($1.value.stringValue?.utf8.count ?? 0) } ?? 0
    }
  }
}

extension EventJournal.Entry {
  /// `{"seq":12,"time":1795339800.123,"now":3.5,"number":1,"event":"changed","accessory":"Lamp",…,"text":"On: true"}`
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("seq")
      json.integer(number)
      json.key("time")
      json.double(time / .seconds(1))
      json.key("now")
      json.double(now / .seconds(1))
      switch event {
      case .simulator(let event):
        json.key("number")
        json.integer(event.number)
        event.write(to: &json)
        // The text of a fault is its parameters, which the event already contains.
        if event.name != "fault" {
          json.key("text")
          json.string(event.text)
        }
      case .other(let node):
        for member in node.members ?? [] {
          json.key(member.name)
          json.node(member.value)
        }
      }
    }
  }
}
