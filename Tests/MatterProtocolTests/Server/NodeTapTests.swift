@testable import MatterController
import MatterInteraction
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("The tap of a node") struct NodeTapTests {
  /// A tap that notes what it sees.
  private final class Tap: NodeTap {
    var received: [TappedMessage.Kind] = []
    var sent: [TappedMessage.Kind] = []
    var decision: (TappedMessage.Kind) -> TapDecision = { _ in .handle }
    var change: (inout TappedMessage) -> Int = { _ in 0 }

    func receives(_ message: TappedMessage) -> TapDecision {
      received.append(message.kind)
      return decision(message.kind)
    }

    func sends(_ message: inout TappedMessage) -> Int {
      sent.append(message.kind)
      return change(&message)
    }
  }

  private static func refuseCommand(_ kind: TappedMessage.Kind) -> TapDecision {
    guard case .invoke(let path, let reference) = kind else { return .handle }
    return .outcome(.status(InteractionStatus(.busy)), of: path, reference: reference)
  }

  private func world() throws -> (NodeWorld, Tap) {
    let (world, tap) = (NodeWorld(try ServerEnd()), Tap())
    world.server.server.tap = tap
    return (world, tap)
  }

  @Test("A tap that changes nothing sees each message once, and a commissioning succeeds")
  func sees() throws {
    let (world, tap) = try world()
    world.network.loss = 20
    #expect(world.persist())
    let handshakes = tap.received.filter { if case .handshake = $0 { true } else { false } }
    #expect(handshakes.prefix(3) == [.handshake(.pbkdfParamRequest), .handshake(.pake1), .handshake(.pake3)])
    #expect(tap.sent.filter { $0 == .handshake(.pake2) }.count == 1, "not its retransmissions")
    #expect(tap.received.contains(.invoke(CommandPath(0, 0x3E, 6))) && tap.received.contains(.read))
    #expect(tap.sent.contains(.report))
  }

  @Test("The message arrives with the first transmission that is not lost", arguments: [0, 1, 4, 5, Int.max])
  func losses(count: Int) throws {
    let (world, tap) = try world()
    #expect(world.commission())
    tap.change = { message in message.kind == .report ? count : 0 }
    let start = world.now
    let result = world.request(.read(AttributePattern(LightTarget.onOff)))
    #expect((result?.value(LightTarget.onOff) == .bool(false)) == (count < 5))
    if count == 4 { #expect(world.now - start > .seconds(2)) }
    tap.change = { _ in 0 }
    #expect(world.request(.command(LightTarget.toggle))?.outcome == .status(.success))
  }

  @Test("A message that the tap answers is not handled")
  func answers() throws {
    let (world, tap) = try world()
    #expect(world.commission())
    tap.decision = { kind in
      switch kind {
      case .invoke: Self.refuseCommand(kind)
      case .read, .write, .subscribe: .status(.timeout)
      case .handshake: .report(.busy)
      default: .handle
      }
    }
    #expect(world.request(.command(LightTarget.toggle))?.outcome == .status(InteractionStatus(.busy)))
    guard case .failure(let status)? = world.request(.read(AttributePattern(LightTarget.onOff))) else {
      Issue.record("the read has another result")
      return
    }
    #expect(status == InteractionStatus(.timeout))
    world.disconnect()
    world.client.client.forgetResumption()
    #expect(world.connect() == nil && world.client.failures.last == "the peer reports status 8/4")
    world.run(for: .seconds(10))
    #expect(world.server.server.load.handshakes == 0 && world.server.server.load.unsecuredSessions == 0)
    tap.decision = { _ in .handle }
    #expect(world.connect() == false)
    #expect(world.request(.read(AttributePattern(LightTarget.onOff)))?.value(LightTarget.onOff) == .bool(false))
  }

  @Test("A request that the tap answers leaves nothing behind: twenty timed commands are refused alike")
  func timedCommands() throws {
    let (world, tap) = try world()
    #expect(world.commission())
    tap.decision = { Self.refuseCommand($0) }
    for _ in 0..<20 {
      let result = world.request(.command(LightTarget.timedOff, timed: 60_000))
      #expect(result?.outcome == .status(InteractionStatus(.busy)))
    }
    #expect(world.server.server.interaction.waitingCount == 0)
  }

  @Test("A refusal has the reference of its command. Requests other than of one answered command are handled")
  func references() throws {
    let (world, tap) = try world()
    #expect(world.commission())
    tap.decision = { Self.refuseCommand($0) }
    func result(_ paths: [CommandPattern], suppressesResponse: Bool = false) -> InteractionResult? {
      let items = paths.enumerated().map { index, path in InvokeRequest.Item(path, reference: UInt16(index + 7)) }
      return world.request(.invoke(InvokeRequest(items, suppressesResponse: suppressesResponse)))
    }
    let toggle = CommandPattern(1, 6, 2)
    guard case .invoked(let refused)? = result([toggle]),
      case .invoked(let executed)? = result([CommandPattern(nil, 6, 2)]),
      case .failure(let status)? = result([toggle, toggle])
    else {
      Issue.record("a request has another result")
      return
    }
    #expect(refused == [InvokeResponse.Item(toggle, .status(InteractionStatus(.busy)), reference: 7)])
    #expect(executed == [InvokeResponse.Item(toggle, .status(.success), reference: 7)])
    #expect(status == InteractionStatus(.invalidAction))
    #expect(world.server.application[LightTarget.onOff] == .bool(true))
    _ = result([toggle], suppressesResponse: true)
    #expect(world.server.application[LightTarget.onOff] == .bool(false))
  }

  @Test("A status of success instead of a response has its own text")
  func statusInsteadOfResponse() throws {
    let (world, tap) = try world()
    let attestation = CommandPath(0, 0x3E, 0)
    tap.decision = { kind in
      kind == .invoke(attestation) ? .outcome(.status(.success), of: attestation, reference: nil) : .handle
    }
    #expect(!world.commission())
    #expect(world.client.failures == ["AttestationRequest: a status instead of the response"])
  }

  @Test("A change that makes a message too long has no effect")
  func tooLong() throws {
    let (world, tap) = try world()
    #expect(world.commission())
    for count in [8, 2000] {
      tap.change = { message in
        let fields = [Element(.context(0), .octets([UInt8](repeating: 7, count: count)))]
        message.replaceOutcome(.response(9, fields), of: LightTarget.toggle)
        return 0
      }
      let outcome = world.request(.command(LightTarget.toggle))?.outcome
      if case .response(9, _)? = outcome { #expect(count == 8) } else { #expect(outcome == .status(.success)) }
    }
  }

  @Test("If the fail-safe expires before AddNOC, the node has no fabric, and can be commissioned again")
  func failSafe() throws {
    let (world, tap) = try world()
    tap.decision = { $0 == .invoke(CommandPath(0, 0x3E, 6)) ? .expireFailSafe : .handle }
    #expect(!world.commission())
    #expect(world.client.failures == ["AddNOC: status failsafeRequired"])
    world.run(for: .seconds(5))
    #expect(world.server.server.fabrics.isEmpty && world.server.server.advertisements.commissionable != nil)
    tap.decision = { _ in .handle }
    #expect(world.commission())
  }
}
