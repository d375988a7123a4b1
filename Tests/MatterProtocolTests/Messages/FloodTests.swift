import HAPCrypto
import HAPTestSupport
import HAPWire
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("Floods of messages") struct FloodTests {
  private func firstMessage(_ node: UInt64, exchange: UInt16 = 1, counter: UInt32 = 1) -> [UInt8] {
    var buffer = ByteBuffer()
    MessageHeader(session: 0, counter: counter, source: node).encode(into: &buffer)
    ExchangeHeader(
      isFromInitiator: true, wantsAcknowledgement: true, opcode: SecureChannelOpcode.sigma1.rawValue,
      exchange: exchange, protocolID: .secureChannel
    ).encode(into: &buffer)
    return buffer.bytes + [UInt8](repeating: 1, count: 100)
  }

  @Test("A flood of first messages keeps 16 unsecured sessions, and does not end a handshake that has begun")
  func forgedAddresses() throws {
    let (client, server) = (LayerEnd(1), LayerEnd(2))
    let session = client.layer.addUnsecuredSession(to: server.address, at: .zero)
    let exchange = try #require(client.open(session))
    client.layer.send(HandshakeMessage(.pbkdfParamRequest, [1]), on: exchange, at: .zero)
    server.receive(client.takePackets()[0], from: client.address)
    let request = server.takeMessages()[0]
    server.layer.send(HandshakeMessage(.pbkdfParamResponse, [2]), on: request.exchange, at: .zero)
    client.receive(server.takePackets()[0], from: server.address)
    client.layer.send(HandshakeMessage(.pake1, [3]), on: exchange, at: .zero)
    server.receive(client.takePackets()[0], from: client.address)
    for number in 0..<2000 as Range<UInt64> {
      let peer = PeerAddress(high: number, low: number, port: UInt16(number))
      server.receive(firstMessage(number), from: peer, at: .milliseconds(Int(number)))
      #expect(server.layer.sessions.count <= 16)
    }
    #expect(server.takeMessages().count == 2001 && server.ended.count == 2000 - 15)
    #expect(server.ended.values.allSatisfy { $0 == .evicted } && server.ended[request.session] == nil)
    let isSent = server.layer.send(HandshakeMessage(.pake2, [4]), on: request.exchange, at: .seconds(3))
    #expect(isSent)
    client.receive(server.takePackets().last!, from: server.address)
    #expect(client.takeMessages().last?.payload == [4])
    // The sessions of secured messages are not affected.
    let secured = server.layer.addSession(established(isInitiator: false), peer: client.address, at: .zero)
    for number in 0..<100 as Range<UInt64> {
      server.receive(firstMessage(number + 5000), from: client.address, at: .seconds(4))
    }
    #expect(server.layer.sessions.count == 17 && server.open(secured) != nil)
  }

  @Test("A flood of exchanges keeps 16; a request that found no place is received when the peer repeats it")
  func exchanges() throws {
    let pair = LayerPair()
    var settings = MessageLayer.Settings.withoutIdleLimit
    settings.exchangesPerSession = 1000
    let client = LayerEnd(1, settings: settings)
    let session = client.layer.addSession(established(isInitiator: true), peer: pair.server.address, at: .zero)
    var packets: [[UInt8]] = []
    for _ in 0..<1000 {
      client.send([1], on: try #require(client.open(session)))
      packets += client.takePackets()
    }
    for _ in 0..<1000 { _ = try #require(client.open(session)) }
    #expect(client.open(session) == nil, "the own limit is twice the peer's")
    for packet in packets { pair.server.receive(packet, from: client.address) }
    let messages = pair.server.takeMessages()
    #expect(messages.count == 16 && pair.server.layer.sessions[0].exchanges.count == 16)
    #expect(pair.server.open(pair.serverSession) != nil, "own exchanges have a limit of their own")
    pair.server.close(messages[0].exchange)
    #expect(pair.server.takePackets().count == 1)
    // The window knows the 32 before the newest counter; these are the ones that found no place.
    pair.server.receive(packets[16], from: client.address)
    #expect(pair.server.takeMessages().map(\.isFirst) == [true])
    pair.server.advance(to: .seconds(1))
    #expect(pair.server.takePackets().count == 16 && pair.server.deadline == nil)
  }

  @Test("Random and changed datagrams never trap, and nothing is kept of them", arguments: 1...8)
  func random(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pair = LayerPair()
    var models = [firstMessage(1)]
    for number in 0..<8 as Range<UInt8> { models.append(pair.request([UInt8](repeating: number, count: 40)).1) }
    let channel = SealedChannel(established(isInitiator: true), OutgoingCounter(first: 1))
    for step in 0..<5000 {
      let now = Duration.milliseconds(step)
      var packet = models[Int(generator.next() % UInt64(models.count))]
      switch generator.next() % 4 {
      case 0: packet = generator.bytes(Int(generator.next() % 80))
      case 1: packet = Array(packet.prefix(Int(generator.next() % 60)))
      case 2:
        // Sealed rightly, with any header.
        var buffer = ByteBuffer()
        let header = ExchangeHeader(
          isFromInitiator: generator.next() % 2 == 0, wantsAcknowledgement: generator.next() % 2 == 0,
          opcode: UInt8(generator.next() % 0x50), exchange: UInt16(generator.next() % 4),
          protocolID: .init(UInt16(generator.next() % 2)), acknowledged: UInt32(truncatingIfNeeded: generator.next()))
        let counter = UInt32(step) &+ UInt32(generator.next() % 40)
        channel.write(header, generator.bytes(Int(generator.next() % 20)), counter: counter, into: &buffer)
        packet = buffer.bytes
      default: packet[Int(generator.next() % UInt64(packet.count))] ^= UInt8(truncatingIfNeeded: generator.next())
      }
      pair.server.receive(packet, from: PeerAddress(high: 1, low: generator.next() % 4, port: 1), at: now)
      for message in pair.server.takeMessages() where generator.next() % 2 == 0 {
        pair.server.send([1], on: message.exchange, at: now)
        if generator.next() % 2 == 0 { pair.server.close(message.exchange, at: now) }
      }
      pair.server.advance(to: now)
      #expect(pair.server.layer.sessions.count <= 18)
      #expect(pair.server.layer.sessions.allSatisfy { $0.exchanges.count <= 16 })
      #expect(pair.server.takePackets().count <= 40)
      if let deadline = pair.server.deadline { #expect(deadline > now) }
    }
  }
}
