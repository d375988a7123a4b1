import HAPTestSupport
import MatterModel
import MatterWire
import Testing

@testable import MatterInteraction

@Suite("Reading attributes") struct InteractionReadTests {
  @Test("A read of one attribute is one message that wants no answer") func one() {
    var bench = Bench()
    let request = InteractionMessage(.read, ReadRequest([AttributePattern(1, 6, 0)]).encoded)
    let actions = bench.send(request, on: .peer(1))
    guard case .send(let message, .peer(1), expectsAnswer: false)? = actions.first else {
      Issue.record("no report")
      return
    }
    let expected = ReportData(
      [ReportData.Attribute(AttributePattern(1, 6, 0), .change(.replace(.unsigned(0)), version: 7))],
      suppressesResponse: true)
    #expect(actions.count == 1)
    #expect(message == InteractionMessage(.report, expected.encoded))
  }

  @Test("A read of nothing is answered with an empty report") func nothing() {
    var bench = Bench()
    guard case .report(let report) = bench.run(.read(ReadRequest([]))) else {
      Issue.record("no report")
      return
    }
    #expect(report.values.isEmpty && report.statuses.isEmpty)
  }

  @Test(
    "A concrete path that fails is answered with a status",
    arguments: [
      (AttributePattern(9, 6, 0), InteractionStatus.Code.unsupportedEndpoint),
      (AttributePattern(1, 7, 0), .unsupportedCluster), (AttributePattern(1, 6, 1), .unsupportedAttribute),
      (AttributePattern(0, 0x28, 6), .unsupportedRead), (AttributePattern(1, 6, 0xFFFA), .unsupportedAttribute),
    ])
  func statuses(_ pattern: AttributePattern, _ code: InteractionStatus.Code) {
    var bench = Bench()
    let report = bench.read(pattern, AttributePattern(MemoryTarget.onOff))
    #expect(report.statuses == [pattern: InteractionStatus(code)])
    #expect(report.values.count == 1)
  }

  @Test("Without View, UnsupportedAccess also hides what does not exist") func accessFirst() {
    var bench = Bench()
    bench.peer.subject = .node(0xC, fabric: 1, tags: [])
    let patterns = [AttributePattern(9, 6, 0), AttributePattern(1, 7, 0), AttributePattern(1, 6, 0)]
    let report = bench.report(.read(ReadRequest(patterns)))
    #expect(report.statuses.count == 3)
    #expect(report.statuses.values.allSatisfy { $0.code == .unsupportedAccess })
    #expect(report.values.isEmpty)
  }

