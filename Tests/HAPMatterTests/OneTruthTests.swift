@testable import MatterController
import HAPModel
import HAPWire
import MatterInteraction
import MatterModel
import MatterProtocol
import MatterWire
import Testing

@testable import HAPMatter

@Suite("One accessory for controllers of HAP and of Matter") struct OneTruthTests {
  private static let onOff = AttributePath(1, 6, 0)
  private static let toggle = CommandPath(1, 6, 2)

  private struct Both {
    let served: ServedNode
    let matter: MatterPhone
    let home: HomePhone
    let on: AttributeID

    init(_ profile: String, in world: MatterHome) async throws {
      served = try ServedNode(profile, in: world)
      matter = try MatterPhone(world)
      #expect(try await matter.commission(served))
      home = try await HomePhone(pairingWith: served, in: world)
      on = AttributeID(aid: 1, iid: try #require(try await served.iid("On")))
      try await home.subscribe(to: on)
      let request = InteractionRequest.subscribe(
        SubscribeRequest([AttributePattern(OneTruthTests.onOff)], minimum: 0, maximum: 60))
      guard case .subscription? = try await matter.request(request) else {
        throw MatterHome.Failure(message: "the subscription was refused")
      }
    }

    var reported: [Element.Value] { matter.changes.compactMap { $0.values[OneTruthTests.onOff] } }

    func stop() async throws {
      await home.close()
      try matter.stop()
      try served.stop()
    }
  }

  @Test("A command of Matter is an event of HAP, and a write of HAP a report of Matter; a HAP writer gets no event")
  func events() async throws {
    try await withMatterHome { world in
      let both = try await Both(Profile.light, in: world)
      #expect(try await both.matter.request(.command(Self.toggle))?.outcome == .status(.success))
      try await both.matter.wait(for: { !both.home.bodies.isEmpty })
      #expect(both.home.bodies.count == 1 && both.home.bodies[0].contains("\"value\":1"))
      // All subscribers of Matter get a report, with the one that has sent the command.
      try await both.matter.wait(for: { !both.reported.isEmpty })
      #expect(both.reported == [.bool(true)])

      #expect(try await both.home.write(both.on, .bool(false)) == 204)
      try await both.matter.wait(for: { both.reported.count > 1 })
      #expect(both.reported == [.bool(true), .bool(false)])
      try await both.matter.sleep(.seconds(2))
      #expect(both.home.bodies.count == 1)

      // The person at the device.
      try await both.served.command("set", #""characteristic": "On", "value": true"#)
      try await both.matter.wait(for: { both.reported.count > 2 && both.home.bodies.count > 1 })
      #expect(both.reported == [.bool(true), .bool(false), .bool(true)] && both.home.bodies.count == 2)
      try await both.stop()
    }
  }

  @Test("Alternating writes of both arrive at both in their order", arguments: 1...4 as ClosedRange<UInt64>)
  func order(seed: UInt64) async throws {
    try await withMatterHome(seed: seed) { world in
      let both = try await Both(Profile.light, in: world)
      for round in 0..<10 {
        let isOn = round % 2 == 0
        if (UInt64(round) + seed) % 3 == 0 {
          let path = CommandPath(1, 6, isOn ? 1 : 0)
          #expect(try await both.matter.request(.command(path))?.outcome == .status(.success))
        } else {
          #expect(try await both.home.write(both.on, .bool(isOn)) == 204)
        }
        // Each reads the value that the other has written.
        #expect(try await both.matter.read(Self.onOff) == .bool(isOn))
        #expect(try await both.home.read(both.on).contains("\"value\":\(isOn ? 1 : 0)"))
        try await both.matter.sleep(.seconds(1))
      }
      #expect(both.reported == (0..<10).map { .bool($0 % 2 == 0) })
      // Only the commands are events of HAP.
      let commands = (0..<10).filter { (UInt64($0) + seed) % 3 == 0 }
      #expect(both.home.bodies.count == commands.count)
      for (body, round) in zip(both.home.bodies, commands) {
        #expect(body.contains("\"value\":\(1 - round % 2)"))
      }
      try await both.stop()
    }
  }

  @Test("Without its pairings of HAP, the node keeps its fabrics")
  func unpaired() async throws {
    try await withMatterHome { world in
      let both = try await Both(Profile.light, in: world)
      try await both.served.command("unpair")
      #expect(try await both.matter.request(.command(Self.toggle))?.outcome == .status(.success))
      #expect(try both.served.fabricCount == 1)
      try await both.stop()
    }
  }

  @Test("A removed fabric is gone, the pairing of HAP stays, and the node can be commissioned again")
  func removed() async throws {
    try await withMatterHome { world in
      let both = try await Both(Profile.light, in: world)
      #expect(try await both.matter.request(.removeFabric(1))?.field(0) == .unsigned(0))
      try await both.matter.wait(for: { both.matter.operational.isEmpty && !both.matter.commissionable.isEmpty })
      #expect(both.matter.operational.isEmpty && both.matter.commissionable.count == 1)
      #expect(try await both.home.write(both.on, .bool(true)) == 204)
      #expect(try await both.matter.commission(both.served))
      #expect(try await both.matter.read(Self.onOff) == .bool(true))
      try await both.stop()
    }
  }

  @Test("A connection that the user closes is gone; the controller can resume its session")
  func disconnected() async throws {
    try await withMatterHome { world in
      let both = try await Both(Profile.light, in: world)
      #expect(try both.served.sessionCount == 1)
      #expect(try await both.served.command("disconnect")["connections"]?.integerValue == 2)
      #expect(try both.served.sessionCount == 0)
      #expect(try await both.matter.request(.command(Self.toggle)) == nil)
      #expect(try await both.matter.connect() == true)
      #expect(try await both.matter.request(.command(Self.toggle))?.outcome == .status(.success))
      try await both.stop()
    }
  }
}
