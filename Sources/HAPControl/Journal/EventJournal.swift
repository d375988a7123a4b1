import HAPSimulator
import HAPWire

/// The latest events, numbered, for who asks what happened and for who wants to be told.
///
/// Its room is bounded: of what was too long ago only the number is known. Belongs to the control loop's thread.
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

  package static let room = 2000

  private var ring: [Entry] = []
  /// Where the oldest stands in it.
  private var first = 0
  private(set) package var lastNumber: UInt64 = 0
  private let timeOfDay: () -> Duration
  /// Those who are told of each new one.
  private var listeners: [(id: Int, tell: (Entry) -> Void)] = []
  private var lastListener = 0

  /// - Parameter timeOfDay: since 1970.
  package init(timeOfDay: @escaping () -> Duration) { self.timeOfDay = timeOfDay }

  package func append(_ event: JournalEvent, now: Duration) {
    lastNumber += 1
    let entry = Entry(number: lastNumber, time: timeOfDay(), now: now, event: event)
    if ring.count < Self.room {
      ring.append(entry)
    } else {
      ring[first] = entry
      first = (first + 1) % Self.room
    }
    for listener in listeners { listener.tell(entry) }
  }

  /// Those behind a number, the oldest first; as many as there still are.
  /// - Parameter limit: the latest of them are taken.
  package func entries(after number: UInt64, limit: Int = EventJournal.room) -> [Entry] {
    let fresh = lastNumber > number ? Int(min(lastNumber - number, UInt64(ring.count))) : 0
    let count = min(fresh, max(0, limit))
    return (ring.count - count..<ring.count).map { ring[(first + $0) % ring.count] }
  }

  /// Whether nothing behind that number has been forgotten.
  package func isWhole(after number: UInt64) -> Bool {
    number <= lastNumber && lastNumber - number <= UInt64(ring.count)
  }

  /// - Returns: a number to take it back by.
  package func listen(_ tell: @escaping (Entry) -> Void) -> Int {
    lastListener += 1
    listeners.append((lastListener, tell))
    return lastListener
  }

  package func stopListening(_ id: Int) { listeners.removeAll { $0.id == id } }
}

/// What stands in the journal.
package enum JournalEvent: Sendable {
  case simulator(SimulatorEvent)
  /// What a scenario says, and how it ended; members of an object, the first of which is `event`.
  case other(JSONNode)

  /// The event's name.
  package var name: String {
    switch self {
    case .simulator(let event): event.name
    case .other(let node): node["event"]?.stringValue ?? "other"
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
