import HAPTestSupport
import MatterModel
import MatterWire
import Testing

@testable import MatterInteraction

@Suite("Subscriptions") struct SubscriptionTests {
  private let light = SubscribeRequest([AttributePattern(1)], minimum: 2, maximum: 10)

  private func change(_ bench: inout Bench, _ value: UInt64, _ path: AttributePath = MemoryTarget.onOff) {
    bench.target[path] = .unsigned(value)
    bench.server.attributeChanged(path)
  }

  @Test("A subscription begins with a report that is answered, and a response") func priming() throws {
    var bench = Bench()
    let exchange = bench.newExchange()
    let first = bench.send(InteractionMessage(.subscribe, light.encoded), on: exchange)
    guard case .send(let message, exchange, expectsAnswer: true)? = first.first else {
      Issue.record("no report")
      return
    }
    let report = try ReportData(decoding: message.payload)
    #expect(report.subscription == 101 && !report.suppressesResponse && !report.hasMore)
    #expect(report.attributes.count == 6)
    // No report before the response.
    change(&bench, 3)
    #expect(bench.advance(to: .seconds(5)).isEmpty)
    let response = InteractionMessage(.subscribeResponse, SubscribeResponse(id: 101, maximum: 10).encoded)
    #expect(bench.send(.success, on: exchange) == [.send(response, on: exchange, expectsAnswer: false)])
    // The change is not lost.
    bench.server.exchangeEnded(exchange)
    #expect(bench.server.nextDeadline == .seconds(7))
    #expect(bench.reports(bench.advance(to: .seconds(7))).first?.values == [MemoryTarget.onOff: .unsigned(3)])
  }

  @Test("A first report of many messages is answered message by message") func largePriming() {
    var limits = InteractionLimits()
    limits.payloadBytes = 256
    var bench = Bench(limits: limits)
    let subscribed = bench.subscribe(SubscribeRequest([AttributePattern()], minimum: 0, maximum: 10))
    #expect(subscribed?.1.values.count == 27)
    #expect(bench.sizes.allSatisfy { $0 <= 256 })
    #expect(bench.server.subscriptionCount == 1)
  }

  @Test("Changes are joined to the latest value, not before the minimum interval") func coalesced() {
    var bench = Bench()
    _ = bench.subscribe(light)
    change(&bench, 1)
    #expect(bench.server.nextDeadline == .seconds(2))
    #expect(bench.advance(to: .milliseconds(1999)).isEmpty)
    change(&bench, 0)
    change(&bench, 5)
    let actions = bench.advance(to: .seconds(2))
    #expect(actions.first == .begin(.own(1), session: 1))
    let reports = bench.reports(actions)
    #expect(reports.map(\.values) == [[MemoryTarget.onOff: .unsigned(5)]])
    #expect(reports.first?.subscription == 101)
    // Later than the minimum after the last report: at once.
    bench.now = .seconds(9)
    change(&bench, 6)
    #expect(bench.reports(bench.advance(to: .seconds(9))).map(\.values) == [[MemoryTarget.onOff: .unsigned(6)]])
  }

