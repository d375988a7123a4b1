@testable import MatterController
import HAPModel
import HAPWire
import MatterInteraction
import MatterModel
import MatterProtocol
import MatterWire
import Testing

@testable import HAPMatter

@Suite("Faults of a hosted node") struct MatterFaultTests {
  private static let onOff = AttributePath(1, 6, 0)
  private static let level = AttributePath(1, 8, 0)
  private static let toggle = CommandPath(1, 6, 2)

  /// Runs a test with a node that a controller has commissioned.
  private func withNode(_ test: @escaping @Sendable (ServedNode, MatterPhone) async throws -> Void) async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      try await test(served, phone)
      try phone.stop()
      try served.stop()
    }
  }

  private func on(_ fault: String, _ served: ServedNode) async throws -> JSONNode {
    try await served.command("fault", "\"fault\": \"\(fault)\"")
  }

  private func off(_ fault: String, _ served: ServedNode) async throws {
    try await served.command("fault", "\"fault\": \"\(fault)\", \"value\": false")
  }

  private func protocols(_ answer: JSONNode) -> [String] {
    (answer["withoutEffectOn"]?.elements ?? []).compactMap(\.stringValue)
  }

  /// Toggles the light, and checks that it was executed once.
  private func toggle(_ served: ServedNode, _ phone: MatterPhone, _ comment: Comment) async throws {
    let before = try await served.value("On")?.boolValue
    #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success), comment)
    #expect(try await served.value("On")?.boolValue == before.map { !$0 }, comment)
  }

  @Test("If all datagrams are lost, a controller gets no answer; afterwards the session continues")
  func drop() async throws {
    try await withNode { served, phone in
      for direction in ["in", "out", "both"] {
        #expect(try await self.protocols(self.on("drop-datagrams:direction=\(direction)", served)) == ["HAP"])
        #expect(try await phone.request(.read(AttributePattern(Self.onOff))) == nil, "\(direction)")
        try await self.off("drop-datagrams", served)
        #expect(try await phone.read(Self.onOff) != nil)
      }
    }
  }

  @Test(
    "A command is executed once",
    arguments: [
      "drop-datagrams:count=3", "drop-datagrams:share=20", "duplicate-datagrams", "duplicate-datagrams:by=700ms",
      "delay-datagrams:by=900ms:share=50", "reorder-datagrams", "corrupt-datagrams:share=20",
      "withhold-acknowledgements", "withhold-acknowledgements:share=50", "latency:by=400ms:jitter=400ms", "latency-in",
    ])
  func once(fault: String) async throws {
    try await withNode { served, phone in
      _ = try await self.on(fault, served)
      for number in 1...8 { try await self.toggle(served, phone, "\(fault), command \(number)") }
      // What was late arrives now, and does no harm.
      try await self.off(String(fault.prefix { $0 != ":" }), served)
      try await self.toggle(served, phone, "after \(fault)")
    }
  }

  @Test("A count goes on over a reboot, and the fault stays on")
  func count() async throws {
    try await withNode { served, phone in
      _ = try await self.on("drop-datagrams:direction=in:count=1000", served)
      #expect(try await phone.request(.read(AttributePattern(Self.onOff))) == nil)
      try await served.command("reboot")
      #expect(try await served.command("status")["accessories"]?.elements?[0]["faults"]?.elements?.count == 1)
      #expect(try await phone.connect() == nil)
      try await self.off("drop-datagrams", served)
      #expect(try await phone.connect() == false)
    }
  }

  @Test("Without acknowledgements, a subscriber's reports still arrive once")
  func reports() async throws {
    try await withNode { served, phone in
      let request = SubscribeRequest([AttributePattern(Self.onOff)], minimum: 0, maximum: 60)
      guard case .subscription? = try await phone.request(.subscribe(request)) else {
        Issue.record("the subscription was refused")
        return
      }
      _ = try await self.on("duplicate-datagrams", served)
      try await served.command("set", #""characteristic": "On", "value": true"#)
      try await phone.wait { !phone.changes.isEmpty }
      try await phone.sleep(.seconds(5))
      #expect(phone.changes.map { $0.values[Self.onOff] } == [.bool(true)])
    }
  }

  @Test("Values, statuses and lost events are false for both protocols")
  func values() async throws {
    try await withNode { served, phone in
      #expect(try await self.protocols(self.on("out-of-range:value=5000", served)) == [])
      #expect(try await phone.read(Self.level) == .unsigned(5000))
      try await self.off("out-of-range", served)
      #expect(try await phone.read(Self.level) == .unsigned(127))

      #expect(try await self.protocols(self.on("failing-read:status=-70408", served)) == [])
      guard case .report(let report)? = try await phone.request(.read(AttributePattern(Self.onOff))) else {
        Issue.record("no report")
        return
      }
      #expect(report.statuses[AttributePattern(Self.onOff)]?.code == .timeout && report.values.isEmpty)
      try await self.off("failing-read", served)

      let request = SubscribeRequest([AttributePattern(Self.onOff)], minimum: 0, maximum: 20)
      guard case .subscription? = try await phone.request(.subscribe(request)) else {
        Issue.record("the subscription was refused")
        return
      }
      #expect(try await self.protocols(self.on("lost-events", served)) == [])
      try await served.command("set", #""characteristic": "On", "value": true"#)
      try await phone.sleep(.seconds(60))
      #expect(phone.changes.allSatisfy(\.values.isEmpty) && phone.endedSubscriptionCount == 0)
      try await self.off("lost-events", served)
      try await served.command("set", #""characteristic": "On", "value": false"#)
      #expect(try await phone.wait { phone.changes.contains { $0.values[Self.onOff] == .bool(false) } })
    }
  }

  @Test("The answer to a fault without a meaning for Matter says so", arguments: ["trickle", "chunked", "wrong-sf"])
  func withoutMeaning(fault: String) async throws {
    try await withNode { served, phone in
      #expect(try await self.protocols(self.on(fault, served)) == ["Matter"])
      try await self.toggle(served, phone, "\(fault)")
      #expect(try await self.protocols(self.on("latency:controller=X", served)) == ["Matter"])
      #expect(try await self.protocols(self.on("slow-read", served)) == [])
    }
  }
}
