import HAPSimulator
import HAPWire
import Testing

@testable import HAPControl

@Suite("The journal") struct EventJournalTests {
  private func journal(_ count: Int) -> EventJournal {
    let journal = EventJournal { .zero }
    for number in 0..<count {
      journal.append(
        .simulator(SimulatorEvent(accessory: "Lamp", .connected(peer: "\(number)"))), now: .seconds(number))
    }
    return journal
  }

  @Test(
    "Events are numbered from 1, and those behind a number are told in their order",
    arguments: [0, 1, 5, 1999, 2000, 2001, 4321])
  func numbers(_ count: Int) {
    let journal = journal(count)
    #expect(journal.lastNumber == UInt64(count))
    for after in Set([0, 1, count / 2, count - 1, count, count + 1, count + 5000].filter { $0 >= 0 }) {
      let numbers = journal.entries(after: UInt64(after)).map(\.number)
      let known = max(0, count - EventJournal.room)
      #expect(numbers == (after < count ? Array(UInt64(max(after, known) + 1)...UInt64(count)) : []))
      #expect(journal.isWhole(after: UInt64(after)) == (after <= count && after >= known))
    }
    #expect(
      journal.entries(after: 0, limit: 2).map(\.number)
        == (count == 0 ? [] : count == 1 ? [1] : [UInt64(count - 1), UInt64(count)]))
    #expect(journal.entries(after: .max).isEmpty)
  }

  @Test("Who listens is told, until it doesn't") func listeners() {
    let journal = journal(0)
    var heard: [UInt64] = []
    let id = journal.listen { heard.append($0.number) }
    let other = journal.listen { heard.append($0.number + 100) }
    journal.append(.other(.object([("event", .text("note"))])), now: .zero)
    journal.stopListening(id)
    journal.append(.other(.object([("event", .text("note"))])), now: .zero)
    journal.stopListening(other)
    journal.append(.other(.object([("event", .text("note"))])), now: .zero)
    #expect(heard == [1, 101, 102])
  }

  @Test("A listener wants one accessory's events, or those of some names") func filters() {
    var event = SimulatorEvent(accessory: "Lamp", .connected(peer: "x"))
    event.number = 2
    let entry = EventJournal.Entry(number: 1, time: .zero, now: .zero, event: .simulator(event))
    #expect(EventStreamStart().admits(entry))
    #expect(EventStreamStart(accessory: 2, names: ["connected"]).admits(entry))
    #expect(!EventStreamStart(accessory: 1).admits(entry))
    #expect(!EventStreamStart(names: ["wrote"]).admits(entry))
    let note = EventJournal.Entry(
      number: 1, time: .zero, now: .zero, event: .other(.object([("event", .text("note"))])))
    #expect(EventStreamStart(names: ["note"]).admits(note))
    #expect(!EventStreamStart(accessory: 2).admits(note))
  }
}
