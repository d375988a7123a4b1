@testable import MatterController
import HAPLoop
import HAPModel
import HAPWire
import MatterInteraction
import MatterModel
import MatterProtocol
import MatterWire
import Testing

@testable import HAPMatter

@Suite("An accessory that is served over Matter") struct MatterFrontEndTests {
  static let onOff = AttributePath(1, 6, 0)
  static let toggle = CommandPath(1, 6, 2)

  @Test("A controller finds the node, commissions it and switches the light; the records are those of the state")
  func wholeWay() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      try await phone.wait { !phone.commissionable.isEmpty }
      let found = try #require(phone.commissionable.values.first)
      let text = found.text
      #expect(found.name.count == 16 && found.port == 5540)
      #expect(text["D"] == "3840" && text["CM"] == "1" && text["VP"] == "65521+32768" && text["DT"] == "257")
      #expect(text["DN"] == "Lamp" && text["PH"] == "33" && text["T"] == "0")
      #expect(text["SII"] == "500" && text["SAI"] == "300" && text["SAT"] == "4000")
      for subtype in ["_L3840", "_S15", "_V65521", "_CM", "_T257"] {
        #expect(try await phone.names(of: "\(subtype)._sub._matterc._udp") == [found.name], "\(subtype)")
      }
      #expect(try await phone.names(of: "_L3841._sub._matterc._udp") == [])

      #expect(try await phone.commission(served))
      try await phone.wait { phone.commissionable.isEmpty }
      #expect(phone.commissionable.isEmpty && phone.operational.keys.sorted() == [phone.instance])
      let fabric = phone.instance.prefix(16)
      #expect(try await phone.names(of: "_I\(fabric)._sub._matter._tcp") == [phone.instance])
      #expect(phone.operational[phone.instance]?.text.keys.sorted() == ["SAI", "SAT", "SII", "T"])

      #expect(try await phone.read(Self.onOff) == .bool(false))
      #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success))
      #expect(try await served.value("On")?.boolValue == true)
      #expect(try await phone.read(Self.onOff) == .bool(true))
      #expect(served.eventNames().contains("paired") && !served.eventNames().contains("trouble"))
      try served.stop()
      try await phone.wait { phone.operational.isEmpty }
      #expect(phone.operational.isEmpty, "the node says goodbye")
      try phone.stop()
    }
  }

  @Test("Off the network the node is silent and not announced; back on it the session continues")
  func radio() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      let port = try served.invitation?.port
      try await served.command("radio", #""value": false"#)
      try await phone.wait { phone.operational.isEmpty }
      #expect(phone.operational.isEmpty)
      #expect(try await phone.request(.command(Self.toggle)) == nil)
      #expect(try await served.value("On")?.boolValue == false)

      try await served.command("radio", #""value": true"#)
      try await phone.wait { !phone.operational.isEmpty }
      #expect(try served.invitation?.port == port && phone.operational.keys.sorted() == [phone.instance])
      #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success))
      #expect(try await served.value("On")?.boolValue == true)
      try phone.stop()
      try served.stop()
    }
  }

  @Test("Without announcement the records are gone, and the session continues")
  func announcement() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      try await served.command("announce", #""value": false"#)
      try await phone.wait { phone.operational.isEmpty }
      #expect(phone.operational.isEmpty)
      #expect(try await phone.names(of: "_matter._tcp") == [])
      #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success))
      try await served.command("announce", #""value": true"#)
      #expect(try await phone.wait { phone.operational[phone.instance] != nil })
      try phone.stop()
      try served.stop()
    }
  }

  @Test("A bridged accessory that is offline is not reachable, and its values can't be read")
  func offline() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.bridge, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      // The number of the endpoint with the node label of an accessory.
      guard case .report(let report)? = try await phone.request(.read(AttributePattern(nil, 0x39, 5))) else {
        Issue.record("the labels can't be read")
        return
      }
      let label = try #require(report.values.first { $0.value == .text("Hall Lamp") }?.key)
      let reachable = AttributePath(label.endpoint, 0x39, 17)
      #expect(try await phone.read(reachable) == .bool(true))
      let request = InteractionRequest.subscribe(
        SubscribeRequest([AttributePattern(nil, 0x39, 17)], minimum: 0, maximum: 60))
      guard case .subscription? = try await phone.request(request) else {
        Issue.record("the subscription was refused")
        return
      }
      try await served.command("offline", #""accessory": "Hall Lamp""#)
      try await phone.wait { phone.changes.contains { $0.values[reachable] == .bool(false) } }
      #expect(phone.changes.map { $0.values[reachable] } == [.bool(false)])
      let onOff = AttributePath(label.endpoint, 6, 0)
      #expect(try await phone.read(onOff) == nil)
      let toggle = CommandPath(label.endpoint, 6, 2)
      #expect(try await phone.request(.command(toggle))?.outcome != .status(.success))
      // It is still offline after a reboot.
      try await served.command("reboot")
      #expect(try await phone.connect() == false)
      #expect(try await phone.read(reachable) == .bool(false))
      #expect(try await phone.read(AttributePath(label.endpoint - 1, 0x39, 17)) == .bool(true))
      guard case .subscription? = try await phone.request(request) else {
        Issue.record("the subscription was refused")
        return
      }
      try await served.command("online", #""accessory": "Hall Lamp""#)
      try await phone.wait { phone.changes.count > 1 }
      #expect(phone.changes.last?.values[reachable] == .bool(true))
      #expect(try await phone.read(onOff) == .bool(false))
      try phone.stop()
      try served.stop()
    }
  }

  @Test("Another profile adds endpoints that controllers hear of, with numbers that were not used before")
  func replacement() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      served.profiles["two"] = Profile.twoLights
      served.profiles["one"] = Profile.light
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      let parts = AttributePath(0, 0x1D, 3)
      let request = InteractionRequest.subscribe(
        SubscribeRequest([AttributePattern(parts), AttributePattern(nil, 6, 0)], minimum: 0, maximum: 60))
      let first = try await phone.request(request)
      #expect(first?.value(parts) == .container(.array, [Element(.anonymous, .unsigned(1))]))
      try await served.command("replace", #""profile": "two""#)
      try await phone.wait { phone.changes.contains { $0.values[parts] != nil } }
      let both = Element.Value.container(
        .array, [Element(.anonymous, .unsigned(1)), Element(.anonymous, .unsigned(2))])
      #expect(phone.changes.compactMap { $0.values[parts] } == [both])
      #expect(try await phone.request(.command(CommandPath(2, 6, 2)))?.outcome == .status(.success))
      try await served.command("replace", #""profile": "one""#)
      try await served.command("replace", #""profile": "two""#)
      // A service that comes back is a new one, as in HAP.
      let again = Element.Value.container(
        .array, [Element(.anonymous, .unsigned(1)), Element(.anonymous, .unsigned(3))])
      #expect(try await phone.read(parts) == again)
      #expect(try await phone.read(AttributePath(2, 6, 0)) == nil)
      #expect(try await phone.read(AttributePath(3, 6, 0)) == .bool(false))
      try phone.stop()
      try served.stop()
    }
  }
}
