@testable import MatterController
import HAPCrypto
import HAPTestSupport
import HAPWire
import MatterInteraction
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

/// A peer that sends any message at any time, in a handshake and in its session.
private final class Rogue {
  let end = LayerEnd(50, random: .seeded(50))
  private let server: ServerEnd
  private(set) var session: SessionHandle?
  private var now = Duration.zero
  private var generator: SeededGenerator

  init(_ server: ServerEnd, seed: UInt64) { (self.server, generator) = (server, SeededGenerator(seed: seed)) }

  /// Delivers datagrams until there are no more, or none of a kind.
  private func exchange() {
    for _ in 0..<50 {
      now += .milliseconds(1)
      server.advance(to: now)
      let answers = server.takeDatagrams().filter { $0.peer == end.address }
      for answer in answers { end.receive(answer.packet, from: server.address, at: now) }
      let packets = end.takePackets()
      for packet in packets { server.receive(packet, from: end.address, at: now) }
      if answers.isEmpty, packets.isEmpty { return }
    }
  }

  /// Runs a handshake for a number of messages, and keeps the session if it has come so far.
  func shakeHands(_ initiator: some Handshake, _ request: HandshakeMessage, messages: Int) -> ExchangeHandle {
    var initiator = initiator
    let plain = end.layer.addUnsecuredSession(to: server.address, at: now)
    let exchange = end.open(plain)!
    guard messages > 0 else { return exchange }
    end.layer.send(request, on: exchange, at: now)
    for count in 1... {
      self.exchange()
      guard count < messages, let message = end.takeMessages().last?.handshakeMessage else { return exchange }
      let step = initiator.receive(message)
      if let sent = step.sent { end.layer.send(sent, on: exchange, at: now) }
      if case .establish(let established, _) = step {
        session = end.layer.addSession(established, peer: server.address, at: now)
      }
    }
    return exchange
  }

  /// Sends a message with any opcode and payload, on an exchange or a new one.
  func send(_ payload: [UInt8], opcode: UInt8, _ protocolID: ExchangeHeader.ProtocolID, on exchange: ExchangeHandle) {
    end.layer.send(
      payload, opcode: opcode, protocolID: protocolID, on: exchange,
      isReliable: generator.next() % 4 > 0, at: now)
    end.drain()
    self.exchange()
    _ = end.takeMessages()
  }

  func wait(_ duration: Duration) {
    now += duration
    end.advance(to: now)
    exchange()
  }

  /// Real payloads, changed ones, and random ones.
  func payload(_ samples: [[UInt8]]) -> [UInt8] {
    var sample = samples.randomElement(using: &generator)!
    switch generator.next() % 5 {
    case 0: return generator.bytes(Int(generator.next() % 200))
    case 1: return Array(sample.prefix(Int(generator.next() % UInt64(sample.count + 1))))
    case 2, 3:
      for _ in 0..<(1 + generator.next() % 4) where !sample.isEmpty {
        sample[Int(generator.next() % UInt64(sample.count))] = UInt8(truncatingIfNeeded: generator.next())
      }
      return sample
    default: return sample
    }
  }

  func number(below limit: UInt64) -> Int { Int(generator.next() % limit) }
  var open: SessionHandle? { session.flatMap { end.layer.subject(of: $0) == nil ? nil : $0 } }
}

@Suite("A node that is sent wrong messages") struct NodeMessageNoiseTests {
  private static let opcodes: [UInt8] = [
    0, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x30, 0x31, 0x32, 0x33, 0x40, 0x50, 0xFF,
  ]

  private static func samples() -> [[UInt8]] {
    let pase = PASEInitiator(passcode: 20_202_021, localSession: 9, random: .seeded(9))
    let fabric = ControllerFabric(77, node: 1, random: .seeded(77))
    let sigma = CASEInitiator(fabric: fabric.credentials, peer: 5, localSession: 1, random: .seeded(78))
    let point = CurveKey(random: .seeded(10)).publicKey
    return [
      [], [0x15, 0x18], pase.request.payload, sigma.request.payload,
      HandshakeMessage(.pake1) { $0.appendElement(.context(1), octets: point) }.payload,
      HandshakeMessage(.pake3) { $0.appendElement(.context(1), octets: [UInt8](repeating: 1, count: 32)) }.payload,
      HandshakeMessage(.sigma3) { $0.appendElement(.context(1), octets: [UInt8](repeating: 1, count: 300)) }.payload,
      HandshakeMessage.status(.sessionEstablished).payload, HandshakeMessage.status(.invalidParameter).payload,
    ]
  }

