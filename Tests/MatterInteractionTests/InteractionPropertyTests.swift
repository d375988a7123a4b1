import HAPTestSupport
import HAPWire
import MatterModel
import MatterWire
import Testing

@testable import MatterInteraction

@Suite("Properties of the interaction model") struct InteractionPropertyTests {
  private func value(_ random: inout SeededGenerator) -> Element.Value {
    switch Int.random(in: 0..<7, using: &random) {
    case 0: .null
    case 1: .bool(.random(using: &random))
    case 2: .text(String(repeating: "ä", count: .random(in: 0..<40, using: &random)))
    case 3: .octets(random.bytes(.random(in: 0..<80, using: &random)))
    case 4: .signed(.random(in: .min ... .max, using: &random))
    case 5:
      .container(
        .array,
        (0..<Int.random(in: 0..<120, using: &random)).map { number in
          Element(
            .anonymous,
            .container(
              .structure, [Element(.context(1), .unsigned(UInt64(number))), Element(.context(2), .text("entry"))]))
        })
    default: .unsigned(.random(in: 0 ... .max, using: &random))
    }
  }

  private func privilege(_ random: inout SeededGenerator) -> Privilege {
    [.view, .operate, .manage, .administer].randomElement(using: &random) ?? .view
  }

  private func tree(_ random: inout SeededGenerator) -> MemoryTarget {
    var target = MemoryTarget()
    func numbers(_ count: Range<Int>, upTo most: UInt32) -> Set<UInt32> {
      Set((0..<Int.random(in: count, using: &random)).map { _ in .random(in: 0...most, using: &random) })
    }
    for endpoint in numbers(1..<8, upTo: 99).map(UInt16.init) {
      for cluster in numbers(1..<5, upTo: 9) {
        let numbers = numbers(0..<9, upTo: 20)
        target.add(
          endpoint,
          ClusterDescription(
            cluster, revision: 1,
            attributes: numbers.sorted().map { ClusterDescription.Attribute($0, read: privilege(&random)) }))
        for number in numbers { target[AttributePath(endpoint, cluster, number)] = value(&random) }
      }
    }
    return target
  }

  @Test("A wildcard read of a random node gives exactly what the reader may see", arguments: 0..<40)
  func reads(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var limits = InteractionLimits()
    limits.payloadBytes = .random(in: 256...1400, using: &random)
    var bench = Bench(tree(&random), limits: limits)
    let entries = (0..<3).map { _ in
      AccessEntry(
        privilege(&random),
        targets: Bool.random(using: &random)
          ? [] : [AccessEntry.Target(endpoint: bench.target.endpoints.randomElement(using: &random))])
    }
    bench.target.access[1] = entries
    bench.peer.subject = .node(5, fabric: 1, tags: [])
    var expected: [AttributePath: Element.Value] = [:]
    for endpoint in bench.target.endpoints {
      let granted = entries.filter { $0.targets.allSatisfy { $0.endpoint == endpoint } }.map(\.privilege).max()
      for description in bench.target.clusters(of: endpoint) {
        for attribute in description.attributes where (granted ?? .view) >= (attribute.read ?? .administer) {
          if granted == nil { continue }
          let path = AttributePath(endpoint, description.id, attribute.number)
          expected[path] = bench.target[path]
        }
      }
    }
    let report = bench.read(AttributePattern())
    #expect(report.values.filter { GlobalAttribute(rawValue: $0.key.attribute) == nil } == expected)
    #expect(report.statuses.isEmpty)
    #expect(report.order.count == report.values.count)
    #expect(bench.sizes.allSatisfy { $0 <= limits.payloadBytes })
    #expect(bench.server.waiting.isEmpty)
    // The same paths, each for itself.
    for (path, value) in expected.prefix(20) { #expect(bench.read(AttributePattern(path)).values == [path: value]) }
  }

  @Test("Reports never come before the minimum or after the maximum, and lead to the last value", arguments: 0..<20)
  func subscriptions(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var limits = InteractionLimits()
    limits.payloadBytes = .random(in: 256...400, using: &random)
    var bench = Bench(tree(&random), limits: limits)
    let minimum = UInt16.random(in: 0...5, using: &random)
    let maximum = UInt16.random(in: max(minimum, 1)...20, using: &random)
    let request = SubscribeRequest([AttributePattern()], minimum: minimum, maximum: maximum)
    guard let first = bench.subscribe(request)?.1 else { return }
    var (seen, last) = (first.values, bench.now)
    let paths = first.order.filter { GlobalAttribute(rawValue: $0.attribute) == nil }
    for _ in 0..<200 {
      // Either a change at a random time before the next deadline, or the deadline.
      let deadline = bench.server.nextDeadline ?? bench.now
      let step = Duration.milliseconds(Int.random(in: 0...4000, using: &random))
      let time = min(deadline, bench.now + step)
      if time < deadline, let path = paths.randomElement(using: &random) {
        bench.now = time
        bench.target[path] = value(&random)
        bench.server.attributeChanged(path)
      }
      for report in bench.reports(bench.advance(to: max(time, bench.now))) {
        #expect(bench.now - last >= .seconds(Int(minimum)))
        last = bench.now
        seen.merge(report.values) { $1 }
      }
      #expect(bench.now - last <= .seconds(Int(maximum)))
    }
    for report in bench.reports(bench.advance(to: bench.now + .seconds(Int(minimum)))) {
      seen.merge(report.values) { $1 }
    }
    for path in paths { #expect(seen[path] == bench.target[path]) }
    #expect(bench.server.subscriptionCount == 1)
  }

  @Test("A server survives random messages in random order", arguments: 0..<10)
  func randomMessages(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var limits = InteractionLimits()
    limits.payloadBytes = 256
    var bench = Bench(limits: limits)
    for _ in 0..<400 {
      let number = UInt64.random(in: 1...6, using: &random)
      let exchange: InteractionExchange = Bool.random(using: &random) ? .peer(number) : .own(number)
      bench.peer = [Bench.administrator, Bench.user].randomElement(using: &random) ?? Bench.user
      var message = InteractionMessage(.status, StatusResponse(.success).encoded)
      if Bool.random(using: &random), let request = InteractionMessageTests.requests.randomElement(using: &random) {
        message = request
      }
      if Int.random(in: 0..<4, using: &random) == 0, let place = message.payload.indices.randomElement(using: &random) {
        message.payload[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      }
      _ = bench.send(message, on: exchange)
      bench.server.attributeChanged(MemoryTarget.onOff)
      _ = bench.advance(to: bench.now + .milliseconds(Int.random(in: 0...3000, using: &random)))
      #expect(bench.server.waiting.count <= 6 + bench.server.subscriptionCount)
    }
  }
}