  @Test("A privilege below that of the attribute gives UnsupportedAccess, and a wildcard leaves it out")
  func privilege() {
    var bench = Bench()
    bench.peer = Bench.user
    #expect(
      bench.read(AttributePattern(MemoryTarget.acl)).statuses.values.map(\.code) == [.unsupportedAccess])
    let report = bench.read(AttributePattern(0, 0x1F))
    #expect(report.statuses.isEmpty)
    #expect(report.values[MemoryTarget.acl] == nil)
    #expect(report.values[AttributePath(0, 0x1F, 4)] == .unsigned(4))
  }

  @Test("Global attributes come from the description") func globals() {
    var bench = Bench()
    let report = bench.read(AttributePattern(1, 6))
    func numbers(_ numbers: [UInt64]) -> Element.Value {
      .container(.array, numbers.map { Element(.anonymous, .unsigned($0)) })
    }
    #expect(report.values[AttributePath(1, 6, 0xFFF8)] == numbers([9]))
    #expect(report.values[AttributePath(1, 6, 0xFFF9)] == numbers([0, 1, 2, 3, 4]))
    #expect(report.values[AttributePath(1, 6, 0xFFFB)] == numbers([0, 0xFFF8, 0xFFF9, 0xFFFB, 0xFFFC, 0xFFFD]))
    #expect(report.values[AttributePath(1, 6, 0xFFFC)] == .unsigned(1))
    #expect(report.values[AttributePath(1, 6, 0xFFFD)] == .unsigned(6))
    #expect(report.values.count == 6)
  }

  @Test("The attribute list is sorted, also with attributes of vendors") func attributeList() {
    var bench = Bench()
    let attributes = [ClusterDescription.Attribute(1), ClusterDescription.Attribute(0xFFF1_0000)]
    bench.target.add(3, ClusterDescription(0xFFF1_FC00, revision: 1, attributes: attributes))
    let list = bench.read(AttributePattern(3, nil, 0xFFFB)).values.values.first
    let numbers: [UInt64] = [1, 0xFFF8, 0xFFF9, 0xFFFB, 0xFFFC, 0xFFFD, 0xFFF1_0000]
    #expect(list == .container(.array, numbers.map { Element(.anonymous, .unsigned($0)) }))
  }

  @Test("Each part of a path can be a wildcard") func wildcards() {
    var bench = Bench()
    #expect(bench.read(AttributePattern(nil, 6, 0)).order == [AttributePath(1, 6, 0), AttributePath(2, 6, 0)])
    #expect(bench.read(AttributePattern(0, nil, 0xFFFD)).values.count == 2)
    #expect(bench.read(AttributePattern(nil, nil, 0xFFFC)).values.count == 4)
    #expect(bench.read(AttributePattern(2)).values.count == 6)
    #expect(bench.read(AttributePattern()).values.count == 2 + 5 + 3 + 5 + 6 + 6)
    let missing = bench.read(AttributePattern(9), AttributePattern(nil, 7), AttributePattern(1, 6, 5))
    #expect(missing.values.isEmpty)
    #expect(missing.statuses.count == 1)
  }

  @Test("With a cluster wildcard, only global attributes can be named") func clusterWildcard() {
    var bench = Bench()
    let request = ReadRequest([AttributePattern(1, nil, 0)])
    #expect(statusCode(bench.send(InteractionMessage(.read, request.encoded), on: .peer(1))) == .invalidAction)
  }

  @Test("A cluster whose data version is known is left out") func versions() {
    var bench = Bench()
    let paths = [AttributePattern(1, 6), AttributePattern(2, 6, 0), AttributePattern(MemoryTarget.label)]
    let filters = [VersionFilter(1, 6, 7), VersionFilter(2, 6, 7), VersionFilter(0, 0x28, 7)]
    #expect(bench.report(.read(ReadRequest(paths, versions: filters))).values.isEmpty)
    let others = [VersionFilter(1, 8, 7), VersionFilter(2, 6, 7), VersionFilter(1, 6, 8)]
    #expect(bench.report(.read(ReadRequest([paths[0]], versions: others))).values.count == 6)
    bench.target[AttributePath(2, 6, 0)] = .bool(true)
    let report = bench.report(.read(ReadRequest(paths, versions: filters)))
    #expect(report.values == [AttributePath(2, 6, 0): .bool(true)])
    #expect(report.versions == [ReportCollector.ClusterPath(2, 6): 8])
  }

  @Test("A fabric-filtered read has only entries of the own fabric") func fabricFilter() {
    var bench = Bench()
    func entry(_ fabric: UInt64) -> Element {
      Element(.anonymous, .container(.structure, [Element(.context(0xFE), .unsigned(fabric))]))
    }
    bench.target[MemoryTarget.acl] = .container(.array, [entry(1), entry(2)])
    bench.peer = Bench.administrator
    let pattern = [AttributePattern(MemoryTarget.acl)]
    #expect(bench.report(.read(ReadRequest(pattern))).values.values.first == .container(.array, [entry(1)]))
    #expect(
      bench.report(.read(ReadRequest(pattern, isFabricFiltered: false))).values.values.first
        == .container(.array, [entry(1), entry(2)]))
  }

  @Test("A failure of the target is a status, and leaves nothing else in the report") func targetFailure() {
    var bench = Bench()
    bench.target.failures[MemoryTarget.onOff] = InteractionStatus(.busy)
    let report = bench.read(AttributePattern(nil, 6, 0))
    #expect(report.statuses == [AttributePattern(1, 6, 0): InteractionStatus(.busy)])
    #expect(report.values == [AttributePath(2, 6, 0): .unsigned(0)])
  }

  // MARK: Chunks

  @Test("A report that is too large comes in messages, each after a StatusResponse") func chunks() {
    var limits = InteractionLimits()
    limits.payloadBytes = 256
    var bench = Bench(limits: limits)
    let report = bench.read(AttributePattern())
    #expect(report.values.count == 27)
    #expect(Set(report.order).count == 27)
    #expect(bench.sizes.count > 3)
    #expect(bench.sizes.allSatisfy { $0 <= 256 })
    #expect(bench.server.waiting.isEmpty)
  }

  @Test("A status that is not Success, or another message, ends a report") func interrupted() {
    var limits = InteractionLimits()
    limits.payloadBytes = 256
    let request = InteractionMessage(.read, ReadRequest([AttributePattern()]).encoded)
    for answer in [InteractionMessage(.status, StatusResponse(.failure).encoded), request] {
      var bench = Bench(limits: limits)
      let exchange = bench.newExchange()
      guard case .send(_, _, expectsAnswer: true)? = bench.send(request, on: exchange).first else {
        Issue.record("no chunk")
        return
      }
      let actions = bench.send(answer, on: exchange)
      #expect(actions == [.close(exchange)] || statusCode(actions) == .invalidAction)
      #expect(bench.server.waiting.isEmpty)
    }
  }

  @Test("A report whose next message is not asked for ends after the timeout") func timeout() {
    var limits = InteractionLimits()
    limits.payloadBytes = 256
    var bench = Bench(limits: limits)
    _ = bench.send(InteractionMessage(.read, ReadRequest([AttributePattern()]).encoded), on: .peer(1))
    #expect(bench.server.nextDeadline == limits.answerTimeout)
    #expect(bench.advance(to: limits.answerTimeout - .milliseconds(1)).isEmpty)
    #expect(bench.advance(to: limits.answerTimeout) == [.close(.peer(1))])
    #expect(bench.server.nextDeadline == nil)
  }

  @Test("A list that is too large comes in parts", arguments: [256, 600, 1180])
  func longList(_ size: Int) {
    var limits = InteractionLimits()
    limits.payloadBytes = size
    var bench = Bench(limits: limits)
    let entries = (0..<421).map { Element(.anonymous, .unsigned(UInt64($0))) }
    bench.target[MemoryTarget.acl] = .container(.array, entries)
    for pattern in [AttributePattern(), AttributePattern(MemoryTarget.acl)] {
      let report = bench.report(.read(ReadRequest([pattern])))
      #expect(report.values[MemoryTarget.acl] == .container(.array, entries))
      #expect(report.values.count == (pattern.endpoint == nil ? 27 : 1))
      #expect(bench.sizes.allSatisfy { $0 <= size })
    }
  }

  @Test("A list that changes while it is sent is whole as it was") func snapshot() {
    var limits = InteractionLimits()
    limits.payloadBytes = 256
    var bench = Bench(limits: limits)
    let entries = (0..<100).map { Element(.anonymous, .text("\($0)")) }
    bench.target[MemoryTarget.acl] = .container(.array, entries)
    var client = ClientInteraction(.read(ReadRequest([AttributePattern(MemoryTarget.acl)])))
    var message = client.start
    while case .send(let answer, _, _)? = bench.send(message, on: .peer(1)).first {
      bench.target[MemoryTarget.acl] = .container(.array, [])
      switch client.receive(answer) {
      case .send(let next): message = next
      case .finish(.report(let report)):
        #expect(report.values[MemoryTarget.acl] == .container(.array, entries))
        return
      case .finish: return
      }
    }
    Issue.record("no report")
  }

  @Test("A value that no message can hold is ResourceExhausted") func tooLarge() {
    var bench = Bench()
    bench.target[MemoryTarget.label] = .octets([UInt8](repeating: 1, count: 2000))
    let report = bench.read(AttributePattern(0, 0x28))
    #expect(report.statuses.values.map(\.code) == [.resourceExhausted])
    #expect(report.values.count == 7)
  }

  // MARK: Limits

  @Test("More paths or filters than the limit are PathsExhausted") func paths() {
    var bench = Bench()
    func code(_ request: ReadRequest) -> InteractionStatus.Code? {
      statusCode(bench.send(InteractionMessage(.read, request.encoded), on: bench.newExchange()))
    }
    let path = AttributePattern(1, 6, 0)
    #expect(code(ReadRequest(Array(repeating: path, count: 256))) == nil)
    #expect(code(ReadRequest(Array(repeating: path, count: 257))) == .pathsExhausted)
    #expect(code(ReadRequest([path], events: Array(repeating: EventPattern(), count: 256))) == .pathsExhausted)
    let filters = Array(repeating: VersionFilter(1, 6, 1), count: 257)
    #expect(code(ReadRequest([path], versions: filters)) == .pathsExhausted)
  }

  @Test("More unfinished reports of a session than the limit are ResourceExhausted") func unfinished() {
    var limits = InteractionLimits()
    (limits.payloadBytes, limits.exchangesOfSession, limits.exchanges) = (256, 2, 3)
    var bench = Bench(limits: limits)
    let request = InteractionMessage(.read, ReadRequest([AttributePattern()]).encoded)
    func begin() -> InteractionStatus.Code? { statusCode(bench.send(request, on: bench.newExchange())) }
    #expect([begin(), begin(), begin()] == [nil, nil, .resourceExhausted])
    bench.peer = Bench.administrator
    #expect([begin(), begin()] == [nil, .resourceExhausted])
    bench.server.sessionEnded(1)
    #expect(begin() == nil)
    bench.server.exchangeFailed(.peer(4))
    #expect(bench.server.waiting.count == 1)
  }

  @Test("Messages that a server does not take are refused") func unexpected() {
    var bench = Bench()
    for opcode: UInt8 in [0, 4, 5, 7, 9, 11, 255] {
      let actions = bench.server.receive(
        opcode, [0x15, 0x18], on: .peer(1), from: bench.peer, at: .zero, target: &bench.target)
      #expect(statusCode(actions) == .invalidAction)
    }
    #expect(bench.send(.success, on: .peer(2)) == [.close(.peer(2))])
    let request = InteractionMessage(.read, ReadRequest([AttributePattern()]).encoded)
    #expect(statusCode(bench.send(request, on: .own(1))) == .invalidAction)
  }
}
