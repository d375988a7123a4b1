@testable import MatterController
import HAPTestSupport
import MatterInteraction
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

/// Checked: "The heir of the index" fails if the resumptions of a removed fabric stay.
@Suite("The removal of a fabric") struct NodeRemovalTests {
  private static let noSharedTrustRoots = "the peer reports status 1/1"

  /// A node with two fabrics, each with a controller.
  private func shared(with others: [any NetworkEnd] = []) throws -> NodeWorld {
    let world = NodeWorld(try ServerEnd(), clients: 2, others: others)
    #expect(world.commission())
    #expect(world.request(.openBasicWindow())?.outcome == .status(.success))
    #expect(world.commission(world.clients[1]))
    #expect(world.server.server.fabrics.map(\.index) == [1, 2])
    return world
  }

  private func subscribe(_ client: ClientEnd, in world: NodeWorld) -> Bool {
    let request = SubscribeRequest([AttributePattern(LightTarget.onOff)], minimum: 0, maximum: 60)
    if case .subscription? = world.request(.subscribe(request), by: client) { return true }
    return false
  }

  @Test("Nothing of a removed controller works any more, and the other one does not notice")
  func removed() throws {
    let world = try shared()
    let (first, second) = (world.clients[0], world.clients[1])
    #expect(subscribe(first, in: world) && subscribe(second, in: world))
    #expect(world.server.server.subscriptionCount == 2)

    // The removed controller does not hear that its session has ended.
    second.isDeaf = true
    #expect(world.request(.removeFabric(2), by: first)?.field(0) == .unsigned(0))
    world.run(for: .seconds(2))
    #expect(world.server.server.subscriptionCount == 1)
    #expect(world.server.server.sessions.map(\.subject.fabric) == [1])
    second.isDeaf = false
    #expect(second.client.isConnected)

    // Requests of its session are dropped, as those of any unknown session.
    #expect(world.request(.read(AttributePattern(LightTarget.onOff)), by: second) == nil)
    #expect(world.request(.command(LightTarget.toggle), by: second) == nil)
    #expect(world.server.application[LightTarget.onOff] == .bool(false))
    // A resumption becomes a whole handshake, and that asks for a node that there is not.
    #expect(world.connect(second) == nil && second.failures.last == Self.noSharedTrustRoots)
    second.client.forgetResumption()
    #expect(world.connect(second) == nil && second.failures.last == Self.noSharedTrustRoots)

    let reports = (first.changes.count, second.changes.count)
    world.server.use(at: world.now) {
      _ = $0.invoke(LightTarget.toggle, Element(.anonymous, .container(.structure, [])), for: .passcode(fabric: 0))
    }
    world.run(for: .seconds(2))
    #expect(first.changes.count == reports.0 + 1 && second.changes.count == reports.1)
    #expect(first.sessionEnds.isEmpty && first.endedSubscriptions.isEmpty && first.connections.isEmpty)
    world.run(for: .seconds(180))
    #expect(first.endedSubscriptions.isEmpty && world.server.server.subscriptionCount == 1)
    #expect(second.endedSubscriptions.count == 1, "the removed controller misses the reports")
  }

  @Test("The heir of the index of a removed fabric has none of its subscriptions, sessions and resumptions")
  func heir() throws {
    let heir = ClientEnd(9)
    let world = try shared(with: [heir])
    heir.find = { [unowned server = world.server] in server.address }
    let (first, second) = (world.clients[0], world.clients[1])
    #expect(subscribe(second, in: world))
    second.isDeaf = true
    #expect(world.request(.removeFabric(2), by: first)?.field(0) == .unsigned(0))
    #expect(world.request(.openBasicWindow(), by: first)?.outcome == .status(.success))
    #expect(world.commission(heir))
    #expect(world.server.server.fabrics.map(\.index) == [1, 2])
    #expect(world.server.server.subscriptionCount == 0)
    second.isDeaf = false
    #expect(world.request(.command(LightTarget.toggle), by: second) == nil)
    #expect(world.connect(second) == nil && second.failures.last == Self.noSharedTrustRoots)
    #expect(world.request(.command(LightTarget.toggle), by: heir)?.outcome == .status(.success))
  }

  @Test("A handshake in progress of another fabric continues, and one of the removed fabric is refused at its end")
  func handshakes() throws {
    let world = try shared()
    let (first, second) = (world.clients[0], world.clients[1])
    for client in [first, second] {
      client.client.forgetResumption()
      // Sigma3 is in a packet of its own, after the first one of the handshake.
      var count = 0
      client.alter = { packet in
        count += 1
        return count > 1 ? [] : [packet]
      }
      client.client.connect(to: world.server.address, at: world.now)
      client.take(at: world.now)
    }
    world.run(for: .milliseconds(200))
    #expect(world.server.server.handshakes.count == 2)
    _ = world.server.change(at: world.now) { node in
      node.invoke(
        CommandPath(0, 0x3E, 10), Element(.anonymous, .container(.structure, [Element(.context(0), .unsigned(2))])),
        for: .node(101, fabric: 1, tags: []))
    }
    #expect(world.server.server.fabrics.map(\.index) == [1] && world.server.server.handshakes.count == 2)
    // Now the repeated Sigma3 arrives.
    for client in [first, second] { client.alter = { [$0] } }
    world.run(for: .seconds(20)) { first.client.isConnecting || second.client.isConnecting }
    #expect(first.connections == [false] && first.failures.isEmpty)
    #expect(second.connections.isEmpty && second.failures.count == 1)
    #expect(world.server.server.sessions.allSatisfy { $0.subject.fabric == 1 })
    #expect(world.request(.command(LightTarget.toggle), by: first)?.outcome == .status(.success))
  }
}
