import HAPLoop
import HAPWire

/// An event in a journal.
package protocol JournalEvent: Sendable {
  /// The event's name, without spaces.
  var name: String { get }
  /// Approximate size of the external data that it keeps, in bytes.
  var weight: Int { get }
  /// Whether the event is about a subject, which a client names in its filter.
  func concerns(_ subject: String) -> Bool
  /// Writes the members of an object.
  func write(to json: inout JSONWriter)
}

/// A journal as event streams read it.
package protocol EventSource: AnyObject {
  var lastNumber: UInt64 { get }
  /// Number of the oldest event, or of the next one if there is none.
  var oldestNumber: UInt64 { get }
  /// Returns the event ID for `Last-Event-ID`.
  func id(_ number: UInt64) -> String
  /// Returns an event's name and object for a client.
  /// - Returns: nil if the event does not exist, or if the filter of `start` refuses it.
  func text(_ number: UInt64, for start: EventStreamStart) -> (name: String, object: [UInt8])?
  /// - Parameter tell: called for each new event.
  /// - Returns: a number for `stopListening`.
  func listen(_ tell: @escaping () -> Void) -> Int
  func stopListening(_ id: Int)
}

/// The latest events, numbered, for the log and for event streams.
///
/// Its size is limited; older events are dropped, and only their numbers remain known. Confined to the thread of the API's loop.
package final class EventJournal<Event: JournalEvent>: EventSource {
  package struct Entry: Sendable {
    /// From 1, without gaps.
    package var number: UInt64
    /// Time of day by the machine's clock, since 1970.
    package var time: Duration
    /// Simulated time; nil: there is none.
    package var now: Duration?
    package var event: Event
  }

  /// Largest number of entries.
  package static var room: Int { 2000 }
  /// Largest size of their values, requests and texts in bytes, not counting the latest entry.
  package static var weightRoom: Int { 8 << 20 }

  /// Identifies this process. Numbers of another process's journal are meaningless here.
  package let run: String
  /// The oldest entry is at `head`; entries before it were dropped.
  private var entries: [Entry?] = []
  private var head = 0
  private var weight = 0
  private(set) package var lastNumber: UInt64 = 0
  /// Size in bytes of the largest object in `rendered`.
  private static var largestRendered: Int { 16 << 10 }
  /// The objects of the last entries that were sent, because many streams send the same ones.
  private var rendered: [(number: UInt64, object: [UInt8])?] = Array(repeating: nil, count: 32)
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
  package var oldestNumber: UInt64 { lastNumber - UInt64(count) + 1 }

  package func append(_ event: Event, now: Duration? = nil) {
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
    after number: UInt64, limit: Int = room, where admits: (Entry) -> Bool = { _ in true }
  ) -> [Entry] {
    let fresh = lastNumber > number ? Int(min(lastNumber - number, UInt64(count))) : 0
    var found: [Entry] = []
    for entry in entries.suffix(fresh).reversed() {
      guard found.count < limit else { break }
      if let entry, admits(entry) { found.append(entry) }
    }
    return found.reversed()
  }

  package func id(_ number: UInt64) -> String { "\(run)-\(number)" }

  package func text(_ number: UInt64, for start: EventStreamStart) -> (name: String, object: [UInt8])? {
    guard let entry = entry(number), start.admits(entry) else { return nil }
    let place = Int(number % UInt64(rendered.count))
    if let known = rendered[place], known.number == number { return (entry.event.name, known.object) }
    let object = JSONWriter.bytes { entry.write(to: &$0) }
    if object.count <= Self.largestRendered { rendered[place] = (number, object) }
    return (entry.event.name, object)
  }

  /// Returns the position of a client that reconnects with an event ID.
  package func place(ofID id: String) -> EventStreamStart.Place {
    let parts = id.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == run, let number = UInt64(parts[1]) else { return .elsewhere }
    return .behind(number)
  }

  package func listen(_ tell: @escaping () -> Void) -> Int {
    lastListener += 1
    listeners.append((lastListener, tell))
    return lastListener
  }

  /// Whether a client reads events. The API sets it.
  package var hasReader = false {
    didSet { if hasReader != oldValue { onReader?(hasReader) } }
  }
  /// Called when `hasReader` changes.
  package var onReader: ((Bool) -> Void)?

  /// Whether an event stream is open.
  package var hasListeners: Bool { !listeners.isEmpty }

  package func stopListening(_ id: Int) { listeners.removeAll { $0.id == id } }
}

extension EventJournal.Entry {
  /// `{"seq":12,"time":1795339800.123,"now":3.5,…}`, with the members of the event.
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("seq")
      json.integer(number)
      json.key("time")
      json.double(time / .seconds(1))
      if let now {
        json.key("now")
        json.double(now / .seconds(1))
      }
      event.write(to: &json)
    }
  }
}
