@testable import MatterController
import HAPCrypto
import MatterModel
import Testing

@testable import MatterProtocol

@Suite("A node that loses its power") struct NodePowerTests {
  /// Counts the actions of a node in a whole commissioning.
  private static func actionCount() throws -> Int {
    let world = NodeWorld(try ServerEnd())
    #expect(world.commission())
    return world.server.actionCount
  }

  @Test("A power cut before any action of a commissioning leaves the node as it was, or complete")
  func commissioning() throws {
    let count = try Self.actionCount()
    #expect(count > 25)
    var (undone, complete) = (0, 0)
    for cut in 2..<count {
      let world = NodeWorld(try ServerEnd())
      world.server.powerCut = cut
      let succeeded = world.commission()
      #expect(world.server.restartCount == 1, "action \(cut)")
      let node = world.server.server.node
      // Nothing is half: without the fabric, it has no trace of it, and can be commissioned.
      if node.state.fabrics.isEmpty {
        undone += 1
        #expect(!succeeded && node.state == NodeState(rebootCount: 1, eventNumber: node.state.eventNumber))
        #expect(node.advertisements.commissionable != nil && node.advertisements.operational.isEmpty)
      } else {
        complete += 1
        #expect(node.state.fabrics.count == 1 && node.advertisements.commissionable == nil)
        #expect(world.connect() != nil, "action \(cut)")
      }
      #expect(world.persist(), "action \(cut)")
      #expect(world.client.client.isConnected || world.connect() != nil)
      #expect(world.request(.command(LightTarget.toggle))?.outcome == .status(.success))
      #expect(world.server.server.fabrics.count == 1)
    }
    #expect(undone > 20 && complete > 0)
  }

  @Test("A state that could not be stored is stored again with the next input, and not before")
  func failures() throws {
    let server = try ServerEnd().server
    func storeCount() -> Int {
      var count = 0
      while let action = server.nextAction() { if case .store = action { count += 1 } }
      return count
    }
    // The failures of two stores that were requested before the first one was done.
    server.dropped([], at: .zero)
    server.dropped([], at: .zero)
    #expect(storeCount() == 0)
    server.advance(to: .seconds(1))
    #expect(storeCount() == 1)
    server.advance(to: .seconds(2))
    #expect(storeCount() == 0)
  }

  @Test("Each stored state of two fabrics is a whole one: a node made of it serves exactly its fabrics")
  func storedStates() throws {
    let world = NodeWorld(try ServerEnd(), clients: 2)
    #expect(world.commission())
    #expect(world.request(.write(AttributePath(0, 0x28, 5), .text("Lamp")))?.outcome == nil)
    #expect(world.request(.openBasicWindow())?.outcome == .status(.success))
    #expect(world.commission(world.clients[1]))
    #expect(world.request(.removeFabric(2))?.field(0) == .unsigned(0))
    #expect(world.request(.removeFabric(1))?.field(0) == .unsigned(0))
    var counts: [Int] = []
    for stored in world.server.history {
      let state = try NodeState(stored: stored)
      #expect(state.stored == stored)
      if counts.last != state.fabrics.count { counts.append(state.fabrics.count) }
      let other = NodeWorld(try ServerEnd(seed: 9, stored: stored), clients: 2)
      #expect(other.server.server.fabrics == state.fabrics)
      #expect((other.server.server.advertisements.commissionable != nil) == state.fabrics.isEmpty)
      for (place, client) in other.clients.enumerated() {
        #expect((other.connect(client) != nil) == state.fabrics.contains { $0.index == place + 1 })
      }
    }
    #expect(counts == [0, 1, 2, 1, 0])
  }

  @Test("A state that is stored during a commissioning is without it", arguments: [false, true])
  func storedBetween(isCut: Bool) throws {
    let world = NodeWorld(try ServerEnd(), clients: 2)
    let second = world.clients[1]
    #expect(world.commission())
    #expect(world.request(.openBasicWindow())?.outcome == .status(.success))
    second.find = { nil }
    second.client.commission(
      at: world.server.address, passcode: 20_202_021, authorities: [NodeBench.credentials.authority], at: world.now)
    second.take(at: world.now)
    world.run(for: .seconds(2))
    #expect(world.server.server.fabrics.count == 2)
    // The first controller stores something.
    _ = world.request(.write(AttributePath(0, 0x28, 5), .text("Lamp")))
    let stored = try NodeState(stored: #require(world.server.stored))
    #expect(stored.label == "Lamp" && stored.fabrics.map(\.index) == [1])
    if isCut {
      world.server.restart(at: world.now)
      #expect(world.server.server.fabrics.map(\.index) == [1])
      #expect(world.connect(second) == nil && world.connect() != nil)
    } else {
      second.client.connect(to: world.server.address, at: world.now)
      second.take(at: world.now)
      world.run { second.commissionings == 0 }
      #expect(try NodeState(stored: #require(world.server.stored)).fabrics.map(\.index) == [1, 2])
    }
    #expect(world.server.server.node.state.label == "Lamp")
  }

  @Test("A power cut before any action of a removal leaves the fabric whole, or no trace of it")
  func removal() throws {
    for cut in 0..<40 {
      let world = NodeWorld(try ServerEnd(), clients: 2)
      #expect(world.commission())
      #expect(world.request(.openBasicWindow())?.outcome == .status(.success))
      #expect(world.commission(world.clients[1]))
      world.run(for: .seconds(1))
      world.server.powerCut = world.server.actionCount + cut
      let result = world.request(.removeFabric(2))
      let isCut = world.server.restartCount > 0
      let indices = world.server.server.fabrics.map(\.index)
      #expect(indices == [1] || indices == [1, 2] && result == nil)
      #expect((world.connect(world.clients[1]) != nil) == indices.contains(2))
      #expect(world.connect() != nil)
      if !isCut { break }
      #expect(cut < 39, "the removal has fewer actions")
    }
  }
}
