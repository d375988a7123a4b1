import HAPModel
import Testing

@testable import HAPSimulator

/// The node itself is tested in HAPMatterTests and with connectedhomeip's controller.
@Suite("The library: accessories over Matter") struct MatterLibraryTests {
  @Test("An accessory has the codes of its passcode and its discriminator, and a certificate to trust")
  func codes() async throws {
    try await withSimulator { simulator in
      var settings = Simulator.Matter()
      (settings.passcode, settings.discriminator) = (20_202_021, 3840)
      let light = try await simulator.start(.new("light-bulb"), matter: settings)
      let setup = try #require(try await light.matter)
      // The payload of connectedhomeip's examples.
      #expect(setup.payload == "MT:Y.K90AFN00KA0648G00" && setup.manualCode == "34970112332")
      #expect(setup.port > 0 && setup.trustAnchor.first == 0x30)
      // Both protocols have the same value.
      try await light.set("On", to: true)
      #expect(try await light.value(of: "On") == true)
    }
  }

  @Test("Two accessories have different ports and codes; one without Matter has none") func several() async throws {
    try await withSimulator { simulator in
      let one = try #require(try await simulator.start(.new("light-bulb"), matter: .init()).matter)
      let other = try #require(try await simulator.start(.new("outlet"), matter: .init()).matter)
      #expect(one.port != other.port && one.payload != other.payload)
      #expect(try await simulator.start(.new("outlet")).matter == nil)
    }
  }

  @Test("A window is opened with its codes and closed, and its events can be expected") func windows() async throws {
    try await withSimulator { simulator in
      let light = try await simulator.start(.new("light-bulb"), matter: .init())
      let setup = try #require(try await light.matter)
      let node = try #require(try await light.matterNode)
      #expect(node.codes.payload == setup.payload && node.codes.manualCode == setup.manualCode)
      #expect(!node.isCommissioned && node.fabrics.isEmpty && node.port == setup.port)
      #expect(node.window?.kind == .basic && node.window?.remaining == nil)
      #expect((node.sessions, node.subscriptions) == (0, 0))
      try await light.closeMatterWindow()
      #expect(try await light.matterNode?.window == nil)
      let window = try await light.openMatterWindow(.enhanced, seconds: 300)
      #expect(window.kind == .enhanced && window.remaining == .seconds(300) && window.fabric == nil)
      let codes = try #require(window.codes)
      #expect(codes.payload != setup.payload && codes.discriminator == window.discriminator)
      #expect(try await light.matterNode?.window?.codes == codes)
      try await light.expect(.windowOpened)
    }
  }

  @Test("A window or a fabric that is not possible is refused with a code") func refusals() async throws {
    try await withSimulator { simulator in
      let light = try await simulator.start(.new("light-bulb"), matter: .init())
      func code(_ body: () async throws -> Void) async -> SimulatorError.Code? {
        await #expect(throws: SimulatorError.self) { try await body() }?.code
      }
      #expect(await code { try await light.openMatterWindow() } == .notPossible)
      for seconds in [179, 901, .min, .max] {
        #expect(await code { try await light.openMatterWindow(seconds: seconds) } == .invalidValue)
      }
      #expect(await code { try await light.removeFabric(1) } == .noSuchFabric)
      try await light.closeMatterWindow()
      #expect(await code { try await light.closeMatterWindow() } == .notPossible)
      let plain = try await simulator.start(.new("outlet"))
      #expect(await code { try await plain.openMatterWindow() } == .notPossible)
      #expect(try await plain.matterNode == nil)
    }
  }

  @Test("A setting out of range is an invalid value, and nothing is served") func invalid() async throws {
    try await withSimulator { simulator in
      let changes: [(inout Simulator.Matter) -> Void] = [
        { $0.passcode = 0 }, { $0.passcode = 11_111_111 }, { $0.passcode = 100_000_000 }, { $0.discriminator = 4096 },
        { $0.vendor = 0xFFF0 }, { $0.vendor = 0xFFF5 }, { $0.product = 0 },
      ]
      for change in changes {
        var settings = Simulator.Matter()
        change(&settings)
        let error = await #expect(throws: SimulatorError.self) {
          _ = try await simulator.start(.new("light-bulb"), matter: settings)
        }
        #expect(error?.code == .invalidValue)
      }
    }
  }
}
