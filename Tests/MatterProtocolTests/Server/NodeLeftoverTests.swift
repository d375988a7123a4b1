@testable import MatterController
import HAPCrypto
import HAPTestSupport
import HAPWire
import MatterInteraction
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

private func opcode(_ packet: [UInt8]) -> UInt8? {
  var offset = 0
  guard (try? MessageHeader(packet, offset: &offset))?.isSealed == false,
    let header = try? ExchangeHeader(packet, offset: &offset)
  else { return nil }
  return header.opcode
}

/// Remains of a fabric, a handshake or a session have no effect.
@Suite("A node after removals, refusals and floods") struct NodeLeftoverTests {
  @Test("The next fabric with its index does not read the events of a removed fabric")
  func events() throws {
    let world = NodeWorld(try ServerEnd(), clients: 2)
    #expect(world.commission())
    #expect(world.request(.removeFabric(1))?.field(0) == .unsigned(0))
    world.run(for: .seconds(2))
    #expect(world.commission(world.clients[1]))
    #expect(world.server.server.fabrics.map(\.index) == [1])
    let read = InteractionRequest.read(ReadRequest([], events: [EventPattern(0, 0x1F, 0)]))
    guard case .report(let report)? = world.request(read, by: world.clients[1]) else {
      Issue.record("no report")
      return
    }
    #expect(report.events.count == 1)
  }

  @Test("A handshake of a removed fabric gives no session in the next one with its index")
  func handshake() throws {
    let world = NodeWorld(try ServerEnd(), clients: 2)
    let old = world.client
    #expect(world.commission())
    world.run(for: .seconds(1))
    old.client.forgetResumption()
    var held: [[UInt8]] = []
    old.alter = { packet in
      if opcode(packet) == SecureChannelOpcode.sigma3.rawValue { held.append(packet); return [] }
      return [packet]
    }
    old.client.connect(to: world.server.address, at: world.now)
    old.take(at: world.now)
    world.run(for: .seconds(1)) { held.isEmpty }
    #expect(held.count == 1)
    #expect(world.request(.removeFabric(1))?.field(0) == .unsigned(0))
    #expect(world.commission(world.clients[1]))
    #expect(world.server.server.fabrics.map(\.index) == [1])
    world.server.receive(held[0], from: old.address, at: world.now)
    world.run(for: .seconds(1))
    #expect(!world.server.server.sessions.contains { $0.subject == .node(101, fabric: 1, tags: []) })
  }

  @Test("All subscriptions of a session survive a change", arguments: [4, 8, 15, 16])
  func subscriptions(count: Int) throws {
    let world = NodeWorld(try ServerEnd())
    #expect(world.commission())
    for _ in 0..<count {
      let request = SubscribeRequest(
        [AttributePattern(LightTarget.onOff)], minimum: 0, maximum: 60, keepsOthers: true)
      guard case .subscription? = world.request(.subscribe(request)) else {
        Issue.record("no subscription")
        return
      }
    }
    #expect(world.server.server.subscriptionCount == count)
    #expect(world.request(.command(LightTarget.toggle))?.outcome == .status(.success))
    world.run(for: .seconds(5))
    #expect(world.server.server.subscriptionCount == count)
  }

  @Test("Computations are bounded under a flood of Sigma1")
  func computations() throws {
    let server = try ServerEnd()
    var world = NodeWorld(server)
    var sigma1: [UInt8] = []
    world.client.alter = { packet in
      if opcode(packet) == SecureChannelOpcode.sigma1.rawValue {
        var offset = 0
        _ = try? MessageHeader(packet, offset: &offset)
        _ = try? ExchangeHeader(packet, offset: &offset)
        sigma1 = Array(packet[offset...])
      }
      return [packet]
    }
    #expect(world.commission())
    let stored = try #require(server.stored)
    let attacked = try ServerEnd(seed: 2, thinking: .milliseconds(500), stored: stored)
    let message = sigma1
    let attacker = Attacker(attacked.address, pause: .milliseconds(1)) {
      Attacker.first(HandshakeMessage(.sigma1, message), $0)
    }
    world = NodeWorld(attacked, others: [attacker])
    world.run(for: .seconds(1))
    #expect(attacked.mostComputations <= 16)
  }

