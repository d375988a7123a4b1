import HAPTestSupport
import MatterModel
import MatterWire
import Testing

@testable import MatterInteraction

@Suite("Events") struct EventTests {
  private let start = EventPath(0, 0x28, 0)
  private let leave = EventPath(0, 0x28, 2)
  private let entry = EventPath(0, 0x1F, 0)

  private func read(_ bench: inout Bench, _ patterns: EventPattern..., from number: UInt64 = 0) -> ReportCollector {
    bench.report(.read(ReadRequest([], events: patterns, eventsFrom: number)))
  }

  @Test("Events are read with their numbers, in order") func order() {
    var bench = Bench()
    let fields = [Element(.context(0), .unsigned(1))]
    bench.server.record(start, .critical, at: .start(milliseconds: 3), fields)
    bench.server.record(leave, .info, at: .epoch(microseconds: 9))
    bench.server.record(entry, .info, at: .start(milliseconds: 4))
    #expect(
      read(&bench, EventPattern()).events == [
        EventRecord(number: 1, path: start, priority: .critical, time: .start(milliseconds: 3), fields: fields),
        EventRecord(number: 2, path: leave, priority: .info, time: .epoch(microseconds: 9)),
        EventRecord(number: 3, path: entry, priority: .info, time: .start(milliseconds: 4)),
      ])
    #expect(read(&bench, EventPattern(nil, nil, 0)).events.map(\.number) == [1, 3])
    #expect(read(&bench, EventPattern(0, 0x28)).events.map(\.number) == [1, 2])
    #expect(read(&bench, EventPattern(1)).events.isEmpty)
    #expect(read(&bench, EventPattern(), EventPattern(0, 0x28)).events.map(\.number) == [1, 2, 3])
    #expect(read(&bench, EventPattern(), from: 3).events.map(\.number) == [3])
    #expect(read(&bench, EventPattern(), from: 4).events.isEmpty)
    #expect(read(&bench, EventPattern(), from: .max).events.isEmpty)
  }

  @Test("A concrete path that fails is a status; wildcards are not") func statuses() {
    var bench = Bench()
    bench.server.record(entry, .info, at: .start(milliseconds: 0))
    let report = read(
      &bench, EventPattern(9, 0x28, 0), EventPattern(0, 0x29, 0), EventPattern(0, 0x28, 9), EventPattern(9))
    #expect(
      report.eventStatuses == [
        EventPattern(9, 0x28, 0): InteractionStatus(.unsupportedEndpoint),
        EventPattern(0, 0x29, 0): InteractionStatus(.unsupportedCluster),
        EventPattern(0, 0x28, 9): InteractionStatus(.unsupportedEvent),
      ])
    bench.peer = Bench.user
    #expect(read(&bench, EventPattern()).events.isEmpty)
    #expect(
      read(&bench, EventPattern(0, 0x1F, 0)).eventStatuses.values.map(\.code) == [.unsupportedAccess])
  }

  @Test("An event of a fabric is hidden from the others") func fabric() {
    var bench = Bench()
    bench.server.record(start, .info, at: .start(milliseconds: 0), fabric: 1)
    bench.peer = Bench.user
    #expect(read(&bench, EventPattern()).events.isEmpty)
    bench.peer = Bench.administrator
    #expect(read(&bench, EventPattern()).events.count == 1)
  }

  @Test("Each priority keeps its latest events") func ring() {
    var log = EventLog(capacity: 3)
    _ = log.record(start, .critical, at: .start(milliseconds: 0), [], fabric: nil)
    for _ in 0..<10 { _ = log.record(leave, .debug, at: .start(milliseconds: 0), [], fabric: nil) }
    #expect(log.records.map(\.number) == [1, 9, 10, 11])
    #expect((0...13).map { log.index(from: $0) } == [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 4])
  }

  @Test("Numbers rise over restarts, and what is stored changes once for many events") func numbers() {
    var log = EventLog(next: 1, step: 10)
    var stored: Set<UInt64> = [log.storedNumber]
    for _ in 0..<95 {
      let number = log.record(start, .info, at: .start(milliseconds: 0), [], fabric: nil)
      stored.insert(log.storedNumber)
      #expect(number < log.storedNumber)
    }
    #expect(stored.count <= 10)
    var next = EventLog(next: log.storedNumber, step: 10)
    #expect(next.record(start, .info, at: .start(milliseconds: 0), [], fabric: nil) > 95)
  }

  @Test("Many events come in messages") func chunks() {
    var limits = InteractionLimits()
    limits.payloadBytes = 256
    var bench = Bench(limits: limits)
    for number in 0..<60 { bench.server.record(leave, .info, at: .start(milliseconds: UInt64(number))) }
    let report = bench.report(.read(ReadRequest([AttributePattern()], events: [EventPattern()])))
    #expect(report.events.map(\.number) == Array(1...60))
    #expect(report.values.count == 27)
    #expect(bench.sizes.allSatisfy { $0 <= 256 })
  }

  @Test("An event that happens during a report is not in it, but in the next one") func duringReport() {
    var limits = InteractionLimits()
    limits.payloadBytes = 256
    var bench = Bench(limits: limits)
    _ = bench.subscribe(SubscribeRequest([], events: [EventPattern(isUrgent: true)], minimum: 1, maximum: 10))
    for number: UInt64 in 0..<20 { bench.server.record(leave, .info, at: .start(milliseconds: number)) }
    let actions = bench.advance(to: .seconds(1))
    bench.server.record(start, .info, at: .start(milliseconds: 20))
    #expect(bench.reports(actions).map { $0.events.map(\.number) } == [Array(1...20)])
    #expect(bench.reports(bench.advance(to: .seconds(2))).map { $0.events.map(\.number) } == [[21]])
  }

  @Test("An event that no message can hold is left out") func tooLarge() {
    var bench = Bench()
    let octets = Element(.context(0), .octets([UInt8](repeating: 0, count: 1200)))
    bench.server.record(leave, .info, at: .start(milliseconds: 0), [octets])
    bench.server.record(leave, .info, at: .start(milliseconds: 0))
    #expect(read(&bench, EventPattern()).events.map(\.number) == [2])
  }

  // MARK: Subscriptions

  @Test("A subscription reports each event once, urgent ones after the minimum interval") func urgent() {
    var bench = Bench()
    bench.server.record(start, .critical, at: .start(milliseconds: 0))
    let events = [EventPattern(0, 0x28, 0, isUrgent: true), EventPattern(0, 0x28, 2)]
    let subscribed = bench.subscribe(SubscribeRequest([], events: events, minimum: 2, maximum: 10))
    #expect(subscribed?.1.events.map(\.number) == [1])
    bench.server.record(leave, .info, at: .start(milliseconds: 1))
    #expect(bench.server.nextDeadline == .seconds(10))
    bench.server.record(start, .critical, at: .start(milliseconds: 2))
    #expect(bench.server.nextDeadline == .seconds(2))
    #expect(bench.reports(bench.advance(to: .seconds(2))).map { $0.events.map(\.number) } == [[2, 3]])
    // One that is not urgent comes instead of the empty report.
    bench.server.record(leave, .info, at: .start(milliseconds: 3))
    #expect(bench.advance(to: .seconds(11)).isEmpty)
    #expect(bench.reports(bench.advance(to: .seconds(12))).map { $0.events.map(\.number) } == [[4]])
    #expect(bench.reports(bench.advance(to: .seconds(22))).map { $0.events.count } == [0])
  }

  @Test("An urgent event of another fabric does not wake a subscription") func urgentOfOther() {
    var bench = Bench()
    bench.peer = Bench.user
    let request = SubscribeRequest([], events: [EventPattern(isUrgent: true)], minimum: 0, maximum: 10)
    _ = bench.subscribe(request)
    bench.server.record(start, .info, at: .start(milliseconds: 0), fabric: 1)
    #expect(bench.server.nextDeadline == .seconds(10))
  }

  @Test("An event between the first report and the response is not lost") func between() {
    var bench = Bench()
    let request = SubscribeRequest([], events: [EventPattern(isUrgent: true)], minimum: 0, maximum: 10)
    _ = bench.send(InteractionMessage(.subscribe, request.encoded), on: .peer(1))
    bench.server.record(start, .info, at: .start(milliseconds: 0))
    _ = bench.send(.success, on: .peer(1))
    bench.server.exchangeEnded(.peer(1))
    #expect(bench.reports(bench.advance(to: .zero)).map { $0.events.map(\.number) } == [[1]])
  }
}
