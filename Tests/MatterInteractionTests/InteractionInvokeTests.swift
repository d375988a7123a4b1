import HAPTestSupport
import MatterModel
import MatterWire
import Testing

@testable import MatterInteraction

@Suite("Invoking commands") struct InteractionInvokeTests {
  @Test("A command is executed, and answered with a status or its response") func one() {
    var bench = Bench()
    let response = CommandOutcome.response(9, [Element(.context(0), .unsigned(3))])
    bench.target.outcomes[CommandPath(1, 6, 4)] = response
    #expect(bench.invoke(CommandPattern(1, 6, 1)) == [.status(.success)])
    #expect(bench.invoke(CommandPattern(1, 6, 4)) == [response])
    #expect(bench.target.invokes == [CommandPath(1, 6, 1), CommandPath(1, 6, 4)])
  }

  @Test(
    "A command that can't be executed is answered with the reason",
    arguments: [
      (CommandPattern(9, 6, 0), InteractionStatus.Code.unsupportedEndpoint),
      (CommandPattern(1, 7, 0), .unsupportedCluster), (CommandPattern(1, 6, 5), .unsupportedCommand),
      (CommandPattern(1, 6, 2), .needsTimedInteraction), (CommandPattern(1, 6, 3), .unsupportedAccess),
    ])
  func statuses(_ path: CommandPattern, _ code: InteractionStatus.Code) {
    // Command 3 belongs to fabrics; the session has none.
    var bench = Bench()
    #expect(bench.invoke(path) == [.status(InteractionStatus(code))])
    #expect(bench.target.invokes.isEmpty)
  }

  @Test("A privilege below that of the command gives UnsupportedAccess; without View, all does") func access() {
    var bench = Bench()
    bench.peer = Bench.user
    #expect(bench.invoke(CommandPattern(1, 6, 0)) == [.status(.success)])
    #expect(bench.invoke(CommandPattern(1, 6, 3)) == [.status(InteractionStatus(.unsupportedAccess))])
    bench.peer.subject = .node(0xC, fabric: 1, tags: [])
    #expect(bench.invoke(CommandPattern(9, 6, 0)) == [.status(InteractionStatus(.unsupportedAccess))])
    bench.peer = Bench.administrator
    #expect(bench.invoke(CommandPattern(1, 6, 3)) == [.status(.success)])
  }

  @Test("With an endpoint wildcard, the command is executed where it exists and is allowed") func wildcard() {
    var bench = Bench()
    #expect(bench.invoke(CommandPattern(nil, 6, 1)).count == 2)
    #expect(bench.target.invokes == [CommandPath(1, 6, 1), CommandPath(2, 6, 1)])
    #expect(bench.invoke(CommandPattern(nil, 9, 1)).isEmpty)
    bench.target.access[2] = [AccessEntry(.operate, targets: [AccessEntry.Target(endpoint: 2)])]
    bench.peer = Bench.user
    #expect(bench.invoke(CommandPattern(nil, 6, 0)) == [.status(.success)])
    #expect(bench.target.invokes.last == CommandPath(2, 6, 0))
    let untimed = InteractionStatus(.needsTimedInteraction)
    #expect(bench.invoke(CommandPattern(nil, 6, 2)) == [.status(untimed)])
  }

  @Test("A timed command is executed after a timed request") func timed() {
    var bench = Bench()
    #expect(bench.invoke(CommandPattern(1, 6, 2), timed: 100) == [.status(.success)])
    let request = InvokeRequest([InvokeRequest.Item(CommandPattern(1, 6, 2))], isTimed: true)
    let message = InteractionMessage(.invoke, request.encoded)
    #expect(statusCode(bench.send(message, on: .peer(50))) == .timedRequestMismatch)
    _ = bench.send(InteractionMessage(.timed, TimedRequest(milliseconds: 100).encoded), on: .peer(51))
    bench.now += .milliseconds(101)
    #expect(statusCode(bench.send(message, on: .peer(51))) == .timeout)
    #expect(bench.target.invokes.count == 1)
  }

  @Test("Several commands, and none, are refused, because MaxPathsPerInvoke is 1") func several() {
    var bench = Bench()
    let item = InvokeRequest.Item(CommandPattern(1, 6, 0))
    for items in [[], [item, item]] {
      let message = InteractionMessage(.invoke, InvokeRequest(items).encoded)
      #expect(statusCode(bench.send(message, on: bench.newExchange())) == .invalidAction)
    }
    #expect(bench.target.invokes.isEmpty)
  }

  @Test("A suppressed response is not sent, but the command is executed") func suppressed() {
    var bench = Bench()
    let request = InvokeRequest([InvokeRequest.Item(CommandPattern(1, 6, 0))], suppressesResponse: true)
    #expect(bench.send(InteractionMessage(.invoke, request.encoded), on: .peer(1)) == [.close(.peer(1))])
    #expect(bench.target.invokes.count == 1)
  }

  @Test("The reference of a command is returned") func reference() {
    var bench = Bench()
    let request = InvokeRequest([InvokeRequest.Item(CommandPattern(1, 6, 0), reference: 77)])
    guard case .invoked(let items) = bench.run(.invoke(request)) else {
      Issue.record("no answer")
      return
    }
    #expect(items.map(\.reference) == [77])
  }

  @Test("Answers that no message can hold come in several") func chunks() {
    var limits = InteractionLimits()
    limits.payloadBytes = 256
    var bench = Bench(limits: limits)
    let light = bench.target.clusters(of: 1)[0]
    for endpoint in 3...200 as ClosedRange<EndpointNumber> { bench.target.add(endpoint, light) }
    #expect(bench.invoke(CommandPattern(nil, 6, 1)).count == 200)
    #expect(bench.sizes.count > 10)
    #expect(bench.sizes.allSatisfy { $0 <= 256 })
    #expect(bench.server.waiting.isEmpty)
  }

  @Test("A response that no message can hold is ResourceExhausted") func tooLarge() {
    var bench = Bench()
    let octets = Element(.context(0), .octets([UInt8](repeating: 0, count: 1200)))
    bench.target.outcomes[CommandPath(1, 6, 4)] = .response(9, [octets])
    #expect(bench.invoke(CommandPattern(1, 6, 4)) == [.status(InteractionStatus(.resourceExhausted))])
  }
}