  private func expectCommissionable(_ server: ServerEnd, after rogue: Rogue) {
    rogue.wait(.seconds(100))
    rogue.wait(.seconds(900))
    #expect(server.server.handshakes.count == 0 && server.server.node.failSafe == nil)
    if server.server.advertisements.commissionable == nil {
      #expect(throws: Never.self) { try server.openWindow(at: .seconds(3000)) }
    }
    let world = NodeWorld(server)
    world.network.run(until: .seconds(3001))
    world.network.after(.seconds(3001)) {}
    world.network.run(until: .seconds(3002))
    #expect(world.commission())
  }

  @Test("In each state of PASE, any message of the secure channel ends the handshake or is ignored", arguments: 0...3)
  func passcode(messages: Int) throws {
    let server = try ServerEnd()
    let rogue = Rogue(server, seed: UInt64(messages))
    let samples = Self.samples()
    for _ in 0..<5 {
      for opcode in Self.opcodes {
        let initiator = PASEInitiator(passcode: 20_202_021, localSession: 700, random: .seeded(9))
        let exchange = rogue.shakeHands(initiator, initiator.request, messages: messages)
        for _ in 0..<3 { rogue.send(rogue.payload(samples), opcode: opcode, .secureChannel, on: exchange) }
        rogue.wait(.seconds(1))
      }
    }
    #expect(server.server.fabrics.isEmpty && server.mostSessions <= 18)
    expectCommissionable(server, after: rogue)
  }

  @Test("In each state of CASE, any message of the secure channel ends the handshake or is ignored", arguments: 0...2)
  func node(messages: Int) throws {
    let world = NodeWorld(try ServerEnd())
    #expect(world.commission())
    let server = try ServerEnd(seed: 2, stored: world.server.stored)
    let rogue = Rogue(server, seed: UInt64(messages))
    let samples = Self.samples()
    for opcode in Self.opcodes + Self.opcodes {
      let initiator = CASEInitiator(
        fabric: world.client.client.fabric.credentials, peer: 5, localSession: 700, random: .seeded(UInt64(opcode)))
      let exchange = rogue.shakeHands(initiator, initiator.request, messages: messages)
      for _ in 0..<3 { rogue.send(rogue.payload(samples), opcode: opcode, .secureChannel, on: exchange) }
      rogue.wait(.seconds(1))
    }
    rogue.wait(.seconds(100))
    #expect(server.server.handshakes.count == 0 && server.server.fabrics.count == 1)
    #expect(server.server.sessions.isEmpty || messages == 2)
  }

  @Test("In a session, any message is answered or ignored", arguments: 1...6 as ClosedRange<UInt64>)
  func session(seed: UInt64) throws {
    let server = try ServerEnd()
    let rogue = Rogue(server, seed: seed)
    let everything = InteractionRequest.read(AttributePattern())
    let requests: [InteractionRequest] = [
      everything, .command(LightTarget.toggle), .command(LightTarget.timedOff, timed: 1000),
      .write(LightTarget.number, .unsigned(3)), .openBasicWindow(), .removeFabric(1),
      .subscribe(SubscribeRequest([AttributePattern()], minimum: 0, maximum: 5)),
      .command(.generalCommissioning, 0, [(0, .unsigned(60)), (1, .unsigned(1))]),
      .command(.operationalCredentials, 4, [(0, .octets([UInt8](repeating: 1, count: 32)))]),
    ]
    let samples =
      Self.samples() + requests.map { ClientInteraction($0).start.payload } + [StatusResponse(.success).encoded]
    for round in 0..<20 {
      let initiator = PASEInitiator(passcode: 20_202_021, localSession: UInt16(700 + round), random: .seeded(seed))
      _ = rogue.shakeHands(initiator, initiator.request, messages: 4)
      for _ in 0..<60 {
        guard let session = rogue.open, let exchange = rogue.end.open(session) else { break }
        for _ in 0...rogue.number(below: 3) {
          let opcode = UInt8(rogue.number(below: 12))
          let protocols = [ExchangeHeader.ProtocolID.secureChannel, ExchangeHeader.ProtocolID(2)]
          let place = rogue.number(below: 10)
          rogue.send(
            rogue.payload(samples), opcode: opcode, place < 2 ? protocols[place] : .interactionModel, on: exchange)
        }
        rogue.end.close(exchange)
      }
      rogue.wait(.seconds(100))
    }
    #expect(server.mostSessions <= 18)
    expectCommissionable(server, after: rogue)
  }
}