  @Test("Without changes, an empty report that is only acknowledged comes at the maximum interval") func keepalive() {
    var bench = Bench()
    _ = bench.subscribe(light)
    for round in 1...3 {
      #expect(bench.server.nextDeadline == .seconds(10 * round))
      #expect(bench.advance(to: .seconds(10 * round) - .milliseconds(1)).isEmpty)
      let empty = InteractionMessage(.report, ReportData(subscription: 101, suppressesResponse: true).encoded)
      #expect(
        bench.advance(to: .seconds(10 * round)) == [
          .begin(.own(UInt64(round)), session: 1),
          .send(empty, on: .own(UInt64(round)), expectsAnswer: false),
        ])
      // No other one follows before it is acknowledged.
      #expect(bench.server.nextDeadline == nil && bench.server.isWatched(.own(UInt64(round))))
      bench.server.exchangeEnded(.own(UInt64(round)))
      #expect(!bench.server.isWatched(.own(UInt64(round))))
    }
  }

  @Test("No report follows before the subscriber has the response") func early() {
    var bench = Bench()
    _ = bench.subscribe(light, acknowledges: false)
    change(&bench, 5)
    #expect(bench.server.nextDeadline == nil && bench.advance(to: .seconds(30)).isEmpty)
    bench.server.exchangeEnded(.peer(1))
    #expect(bench.reports(bench.advance(to: .seconds(30))).map(\.values) == [[MemoryTarget.onOff: .unsigned(5)]])
  }

  @Test("Withheld reports are lost, and empty reports keep the subscription alive") func withheld() {
    var bench = Bench()
    let events = EventPattern(1, 6, 0, isUrgent: true)
    _ = bench.subscribe(SubscribeRequest([AttributePattern(1)], events: [events], minimum: 2, maximum: 10))
    bench.server.withheldReports = .all
    change(&bench, 1)
    bench.server.record(EventPath(1, 6, 0), .info, at: .start(milliseconds: 1))
    #expect(bench.advance(to: .seconds(2)).isEmpty && bench.server.nextDeadline == .seconds(10))
    bench.server.record(EventPath(1, 6, 0), .info, at: .start(milliseconds: 2))
    #expect(bench.reports(bench.advance(to: .seconds(10))).map(\.values) == [[:]])
    bench.server.withheldReports = .none
    #expect(bench.advance(to: .seconds(13)).isEmpty)
    change(&bench, 2)
    let report = bench.reports(bench.advance(to: .seconds(14))).first
    #expect(report?.values == [MemoryTarget.onOff: .unsigned(2)] && report?.events.isEmpty == true)
    #expect(bench.server.subscriptionCount == 1)
  }

  /// Checked: it fails if only `all` has an effect.
  @Test("The first report of a subscription is lost, and later ones are not") func withheldFirst() {
    var bench = Bench()
    bench.server.withheldReports = .first
    _ = bench.subscribe(light)
    change(&bench, 1)
    #expect(bench.advance(to: .seconds(2)).isEmpty)
    change(&bench, 2)
    #expect(bench.reports(bench.advance(to: .seconds(4))).map(\.values) == [[MemoryTarget.onOff: .unsigned(2)]])
  }

  /// Checked: without `forgetLostReports`, the report of 3 is sent; if equal values forget, too, the report of 4 is lost.
  @Test("A subscription loses its first report again if that is set again", arguments: [WithheldReports.none, .all])
  func withheldFirstAgain(between: WithheldReports) {
    var bench = Bench()
    bench.server.withheldReports = .first
    _ = bench.subscribe(light)
    change(&bench, 1)
    #expect(bench.advance(to: .seconds(2)).isEmpty)
    bench.server.withheldReports = between
    bench.server.withheldReports = .first
    change(&bench, 3)
    #expect(bench.advance(to: .seconds(4)).isEmpty)
    bench.server.withheldReports = .first
    change(&bench, 4)
    #expect(bench.reports(bench.advance(to: .seconds(6))).map(\.values) == [[MemoryTarget.onOff: .unsigned(4)]])
  }

  @Test("Changes that were not asked for do not delay the empty report") func otherChanges() {
    var bench = Bench()
    _ = bench.subscribe(light)
    for second in 1...9 {
      change(&bench, UInt64(second), AttributePath(2, 6, 0))
      #expect(bench.advance(to: .seconds(second)).isEmpty)
    }
    #expect(bench.advance(to: .seconds(10)).count == 2)
  }

  @Test("A change that is gone, or no longer allowed, is not reported, and the empty report stays due") func vanished()
  {
    var bench = Bench()
    bench.peer = Bench.user
    _ = bench.subscribe(light)
    change(&bench, 1)
    bench.target.access = [:]
    #expect(bench.advance(to: .seconds(2)).isEmpty)
    #expect(bench.server.nextDeadline == .seconds(10))
    bench.target.access[2] = [AccessEntry(.view)]
    bench.target.tree[1] = nil
    bench.server.attributeChanged(MemoryTarget.onOff)
    #expect(bench.advance(to: .seconds(9)).isEmpty)
    #expect(bench.advance(to: .seconds(10)).count == 2)
  }

  @Test("While a report is not answered, no other one is sent; without an answer, the subscription ends")
  func unanswered() {
    var bench = Bench()
    _ = bench.subscribe(light)
    change(&bench, 1)
    #expect(bench.advance(to: .seconds(2)).count == 2)
    change(&bench, 2)
    #expect(bench.advance(to: .seconds(20)).isEmpty)
    #expect(bench.server.nextDeadline == .seconds(32))
    #expect(bench.advance(to: .seconds(32)) == [.close(.own(1))])
    #expect(bench.server.subscriptionCount == 0)
  }

  @Test("InvalidSubscription, and an exchange that fails, end the subscription") func ends() {
    var bench = Bench()
    _ = bench.subscribe(light)
    change(&bench, 1)
    _ = bench.advance(to: .seconds(2))
    #expect(bench.send(.invalidSubscription, on: .own(1)) == [.close(.own(1))])
    #expect(bench.server.subscriptionCount == 0)
    #expect(bench.server.nextDeadline == nil)

    _ = bench.subscribe(light)
    #expect(bench.advance(to: .seconds(12)).count == 2)
    bench.server.exchangeFailed(.own(2))
    #expect(bench.server.subscriptionCount == 0)

    // The exchange of the response, until that is acknowledged.
    _ = bench.subscribe(light, acknowledges: false)
    #expect(bench.server.nextDeadline == nil)
    #expect(bench.server.isWatched(.peer(3)) && !bench.server.isWatched(.peer(2)))
    bench.server.exchangeFailed(.peer(3))
    #expect(bench.server.subscriptionCount == 0)

    // Another request instead of an answer.
    _ = bench.send(InteractionMessage(.subscribe, light.encoded), on: .peer(8))
    #expect(statusCode(bench.send(InteractionMessage(.subscribe, light.encoded), on: .peer(8))) == .invalidAction)
    #expect(bench.server.subscriptionCount == 0)

    // A first report without an answer.
    _ = bench.send(InteractionMessage(.subscribe, light.encoded), on: .peer(9))
    #expect(bench.send(.failure, on: .peer(9)) == [.close(.peer(9))])
    #expect(bench.server.subscriptionCount == 0)
  }

  @Test("A subscription is reported when it has begun, and when it ends, with the reason") func changes() throws {
    var bench = Bench()
    let exchange = bench.newExchange()
    _ = bench.send(InteractionMessage(.subscribe, light.encoded), on: exchange)
    #expect(bench.server.takeSubscriptionChanges().isEmpty, "the first report is not answered")
    _ = bench.send(.success, on: exchange)
    let begun = try #require(bench.server.takeSubscriptionChanges().first)
    #expect(begun.id == 101 && begun.end == nil && begun.subject == bench.peer.subject)
    #expect((begun.attributeCount, begun.eventCount) == (1, 0))
    #expect((begun.minimum, begun.maximum) == (.seconds(2), .seconds(10)))
    func ends() -> [SubscriptionChange.End?] {
      let changes = bench.server.takeSubscriptionChanges()
      #expect(bench.server.takeSubscriptionChanges().isEmpty)
      return changes.map(\.end)
    }
    _ = bench.subscribe(light)
    #expect(ends() == [.replaced, nil])
    change(&bench, 1)
    _ = bench.advance(to: .seconds(2))
    _ = bench.send(.invalidSubscription, on: .own(1))
    #expect(ends() == [.refused])
    _ = bench.subscribe(light)
    bench.server.sessionEnded(bench.peer.session)
    #expect(ends() == [nil, .sessionEnded])
    _ = bench.subscribe(light)
    change(&bench, 2)
    _ = bench.advance(to: .seconds(4))
    _ = bench.advance(to: .seconds(60))
    #expect(ends() == [nil, .unanswered])
    // One whose first report was refused has never begun.
    _ = bench.send(InteractionMessage(.subscribe, light.encoded), on: .peer(9))
    _ = bench.send(.failure, on: .peer(9))
    #expect(ends().isEmpty && bench.server.subscriptionCount == 0)
  }

  @Test("The end of a session ends its subscriptions") func sessionEnd() {
    var bench = Bench()
    _ = bench.subscribe(light)
    bench.peer = Bench.administrator
    _ = bench.subscribe(light)
    bench.server.sessionEnded(1)
    #expect(bench.server.subscriptionCount == 1)
    change(&bench, 1)
    #expect(bench.advance(to: .seconds(2)).first == .begin(.own(1), session: 2))
  }

  @Test("A subscription that does not keep the others ends those of the same peer") func keep() {
    var bench = Bench()
    var request = light
    request.keepsOthers = true
    bench.peer = Bench.user
    _ = bench.subscribe(light)
    bench.peer = Bench.administrator
    _ = bench.subscribe(request)
    _ = bench.subscribe(request)
    #expect(bench.server.subscriptionCount == 3)
    // A node with the same identifier in another fabric.
    bench.target.access[2] = [AccessEntry(.view)]
    bench.peer = InteractionPeer(session: 4, subject: .node(0xA, fabric: 2, tags: []))
    _ = bench.subscribe(light)
    #expect(bench.server.subscriptionCount == 4)
    bench.peer = Bench.administrator
    // The same node on another session.
    bench.peer.session = 9
    _ = bench.subscribe(light)
    #expect(bench.server.subscriptionCount == 3)
  }

  @Test(
    "Subscriptions without a path that exists, or with a minimum above the maximum, are refused",
    arguments: [
      SubscribeRequest([], minimum: 0, maximum: 10),
      SubscribeRequest([AttributePattern(9)], minimum: 0, maximum: 10),
      SubscribeRequest([AttributePattern(1, 6, 7)], minimum: 0, maximum: 10),
      SubscribeRequest([AttributePattern(nil, nil, 0)], minimum: 0, maximum: 10),
      SubscribeRequest([], events: [EventPattern(0, 0x28, 9)], minimum: 0, maximum: 10),
      SubscribeRequest([AttributePattern(1)], minimum: 11, maximum: 10),
    ])
  func invalid(_ request: SubscribeRequest) {
    var bench = Bench()
    let actions = bench.send(InteractionMessage(.subscribe, request.encoded), on: .peer(1))
    #expect(statusCode(actions) == .invalidAction)
    #expect(bench.server.subscriptionCount == 0)
  }

  @Test("A subscriber without View is refused") func access() {
    var bench = Bench()
    bench.peer.subject = .node(0xC, fabric: 1, tags: [])
    let actions = bench.send(InteractionMessage(.subscribe, light.encoded), on: .peer(1))
    #expect(statusCode(actions) == .invalidAction)
  }

  @Test("Each fabric has its own limit of subscriptions; too many paths are PathsExhausted") func limits() {
    var limits = InteractionLimits()
    limits.subscriptionsOfFabric = 3
    var bench = Bench(limits: limits)
    var request = light
    request.keepsOthers = true
    let message = InteractionMessage(.subscribe, request.encoded)
    bench.peer = Bench.user
    for _ in 0..<3 { #expect(bench.subscribe(request) != nil) }
    #expect(statusCode(bench.send(message, on: bench.newExchange())) == .resourceExhausted)
    bench.peer = Bench.administrator
    for _ in 0..<3 { #expect(bench.subscribe(request) != nil) }
    request.attributes = Array(repeating: AttributePattern(1), count: 257)
    let large = InteractionMessage(.subscribe, request.encoded)
    #expect(statusCode(bench.send(large, on: bench.newExchange())) == .pathsExhausted)
    #expect(bench.server.subscriptionCount == 6)
  }

  @Test("Reports that are not yet answered do not count as exchanges of the peer") func ownExchanges() {
    var limits = InteractionLimits()
    (limits.exchanges, limits.payloadBytes) = (1, 256)
    var bench = Bench(limits: limits)
    _ = bench.subscribe(light)
    change(&bench, 1)
    #expect(bench.advance(to: .seconds(2)).count == 2)
    #expect(bench.server.isWatched(.own(1)))
    #expect(bench.read(AttributePattern()).values.count == 27)
  }

  @Test("A maximum interval of 0 is raised to one second") func zero() {
    var bench = Bench()
    let subscribed = bench.subscribe(SubscribeRequest([AttributePattern(1)], minimum: 0, maximum: 0))
    #expect(subscribed?.0.maximum == 1)
    #expect(bench.server.nextDeadline == .seconds(1))
  }

  @Test("Known data versions are left out of the first report only") func versions() {
    var bench = Bench()
    var request = light
    request.versions = [VersionFilter(1, 6, 7)]
    #expect(bench.subscribe(request)?.1.values.isEmpty == true)
    change(&bench, 4)
    #expect(bench.reports(bench.advance(to: .seconds(2))).map(\.values) == [[MemoryTarget.onOff: .unsigned(4)]])
  }

  @Test("A report of many changes comes in messages; changes meanwhile come with the next report")
  func largeReport() {
    var limits = InteractionLimits()
    limits.payloadBytes = 256
    var bench = Bench(limits: limits)
    let description = bench.target.clusters(of: 1)[0]
    for endpoint in 3...60 as ClosedRange<EndpointNumber> { bench.target.add(endpoint, description) }
    _ = bench.subscribe(SubscribeRequest([AttributePattern(nil, 6)], minimum: 1, maximum: 10))
    for endpoint in 1...60 as ClosedRange<EndpointNumber> { change(&bench, 8, AttributePath(endpoint, 6, 0)) }
    let actions = bench.advance(to: .seconds(1))
    change(&bench, 9, AttributePath(60, 6, 0))
    change(&bench, 9, AttributePath(1, 6, 0))
    let first = bench.reports(actions)
    #expect(first.count == 1 && first.first?.values.count == 60)
    #expect(bench.sizes.allSatisfy { $0 <= 256 })
    let second = bench.reports(bench.advance(to: .seconds(2)))
    #expect(second.map(\.values) == [[AttributePath(1, 6, 0): .unsigned(9), AttributePath(60, 6, 0): .unsigned(9)]])
  }
}
