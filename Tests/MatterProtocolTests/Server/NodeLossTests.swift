@testable import MatterController
import HAPTestSupport
import MatterInteraction
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("A node over a bad network") struct NodeLossTests {
  private struct Network: CustomTestStringConvertible {
    let loss: Int
    let seed: UInt64
    var testDescription: String { "\(loss) %, seed \(seed)" }
  }

  private static let networks = [0, 10, 25].flatMap { loss in (1...15).map { Network(loss: loss, seed: $0) } }

  private static func world(_ network: Network) throws -> NodeWorld {
    let world = NodeWorld(try ServerEnd(seed: network.seed), seed: network.seed)
    world.network.loss = network.loss
    world.network.repetition = 20
    world.network.delay = 60
    return world
  }

  @Test("With loss, repetition and another order, a commissioning succeeds in bounded time", arguments: networks)
  private func commissioning(_ network: Network) throws {
    let world = try Self.world(network)
    #expect(world.persist())
    #expect(world.now < (network.loss == 0 ? .seconds(5) : network.loss == 10 ? .seconds(75) : .seconds(300)))
    world.run(for: .seconds(120))
    #expect(world.server.server.fabrics.count == 1 && world.server.server.node.failSafe == nil)
    #expect(world.server.server.handshakes.count == 0)
    #expect(try NodeState(stored: #require(world.server.stored)) == world.server.server.node.state)
  }

  @Test("Each command that has an answer was executed once", arguments: networks)
  private func commands(_ network: Network) throws {
    let world = try Self.world(network)
    #expect(world.persist())
    var toggles = 0
    for _ in 0..<20 {
      guard world.client.client.isConnected || world.connect() != nil else { continue }
      let before = world.server.application[LightTarget.onOff]
      let result = world.request(.command(LightTarget.toggle))
      guard result != nil else { continue }
      #expect(result?.outcome == .status(.success))
      #expect(world.server.application[LightTarget.onOff] != before)
      toggles += 1
    }
    #expect(toggles > 10)
  }

  @Test(
    "The subscription of a controller that vanishes ends, also if reports are frequent",
    arguments: 0...12 as ClosedRange<UInt16>, [false, true])
  private func vanishedSubscriber(maximum: UInt16, losesReports: Bool) throws {
    let world = NodeWorld(try ServerEnd())
    #expect(world.commission())
    let subscribe = InteractionRequest.subscribe(
      SubscribeRequest([AttributePattern(LightTarget.onOff)], minimum: 0, maximum: maximum))
    guard case .subscription? = world.request(subscribe) else {
      Issue.record("the subscription was refused")
      return
    }
    world.run(for: .seconds(60))
    #expect(world.server.server.subscriptionCount == 1)
    world.disconnect(notifyingPeer: false)
    if losesReports { world.server.loseReports() }
    let end = world.now
    for second in 1...45 {
      let now = end + .seconds(second)
      world.network.run(until: now)
      if losesReports { world.server.use(at: now) { $0[LightTarget.onOff] = .bool(second % 2 == 0) } }
    }
    #expect(world.server.server.subscriptionCount == 0 && world.server.server.load.exchanges == 0)
  }

  @Test("A change before the subscriber has the response is reported afterwards", arguments: 0...5)
  private func earlyChange(lost: Int) throws {
    let world = NodeWorld(try ServerEnd())
    #expect(world.commission())
    // The answer to the first report is late, and one packet of the node after it is lost.
    var (isLate, count) = (false, 0)
    world.client.alter = { packet in
      count += 1
      isLate = count == 2
      return isLate ? [] : [packet]
    }
    let subscribe = InteractionRequest.subscribe(
      SubscribeRequest([AttributePattern(LightTarget.number)], minimum: 0, maximum: 60))
    let request = world.client.client.request(subscribe, at: world.now)
    world.client.take(at: world.now)
    world.run { !isLate }
    var sent = 0
    world.server.alter = { packet in
      sent += 1
      return sent == lost ? [] : [packet]
    }
    world.server.use(at: world.now) { $0[LightTarget.number] = .unsigned(77) }
    world.run(for: .seconds(20))
    #expect(world.client.results[request] != nil && world.server.server.subscriptionCount == 1)
    #expect(world.client.changes.map { $0.values[LightTarget.number] } == [.unsigned(77)])
  }

  @Test("Subscriptions converge to the values of the node", arguments: networks)
  private func subscriptions(_ network: Network) throws {
    let world = try Self.world(network)
    #expect(world.persist())
    let request = InteractionRequest.subscribe(
      SubscribeRequest([AttributePattern(1, 6)], minimum: 0, maximum: 10))
    var generator = SeededGenerator(seed: network.seed)
    var known: Element.Value?
    var subscribed = false
    var (changeCount, endCount) = (0, 0)
    func follow() {
      for change in world.client.changes[changeCount...] { known = change.values[LightTarget.number] ?? known }
      changeCount = world.client.changes.count
      if world.client.endedSubscriptions.count + world.client.sessionEnds.count > endCount { subscribed = false }
      endCount = world.client.endedSubscriptions.count + world.client.sessionEnds.count
      guard !subscribed, world.client.client.isConnected || world.connect() != nil,
        let result = world.request(request)
      else { return }
      guard case .subscription = result else {
        Issue.record("the subscription was refused: \(result)")
        return
      }
      (known, subscribed) = (result.value(LightTarget.number), true)
    }
    for value in 1...40 as ClosedRange<UInt64> {
      follow()
      world.server.use(at: world.now) { $0[LightTarget.number] = .unsigned(value) }
      world.run(for: .milliseconds(Int(generator.next() % 4000)))
    }
    // The node drops a subscription whose report is not acknowledged, and the controller notices it after its interval.
    var rounds = 0
    repeat {
      world.run(for: .seconds(30))
      follow()
      rounds += 1
    } while rounds < 6 || (world.server.server.subscriptionCount == 0 && rounds < 20)
    #expect(subscribed && known == .unsigned(40))
    #expect(world.server.server.subscriptionCount == 1)
    if network.loss == 0 { #expect(world.client.endedSubscriptions.isEmpty && changeCount >= 20) }
  }
}
