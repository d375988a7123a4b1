import HAPLoop
import HAPModel
import HAPWire
import Testing
@testable import HAPControl
@testable import HAPHost
@testable import HAPWeb

@Suite("The journal") struct EventJournalTests {
  private func journal(_ count: Int) -> ControlJournal {
    let journal = ControlJournal(run: "here") { .zero }
    for number in 0..<count {
      journal.append(
        .simulator(SimulatorEvent(accessory: "Lamp", .connected(peer: "\(number)"))), now: .seconds(number))
    }
    return journal
  }

  @Test(
    "Events are numbered from 1, and the events after a number are returned in order",
    arguments: [0, 1, 5, 1999, 2000, 2001, 4321])
  func numbers(_ count: Int) {
    let journal = journal(count)
    #expect(journal.lastNumber == UInt64(count))
    for after in Set([0, 1, count / 2, count - 1, count, count + 1, count + 5000].filter { $0 >= 0 }) {
      let numbers = journal.entries(after: UInt64(after)).map(\.number)
      let known = max(0, count - ControlJournal.room)
      #expect(numbers == (after < count ? Array(UInt64(max(after, known) + 1)...UInt64(count)) : []))
      #expect(journal.entry(UInt64(after))?.number == (after > known && after <= count ? UInt64(after) : nil))
    }
    #expect(
      journal.entries(after: 0, limit: 2).map(\.number)
        == (count == 0 ? [] : count == 1 ? [1] : [UInt64(count - 1), UInt64(count)]))
    #expect(journal.entries(after: .max).isEmpty && journal.entry(.max) == nil)
    #expect(journal.oldestNumber == UInt64(max(0, count - ControlJournal.room)) + 1)
  }

  @Test("The journal is also bounded in bytes, but always keeps the latest event") func weight() {
    let journal = ControlJournal(run: "here") { .zero }
    func append(_ size: Int) {
      let value = SimulatorEvent.NamedValue(
        characteristic: .init(id: AttributeID(aid: 1, iid: 9), name: "Data"),
        value: .data(Array(repeating: 0, count: size)))
      journal.append(.simulator(SimulatorEvent(accessory: "Lamp", .changed(value))), now: .zero)
    }
    for _ in 0..<100 { append(1 << 20) }
    #expect(journal.entries(after: 0).map(\.number) == Array(93...100))
    append(ControlJournal.weightRoom + 1)
    #expect(journal.entries(after: 0).map(\.number) == [101])
    for _ in 0..<5000 { append(10) }
    #expect(journal.entries(after: 0).map(\.number) == Array(3102...5101))
  }

  @Test("The latest events of a filter are found among many others") func some() {
    let journal = journal(1000)
    for name in ["a", "b"] {
      journal.append(.simulator(SimulatorEvent(accessory: name, .trouble("it smokes"))), now: .zero)
    }
    for _ in 0..<500 { journal.append(.other(.object([("event", .text("note"))])), now: .zero) }
    let request = EventStreamStart(names: ["trouble"])
    #expect(journal.entries(after: 0, limit: 1, where: request.admits).map(\.number) == [1002])
    #expect(journal.entries(after: 0, where: request.admits).map(\.number) == [1001, 1002])
    #expect(journal.entries(after: 1001, where: request.admits).map(\.number) == [1002])
  }

  @Test("An event id names its journal; an id of another journal is recognized") func places() {
    let journal = ControlJournal(run: "here") { .zero }
    #expect(journal.id(7) == "here-7" && journal.place(ofID: "here-7") == .behind(7))
    for id in ["7", "", "-", "here", "here-", "here-x", "here--7", "there-7", "here-7-7", "here-99999999999999999999"] {
      #expect(journal.place(ofID: id) == .elsewhere, "\(id)")
    }
    let loop = EventLoop(name: "journal")
    #expect(ControlJournal(on: loop) { .zero }.run != ControlJournal(on: loop) { .zero }.run)
  }

  @Test("A listener is notified of each event until it is removed") func listeners() {
    let journal = journal(0)
    var heard: [UInt64] = []
    let id = journal.listen { heard.append(journal.lastNumber) }
    let other = journal.listen { heard.append(journal.lastNumber + 100) }
    journal.append(.other(.object([("event", .text("note"))])), now: .zero)
    journal.stopListening(id)
    journal.append(.other(.object([("event", .text("note"))])), now: .zero)
    journal.stopListening(other)
    journal.append(.other(.object([("event", .text("note"))])), now: .zero)
    #expect(heard == [1, 101, 102])
  }

  @Test("A filter selects the events of one accessory, or of given names") func filters() {
    var event = SimulatorEvent(accessory: "Lamp", .connected(peer: "x"))
    event.number = 2
    let entry = ControlJournal.Entry(number: 1, time: .zero, now: .zero, event: .simulator(event))
    #expect(EventStreamStart().admits(entry))
    #expect(EventStreamStart(subject: "2", names: ["connected"]).admits(entry))
    #expect(!EventStreamStart(subject: "1").admits(entry))
    #expect(!EventStreamStart(names: ["wrote"]).admits(entry))
    let note = ControlJournal.Entry(
      number: 1, time: .zero, now: .zero, event: .other(.object([("event", .text("note"))])))
    #expect(EventStreamStart(names: ["note"]).admits(note))
    #expect(!EventStreamStart(subject: "2").admits(note))
  }
}
