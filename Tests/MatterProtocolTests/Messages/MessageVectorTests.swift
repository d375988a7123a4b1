import HAPCrypto
import HAPTestSupport
import HAPWire
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("Messages of the vectors") struct MessageVectorTests {
  private static var file: [String: Any] { try! vectorFile("matter").object("messages") }

  @Test("Sealed packets are received, and sent with the same bytes")
  func sealed() throws {
    for vector in Self.file.list("sealed") {
      let packet = vector.bytes("packet")
      var offset = 0
      let header = try MessageHeader(packet, offset: &offset)
      var (place, plain) = (0, vector.bytes("plain"))
      let exchange = try ExchangeHeader(plain, offset: &place)
      plain.removeFirst(place)
      let node = vector["source_node"].map { _ in vector.bytes("source_node").reduce(0) { $0 << 8 | UInt64($1) } } ?? 0
      let key = SecretBytes(vector.bytes("key"))
      let other = SecretBytes([UInt8](repeating: 0, count: 16))
      func end(inbound: Bool) -> EstablishedSession {
        EstablishedSession(
          subject: .passcode(fabric: 0), localSession: inbound ? header.session : 1, peerSession: header.session,
          inboundKey: inbound ? key : other, outboundKey: inbound ? other : key, attestationChallenge: other,
          localNode: inbound ? 0 : node, peerNode: inbound ? node : 0, peerParameters: .init())
      }

      let receiver = LayerEnd(2)
      _ = receiver.layer.addSession(end(inbound: true), peer: receiver.address, at: .zero)
      receiver.receive(packet, from: receiver.address)
      let message = try #require(receiver.takeMessages().first)
      #expect(message.payload == plain && message.opcode == exchange.opcode && message.isFirst)
      #expect(message.protocolID == .interactionModel && message.subject == .passcode(fabric: 0))

      // The number of the exchange follows from the second draw.
      let last = exchange.exchange - 1
      let draws: [[UInt8]] = [[0, 0], [UInt8(last >> 8), UInt8(last & 255)], [0, 0, 0, 0], [0, 0]]
      let sender = LayerEnd(1, random: scripted(draws))
      let session = sender.layer.addSession(
        end(inbound: false), peer: receiver.address, counter: OutgoingCounter(first: header.counter), at: .zero)
      let handle = try #require(sender.open(session))
      let isSent = sender.layer.send(
        plain, opcode: exchange.opcode, protocolID: exchange.protocolID, on: handle,
        isReliable: exchange.wantsAcknowledgement, at: .zero)
      #expect(isSent && sender.takePackets() == [packet])
    }
  }

  @Test("An unsecured request is received, and its response is sent with the same bytes")
  func unsecured() throws {
    let packets = Self.file.list("plain").map { $0.bytes("packet") }
    var offset = 0
    let response = try MessageHeader(packets[1], offset: &offset)
    _ = try ExchangeHeader(packets[1], offset: &offset)

    let peer = PeerAddress(high: 1, low: 2, port: 3)
    let first = withUnsafeBytes(of: (response.counter - 1).bigEndian, Array.init)
    // The first counter of a layer has 28 bits, so the vector's is not one; only its header is compared.
    let server = LayerEnd(2, random: scripted([[0, 0], [0, 0], first, [0, 0]]))
    server.receive(packets[0], from: peer)
    let request = try #require(server.takeMessages().first)
    #expect(request.opcode == 0x20 && request.isFirst && request.subject == nil)
    #expect(request.payload.suffix(4) == packets[0].suffix(4))
    server.layer.send(
      HandshakeMessage(.pbkdfParamResponse, Array(packets[1][offset...])), on: request.exchange, at: .zero)
    let datagram = try #require(server.takeDatagrams().first)
    #expect(datagram.peer == peer)
    var expected = packets[1]
    expected.replaceSubrange(4..<8, with: datagram.packet[4..<8])
    #expect(datagram.packet == expected)
  }
}
