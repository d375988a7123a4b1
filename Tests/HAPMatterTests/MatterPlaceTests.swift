@testable import MatterController
import MatterInteraction
import MatterModel
import MatterProtocol
import MatterWire
import Testing

@testable import HAPMatter

@Suite("Where a hosted node is served, and what is on its label") struct MatterPlaceTests {
  private static let onOff = AttributePath(1, 6, 0)
  private static let toggle = CommandPath(1, 6, 2)

  @Test("Over IPv6 alone, with link-local addresses, a node is found, commissioned and used")
  func linkLocal() async throws {
    try await withMatterHome(isV6: true) { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      #expect(phone.operational[phone.instance]?.addresses.allSatisfy { $0.host.isV6 && $0.host.scope > 0 } == true)
      #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success))
      #expect(try await served.value("On")?.boolValue == true)
      try phone.stop()
      try served.stop()
    }
  }

  @Test("Two nodes of a host have different ports and names, and do not disturb each other")
  func neighbours() async throws {
    try await withMatterHome { home in
      let (lamp, bridge) = (try ServedNode(Profile.light, in: home), try ServedNode(Profile.bridge, in: home))
      let (first, second) = (try MatterPhone(home), try MatterPhone(home, number: 2, node: 6))
      let (lampPort, bridgePort) = (try lamp.invitation?.port, try bridge.invitation?.port)
      #expect(lampPort == 5540 && bridgePort != nil && bridgePort != lampPort)
      #expect(try await first.wait { first.commissionable.count == 2 })
      #expect(Set(first.commissionable.values.map(\.host)).count == 2)
      #expect(try await second.commission(bridge))
      #expect(try await first.commission(lamp))
      #expect(try await first.request(.command(Self.toggle))?.outcome == .status(.success))
      #expect(try await first.read(Self.onOff) == .bool(true))
      #expect(try await second.read(AttributePath(0, 0x28, 5)) == .text(""))
      #expect(try lamp.fabricCount == 1 && bridge.fabricCount == 1)
      try bridge.stop()
      try await first.wait { first.operational.count == 1 }
      #expect(first.operational.keys.sorted() == [first.instance])
      #expect(try await first.request(.command(Self.toggle))?.outcome == .status(.success))
      try first.stop()
      try second.stop()
      try lamp.stop()
    }
  }

  @Test("A reboot while the radio is off does not announce the node; afterwards it is on the network again")
  func rebootWithoutRadio() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      try await served.command("radio", #""value": false"#)
      try await served.command("reboot")
      try await phone.sleep(.seconds(2))
      #expect(phone.operational.isEmpty && phone.commissionable.isEmpty)
      try await served.command("radio", #""value": true"#)
      #expect(try await phone.wait { phone.operational[phone.instance] != nil })
      #expect(try served.invitation?.port == 5540)
      #expect(try await phone.connect() == false)
      #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success))
      try phone.stop()
      try served.stop()
    }
  }

  @Test("A random label is the same after a restart; a chosen one replaces it")
  func label() async throws {
    try await withMatterHome { home in
      let random = MatterSettings()
      var served = try ServedNode(Profile.light, in: home, settings: random)
      let first = try #require(try served.invitation)
      try served.stop()
      home.losePower()
      served = try ServedNode(Profile.light, in: home, settings: random)
      #expect(try served.invitation == first)
      try served.stop()
      home.losePower()
      var chosen = MatterSettings()
      (chosen.passcode, chosen.discriminator, chosen.product) = (34_567_890, 7, 0x8001)
      served = try ServedNode(Profile.light, in: home, settings: chosen)
      let second = try #require(try served.invitation)
      #expect(second.payload.passcode.number == 34_567_890 && second.payload.discriminator == 7)
      #expect(second.payload.product == 0x8001 && second.trustAnchor != first.trustAnchor)
      let phone = try MatterPhone(home)
      #expect(try await !phone.commission(served))
      #expect(try await phone.commission(served, passcode: 34_567_890))
      #expect(phone.failures == ["the passcode is wrong"])
      try phone.stop()
      try served.stop()
    }
  }

  @Test("A node of another vendor proves its origin, and is announced and described with that vendor")
  func vendor() async throws {
    try await withMatterHome { home in
      var settings = MatterSettings.test
      settings.vendor = 0xFFF3
      let served = try ServedNode(Profile.custom, in: home, settings: settings)
      let phone = try MatterPhone(home)
      try await phone.wait { !phone.commissionable.isEmpty }
      let text = try #require(phone.commissionable.values.first).text
      #expect(text["VP"] == "65523+32768" && text["DT"] == "\(0xFFF3_0001)")
      #expect(try await phone.commission(served))
      #expect(try await phone.read(AttributePath(0, 0x28, 2)) == .unsigned(0xFFF3))
      #expect(try await phone.read(AttributePath(1, 0xFFF3_FD01, 0)) == .unsigned(5))
      try phone.stop()
      try served.stop()
    }
  }

  @Test("Numbers of events rise over a loss of power")
  func events() async throws {
    try await withMatterHome { home in
      var served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      func numbers() async throws -> [UInt64] {
        let request = InteractionRequest.read(ReadRequest([], events: [EventPattern(0)]))
        guard case .report(let report)? = try await phone.request(request) else { return [] }
        return report.events.map(\.number)
      }
      let before = try await numbers()
      #expect(!before.isEmpty && before == before.sorted() && Set(before).count == before.count)
      home.losePower()
      served = try ServedNode(Profile.light, in: home)
      try await phone.sleep(.seconds(2))
      #expect(try await phone.connect() == false)
      let after = try await numbers()
      #expect(!after.isEmpty && after.allSatisfy { $0 > before[before.count - 1] })
      try phone.stop()
      try served.stop()
    }
  }
}
