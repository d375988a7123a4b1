import HAPCrypto
import HAPTestSupport
import HAPWire
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("Reception of messages") struct MessageReceptionTests {
  /// An unsecured packet.
  private func unsecured(
    _ opcode: SecureChannelOpcode = .pbkdfParamRequest, source: UInt64? = 7,
    destination: MessageHeader.Destination = .none, counter: UInt32 = 100, exchange: UInt16 = 1,
    isFromInitiator: Bool = true, protocolID: ExchangeHeader.ProtocolID = .secureChannel, acknowledged: UInt32? = nil
  ) -> [UInt8] {
    var buffer = ByteBuffer()
    MessageHeader(session: 0, counter: counter, source: source, destination: destination).encode(into: &buffer)
    ExchangeHeader(
      isFromInitiator: isFromInitiator, wantsAcknowledgement: true, opcode: opcode.rawValue, exchange: exchange,
      protocolID: protocolID, acknowledged: acknowledged
    ).encode(into: &buffer)
    return buffer.bytes
  }

  private static let peer = PeerAddress(high: 1, low: 2, port: 3)

  @Test("A packet with a wrong bit or that is cut off is dropped, and the right one is received afterwards")
  func damage() {
    let pair = LayerPair()
    let (_, packet) = pair.request([1, 2, 3])
    for bit in 0..<8 * packet.count {
      var wrong = packet
      wrong[bit / 8] ^= 1 << UInt8(bit % 8)
      pair.server.receive(wrong, from: pair.client.address)
    }
    for count in 0..<packet.count { pair.server.receive(Array(packet[..<count]), from: pair.client.address) }
    pair.server.receive(packet + [0], from: pair.client.address)
    #expect(pair.server.takePackets().isEmpty && pair.server.takeMessages().isEmpty && pair.server.ended.isEmpty)
    pair.server.receive(packet, from: pair.client.address)
    #expect(pair.server.takeMessages().map(\.payload) == [[1, 2, 3]])
  }

  @Test("A sealed packet without a whole exchange header is dropped")
  func shortPlainText() {
    let pair = LayerPair()
    let channel = SealedChannel(established(isInitiator: true), OutgoingCounter(first: 1))
    let cipher = CCMCipher(key: established(isInitiator: true).outboundKey, .sealing)
    let plain: [UInt8] = [0x05, 2, 1, 0, 1, 0]
    for count in 0..<plain.count {
      var buffer = ByteBuffer()
      MessageHeader(session: channel.peerID, counter: UInt32(count + 1)).encode(into: &buffer)
      let nonce: [UInt8] = [0, UInt8(count + 1), 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0]
      let sealed = cipher.seal(Array(plain[..<count]), nonce: nonce, aad: buffer.bytes)
      pair.server.receive(buffer.bytes + sealed, from: pair.client.address)
    }
    #expect(pair.server.takePackets().isEmpty && pair.server.takeMessages().isEmpty)
    var buffer = ByteBuffer()
    MessageHeader(session: channel.peerID, counter: 9).encode(into: &buffer)
    let nonce: [UInt8] = [0, 9, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0]
    pair.server.receive(
      buffer.bytes + cipher.seal(plain, nonce: nonce, aad: buffer.bytes), from: pair.client.address)
    #expect(pair.server.takeMessages().count == 1)
  }

  @Test("Messages of groups, with privacy, of control, and of sessions that do not exist are dropped")
  func foreign() {
    let pair = LayerPair()
    let (_, packet) = pair.request([1])
    for flags in [0x01, 0x80, 0x40, 0x02, 0x03] as [UInt8] {
      var wrong = packet
      wrong[3] |= flags
      pair.server.receive(wrong, from: pair.client.address)
      var plain = unsecured()
      plain[3] |= flags
      pair.server.receive(plain, from: Self.peer)
    }
    var wrong = packet
    wrong[1] ^= 4
    pair.server.receive(wrong, from: pair.client.address)
    #expect(pair.server.takePackets().isEmpty && pair.server.takeMessages().isEmpty)
  }

  @Test("A stray message that wants an acknowledgement gets one outside of an exchange")
  func strays() throws {
    let pair = LayerPair()
    let exchange = try #require(pair.client.open(pair.clientSession))
    pair.client.send([1], on: exchange)
    let begun = try #require(opened(pair.client.takePackets()[0], byClient: true)).1
    // A message of an exchange that the server began, which it does not know.
    var header = ExchangeHeader(
      isFromInitiator: false, wantsAcknowledgement: true, opcode: 5, exchange: begun.exchange,
      protocolID: .interactionModel)
    let stray = try #require(pair.client.packet(header, [1]))
    pair.server.receive(stray.packet, from: pair.client.address)
    let answers = pair.server.takePackets()
    let answer = try #require(opened(answers[0], byClient: false)).1
    #expect(answer.isFromInitiator && answer.acknowledged == stray.counter && answer.exchange == begun.exchange)
    #expect(answer.opcode == 0x10 && !answer.wantsAcknowledgement)
    // No answer to one that wants none, nor to acknowledgements, even malformed ones that want one.
    header.wantsAcknowledgement = false
    pair.server.receive(pair.client.packet(header, [1])!.packet, from: pair.client.address)
    (header.wantsAcknowledgement, header.opcode, header.protocolID) = (true, 0x10, .secureChannel)
    pair.server.receive(pair.client.packet(header, [])!.packet, from: pair.client.address)
    header.isFromInitiator = true
    let last = try #require(pair.client.packet(header, []))
    for _ in 0..<2 { pair.server.receive(last.packet, from: pair.client.address) }
    #expect(pair.server.takePackets().isEmpty && pair.server.takeMessages().isEmpty)
    #expect(pair.server.deadline == nil, "no exchange has begun")
  }

  @Test("A message for an exchange that is closed but not finished is acknowledged and dropped")
  func closed() throws {
    let pair = LayerPair()
    let (exchange, packet) = pair.request([1])
    pair.client.close(exchange)
    #expect(pair.client.has(exchange) && !pair.client.send([9], on: exchange))
    pair.server.receive(packet, from: pair.client.address)
    let request = pair.server.takeMessages()[0]
    pair.server.send([2], on: request.exchange)
    pair.answer()
    #expect(pair.client.takeMessages().isEmpty && !pair.client.has(exchange))
    let packets = pair.client.takePackets()
    pair.server.receive(packets[0], from: pair.client.address)
    #expect(packets.count == 1 && pair.server.pending(request.exchange) == nil)
    #expect(!pair.client.send([3], on: exchange))
  }

  @Test("An unsecured session begins with the first message of a handshake only")
  func unsecuredSessions() {
    let end = LayerEnd()
    let wrong = [
      unsecured(.pake1), unsecured(.statusReport), unsecured(.acknowledgement), unsecured(source: nil),
      unsecured(source: nil, destination: .node(7)), unsecured(destination: .node(7)),
      unsecured(destination: .group(7)),
      unsecured(source: nil, destination: .node(7), isFromInitiator: false), unsecured(isFromInitiator: false),
      unsecured(protocolID: .interactionModel), unsecured(protocolID: .init(vendor: 1, 0)),
    ]
    for wrong in wrong { end.receive(wrong, from: Self.peer) }
    let good = unsecured()
    for count in 0..<good.count { end.receive(Array(good[..<count]), from: Self.peer) }
    #expect(end.takeMessages().isEmpty && end.takePackets().isEmpty && end.layer.sessions.isEmpty)
    end.receive(good, from: Self.peer)
    end.receive(unsecured(.sigma1, source: 8), from: Self.peer)
    #expect(end.takeMessages().map(\.opcode) == [0x20, 0x30])
    // Then other messages of the session are received, but not of another protocol.
    end.receive(unsecured(.statusReport, counter: 101, exchange: 1), from: Self.peer)
    end.receive(unsecured(.statusReport, counter: 102, protocolID: .interactionModel), from: Self.peer)
    #expect(end.takeMessages().map(\.opcode) == [0x40])
    // The same node at another address is another session, with its own window.
    end.receive(unsecured(), from: PeerAddress(high: 1, low: 2, port: 4))
    #expect(end.takeMessages().map(\.isFirst) == [true] && end.layer.sessions.count == 3)
  }

  @Test("A duplicate in an unsecured session is acknowledged; a counter far below is that of a restarted peer")
  func unsecuredCounters() {
    let end = LayerEnd()
    for counter in [100, 100, 99, 67, 100] as [UInt32] {
      end.receive(unsecured(counter: counter, exchange: UInt16(counter)), from: Self.peer)
      if end.layer.sessions[0].exchanges.count > 2 { break }
    }
    #expect(end.takeMessages().count == 3)
    #expect(end.takePackets().count == 1, "the second message is a duplicate")
  }

  @Test("Both roles of an unsecured session exchange messages")
  func unsecuredRoles() throws {
    let (client, server) = (LayerEnd(1), LayerEnd(2, random: .seeded(2)))
    let session = client.layer.addUnsecuredSession(to: server.address, at: .zero)
    let exchange = try #require(client.open(session))
    client.layer.send(HandshakeMessage(.sigma1, [1]), on: exchange, at: .zero)
    server.receive(client.takePackets()[0], from: client.address)
    let request = server.takeMessages()[0]
    server.layer.send(HandshakeMessage(.sigma2, [2]), on: request.exchange, at: .zero)
    // The answer can come from another address.
    let answer = server.takeDatagrams()[0]
    #expect(answer.peer == client.address)
    client.receive(answer.packet, from: PeerAddress(high: 9, low: 9, port: 9))
    let response = client.takeMessages()[0]
    #expect(response.exchange == exchange && response.handshakeMessage == HandshakeMessage(.sigma2, [2]))
    #expect(client.pending(exchange) == nil)
    // CloseSession has no meaning without security: it is a message as others.
    server.layer.send(
      HandshakeMessage.status(.closeSession).payload, opcode: 0x40, protocolID: .secureChannel, on: request.exchange,
      isReliable: false, at: .zero)
    client.receive(server.takePackets().last!, from: server.address)
    #expect(client.takeMessages().map(\.handshakeMessage) == [.status(.closeSession)] && client.ended.isEmpty)
    // No peer begins an exchange with the node of an initiator.
    let node = try #require(client.layer.sessions.first?.ephemeral?.id)
    let wrong = unsecured(source: nil, destination: .node(node), counter: 5000, exchange: 77)
    client.receive(wrong, from: server.address)
    #expect(client.takeMessages().isEmpty && client.takePackets().isEmpty)
    // Repeated packets are not delivered.
    client.receive(answer.packet, from: server.address)
    #expect(client.takeMessages().isEmpty)
    client.layer.removeSession(session)
    #expect(client.takePackets().count == 1, "the acknowledgement of the duplicate; no CloseSession")
    client.receive(answer.packet, from: server.address)
    #expect(client.takePackets().isEmpty && client.ended == [session: .removed])
  }

  @Test("The longest payload makes a packet below 1280 bytes")
  func size() {
    let pair = LayerPair()
    let longest = [UInt8](repeating: 1, count: MessageLayer.payloadLimit)
    let (_, packet) = pair.request(longest)
    pair.server.receive(packet, from: pair.client.address)
    #expect(pair.server.takeMessages().map(\.payload) == [longest] && packet.count <= 1280)
  }

  @Test("A payload that is too long is a programming error and traps")
  func tooLong() async {
    await #expect(processExitsWith: .failure) {
      let pair = LayerPair()
      _ = pair.request([UInt8](repeating: 1, count: MessageLayer.payloadLimit + 1))
    }
  }
}
