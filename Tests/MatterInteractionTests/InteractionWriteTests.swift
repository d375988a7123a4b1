import HAPTestSupport
import MatterModel
import MatterWire
import Testing

@testable import MatterInteraction

@Suite("Writing attributes") struct InteractionWriteTests {
  private func item(_ path: AttributePath, _ value: Element.Value, version: UInt32? = nil) -> WriteRequest.Item {
    WriteRequest.Item(AttributePattern(path), .replace(value), version: version)
  }

  private func entry(_ value: UInt64, version: UInt32? = nil) -> WriteRequest.Item {
    WriteRequest.Item(AttributePattern(MemoryTarget.acl), .append(.unsigned(value)), version: version)
  }

  private func list(_ values: UInt64...) -> Element.Value {
    .container(.array, values.map { Element(.anonymous, .unsigned($0)) })
  }

  @Test("A write changes the attribute, and is answered with its status") func one() {
    var bench = Bench()
    #expect(bench.write([item(MemoryTarget.label, .text("den"))]) == [.success])
    #expect(bench.target[MemoryTarget.label] == .text("den"))
  }

  @Test(
    "A write that can't be done is answered with the reason",
    arguments: [
      (AttributePath(9, 6, 0), InteractionStatus.Code.unsupportedEndpoint),
      (AttributePath(1, 7, 0), .unsupportedCluster), (AttributePath(1, 6, 9), .unsupportedAttribute),
      (AttributePath(1, 6, 0), .unsupportedWrite), (AttributePath(1, 6, 0xFFFD), .unsupportedWrite),
      (AttributePath(0, 0x28, 7), .needsTimedInteraction), (MemoryTarget.acl, .unsupportedAccess),
    ])
  func statuses(_ path: AttributePath, _ code: InteractionStatus.Code) {
    // The access control list belongs to fabrics; the session has none.
    var bench = Bench()
    #expect(bench.write([item(path, .null), item(MemoryTarget.label, .text("a"))]) == [code, .success])
    #expect(bench.target.writes == [.replace(.text("a"))])
  }

  @Test("Without View, UnsupportedAccess also hides what does not exist; with it, the privilege counts")
  func access() {
    var bench = Bench()
    bench.peer.subject = .node(0xC, fabric: 1, tags: [])
    #expect(bench.write([item(AttributePath(9, 6, 0), .null)]) == [.unsupportedAccess])
    bench.peer = Bench.user
    #expect(bench.write([item(AttributePath(9, 6, 0), .null)]) == [.unsupportedEndpoint])
    #expect(bench.write([item(MemoryTarget.label, .null)]) == [.unsupportedAccess])
    #expect(bench.target.writes.isEmpty)
  }

  @Test("The status of the target is returned") func refusal() {
    var bench = Bench()
    bench.target.failures[MemoryTarget.label] = InteractionStatus(.constraintError, cluster: 4)
    let request = WriteRequest([item(MemoryTarget.label, .null)])
    guard case .written(let items) = bench.run(.write(request)) else {
      Issue.record("no answer")
      return
    }
    #expect(items.map(\.status) == [InteractionStatus(.constraintError, cluster: 4)])
  }

  @Test("A data version that is not the present one is refused") func version() {
    var bench = Bench()
    #expect(bench.write([item(MemoryTarget.label, .null, version: 6)]) == [.dataVersionMismatch])
    #expect(bench.write([item(MemoryTarget.label, .null, version: 7)]) == [.success])
  }

  @Test("A suppressed response is not sent, but the write is done") func suppressed() {
    var bench = Bench()
    let request = WriteRequest([item(MemoryTarget.label, .null)], suppressesResponse: true)
    let actions = bench.send(InteractionMessage(.write, request.encoded), on: .peer(1))
    #expect(actions == [.close(.peer(1))])
    #expect(bench.target.writes.count == 1)
  }

