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
