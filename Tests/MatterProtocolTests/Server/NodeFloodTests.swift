@testable import MatterController
import HAPCrypto
import HAPTestSupport
import HAPWire
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

/// Sends datagrams to a node without a pause, each from another address.
final class Attacker: NetworkEnd {
  private let target: PeerAddress
  private let pause: Duration
  private let next: (UInt64) -> [UInt8]
  private var sent: [(packet: [UInt8], peer: PeerAddress)] = []
  private var due: Duration? = .zero
  private(set) var count: UInt64 = 0

  init(_ target: PeerAddress, pause: Duration, _ next: @escaping (UInt64) -> [UInt8]) {
    (self.target, self.pause, self.next) = (target, pause, next)
  }

  var address: PeerAddress { PeerAddress(high: 0x2001 << 48, low: count, port: UInt16(truncatingIfNeeded: count)) }
  var deadline: Duration? { due }
  func stop() { due = nil }
  func receive(_ packet: [UInt8], from peer: PeerAddress, at now: Duration) {}

  func takeDatagrams() -> [(packet: [UInt8], peer: PeerAddress)] {
    defer { sent = [] }
    return sent
  }

  func advance(to now: Duration) {
    guard let due, due <= now else { return }
    count += 1
    sent.append((next(count), target))
    self.due = now + pause
  }

  /// The first message of a handshake, from an ephemeral node of its own.
  static func first(_ message: HandshakeMessage, _ node: UInt64) -> [UInt8] {
    var buffer = ByteBuffer()
    MessageHeader(session: 0, counter: UInt32(truncatingIfNeeded: node), source: node).encode(into: &buffer)
    ExchangeHeader(
      isFromInitiator: true, wantsAcknowledgement: true, opcode: message.opcode.rawValue,
      exchange: UInt16(truncatingIfNeeded: node), protocolID: .secureChannel
    ).encode(into: &buffer)
    return buffer.bytes + message.payload
  }
}

@Suite("A node under floods") struct NodeFloodTests {
  enum Flood: CaseIterable { case foreignSigma1, repeatedSigma1, passcodeRequests, garbage }

  /// - Parameter sigma1: a message of a controller of the node.
  private static func messages(_ flood: Flood, sigma1: [UInt8]) -> (UInt64) -> [UInt8] {
    switch flood {
    case .foreignSigma1:
      let fabric = ControllerFabric(77, node: 1, random: .seeded(77))
      let initiator = CASEInitiator(fabric: fabric.credentials, peer: 5, localSession: 1, random: .seeded(78))
      return { Attacker.first(initiator.request, $0) }
    case .repeatedSigma1: return { Attacker.first(HandshakeMessage(.sigma1, sigma1), $0) }
    case .passcodeRequests:
      let initiator = PASEInitiator(passcode: 1, localSession: 1, random: .seeded(79))
      return { Attacker.first(initiator.request, $0) }
    case .garbage:
      var generator = SeededGenerator(seed: 80)
      return { number in
        var bytes = generator.bytes(Int(generator.next() % 120))
        // Headers that are right, and a payload that is not.
        if number % 2 == 0 {
          let opcode = SecureChannelOpcode(rawValue: [0x20, 0x22, 0x30, 0x32, 0x40][Int(number / 2 % 5)])!
          bytes = Attacker.first(HandshakeMessage(opcode, bytes), number)
        }
        return bytes
      }
    }
  }

  @Test("State stays bounded, and a controller of the node still gets its session", arguments: Flood.allCases)
  func controller(_ flood: Flood) throws {
    let server = try ServerEnd()
    var world = NodeWorld(server)
    var sigma1: [UInt8] = []
    world.client.alter = { packet in
      var offset = 0
      guard (try? MessageHeader(packet, offset: &offset))?.isSealed == false,
        let header = try? ExchangeHeader(packet, offset: &offset), header.opcode == SecureChannelOpcode.sigma1.rawValue
      else { return [packet] }
      sigma1 = Array(packet[offset...])
      return [packet]
    }
    #expect(world.commission())
    let stored = try #require(server.stored)
    let attacked = try ServerEnd(seed: 2, stored: stored)
    let attacker = Attacker(
      attacked.address, pause: .milliseconds(2), Self.messages(flood, sigma1: sigma1))
    world = NodeWorld(attacked, others: [attacker])
    world.run(for: .seconds(1))
    let connected = (0..<20).contains { _ in world.connect() != nil }
    #expect(connected)
    for _ in 0..<5 {
      #expect(world.request(.command(LightTarget.toggle))?.outcome == .status(.success))
      world.run(for: .seconds(1))
    }
    #expect(attacker.count > 1000)
    #expect(attacked.mostSessions <= 17 && attacked.mostHandshakes <= HandshakeTable.limit)
    attacker.stop()
    world.run(for: .seconds(120))
    #expect(attacked.server.handshakes.count == 0 && attacked.server.sessions.count == 1)
    #expect(attacked.server.fabrics.count == 1)
  }

  @Test("State stays bounded, and a commissioner gets its session at the latest after it", arguments: Flood.allCases)
  func commissioner(_ flood: Flood) throws {
    let server = try ServerEnd()
    let attacker = Attacker(server.address, pause: .milliseconds(2), Self.messages(flood, sigma1: [0x15, 0x18]))
    let world = NodeWorld(server, others: [attacker])
    world.run(for: .seconds(1))
    if flood != .passcodeRequests { #expect(world.persist()) } else { _ = world.commission() }
    attacker.stop()
    world.run(for: .seconds(61))
    if flood == .passcodeRequests { #expect(world.persist()) }
    #expect(server.server.fabrics.count == 1)
    #expect(server.mostSessions <= 18 && server.mostHandshakes <= HandshakeTable.limit)
  }

  @Test(
    "A flood that is faster than the node computes does not make a queue", arguments: [Flood.foreignSigma1, .garbage])
  func queue(_ flood: Flood) throws {
    let server = try ServerEnd(thinking: .milliseconds(500))
    let attacker = Attacker(server.address, pause: .milliseconds(1), Self.messages(flood, sigma1: []))
    let world = NodeWorld(server, others: [attacker])
    world.run(for: .seconds(10))
    #expect(server.mostComputations > 1 && server.mostComputations <= 2 * HandshakeTable.limit)
    attacker.stop()
    world.run(for: .seconds(61))
    #expect(world.persist() && server.server.computationCount == 0)
  }

  @Test("A controller that is flooded commissions and uses its node", arguments: Flood.allCases)
  func floodedController(_ flood: Flood) throws {
    let address = ClientEnd(1).address
    let attacker = Attacker(address, pause: .milliseconds(2), Self.messages(flood, sigma1: [0x15, 0x18]))
    let world = NodeWorld(try ServerEnd(), others: [attacker])
    #expect(world.client.address == address)
    world.run(for: .seconds(1))
    #expect(world.persist())
    #expect(world.client.client.isConnected || world.connect() != nil)
    #expect(world.request(.command(LightTarget.toggle))?.outcome == .status(.success))
    #expect(attacker.count > 500)
  }
}