  @Test("Wildcards, and more parts without responses, are refused before anything is written") func wildcards() {
    for request in [
      WriteRequest([
        item(MemoryTarget.label, .null), WriteRequest.Item(AttributePattern(nil, 0x28, 5), .replace(.null)),
      ]),
      WriteRequest([item(MemoryTarget.label, .null)], suppressesResponse: true, hasMore: true),
    ] {
      var bench = Bench()
      #expect(statusCode(bench.send(InteractionMessage(.write, request.encoded), on: .peer(1))) == .invalidAction)
      #expect(bench.target.writes.isEmpty)
    }
  }

  @Test("More attributes than the limit are ResourceExhausted; the response of the limit fits") func limit() {
    var bench = Bench()
    let items = Array(repeating: item(AttributePath(0, 0x28, 6), .null), count: 33)
    #expect(bench.write(items) == [.resourceExhausted])
    #expect(bench.target.writes.isEmpty)
    #expect(bench.write(Array(items[..<32])).count == 32)
    #expect(bench.sizes.allSatisfy { $0 <= 1180 })
  }

  // MARK: Lists

  @Test("A list with entries that follow is one change for the target") func joined() {
    var bench = Bench()
    bench.peer = Bench.administrator
    #expect(bench.write([item(MemoryTarget.acl, list(1)), entry(2), entry(3)]) == [.success])
    #expect(bench.target.writes == [.replace(list(1, 2, 3))])
  }

  @Test("An entry alone is appended") func append() {
    var bench = Bench()
    bench.peer = Bench.administrator
    #expect(bench.write([entry(5), item(MemoryTarget.label, .null), entry(6)]) == [.success, .success, .success])
    #expect(bench.target[MemoryTarget.acl] == list(5, 6))
  }

  @Test("A write in several messages needs privilege and version only for its first part") func chunks() {
    var bench = Bench()
    bench.peer = Bench.administrator
    bench.target[MemoryTarget.acl] = list()
    let version = bench.target.dataVersion(of: 0, 0x1F)
    let first = WriteRequest([item(MemoryTarget.acl, list(1), version: version)], hasMore: true)
    let second = WriteRequest([entry(2, version: version), entry(3, version: version)])
    guard
      case .send(_, .peer(1), expectsAnswer: true)? = bench.send(
        InteractionMessage(.write, first.encoded), on: .peer(1)
      ).first
    else {
      Issue.record("no answer")
      return
    }
    // The new list no longer allows the sender to write.
    bench.target.access = [:]
    let actions = bench.send(InteractionMessage(.write, second.encoded), on: .peer(1))
    guard case .send(let message, .peer(1), expectsAnswer: false)? = actions.first else {
      Issue.record("no answer")
      return
    }
    #expect((try? WriteResponse(decoding: message.payload))?.items.map(\.status.code) == [.success, .success])
    #expect(bench.target[MemoryTarget.acl] == list(1, 2, 3))
    #expect(bench.server.waiting.isEmpty)
    // A request of its own needs the privilege again.
    #expect(bench.write([entry(4)]) == [.unsupportedAccess])
  }

  @Test("Entries of a list that was refused are refused, too") func refusedList() {
    var bench = Bench()
    bench.peer = Bench.administrator
    bench.target[MemoryTarget.acl] = list(1)
    let first = WriteRequest([item(MemoryTarget.acl, list(2), version: 1)], hasMore: true)
    _ = bench.send(InteractionMessage(.write, first.encoded), on: .peer(1))
    let second = InteractionMessage(.write, WriteRequest([entry(3)]).encoded)
    guard case .send(let message, _, _)? = bench.send(second, on: .peer(1)).first else {
      Issue.record("no answer")
      return
    }
    #expect((try? WriteResponse(decoding: message.payload))?.items.map(\.status.code) == [.dataVersionMismatch])
    #expect(bench.target[MemoryTarget.acl] == list(1))
  }

