@testable import MatterController
import HAPModel
import HAPWire
import MatterInteraction
import MatterModel
import MatterProtocol
import MatterWire
import Testing

@testable import HAPMatter

@Suite("Commands to a hosted node, and what they show of it") struct MatterCommandTests {
  private static let onOff = AttributePath(1, 6, 0)
  private static let toggle = CommandPath(1, 6, 2)

  private static let customLight = """
    { "format": "hasaccessory/1", "name": "Lamp", "serialNumber": "L-1", "category": "lightbulb",
      "services": [ { "type": "Lightbulb", "name": "Lamp", "characteristics": [
        { "type": "7E536242-341C-4862-BE90-272CE15BD633", "description": "Fade Rate", "format": "uint8",
          "perms": ["pr", "pw", "ev"], "minValue": 0, "maxValue": 10, "value": 1 } ] } ] }
    """

  /// The `matter` of the answer to a command.
  private static func matter(_ served: ServedNode, of command: String = "status") async throws -> JSONNode {
    let accessories = try await served.command(command)["accessories"]?.elements
    return try #require(accessories?.first?["matter"])
  }

  /// "code: message" of a command that must fail.
  private static func refusal(_ served: ServedNode, _ line: String) async throws -> String {
    let error = try #require(try await served.answer("{\"command\": \(line)}")["error"])
    return "\(error["code"]?.stringValue ?? "?"): \(error["message"]?.stringValue ?? "?")"
  }

  private static func texts(_ served: ServedNode, _ name: String) -> [String] {
    served.events.filter { $0.name == name }.map(\.text)
  }

