import HAPHost
import HAPLoop
import HAPScenario
import HAPWire

/// The latest events, numbered, for who asks what happened and for who wants to be told.
///
/// Its room is bounded: of what was too long ago, or too much, only the number is known. Belongs to the control loop's thread.
package final class EventJournal {
  package struct Entry: Sendable {
    /// From 1, without gaps.
    package var number: UInt64
    /// Of day, by the machine's clock, since 1970.
    package var time: Duration
    /// Simulated time.
    package var now: Duration
    package var event: JournalEvent
  }

  /// So many entries at most.
  package static let room = 2000
  /// So many bytes of values, requests and texts in them at most, but for the latest.
  package static let weightRoom = 8 << 20

  /// Of this process alone: numbers of another one's journal mean nothing here.
  package let run: String
  /// The oldest that is known stands at `head`; what is in front of it has been let go.
  private var entries: [Entry?] = []
  private var head = 0
  private var weight = 0
  private(set) package var lastNumber: UInt64 = 0
  private let timeOfDay: () -> Duration
  /// Those who are told of each new one.
  private var listeners: [(id: Int, tell: () -> Void)] = []
  private var lastListener = 0

  /// - Parameters:
  ///   - run: lower-case letters and digits.
  ///   - timeOfDay: since 1970.
  package init(
    run: String, timeOfDay: @escaping () -> Duration
  ) {
    self.run = run
    self.timeOfDay = timeOfDay
  }

  /// A journal with a random `run`.
  package convenience init(on loop: EventLoop, timeOfDay: @escaping () -> Duration) {
    self.init(run: String(loop.randomNumber(), radix: 36), timeOfDay: timeOfDay)
  }

  private var count: Int { entries.count - head }
  /// Of the oldest that is known, or of the next one.
  package var oldestNumber: UInt64 { lastNumber - UInt64(count) + 1 }

  package func append(_ event: JournalEvent, now: Duration) {
    lastNumber += 1
    weight += event.weight
    entries.append(Entry(number: lastNumber, time: timeOfDay(), now: now, event: event))
    while count > Self.room || weight > Self.weightRoom && count > 1 { forgetOldest() }
    for listener in listeners { listener.tell() }
  }

  private func forgetOldest() {
    // Moved out: a copy would cost as much as all the rest.
    if let entry = entries[head].take() { weight -= entry.event.weight }
    head += 1
    // Moved up now and then, and not each time.
    if head > Self.room {
      entries.removeFirst(head)
      head = 0
    }
  }

  /// - Returns: nil where it has been forgotten, or has not come yet.
  package func entry(_ number: UInt64) -> Entry? {
    guard number >= oldestNumber, number <= lastNumber else { return nil }
    return entries[head + Int(number - oldestNumber)]
  }

  /// Those behind a number, the oldest first; as many as there still are.
  /// - Parameters:
  ///   - limit: the latest of them are taken.
  ///   - admits: which of them are meant.
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

  /// What who listens comes back to: `Last-Event-ID`.
  package func id(_ number: UInt64) -> String { "\(run)-\(number)" }

  /// Where somebody was who comes back with such an id.
  package func place(ofID id: String) -> EventStreamStart.Place {
    let parts = id.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == run, let number = UInt64(parts[1]) else { return .elsewhere }
    return .behind(number)
  }

  /// - Parameter tell: that there is one more.
  /// - Returns: a number to take it back by.
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

/// What stands in the journal.
package enum JournalEvent: Sendable {
  case simulator(SimulatorEvent)
  /// What a scenario says, and how it ended; members of an object, the first of which is `event`.
  case other(JSONNode)

  /// All that there are.
  static let names = EventVocabulary.all.map(\.name) + ["requested", "note", "scenario", "clock"]

  /// The event's name.
  package var name: String {
    switch self {
    case .simulator(let event): event.name
    case .other(let node): node["event"]?.stringValue ?? "other"
    }
  }

  /// About how many bytes of what somebody sent or said it keeps.
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
        // A fault's text is its parameters, and the event has it already.
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
