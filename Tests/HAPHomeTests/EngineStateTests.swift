import HAPAlmanac
import HAPModel
import HAPTestSupport
import HAPWire
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Engine: stored states")
struct EngineStateTests {
  private static let id = HomeObjectID.test(1).description

  private func parse<T>(_ text: String, _ body: (JSONNode) throws(JSONProblem) -> T) throws -> T {
    try body(JSONNode.parse(Array(text.utf8)))
  }

  private static var full: TriggerState {
    var state = TriggerState(.test(1))
    state.settled = Instant(seconds: 1_780_318_800, nanosecond: 5)
    state.started = [
      .init(time: Instant(seconds: 1_780_318_800), isEnd: false), .init(time: Instant(seconds: 5), isEnd: true),
    ]
    state.running = .init(
      values: [
        RestorableValue(.test(2), before: nil, written: true), RestorableValue(.test(3), before: 1.0, written: 2),
        RestorableValue(.test(4), before: .data([1, 2]), written: "é"),
      ], end: Instant(seconds: 1_780_319_400))
    return state
  }

  @Test("A state and its JSON form are the same")
  func roundTrip() throws {
    for state in [TriggerState(.test(1)), Self.full] {
      #expect(try parse(state.json.compactText, TriggerState.init) == state)
    }
    #expect(
      Self.full.json.compactText == """
        {"trigger":"\(Self.id)","settled":"2026-06-01T13:00:00.000000005Z","started":[{"time":"2026-06-01T13:00:00Z"},\
        {"time":"1970-01-01T00:00:05Z","end":true}],"running":{"values":[{"characteristic":"\(HomeObjectID.test(2))",\
        "written":true},{"characteristic":"\(HomeObjectID.test(3))","before":1.0,"written":2},{"characteristic":\
        "\(HomeObjectID.test(4))","before":{"base64":"AQI="},"written":"é"}],"end":"2026-06-01T13:10:00Z"}}
        """)
    let position = try #require(Coordinate(latitude: 37.33, longitude: -122.03))
    for place in [PersonState.Place.home, .away, .position(position)] {
      let person = PersonState(.test(9), place)
      #expect(try parse(person.json.compactText, PersonState.init) == person)
    }
  }

  @Test(
    "Each mistake in a state has its place",
    arguments: [
      (#"[]"#, "1:1", ""), (#"{}"#, "1:1", ""), (#"{"trigger": 5}"#, "1:13", "trigger"),
      (#"{"trigger": "5"}"#, "1:13", "trigger"), (#"{"trigger": "ID", "setled": 1}"#, "1:53", "setled"),
      (#"{"trigger": "ID", "settled": "2026-06-01"}"#, "1:64", "settled"),
      (#"{"trigger": "ID", "settled": "0001-06-01T00:00:00Z"}"#, "1:64", "settled"),
      (#"{"trigger": "ID", "started": {}}"#, "1:64", "started"),
      (#"{"trigger": "ID", "started": [{}]}"#, "1:65", "started[0]"),
      (#"{"trigger": "ID", "started": [{"time": "2026-06-01T00:00:00Z", "end": 1}]}"#, "1:105", "started[0].end"),
      (#"{"trigger": "ID", "started": [{"time": "x"}]}"#, "1:74", "started[0].time"),
      (#"{"trigger": "ID", "running": []}"#, "1:64", "running"),
      (#"{"trigger": "ID", "running": {}}"#, "1:64", "running"),
      (#"{"trigger": "ID", "running": {"values": 1}}"#, "1:75", "running.values"),
      (#"{"trigger": "ID", "running": {"values": [], "end": 4}}"#, "1:86", "running.end"),
      (#"{"trigger": "ID", "running": {"values": [{"characteristic": "ID"}]}}"#, "1:76", "running.values[0]"),
      (
        #"{"trigger": "ID", "running": {"values": [{"characteristic": "ID", "written": null}]}}"#, "1:146",
        "running.values[0].written"
      ),
      (
        #"{"trigger": "ID", "running": {"values": [{"characteristic": "ID", "before": null, "written": 1}]}}"#, "1:145",
        "running.values[0].before"
      ),
      (
        #"{"trigger": "ID", "running": {"values": [{"characteristic": "ID", "before": [], "written": 1}]}}"#, "1:145",
        "running.values[0].before"
      ),
      (
        #"{"trigger": "ID", "running": {"values": [{"characteristic": "ID", "written": 1}, {"characteristic": "ID", "written": 1}]}}"#,
        "1:150", "running.values[1]"
      ),
    ])
  func mistakes(text: String, place: String, path: String) throws {
    let error = #expect(throws: JSONProblem.self) {
      try parse(text.replacing("ID", with: Self.id), TriggerState.init)
    }
    #expect(error?.place.description == place && error?.path == path)
  }

  @Test(
    "Each mistake in a person's state has its place",
    arguments: [
      (#"{"user": "ID"}"#, "1:1"), (#"{"user": "ID", "place": "work"}"#, "1:59"),
      (#"{"user": "ID", "place": 4}"#, "1:59"),
      (#"{"user": "ID", "place": [1]}"#, "1:59"), (#"{"user": "ID", "place": [91, 0]}"#, "1:59"),
      (#"{"user": "ID", "place": ["1", 0]}"#, "1:60"), (#"{"place": "home"}"#, "1:1"),
      (#"{"user": "ID", "place": "home", "x": 1}"#, "1:67"),
    ])
  func mistakesOfPersons(text: String, place: String) throws {
    let error = #expect(throws: JSONProblem.self) { try parse(text.replacing("ID", with: Self.id), PersonState.init) }
    #expect(error?.place.description == place)
  }

  @Test("A state of a trigger that is not in the model, and a foreign state, do no harm")
  func foreignStates() {
    var foreign = Self.full
    foreign.running?.end = .distantPast
    var other = TriggerState(.test(1001))
    other.settled = .distantFuture
    other.started = Array(repeating: .init(time: .distantPast, isEnd: true), count: 100)
    other.running = .init(values: [RestorableValue(.test(77), before: 1, written: 2)], end: .distantPast)
    for event in [HomeEvent.calendar(.hour(19)), .characteristic(.lock, equals: 0)] {
      let trigger = Trigger.test(1, .event(EventTrigger(events: [event], endEvents: [.duration(seconds: 60)])))
      var bench = EngineBench([trigger])
      bench.states = [.test(1): foreign, .test(1001): other]
      bench.persons = [.test(88): PersonState(.test(88), .home)]
      bench.restart()
      #expect(bench.restored.isEmpty && bench.states[.test(1001)]?.running == nil)
      #expect(bench.engine.evaluations(of: .test(1001)).count == 20)
      bench.run(until: "2026-06-02T00:00")
      bench.set(.lock, 0)
      #expect(bench.executions.count == 1)
    }
  }

  // MARK: Deadlines

  @Test("Deadlines come in the order of their times, and equal times in the order in which they were added")
  func heap() {
    var generator = SeededGenerator(seed: 7)
    for count in [0, 1, 2, 3, 10, 100, 1000] {
      var heap = DeadlineHeap()
      var expected: [(time: Int, order: Int)] = []
      for order in 0..<count {
        let time = Int.random(in: 0..<max(1, count / 3), using: &generator)
        heap.add(.read(EngineTicket(number: order)), at: Instant(seconds: Int64(time)))
        expected.append((time, order))
      }
      expected.sort { $0 < $1 }
      for (time, order) in expected {
        #expect(heap.first?.time == Instant(seconds: Int64(time)))
        #expect(heap.first?.deadline == .read(EngineTicket(number: order)))
        heap.removeFirst()
      }
      #expect(heap.first == nil && heap.count == 0)
    }
  }

  @Test("Void deadlines do not accumulate, and do not wake the shell")
  func voidDeadlines() {
    let events = EventTrigger(
      events: [.characteristic(.lock, equals: nil)], endEvents: [.duration(seconds: 86_400)])
    var bench = EngineBench([.test(1, .event(events))])
    for _ in 0..<1000 {
      bench.set(.lock, bench.world[.lock] == 0 ? 1 : 0)
      bench.run(for: .seconds(10))
    }
    #expect(bench.engine.deadlines.count < 100)
    #expect(bench.engine.nextDeadline == bench.now.advanced(by: .seconds(86_390)))
    bench.update(.test(1001)) { $0.kind = .event(EventTrigger(events: [.characteristic(.lock, equals: nil)])) }
    #expect(bench.engine.nextDeadline == nil)
  }
}
