@testable import MatterController
import HAPWire
import MatterInteraction
import MatterModel
import MatterProtocol
import MatterWire
import Testing

@testable import HAPMatter

@Suite("A fabric that is removed from a hosted node") struct MatterRemovalTests {
  private static let onOff = AttributePath(1, 6, 0)
  private static let toggle = CommandPath(1, 6, 2)

  /// Commissions a node for two controllers, which subscribe to the light.
  private func share(_ served: ServedNode, _ first: MatterPhone, _ second: MatterPhone) async throws {
    #expect(try await first.commission(served))
    try await second.wait { second.commissionable.isEmpty }
    #expect(try await first.request(.openBasicWindow())?.outcome == .status(.success))
    try await second.wait { !second.commissionable.isEmpty }
    #expect(try await second.commission(served))
    let request = SubscribeRequest([AttributePattern(Self.onOff)], minimum: 0, maximum: 60)
    for phone in [first, second] {
      guard case .subscription? = try await phone.request(.subscribe(request)) else {
        Issue.record("the subscription was refused")
        return
      }
    }
  }

  @Test("Its controller gets no answer, no resumption, no session and no report; the other one does not notice")
  func removed() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let (first, second) = (try MatterPhone(home), try MatterPhone(home, number: 2, node: 77))
      try await share(served, first, second)
      let address = try #require(second.operational[second.instance]?.addresses.first)
      #expect(try served.subscriptionCount == 2 && served.sessionCount == 2)

      second.isDeaf = true
      #expect(try await first.request(.removeFabric(2))?.field(0) == .unsigned(0))
      try await first.sleep(.seconds(1))
      #expect(try served.subscriptionCount == 1 && served.sessionCount == 1)
      second.isDeaf = false

      #expect(second.client.isConnected)
      #expect(try await second.request(.command(Self.toggle)) == nil)
      #expect(try await second.read(Self.onOff) == nil)
      #expect(try await served.value("On")?.boolValue == false)
      #expect(try await second.connect(to: address) == nil)
      second.client.forgetResumption()
      #expect(try await second.connect(to: address) == nil)
      // NoSharedTrustRoots of the secure channel, both times.
      #expect(second.failures == ["the peer reports status 1/1", "the peer reports status 1/1"])

      let reports = (first.changes.count, second.changes.count)
      try await served.command("set", #""characteristic": "On", "value": true"#)
      try await first.wait { first.changes.count > reports.0 }
      try await first.sleep(.seconds(150))
      #expect(first.changes.last { !$0.values.isEmpty }?.values[Self.onOff] == .bool(true))
      #expect(second.changes.count == reports.1 && second.endedSubscriptionCount == 1)
      #expect(first.sessionEndCount == 0 && first.endedSubscriptionCount == 0 && first.failures.isEmpty)
      #expect(try await first.request(.command(Self.toggle))?.outcome == .status(.success))
      #expect(try await served.value("On")?.boolValue == false)
      try second.stop()
      try first.stop()
      try served.stop()
    }
  }

  @Test("A controller that hears of its removal has no session at once, and can be added again as another fabric")
  func added() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let (first, second) = (try MatterPhone(home), try MatterPhone(home, number: 2, node: 77))
      try await share(served, first, second)
      #expect(try await first.request(.removeFabric(2))?.field(0) == .unsigned(0))
      #expect(try await second.wait { second.sessionEndCount == 1 })
      #expect(!second.client.isConnected && first.sessionEndCount == 0)
      #expect(try await first.request(.openBasicWindow())?.outcome == .status(.success))
      try await second.wait { !second.commissionable.isEmpty }
      #expect(try await second.commission(served))
      #expect(try served.fabricCount == 2 && served.subscriptionCount == 1)
      #expect(try await second.read(Self.onOff) == .bool(false))
      try second.stop()
      try first.stop()
      try served.stop()
    }
  }

  // MARK: Answers of remove-fabric

  private static func outcome(_ answer: JSONNode) -> String {
    if answer["ok"]?.boolValue == true { return "ok" }
    return answer["error"]?["message"]?.stringValue ?? "?"
  }

  private static let unknown =
    "\"Lamp\" stopped before it was known whether the removal of the fabric is stored: 'status' lists its fabrics when it runs again"

  /// Checked: this test fails if the outcome is a failure, and if there is no answer.
  @Test(
    "An accessory that stops or restarts before it has stored a removal answers that the outcome is not known",
    arguments: ["reboot", "power-cut", "factory-reset", "stop"])
  func removalWhileStopping(ending: String) async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      try await phone.sleep(.seconds(2))
      let answers = try await served.answers([
        #"{"command": "remove-fabric", "fabric": 1}"#, #"{"command": "\#(ending)", "accessory": "Lamp"}"#,
      ])
      #expect(answers.map(Self.outcome) == [Self.unknown, "ok"])
      // It was being stored, and is.
      if ending != "stop" { #expect(try served.fabricCount == 0) }
      try phone.stop()
      try served.stop()
    }
  }

  /// Checked: this test fails if the first removal is answered at once.
  @Test("If the first of two removals can't be stored, its answer is that of the second one, which stores both")
  func secondRemoval() async throws {
    try await withMatterHome { home in
      var served = try ServedNode(Profile.light, in: home)
      let (first, second) = (try MatterPhone(home), try MatterPhone(home, number: 2, node: 77))
      try await share(served, first, second)
      try await first.sleep(.seconds(2))
      home.disk.fail(.write)
      let answers = try await served.answers([1, 2].map { #"{"command": "remove-fabric", "fabric": \#($0)}"# })
      #expect(answers.map(Self.outcome) == ["ok", "ok"])
      #expect(served.eventNames().filter { $0 == "trouble" }.count == 1)
      home.losePower()
      served = try ServedNode(Profile.light, in: home)
      #expect(try served.fabricCount == 0)
      try second.stop()
      try first.stop()
      try served.stop()
    }
  }
}
