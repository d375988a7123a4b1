@testable import MatterController
import HAPWorld
import MatterInteraction
import MatterModel
import MatterProtocol
import MatterWire
import Testing

@testable import HAPMatter

@Suite("Several controllers of a hosted node") struct MatterFabricTests {
  private static let onOff = AttributePath(1, 6, 0)
  private static let toggle = CommandPath(1, 6, 2)

  @Test("A window for a second controller is announced with its own discriminator; its removal leaves the first alone")
  func windows() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let first = try MatterPhone(home)
      let second = try MatterPhone(home, number: 2, node: 77, passcode: 34_567_890)
      #expect(try await first.commission(served))
      try await second.wait { second.commissionable.isEmpty }
      let window = InteractionRequest.openWindow(
        passcode: 34_567_890, discriminator: 99, salt: [UInt8](repeating: 3, count: 32))
      #expect(try await first.request(window)?.outcome == .status(.success))
      try await second.wait { !second.commissionable.isEmpty }
      let text = second.commissionable.values.first?.text
      #expect(text?["CM"] == "2" && text?["D"] == "99")
      #expect(try await second.names(of: "_L99._sub._matterc._udp").count == 1)
      #expect(try await !second.commission(served, passcode: 20_202_021))
      #expect(try await second.commission(served))

      try await first.wait { first.operational.count == 2 && first.commissionable.isEmpty }
      #expect(first.operational.keys.sorted() == [first.instance, second.instance].sorted())
      #expect(first.commissionable.isEmpty)
      #expect(try await second.request(.command(Self.toggle))?.outcome == .status(.success))
      #expect(try await first.read(Self.onOff) == .bool(true))
      #expect(try await first.request(.removeFabric(2))?.field(0) == .unsigned(0))
      try await first.wait { first.operational.count == 1 }
      #expect(first.operational.keys.sorted() == [first.instance])
      #expect(try await second.connect() == nil)
      #expect(try await first.request(.command(Self.toggle))?.outcome == .status(.success))
      #expect(served.eventNames().contains("unpaired"))
      // Controllers can't resolve a service if a packet has several of them.
      #expect(first.mostServices == 1)
      try second.stop()
      try first.stop()
      try served.stop()
    }
  }

  @Test("A window closes after its time, and its record is withdrawn")
  func windowTime() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      try await phone.wait { phone.commissionable.isEmpty }
      #expect(try await phone.request(.openBasicWindow(seconds: 180))?.outcome == .status(.success))
      #expect(try await phone.wait { !phone.commissionable.isEmpty })
      try await phone.sleep(.seconds(170))
      #expect(phone.commissionable.count == 1)
      try await phone.sleep(.seconds(15))
      #expect(phone.commissionable.isEmpty)
      #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success))
      try phone.stop()
      try served.stop()
    }
  }

  @Test("Labels and options of controllers survive a restart")
  func settings() async throws {
    try await withMatterHome { home in
      var served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      #expect(try await phone.commission(served))
      // The label of the node, and the level that OnOff sets.
      let (label, onLevel) = (AttributePath(0, 0x28, 5), AttributePath(1, 8, 0x11))
      for (path, value) in [(label, Element.Value.text("Reading Lamp")), (onLevel, .unsigned(99))] {
        guard case .written(let items)? = try await phone.request(.write(path, value)) else {
          Issue.record("no result for \(path)")
          continue
        }
        #expect(items.map(\.status) == [.success], "\(path)")
      }
      try await phone.sleep(.seconds(1))
      home.losePower()
      served = try ServedNode(Profile.light, in: home)
      try await phone.sleep(.seconds(2))
      #expect(try await phone.connect() == false)
      #expect(try await phone.read(label) == .text("Reading Lamp"))
      #expect(try await phone.read(onLevel) == .unsigned(99))
      try phone.stop()
      try served.stop()
    }
  }

  @Test("Over a bad network, the node is found, commissioned and used", arguments: 1...10 as ClosedRange<UInt64>)
  func loss(seed: UInt64) async throws {
    try await withMatterHome(seed: seed) { home in
      home.link.properties = LinkProperties(
        jitter: .milliseconds(20), loss: 0.1, duplication: 0.1, reordering: 0.1, reorderingDelay: .milliseconds(30))
      let served = try ServedNode(Profile.light, in: home)
      let phone = try MatterPhone(home)
      var attempts = 1
      while try await !phone.commission(served), attempts < 5 {
        attempts += 1
        try await phone.sleep(.seconds(70))
      }
      #expect(try served.fabricCount == 1)
      var answers = 0
      for _ in 0..<20 where try await phone.request(.command(Self.toggle))?.outcome == .status(.success) {
        answers += 1
      }
      #expect(answers >= 15)
      try phone.stop()
      try served.stop()
    }
  }

  @Test("Two runs of a seed are equal")
  func replay() async throws {
    @Sendable func run(_ seed: UInt64) async throws -> String {
      try await withMatterHome(seed: seed) { home in
        let served = try ServedNode(Profile.light, in: home)
        let phone = try MatterPhone(home)
        #expect(try await phone.commission(served))
        #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success))
        try phone.stop()
        try served.stop()
        return "\(home.world.trace.hash) \(home.world.now)"
      }
    }
    let first = try await run(3)
    #expect(try await run(3) == first)
    #expect(try await run(4) != first)
  }
}
