import HAPCrypto
import HAPTestSupport
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("Message reliability") struct ReliabilityTests {
  private static func milliseconds(_ values: [Double]) -> [Duration] { values.map { .milliseconds(1) * $0 } }

  /// The times of all transmissions of a message, and of the failure.
  private func times(
    of exchange: ExchangeHandle, _ end: LayerEnd, from start: Duration, _ packet: [UInt8]
  ) throws -> [Duration] {
    var times = [start]
    while let deadline = end.deadline {
      // Nothing happens before.
      end.advance(to: deadline - .nanoseconds(1))
      #expect(end.takePackets().isEmpty && end.failed.isEmpty)
      end.advance(to: deadline)
      times.append(deadline)
      if end.failed.isEmpty { #expect(end.takePackets() == [packet], "the same bytes are repeated") }
    }
    #expect(end.failed == [exchange])
    return times
  }

  private func expect(_ times: [Duration], near expected: [Double], location: SourceLocation = #_sourceLocation) {
    #expect(times.count == expected.count, sourceLocation: location)
    for (time, expected) in zip(times, expected) {
      let difference = (time - .milliseconds(1) * expected) / .microseconds(1)
      #expect(difference.magnitude < 1, "\(time) instead of \(expected) ms", sourceLocation: location)
    }
  }

  @Test("An idle peer gets five transmissions, with the back-off of SII")
  func idleBackOff() throws {
    let pair = LayerPair(random: constant(0))
    let (exchange, packet) = pair.request([1], at: .seconds(4))
    let times = try times(of: exchange, pair.client, from: .seconds(4), packet)
    expect(times, near: [0, 550, 1100, 1980, 3388, 5640.8].map { $0 + 4000 })
    #expect(!pair.client.send([2], on: exchange, at: .seconds(6)))
  }

  @Test("Randomness adds up to a quarter to each wait")
  func jitter() throws {
    let pair = LayerPair(random: constant(255))
    let (exchange, packet) = pair.request([1], at: .seconds(4))
    let times = try times(of: exchange, pair.client, from: .seconds(4), packet)
    let factor = 1 + 0.25 * 65_535 / 65_536
    expect(times, near: [0, 550, 1100, 1980, 3388, 5640.8].map { $0 * factor + 4000 })
  }

  @Test("After a handshake, the peer counts as active for SAT")
  func afterHandshake() throws {
    let pair = LayerPair(random: constant(0))
    let (exchange, packet) = pair.request([1], at: .milliseconds(3999))
    // The second transmission is after SAT.
    let times = try times(of: exchange, pair.client, from: .milliseconds(3999), packet)
    expect(times, near: [0, 330, 880, 1760, 3168, 5420.8].map { $0 + 3999 })
  }

  @Test("A peer that was heard within SAT gets the back-off of SAI, and of SII afterwards")
  func activeBackOff() throws {
    var parameters = SessionParameters()
    (parameters.idleInterval, parameters.activeInterval) = (.milliseconds(1000), .milliseconds(100))
    parameters.activeThreshold = .milliseconds(250)
    let (client, server) = (LayerEnd(1, random: constant(0)), LayerEnd(2, random: constant(0)))
    let clientSession = client.layer.addSession(established(isInitiator: true), peer: server.address, at: .zero)
    let session = server.layer.addSession(
      established(isInitiator: false, parameters: parameters), peer: client.address, at: .zero)
    let first = try #require(client.open(clientSession))
    client.send([1], on: first, isReliable: false)
    server.receive(client.takePackets()[0], from: client.address, at: .milliseconds(100))
    let exchange = try #require(server.open(session))
    server.send([1], on: exchange, at: .milliseconds(110))
    // Active at 110, 220 and 330 ms, not any more at 506 ms.
    let times = try times(of: exchange, server, from: .milliseconds(110), server.takePackets()[0])
    expect(times, near: [110, 220, 330, 506, 506 + 2816, 506 + 2816 + 4505.6])
  }

  @Test("An acknowledgement ends the repetition, a foreign one does not")
  func acknowledgement() throws {
    let pair = LayerPair()
    let (exchange, packet) = pair.request([1])
    pair.server.receive(packet, from: pair.client.address)
    #expect(pair.server.takeMessages().map(\.payload) == [[1]])
    #expect(pair.server.takePackets().isEmpty && pair.server.deadline == .milliseconds(200))
    pair.server.advance(to: .milliseconds(199))
    #expect(pair.server.takePackets().isEmpty)
    pair.server.advance(to: .milliseconds(200))
    let acknowledgement = try #require(pair.server.takePackets().first)
    let (_, header, payload) = try #require(opened(acknowledgement, byClient: false))
    let counter = try #require(opened(packet, byClient: true)).0.counter
    #expect(header.acknowledged == counter && payload.isEmpty && header.opcode == 0x10)
    #expect(!header.wantsAcknowledgement && !header.isFromInitiator && header.protocolID == .secureChannel)
    #expect(pair.server.deadline == nil, "it is sent once")
    // One of another exchange.
    let (other, _) = pair.request([2])
    #expect(pair.client.deadline != nil)
    pair.client.receive(acknowledgement, from: pair.server.address)
    #expect(pair.client.received.isEmpty, "an acknowledgement is not delivered")
    pair.client.close(exchange)
    #expect(!pair.client.has(exchange) && pair.client.has(other))
    let times = try times(of: other, pair.client, from: .zero, try #require(pair.client.pending(other)))
    #expect(times.count == 6)
  }

  @Test("A response carries the acknowledgement; then nothing is owed")
  func piggyback() throws {
    let pair = LayerPair()
    let (exchange, packet) = pair.request([1])
    pair.server.receive(packet, from: pair.client.address)
    let request = try #require(pair.server.takeMessages().first)
    pair.server.send([2], on: request.exchange)
    let responses = pair.answer()
    let (_, header, payload) = try #require(opened(responses[0], byClient: false))
    #expect(header.acknowledged != nil && header.wantsAcknowledgement && payload == [2])
    let response = try #require(pair.client.takeMessages().first)
    #expect(response.exchange == exchange && !response.isFirst && response.payload == [2])
    pair.client.close(exchange)
    let last = pair.client.takePackets()
    #expect(last.count == 1, "an exchange that is closed acknowledges at once")
    pair.server.close(request.exchange)
    #expect(pair.server.has(request.exchange), "its message is not acknowledged yet")
    pair.server.receive(last[0], from: pair.client.address)
    #expect(!pair.server.has(request.exchange) && !pair.client.has(exchange))
    #expect(pair.server.deadline == nil && pair.client.deadline == nil)
  }

  @Test("A duplicate that wants an acknowledgement gets one again, and is dropped", arguments: [true, false])
  func duplicates(_ isClosed: Bool) throws {
    let pair = LayerPair()
    let (_, packet) = pair.request([1])
    let (_, unreliable) = pair.request([2], isReliable: false)
    for packet in [packet, unreliable] { pair.server.receive(packet, from: pair.client.address) }
    let messages = pair.server.takeMessages()
    #expect(messages.count == 2)
    if isClosed { for message in messages { pair.server.close(message.exchange) } }
    #expect(pair.server.takePackets().count == (isClosed ? 1 : 0))
    for _ in 0..<3 {
      pair.server.receive(packet, from: pair.client.address)
      pair.server.receive(unreliable, from: pair.client.address)
      let answers = pair.server.takePackets()
      #expect(answers.count == 1)
      let header = try #require(opened(answers[0], byClient: false)).1
      #expect(header.acknowledged == opened(packet, byClient: true)?.0.counter && header.opcode == 0x10)
    }
    #expect(pair.server.takeMessages().isEmpty && pair.server.deadline == nil)
  }

  @Test("Duplicates get no second acknowledgement if the settings say so")
  func silentDuplicates() {
    var settings = MessageLayer.Settings.withoutIdleLimit
    settings.acknowledgesDuplicates = false
    let pair = LayerPair(settings: settings)
    let (_, packet) = pair.request([1])
    for _ in 0..<3 { pair.server.receive(packet, from: pair.client.address) }
    #expect(pair.server.takePackets().isEmpty && pair.server.takeMessages().count == 1)
  }

  @Test("A second message before the first is acknowledged waits; too many are a failure")
  func queue() throws {
    let pair = LayerPair()
    let (exchange, packet) = pair.request([0])
    for number in 1...4 as ClosedRange<UInt8> { #expect(pair.client.send([number], on: exchange)) }
    #expect(pair.client.takePackets().isEmpty)
    // A message that needs no acknowledgement does not wait.
    #expect(pair.client.send([9], on: exchange, isReliable: false))
    var packets = [packet] + pair.client.takePackets()
    for number in 0...4 as ClosedRange<UInt8> {
      for packet in packets { pair.server.receive(packet, from: pair.client.address) }
      #expect(pair.server.takeMessages().map(\.payload) == (number == 0 ? [[0], [9]] : [[number]]))
      pair.server.advance(to: .seconds(1))
      pair.answer()
      packets = pair.client.takePackets()
      #expect(packets.count == (number == 4 ? 0 : 1))
    }
    for number in 0...4 as ClosedRange<UInt8> { #expect(pair.client.send([number], on: exchange)) }
    #expect(!pair.client.send([5], on: exchange))
    #expect(pair.client.failed == [exchange] && !pair.client.send([6], on: exchange))
  }

  @Test("If a message arrives while an acknowledgement is owed, the earlier one is sent alone")
  func twoOwed() throws {
    let pair = LayerPair()
    let (exchange, first) = pair.request([0])
    // The client violates the rule of one message at a time.
    let header = try #require(opened(first, byClient: true)).1
    let second = try #require(pair.client.packet(header, [1]))
    pair.server.receive(first, from: pair.client.address)
    #expect(pair.server.takePackets().isEmpty)
    pair.server.receive(second.1, from: pair.client.address)
    let counters = pair.server.takePackets().map { opened($0, byClient: false)?.1.acknowledged }
    #expect(counters == [second.0 - 1])
    #expect(pair.server.takeMessages().map(\.payload) == [[0], [1]])
    pair.server.advance(to: .seconds(1))
    #expect(pair.server.takePackets().map { opened($0, byClient: false)?.1.acknowledged } == [second.0])
    _ = exchange
  }

  @Test("An exchange that is idle for 90 s fails, at both ends")
  func idleExchanges() throws {
    let pair = LayerPair(settings: .init())
    let (exchange, packet) = pair.request([1], at: .seconds(1))
    pair.server.receive(packet, from: pair.client.address, at: .seconds(2))
    let request = pair.server.takeMessages()[0]
    pair.server.advance(to: .seconds(3))
    pair.answer(at: .seconds(4))
    #expect(pair.server.deadline == .seconds(93) && pair.client.deadline == .seconds(94))
    // Each message begins the time again.
    pair.server.send([2], on: request.exchange, isReliable: false, at: .seconds(50))
    pair.answer(at: .seconds(51))
    for end in [pair.server, pair.client] { end.advance(to: .seconds(139)) }
    #expect(pair.server.deadline == .seconds(140) && pair.client.deadline == .seconds(141))
    for end in [pair.server, pair.client] { end.advance(to: .seconds(141)) }
    #expect(pair.server.failed == [request.exchange] && pair.client.failed == [exchange])
    #expect(pair.server.deadline == nil && pair.client.deadline == nil)
  }

  @Test("A message to a peer that sleeps for long is repeated beyond the limit of idle exchanges")
  func sleepingPeer() throws {
    var parameters = SessionParameters()
    parameters.idleInterval = .seconds(3600)
    let end = LayerEnd(1, random: constant(0), settings: .init())
    let session = end.layer.addSession(
      established(isInitiator: true, parameters: parameters), peer: end.address, at: .zero)
    let exchange = try #require(end.open(session))
    end.send([1], on: exchange, at: .seconds(10))
    let deadline = try #require(end.deadline)
    expect([deadline], near: [3_970_000])
    end.advance(to: .seconds(100))
    #expect(end.failed.isEmpty && end.deadline == deadline)
  }

  /// Checked: it fails if duplicates are acknowledged nevertheless.
  @Test("Acknowledgements that are withheld are neither sent alone, nor in answers, nor again for duplicates")
  func withheld() throws {
    let pair = LayerPair(random: constant(0))
    var count = 0
    pair.server.layer.withholdsAcknowledgement = {
      count += 1
      return count <= 3
    }
    // Alone, after its delay.
    let (first, packet) = pair.request([1], at: .zero)
    pair.server.receive(packet, from: pair.client.address)
    pair.server.advance(to: .milliseconds(200))
    #expect(pair.server.takePackets().isEmpty && count == 1)
    // Again, for the repetition.
    pair.server.receive(packet, from: pair.client.address, at: .milliseconds(330))
    #expect(pair.server.takePackets().isEmpty && count == 2)
    // In an answer.
    let (second, other) = pair.request([2], at: .milliseconds(400))
    pair.server.receive(other, from: pair.client.address, at: .milliseconds(400))
    let exchange = try #require(pair.server.takeMessages().last).exchange
    pair.server.send([3], on: exchange, at: .milliseconds(400))
    let answers = pair.answer(at: .milliseconds(400))
    #expect(answers.count == 1 && count == 3)
    #expect(opened(answers[0], byClient: false)?.1.acknowledged == nil)
    #expect(pair.client.pending(second) != nil && pair.client.takeMessages().map(\.payload) == [[3]])
    // Then they are sent again.
    pair.server.receive(packet, from: pair.client.address, at: .milliseconds(880))
    pair.answer(at: .milliseconds(880))
    #expect(pair.client.pending(first) == nil && count == 4)
    #expect(pair.server.failed.isEmpty && pair.client.failed.isEmpty)
  }
}