  @Test("Unsecured sessions end after refused and expired handshakes")
  func unsecured() throws {
    let world = NodeWorld(try ServerEnd(), clients: 3)
    // A passcode handshake that stalls after Pake2 keeps others out with Busy.
    world.clients[0].alter = { opcode($0) == SecureChannelOpcode.pake3.rawValue ? [] : [$0] }
    world.clients[0].client.commission(
      at: world.server.address, passcode: 20_202_021, authorities: [NodeBench.credentials.authority], at: world.now)
    world.clients[0].take(at: world.now)
    world.run(for: .seconds(1))
    #expect(!world.commission(world.clients[1]))
    world.run(for: .seconds(200))
    let left = world.server.server.layer.sessions
    #expect(left.isEmpty)
  }

  @Test("A timed exchange of a removed fabric has no rights in the next one with its index")
  func timed() throws {
    let heir = ClientEnd(7, fabric: ControllerFabric(7, node: 101, random: .seeded(77)))
    let world = NodeWorld(try ServerEnd(), clients: 1, others: [heir])
    heir.find = { [unowned server = world.server] in server.address }
    #expect(world.commission())
    world.run(for: .seconds(1))
    var count = 0
    var held: [[UInt8]] = []
    world.client.alter = { packet in
      count += 1
      if count == 2 { held.append(packet); return [] }
      return [packet]
    }
    _ = world.client.client.request(.command(LightTarget.timedOff, timed: 60_000), at: world.now)
    world.client.take(at: world.now)
    world.run(for: .seconds(1)) { held.isEmpty }
    #expect(held.count == 1)
    world.client.alter = { $0 == held[0] ? [] : [$0] }
    world.server.use(at: world.now) {
      _ = $0.invoke(LightTarget.toggle, Element(.anonymous, .container(.structure, [])), for: .passcode(fabric: 0))
    }
    #expect(world.request(.removeFabric(1))?.field(0) == .unsigned(0))
    #expect(world.commission(heir))
    world.server.receive(held[0], from: world.client.address, at: world.now)
    world.run(for: .seconds(1))
    #expect(world.server.application[LightTarget.onOff] == .bool(true))
  }

  @Test("A commissioner that cancels while the node computes does not keep others out")
  func cancelled() throws {
    let world = NodeWorld(try ServerEnd(thinking: .milliseconds(50)), clients: 2)
    let first = world.clients[0]
    first.alter = { packet in
      guard opcode(packet) == SecureChannelOpcode.pake1.rawValue else { return [packet] }
      // A status report in the same exchange follows at once.
      var offset = 0
      guard let header = try? MessageHeader(packet, offset: &offset),
        let exchange = try? ExchangeHeader(packet, offset: &offset),
        let source = header.source
      else { return [packet] }
      var buffer = ByteBuffer()
      MessageHeader(session: 0, counter: header.counter &+ 1, source: source).encode(into: &buffer)
      ExchangeHeader(
        isFromInitiator: true, wantsAcknowledgement: false, opcode: SecureChannelOpcode.statusReport.rawValue,
        exchange: exchange.exchange, protocolID: .secureChannel
      ).encode(into: &buffer)
      return [packet, buffer.bytes + HandshakeMessage.status(.invalidParameter).payload]
    }
    first.client.commission(
      at: world.server.address, passcode: 20_202_021, authorities: [NodeBench.credentials.authority], at: world.now)
    first.take(at: world.now)
    world.run(for: .seconds(20))
    #expect(world.commission(world.clients[1]))
  }
}