  @Test("A basic window has the accessory's codes; a second controller is commissioned in it")
  func basic() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let (first, second) = (try MatterPhone(home), try MatterPhone(home, number: 2, node: 77))
      #expect(try await first.commission(served))
      let window = try #require(try await served.command("open-window")["window"])
      #expect(window["kind"]?.stringValue == "basic" && window["seconds"]?.integerValue == 180)
      #expect(window["payload"]?.stringValue == "MT:Y.K90AFN00KA0648G00")
      #expect(window["manualCode"]?.stringValue == "34970112332" && window["discriminator"]?.integerValue == 3840)
      try await second.wait { !second.commissionable.isEmpty }
      #expect(second.commissionable.values.first?.text["CM"] == "1")
      try await second.sleep(.seconds(10))
      let left = try await Self.matter(served, of: "list")["window"]?["seconds"]?.integerValue ?? 0
      #expect((160...171).contains(left), "\(left)")
      #expect(try await second.commission(served))
      #expect(try await second.wait { second.commissionable.isEmpty })
      #expect(try await Self.matter(served)["window"]?.isNull == true)
      #expect(try await first.request(.command(Self.toggle))?.outcome == .status(.success))
      #expect(Self.texts(served, "window-opened") == ["commissioning window opened: basic, for 180 s"])
      #expect(
        Self.texts(served, "window-closed")
          == Array(repeating: "commissioning window closed: the accessory was commissioned", count: 2))
      try second.stop()
      try first.stop()
      try served.stop()
    }
  }

  @Test("An enhanced window has a random passcode, which the answer contains; the accessory's own one is refused")
  func enhanced() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let (first, second) = (try MatterPhone(home), try MatterPhone(home, number: 2, node: 77))
      #expect(try await first.commission(served))
      let answer = try await served.command("open-window", #""kind": "enhanced", "seconds": 900"#)
      let window = try #require(answer["window"])
      let payload = try OnboardingPayload(qrText: window["payload"]?.stringValue ?? "")
      #expect(payload.passcode.number != 20_202_021 && payload.vendor == 0xFFF1 && payload.product == 0x8000)
      #expect(window["manualCode"]?.stringValue == payload.manualCode.text)
      #expect(window["discriminator"]?.integerValue == Int128(payload.discriminator))
      #expect(window["kind"]?.stringValue == "enhanced" && window["seconds"]?.integerValue == 900)
      #expect(window["fabric"]?.isNull == true)
      // The state shows the same codes, besides those of the accessory.
      let matter = try await Self.matter(served)
      #expect(matter["window"]?["payload"]?.stringValue == payload.qrText)
      #expect(matter["payload"]?.stringValue == "MT:Y.K90AFN00KA0648G00")
      // The record of the window before can still be known.
      let discriminator = "\(payload.discriminator)"
      let isAnnounced = try await second.wait {
        second.commissionable.values.contains { $0.text["CM"] == "2" && $0.text["D"] == discriminator }
      }
      #expect(isAnnounced)
      #expect(try await !second.commission(served, passcode: 20_202_021))
      #expect(try await second.commission(served, passcode: payload.passcode.number))
      // No administrator has opened it.
      #expect(try await first.read(AttributePath(0, 0x3C, 0)) == .unsigned(0))
      let other = try #require(try await served.command("open-window", #""kind": "enhanced""#)["window"])
      #expect(other["payload"]?.stringValue != payload.qrText)
      try second.stop()
      try first.stop()
      try served.stop()
    }
  }

  @Test("The state has codes, fabrics, sessions and subscriptions, and a window of a controller without its codes")
  func state() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      var matter = try await Self.matter(served)
      #expect(matter["commissioned"]?.boolValue == false && matter["fabrics"]?.elements == [])
      #expect(matter["port"]?.integerValue == 5540 && matter["discriminator"]?.integerValue == 3840)
      #expect(matter["window"]?["seconds"]?.isNull == true, "it is open until the accessory is commissioned")
      #expect(try await phone.commission(served))
      let request = InteractionRequest.subscribe(
        SubscribeRequest([AttributePattern(Self.onOff)], events: [EventPattern(0, 0x28, 0)], minimum: 1, maximum: 60))
      guard case .subscription? = try await phone.request(request) else {
        Issue.record("the subscription was refused")
        return
      }
      _ = try await phone.request(
        .command(CommandPath(0, 0x3E, 9), [(0, .text("Flat"))]))
      let window = InteractionRequest.openWindow(
        passcode: 34_567_890, discriminator: 99, salt: [UInt8](repeating: 3, count: 32))
      #expect(try await phone.request(window)?.outcome == .status(.success))
      matter = try await Self.matter(served)
      #expect(matter["commissioned"]?.boolValue == true)
      let fabric = try #require(matter["fabrics"]?.elements?.first)
      #expect(fabric["index"]?.integerValue == 1 && fabric["label"]?.stringValue == "Flat")
      #expect(fabric["vendor"]?.integerValue == 0xFFF1 && fabric["nodeID"]?.stringValue == "0000000000000005")
      #expect(fabric["fabricID"]?.stringValue == "0000000000000001")
      #expect(fabric["compressedID"]?.stringValue.map { phone.instance.hasPrefix($0) } == true)
      #expect(matter["sessions"]?.integerValue == 1 && matter["subscriptions"]?.integerValue == 1)
      let opened = try #require(matter["window"])
      #expect(opened["kind"]?.stringValue == "enhanced" && opened["discriminator"]?.integerValue == 99)
      #expect(opened["fabric"]?.integerValue == 1 && opened["payload"] == nil && opened["manualCode"] == nil)
      #expect(
        Self.texts(served, "window-opened") == ["commissioning window opened: enhanced, for 180 s, by Matter fabric 1"])
      let began = Self.texts(served, "subscription-began")
      #expect(
        began.count == 1 && began[0].hasPrefix("Matter fabric 1 node 0000000000000065 began subscription ")
          && began[0].hasSuffix(": 1 attribute path and 1 event path, every 1 to 60 s"), "\(began)")
      try phone.disconnect()
      #expect(try await phone.wait { !Self.texts(served, "subscription-ended").isEmpty })
      #expect(Self.texts(served, "subscription-ended").allSatisfy { $0.hasSuffix("ended: the session has ended") })
      matter = try await Self.matter(served)
      #expect(matter["sessions"]?.integerValue == 0 && matter["subscriptions"]?.integerValue == 0)
      try phone.stop()
      try served.stop()
    }
  }

  @Test("A window that a command closes is gone; its time over, it is reported as expired")
  func closing() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      try await served.command("open-window")
      #expect(try await phone.wait { !phone.commissionable.isEmpty })
      try await served.command("close-window")
      #expect(try await phone.wait { phone.commissionable.isEmpty })
      try await served.command("open-window")
      try await phone.sleep(.seconds(185))
      #expect(phone.commissionable.isEmpty)
      #expect(
        Self.texts(served, "window-closed").suffix(2) == [
          "commissioning window closed: a command has closed it", "commissioning window closed: its time is over",
        ])
      #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success))
      try phone.stop()
      try served.stop()
    }
  }

  @Test("The fabric that a command removes is gone, also after a power cut; the other one does not notice")
  func removal() async throws {
    try await withMatterHome { home in
      var served = try ServedNode(Profile.light, in: home)
      let (first, second) = (try MatterPhone(home), try MatterPhone(home, number: 2, node: 77))
      #expect(try await first.commission(served))
      try await served.command("open-window")
      #expect(try await second.commission(served))
      let request = InteractionRequest.subscribe(
        SubscribeRequest([AttributePattern(Self.onOff)], minimum: 0, maximum: 60))
      for phone in [first, second] {
        guard case .subscription? = try await phone.request(request) else {
          Issue.record("the subscription was refused")
          return
        }
      }
      try await served.command("remove-fabric", #""fabric": 2"#)
      let matter = try await Self.matter(served)
      #expect(matter["fabrics"]?.elements?.map { $0["index"]?.integerValue } == [1])
      #expect(matter["sessions"]?.integerValue == 1 && matter["subscriptions"]?.integerValue == 1)
      #expect(Self.texts(served, "unpaired") == ["unpaired from Matter fabric 2"])
      try await first.wait { first.operational.count == 1 }
      #expect(first.operational.keys.sorted() == [first.instance])
      #expect(try await second.request(.command(Self.toggle), limit: .seconds(20)) == nil)
      #expect(try await second.connect() == nil)
      #expect(try await first.request(.command(Self.toggle))?.outcome == .status(.success))
      #expect(try await first.wait { !first.changes.isEmpty }, "its subscription goes on")

      home.losePower()
      served = try ServedNode(Profile.light, in: home)
      #expect(try await Self.matter(served)["fabrics"]?.elements?.count == 1)
      try await first.sleep(.seconds(2))
      #expect(try await first.connect() == false)
      // After the last one, the accessory's own window is open.
      try await served.command("remove-fabric", #""fabric": 1"#)
      let after = try await Self.matter(served)
      #expect(after["commissioned"]?.boolValue == false && after["window"]?["seconds"]?.isNull == true)
      #expect(try await second.commission(served))
      try second.stop()
      try first.stop()
      try served.stop()
    }
  }

  @Test("Each refusal names the accessory, and says what to do")
  func refusals() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(
        try await Self.refusal(served, #""open-window""#)
          == "not-possible: a commissioning window of \"Lamp\" is open already: use its codes, or close it first with 'close-window'"
      )
      #expect(
        try await Self.refusal(served, #""remove-fabric", "fabric": 1"#)
          == "no-such-fabric: \"Lamp\" has no such fabric: it is in no fabric")
      #expect(try await phone.commission(served))
      #expect(
        try await Self.refusal(served, #""close-window""#)
          == "not-possible: no commissioning window of \"Lamp\" is open: 'open-window' opens one")
      #expect(
        try await Self.refusal(served, #""remove-fabric", "fabric": 2"#)
          == "no-such-fabric: \"Lamp\" has no such fabric: its fabric is 1")
      // The fail-safe of an administrator.
      _ = try await phone.request(.command(CommandPath(0, 0x30, 0), [(0, .unsigned(60)), (1, .unsigned(1))]))
      #expect(
        try await Self.refusal(served, #""open-window", "kind": "enhanced""#).hasPrefix(
          "not-possible: a controller is commissioning \"Lamp\" (its fail-safe is armed): try again when it has finished, after "
        ))
      try await phone.sleep(.seconds(61))
      try await served.command("open-window")
      try phone.stop()
      try served.stop()
    }
  }

  @Test("A removal that can't be stored is an error, and its fabric is back after a power cut")
  func fullDisk() async throws {
    try await withMatterHome { home in
      var served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      try await phone.sleep(.seconds(2))
      home.disk.fail(.write, isLasting: true)
      #expect(
        try await Self.refusal(served, #""remove-fabric", "fabric": 1"#)
          == "failed: the removal of the fabric could not be stored")
      home.disk.clearFaults()
      home.losePower()
      served = try ServedNode(Profile.light, in: home)
      #expect(try served.fabricCount == 1)
      try phone.stop()
      try served.stop()
    }
  }

  @Test("A refusal has the address of a peer without a session, and the name of a controller with one")
  func peers() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Self.customLight, in: home)
      let phone = try MatterPhone(home)
      #expect(try await !phone.commission(served, passcode: 12_345_679))
      let failed = Self.texts(served, "refused")
      #expect(
        !failed.isEmpty && failed.allSatisfy { $0.hasPrefix("refused Matter: handshake from 10.0.0.2:") }, "\(failed)")
      #expect(try await phone.commission(served))
      guard case .report(let report)? = try await phone.request(.read(AttributePattern(1))) else {
        Issue.record("the endpoint can't be read")
        return
      }
      let rate = try #require(report.values.keys.first { $0.cluster > 0xFFFF && $0.attribute < 0x4000 })
      guard case .written(let items)? = try await phone.request(.write(rate, .unsigned(11))) else {
        Issue.record("the write has no result")
        return
      }
      #expect(items.map(\.status) == [InteractionStatus(.constraintError)])
      let refused = Self.texts(served, "refused").dropFirst(failed.count)
      #expect(
        refused.count == 1
          && refused.first?.hasPrefix("refused Matter: write 1.") == true
          && refused.first?.contains("from Matter fabric 1 node 0000000000000065: -70410") == true, "\(refused)")
      try phone.stop()
      try served.stop()
    }
  }

  @Test("The limits of commands are those of the node") func limits() {
    #expect(NodeWindow.timeouts == UInt16(MatterWindow.timeouts.lowerBound)...UInt16(MatterWindow.timeouts.upperBound))
    for index in [0, 255] as [FabricIndex] { #expect(!MatterFabric.indices.contains(index)) }
    #expect(MatterFabric.indices == 1...254)
  }
}