  @Test("Entries of a list that was replaced after a refusal are appended") func replacedLater() {
    var bench = Bench()
    bench.peer = Bench.administrator
    let first = WriteRequest(
      [item(MemoryTarget.acl, list(2), version: 1), item(MemoryTarget.acl, list(2))], hasMore: true)
    _ = bench.send(InteractionMessage(.write, first.encoded), on: .peer(1))
    _ = bench.send(InteractionMessage(.write, WriteRequest([entry(3)]).encoded), on: .peer(1))
    #expect(bench.target[MemoryTarget.acl] == list(2, 3))
  }

  // MARK: Timed

  @Test("A timed write is done if it comes in time") func timed() {
    var bench = Bench()
    #expect(bench.write([item(AttributePath(0, 0x28, 7), .null)], timed: 500) == [.success])
    #expect(bench.write([item(MemoryTarget.label, .null)], timed: 500) == [.success])
  }

  @Test("A timed request after its time is Timeout, and the flag must fit", arguments: [500, 501])
  func window(_ milliseconds: Int64) {
    var bench = Bench()
    _ = bench.send(InteractionMessage(.timed, TimedRequest(milliseconds: 500).encoded), on: .peer(1))
    #expect(bench.advance(to: .milliseconds(milliseconds)).isEmpty)
    let request = WriteRequest([item(AttributePath(0, 0x28, 7), .null)], isTimed: true)
    let actions = bench.send(InteractionMessage(.write, request.encoded), on: .peer(1))
    #expect(statusCode(actions) == (milliseconds == 500 ? nil : .timeout))
    #expect(bench.target.writes.count == (milliseconds == 500 ? 1 : 0))
  }

  @Test("The flag of a timed request has to fit to the exchange") func mismatch() {
    var bench = Bench()
    let timed = InteractionMessage(.timed, TimedRequest(milliseconds: 500).encoded)
    func write(_ isTimed: Bool, on exchange: InteractionExchange) -> InteractionStatus.Code? {
      let request = WriteRequest([item(MemoryTarget.label, .null)], isTimed: isTimed)
      return statusCode(bench.send(InteractionMessage(.write, request.encoded), on: exchange))
    }
    #expect(write(true, on: .peer(1)) == .timedRequestMismatch)
    _ = bench.send(timed, on: .peer(2))
    #expect(write(false, on: .peer(2)) == .timedRequestMismatch)
    // The timed request counts on its own exchange only, and once.
    _ = bench.send(timed, on: .peer(3))
    #expect(write(true, on: .peer(4)) == .timedRequestMismatch)
    #expect(write(true, on: .peer(3)) == nil)
    #expect(write(true, on: .peer(3)) == .timedRequestMismatch)
    #expect(bench.target.writes.count == 1)
  }

  @Test("All messages of a write have the same flag of a timed request") func timedParts() {
    var bench = Bench()
    _ = bench.send(InteractionMessage(.timed, TimedRequest(milliseconds: 500).encoded), on: .peer(1))
    func write(_ isTimed: Bool) -> InteractionStatus.Code? {
      let request = WriteRequest([item(AttributePath(0, 0x28, 7), .null)], isTimed: isTimed, hasMore: true)
      return statusCode(bench.send(InteractionMessage(.write, request.encoded), on: .peer(1)))
    }
    #expect([write(true), write(true), write(false)] == [nil, nil, .timedRequestMismatch])
    #expect(bench.target.writes.count == 2)
  }

  @Test("After a timed request, nothing but a write or an invoke is taken") func otherRequest() {
    var bench = Bench()
    let timed = InteractionMessage(.timed, TimedRequest(milliseconds: 500).encoded)
    for message in [timed, InteractionMessage(.read, ReadRequest([]).encoded)] {
      let exchange = bench.newExchange()
      #expect(statusCode(bench.send(timed, on: exchange)) == .success)
      #expect(statusCode(bench.send(message, on: exchange)) == .invalidAction)
    }
  }
}
