@testable import MatterController
import HAPCrypto
import HAPTestSupport
import MatterInteraction
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("A node with its controller") struct NodeServerTests {
  @Test("A commissioning stores the fabric once, and takes less than a second of virtual time")
  func commissioning() throws {
    let world = NodeWorld(try ServerEnd())
    let before = world.server.history.count
    #expect(world.commission())
    #expect(world.client.failures == [] && world.now < .seconds(1))
    #expect(world.server.history.count == before + 1)
    let stored = try NodeState(stored: #require(world.server.stored))
    #expect(stored.fabrics.map(\.node) == [5] && stored == world.server.server.node.state)
    #expect(world.server.server.advertisements.commissionable == nil)
    // The node has ended the passcode session.
    world.run(for: .seconds(1))
    #expect(world.server.server.sessions.map(\.subject) == [.node(101, fabric: 1, tags: [])])
    #expect(world.server.server.handshakes.count == 0)
  }

  @Test("A node whose computations take seconds is commissioned, too", arguments: [300, 2000, 8000])
  func slow(milliseconds: Int) throws {
    let world = NodeWorld(try ServerEnd(thinking: .milliseconds(milliseconds)))
    world.network.loss = 5
    #expect(world.persist())
    #expect(world.connect() != nil)
    #expect(world.request(.command(LightTarget.toggle))?.outcome == .status(.success))
  }

  @Test("A controller that connects again and again leaves one session; one that never says so, a bounded number")
  func manySessions() throws {
    let world = NodeWorld(try ServerEnd())
    #expect(world.commission())
    for round in 0..<60 {
      if round % 2 == 0 { world.client.client.forgetResumption() }
      #expect(world.connect() == (round % 2 == 1))
    }
    world.run(for: .seconds(1))
    #expect(world.server.server.sessions.count == 1)
    for _ in 0..<60 {
      world.disconnect(notifyingPeer: false)
      #expect(world.connect() == true)
    }
    #expect(world.server.server.sessions.count == 48)
    #expect(world.request(.command(LightTarget.toggle))?.outcome == .status(.success))
  }

  @Test("Reads, writes and commands, also timed, have their results")
  func requests() throws {
    let world = NodeWorld(try ServerEnd())
    #expect(world.commission())
    let light = world.server.application
    #expect(world.request(.read(AttributePattern(LightTarget.onOff)))?.value(LightTarget.onOff) == .bool(false))
    #expect(world.request(.command(LightTarget.toggle))?.outcome == .status(.success))
    #expect(light[LightTarget.onOff] == .bool(true))
    #expect(
      world.request(.command(LightTarget.timedOff))?.outcome == .status(InteractionStatus(.needsTimedInteraction)))
    #expect(world.request(.command(LightTarget.timedOff, timed: 500))?.outcome == .status(.success))
    #expect(light[LightTarget.onOff] == .bool(false))
    guard case .written(let items)? = world.request(.write(LightTarget.timed, .unsigned(7), timed: 500)) else {
      Issue.record("the write has no result")
      return
    }
    #expect(items.map(\.status) == [.success] && light[LightTarget.timed] == .unsigned(7))
  }

  @Test("A session is resumed while both ends know it, and established with certificates otherwise")
  func resumption() throws {
    let world = NodeWorld(try ServerEnd())
    #expect(world.commission())
    world.disconnect()
    world.run(for: .seconds(1))
    #expect(world.server.server.sessions.isEmpty)
    for _ in 0..<3 { #expect(world.connect() == true) }
    world.server.restart(at: world.now)
    #expect(world.connect() == false)
    #expect(world.connect() == true)
    world.client.client.forgetResumption()
    #expect(world.connect() == false)
    #expect(world.request(.command(LightTarget.toggle))?.outcome == .status(.success))
  }

  @Test("After a restart, requests of the old session are not answered, and the fabric is as before")
  func restart() throws {
    let world = NodeWorld(try ServerEnd())
    #expect(world.commission())
    let fabrics = world.server.server.fabrics
    world.server.restart(at: world.now)
    #expect(world.request(.command(LightTarget.toggle)) == nil)
    #expect(world.connect() == false && world.server.server.fabrics == fabrics)
    #expect(world.request(.command(LightTarget.toggle))?.outcome == .status(.success))
  }

  @Test(
    "A second controller is added through a window, and its removal leaves the first alone", arguments: [true, false])
  func secondFabric(isEnhanced: Bool) throws {
    let world = NodeWorld(try ServerEnd(), clients: 2)
    let second = world.clients[1]
    #expect(world.commission())
    #expect(!world.commission(second), "no window is open")
    let window: InteractionRequest =
      isEnhanced
      ? .openWindow(passcode: 34_567_890, discriminator: 99, salt: [UInt8](repeating: 3, count: 32))
      : .openBasicWindow()
    #expect(world.request(window)?.outcome == .status(.success))
    #expect(world.server.server.advertisements.commissionable?.discriminator == (isEnhanced ? 99 : 3840))
    #expect(world.commission(second, passcode: isEnhanced ? 34_567_890 : 20_202_021))
    #expect(world.server.server.fabrics.map(\.index) == [1, 2])
    #expect(world.server.server.advertisements.operational.count == 2)

    // Both have the same truth.
    #expect(world.request(.command(LightTarget.toggle), by: second)?.outcome == .status(.success))
    #expect(world.request(.read(AttributePattern(LightTarget.onOff)))?.value(LightTarget.onOff) == .bool(true))

    #expect(world.request(.removeFabric(2))?.field(0) == .unsigned(0))
    world.run(for: .seconds(1))
    #expect(second.sessionEnds == [.closedByPeer] && world.client.sessionEnds.isEmpty)
    #expect(world.connect(second) == nil)
    #expect(world.request(.command(LightTarget.toggle))?.outcome == .status(.success))

    // The last fabric leaves the node as it was made.
    #expect(world.request(.removeFabric(1))?.field(0) == .unsigned(0))
    world.run(for: .seconds(1))
    #expect(world.server.server.fabrics.isEmpty && world.server.server.sessions.isEmpty)
    #expect(world.commission(second))
  }

  @Test("After 20 wrong passcodes the window is closed")
  func wrongPasscodes() throws {
    let world = NodeWorld(try ServerEnd(), clients: 2)
    for attempt in 1...20 {
      #expect(world.server.server.advertisements.commissionable != nil, "attempt \(attempt)")
      #expect(!world.commission(world.clients[1], passcode: 12_345_679))
      world.run(for: .seconds(1))
    }
    #expect(world.server.server.advertisements.commissionable == nil)
    #expect(!world.commission())
    // The user can open it again.
    try world.server.openWindow(at: world.now)
    #expect(world.commission())
  }

  @Test("A handshake that fails is reported with the address of the peer") func peersOfFailures() throws {
    let world = NodeWorld(try ServerEnd(), clients: 2)
    let stranger = world.clients[1]
    #expect(!world.commission(stranger, passcode: 12_345_679))
    #expect(world.commission())
    #expect(!world.commission(stranger), "no window is open")
    #expect(world.connect(stranger) == nil, "it has no fabric")
    let failures = world.server.reports.compactMap { report -> String? in
      guard case .handshakeFailed(let failure, let peer) = report else { return nil }
      #expect(peer == stranger.address)
      return failure.reason
    }
    #expect(failures.count == 3 && failures[1] == "no commissioning window is open", "\(failures)")
  }

  @Test("A fabric is reported when its commissioning is complete, and the failure of one with its peer")
  func commissioningReports() throws {
    let world = NodeWorld(try ServerEnd(), clients: 2)
    world.client.find = { nil }
    #expect(!world.commission())
    func seen() -> [NodeReport] {
      world.server.reports.filter { if case .sessionEstablished = $0 { false } else { true } }
    }
    #expect(
      seen() == [
        .commissioningFailed(reason: "the fail-safe has expired", peer: world.client.address)
      ])
    #expect(world.commission(world.clients[1]))
    #expect(seen().dropFirst() == [.fabricAdded(1), .windowClosed(.commissioned)])
    let removed = world.server.change(at: world.now) { $0.removeFabric(1) }
    #expect(removed && seen().dropFirst(3).first == .fabricRemoved(1))
  }

  @Test("The user removes a fabric: its sessions and subscriptions end, and the other one stays") func userRemoval()
    throws
  {
    let world = NodeWorld(try ServerEnd(), clients: 2)
    let second = world.clients[1]
    #expect(world.commission())
    try world.server.openWindow(for: .seconds(180), at: world.now)
    #expect(world.commission(second))
    let subscribe = InteractionRequest.subscribe(
      SubscribeRequest([AttributePattern(LightTarget.onOff)], minimum: 0, maximum: 60))
    for client in world.clients {
      guard case .subscription? = world.request(subscribe, by: client) else {
        Issue.record("the subscription was refused")
        return
      }
    }
    let removed = world.server.change(at: world.now) { $0.removeFabric(2) }
    #expect(removed && world.server.server.fabrics.map(\.index) == [1])
    #expect(try NodeState(stored: #require(world.server.stored)).fabrics.map(\.index) == [1])
    let ends = world.server.reports.compactMap { report -> NodeReport.Subscription? in
      if case .subscription(let change) = report, change.end != nil { change } else { nil }
    }
    #expect(ends.map(\.end) == [.sessionEnded] && ends.map(\.subject.fabric) == [2])
    world.run(for: .seconds(1))
    #expect(second.sessionEnds == [.closedByPeer] && world.client.sessionEnds.isEmpty)
    #expect(world.connect(second) == nil)
    #expect(world.request(.command(LightTarget.toggle))?.outcome == .status(.success))
    world.run(for: .seconds(1))
    #expect(world.client.changes.count == 1, "the subscription of the first fabric goes on")
    let again = world.server.change(at: world.now) { $0.removeFabric(2) }
    #expect(!again)
  }

  @Test("A commissioner that vanishes after the node's proof has tried a passcode; one before it has not")
  func vanishedCommissioners() throws {
    let world = NodeWorld(try ServerEnd(), clients: 41)
    for (place, client) in world.clients.dropFirst().enumerated() {
      var count = 0
      client.alter = { packet in
        count += 1
        // PBKDFParamRequest, Pake1, …
        return count > (place < 20 ? 1 : 2) ? [] : [packet]
      }
      #expect(world.server.server.advertisements.commissionable != nil)
      #expect(!world.commission(client, passcode: 12_345_679))
      world.run(for: .seconds(100))
    }
    #expect(world.server.server.advertisements.commissionable == nil)
  }

  @Test("A commissioner without the trusted authority gives up, and the node can be commissioned at once")
  func untrusted() throws {
    let world = NodeWorld(try ServerEnd(), clients: 2)
    let stranger = world.clients[1]
    stranger.client.commission(at: world.server.address, passcode: 20_202_021, authorities: [], at: .zero)
    stranger.take(at: .zero)
    world.run { stranger.failures.isEmpty }
    #expect(stranger.failures == ["the attestation of the node: the authority of the device is not known"])
    world.run(for: .seconds(1))
    #expect(world.server.server.sessions.isEmpty && world.server.server.node.failSafe == nil)
    #expect(world.commission())
  }

  @Test("A commissioner that never finds the node for CASE fails, and leaves nothing on it", arguments: [false, true])
  func abandoned(isUnreachable: Bool) throws {
    let world = NodeWorld(try ServerEnd(), clients: 2)
    world.client.find = { nil }
    if isUnreachable {
      world.server.alter = { [unowned server = world.server] in server.now < .seconds(50) ? [$0] : [] }
    }
    #expect(!world.commission())
    let reason = isUnreachable ? "the commissioning takes too long" : "the node has ended the session"
    #expect(world.client.failures == ["\(reason): there is no CASE session"] && !world.client.client.isConnected)
    #expect(world.server.server.fabrics.isEmpty && world.server.server.sessions.isEmpty)
    world.server.alter = { [$0] }
    #expect(world.commission(world.clients[1]))
  }
}
