import HAPLoop
import Testing

@testable import HAPWorld

@Suite("Random connections with random faults") struct RandomNetworkTests {
  @Test("bytes are a prefix in order, buffers are bounded, each connection ends", arguments: 1...60)
  func invariants(seed: UInt64) {
    let net = RandomNetwork(seed: seed)
    for _ in 0..<300 {
      net.step()
      net.checkBounds()
    }
    net.finishAll()
  }

  @Test("the commands have effects: bytes are read, ends and failures occur") func coverage() {
    var (read, ends, failures) = (0, 0, 0)
    for seed: UInt64 in 1...20 {
      let net = RandomNetwork(seed: seed)
      for _ in 0..<300 { net.step() }
      read += net.tracked.map(\.read).reduce(0, +)
      ends += net.lines.filter { $0.contains(" tcp.fin ") }.count
      failures += net.lines.filter { $0.contains(" tcp.fail ") }.count
    }
    #expect(read > 500_000 && ends > 50 && failures > 50)
  }

  private func run(_ seed: UInt64) -> RandomNetwork {
    let net = RandomNetwork(seed: seed)
    for _ in 0..<300 { net.step() }
    return net
  }

  @Test("two runs of one seed have identical traces") func same() {
    let (one, other) = (run(5), run(5))
    #expect(one.lines.count > 200)
    #expect(one.lines == other.lines)
    #expect(one.agenda.trace.hash == other.agenda.trace.hash)
    #expect(one.agenda.trace.hash != run(6).agenda.trace.hash)
  }

  /// Runs the same commands with another seed: the order within each connection stays the same.
  @Test("another seed changes the order between connections") func interleaving() throws {
    func arrivals(_ seed: UInt64) throws -> [Int] {
      let net = TestNetwork(seed: seed)
      let accepted = try net.listen()
      let ends = try (0..<5).map { _ in try net.connect() }
      net.run(1)
      var order: [Int] = []
      let numbers = try accepted.ends.map { other in
        try #require(ends.firstIndex { $0.connection.localAddress == other.connection.peerAddress })
      }
      for (other, number) in zip(accepted.ends, numbers) { other.onEvent = { _ in order.append(number) } }
      for round in 0..<10 {
        for end in ends { try end.write([UInt8(round)]) }
        net.run(0.0001)
      }
      net.run(1)
      for other in accepted.ends { #expect(other.bytes == Array(0..<10)) }
      return order
    }
    #expect(try arrivals(1) == arrivals(1))
    #expect(try arrivals(1) != arrivals(2))
  }

  @Test("the hash covers the bytes, and needs no sink") func hash() throws {
    func hash(_ text: String, hasSink: Bool) throws -> UInt64 {
      let net = TestNetwork()
      if hasSink { net.agenda.trace.sink = { _ in } }
      let (own, _, _) = try net.pair()
      try own.write(text)
      net.run(1)
      return net.agenda.trace.hash
    }
    #expect(try hash("one", hasSink: false) == hash("one", hasSink: true))
    #expect(try hash("one", hasSink: false) != hash("two", hasSink: false))
  }
}
