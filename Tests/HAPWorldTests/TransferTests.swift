import HAPLoop
import Testing

@testable import HAPWorld

@Suite("Bytes of the simulated TCP") struct TransferTests {
  @Test("bytes arrive in order, with writes and reads of any size") func order() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair()
    let all = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    var at = 0
    own.onEvent = { [unowned own] event in
      guard event == .writable || event == .connected else { return }
      at += (try? own.write(Array(all[at...].prefix(50_000)))) ?? 0
      if at < all.count { own.connection.notifyWhenWritable() }
    }
    own.connection.notifyWhenWritable()
    net.run(5)
    #expect(at == all.count)
    #expect(other.bytes == all)
    #expect(own.connection.unacknowledgedCount == 0)
  }

  @Test("bandwidth and latency determine when bytes arrive") func speed() throws {
    let net = TestNetwork(
      properties: LinkProperties(latency: .milliseconds(10), jitter: .zero, bandwidth: 100_000))
    let (own, other, _) = try net.pair()
    try own.write([UInt8](repeating: 1, count: 50_000))
    net.run(0.25)
    #expect((15_000...25_000).contains(other.bytes.count))
    net.run(0.35)
    #expect(other.bytes.count == 50_000)
  }

  @Test("a reader that pauses blocks the writer, with bounded buffers") func backpressure() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair(reading: false)
    var taken = 0
    for _ in 0..<100 {
      taken += try own.write([UInt8](repeating: 7, count: 10_000))
      net.run(0.1)
    }
    #expect(taken == 262_144)
    #expect(other.connection.readableCount == 131_072 && own.connection.unacknowledgedCount == 131_072)
    #expect(try own.write([1]) == 0)
    own.connection.notifyWhenWritable()
    net.run(1000)
    #expect(!own.events.contains(.writable) && own.failure == nil)
    other.connection.setReading(true)
    net.run(1)
    #expect(other.bytes.count == taken)
    #expect(own.events.contains(.writable))
  }

  @Test("an event with a partial read is repeated; one without a read is not") func rereading() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair(reading: false)
    var reads = 0
    other.connection.setHandler { event in
      if case .readable = event {
        reads += 1
        if reads < 4 { other.take(1) }
      }
    }
    other.connection.setReading(true)
    try own.write("abcdef")
    net.run(1)
    #expect(other.text == "abc" && reads == 4)
    other.connection.setReading(true)
    net.run(1)
    #expect(reads == 5)
  }

  @Test("half-close: the other direction stays open") func halfClose() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair()
    try own.write("last")
    own.connection.finishWriting()
    own.connection.finishWriting()
    #expect(code { try own.write("more") } == .brokenPipe)
    net.run(1)
    #expect(other.text == "last" && other.events == [.end])
    try other.write("answer")
    net.run(1)
    #expect(own.text == "answer")
    other.connection.close()
    net.run(1)
    #expect(own.events == [.connected, .end])
    own.connection.close()
    net.run(1)
    #expect(net.a.connections.isEmpty && net.b.connections.isEmpty && net.agenda.count == 0)
  }

  @Test("the end is reported after the last byte was read") func endAfterBytes() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair(reading: false)
    try own.write("abc")
    own.connection.close()
    net.run(1)
    #expect(other.events.isEmpty)
    other.connection.setReading(true)
    net.run(1)
    #expect(other.text == "abc" && other.events == [.end])
  }

  @Test("closing delivers all bytes") func closing() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair()
    try own.write([UInt8](repeating: 3, count: 100_000))
    own.connection.close()
    #expect(code { try own.write("x") } == .cancelled)
    #expect(own.connection.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0)) == 0)
    net.run(1)
    #expect(other.bytes.count == 100_000 && other.events == [.end])
  }

  @Test("closing with unread bytes sends a reset") func closingUnread() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair(reading: false)
    try own.write("unread")
    net.run(1)
    other.connection.close()
    net.run(1)
    #expect(own.failure == .connectionReset)
    #expect(code { try own.write("x") } == .brokenPipe)
    #expect(net.b.connections.isEmpty)
  }

  @Test("bytes that arrive before a reset are read before the failure") func resetAfterBytes() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair(reading: false)
    try own.write("first")
    own.connection.reset()
    own.connection.reset()
    net.run(1)
    #expect(other.events.isEmpty)
    #expect(code { try other.write("x") } == .connectionReset)
    other.connection.setReading(true)
    net.run(1)
    #expect(other.text == "first" && other.failure == .connectionReset)
  }

  @Test("a write to a closed peer is answered with a reset") func writingToClosed() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair()
    other.connection.close()
    net.run(1)
    #expect(own.events == [.connected, .end])
    try own.write("unread")
    net.run(1)
    #expect(code { try own.write("x") } == .brokenPipe)
    own.connection.close()
    #expect(net.a.connections.isEmpty && net.b.connections.isEmpty)
  }

  @Test("a closed connection reports no events, even if bytes arrive") func silenceAfterClose() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair()
    try other.write("on its way")
    own.connection.close()
    let count = own.events.count
    net.run(1)
    #expect(own.events.count == count && own.bytes.isEmpty)
    #expect(other.failure == .connectionReset || other.events == [.end])
  }

  @Test("closing in a callback ends the events") func closingInCallback() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair(reading: false)
    try own.write("abc")
    own.connection.finishWriting()
    net.run(1)
    other.connection.setHandler { [connection = other.connection] event in
      other.events.append(event)
      connection.close()
    }
    other.connection.notifyWhenWritable()
    other.connection.setReading(true)
    net.run(1)
    #expect(other.events == [.writable])
  }

  @Test("a connection that is closed before it is established sends nothing") func finishBeforeOpen() throws {
    let net = TestNetwork()
    let accepted = try net.listen()
    let own = try net.connect()
    #expect(try own.write([1, 2]) == 0)
    own.connection.finishWriting()
    net.run(1)
    #expect(accepted.ends.first?.events == [.end])
  }

  @Test("an idle connection schedules nothing") func idle() throws {
    let net = TestNetwork()
    let (own, other, _) = try net.pair()
    try own.write("x")
    net.run(1)
    #expect(net.agenda.count == 0 && other.text == "x")
  }

  @Test("connections that ended release their memory") func memory() throws {
    let net = TestNetwork()
    let accepted = try net.listen()
    weak var one: SimulatedConnection?
    weak var two: SimulatedConnection?
    for round in 0..<4 {
      let own = try net.connect()
      net.run(1)
      let other = accepted.ends.removeFirst()
      try own.write("data")
      (one, two) = (own.connection, other.connection)
      if round == 0 { own.connection.close() } else if round == 1 { own.connection.reset() }
      if round == 2 { net.client.kill() }
      if round == 3 { net.a.powerOff() }
      net.run(1)
      other.connection.close()
      own.connection.close()
      net.run(2000)
      #expect(net.a.connections.isEmpty && net.b.connections.isEmpty)
      if round == 2 { break }
    }
    // The handlers keep `own` and `other` alive until closing releases the handlers.
    #expect(one == nil && two == nil)
  }
}
