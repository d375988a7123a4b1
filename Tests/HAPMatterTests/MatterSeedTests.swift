@testable import MatterController
import HAPFleet
import HAPPreparation
import Testing

@testable import HAPMatter

@Suite("What the seed and the identity of a hosted node determine") struct MatterSeedTests {
  /// What a controller sees of a node that is not commissioned.
  private struct Appearance: Equatable, Sendable {
    var invitation: MatterInvitation
    var instance: String
    var host: String
    /// The instance of the window that opens after a reboot.
    var nextInstance: String

    var codes: String { invitation.qrText + invitation.manualCode }
  }

  /// - Parameter world: the seed of the world, and so of the machine's randomness.
  private func appearance(
    world: UInt64, _ settings: MatterSettings, seed: UInt64 = 7, copy: AccessoryCopy? = nil
  ) async throws -> Appearance {
    try await withMatterHome(seed: world) { home in
      let served = try ServedNode(Profile.light, in: home, settings: settings, seed: seed, copy: copy)
      let phone = try MatterPhone(home)
      try await phone.wait { !phone.commissionable.isEmpty }
      let first = try #require(phone.commissionable.values.first)
      let invitation = try #require(try served.invitation)
      try await served.command("reboot")
      try await phone.wait { phone.commissionable.values.contains { $0.name != first.name } }
      let next = try #require(phone.commissionable.values.first { $0.name != first.name })
      #expect(try served.invitation == invitation)
      try phone.stop()
      try served.stop()
      return Appearance(invitation: invitation, instance: first.name, host: first.host, nextInstance: next.name)
    }
  }

  private var seeded: MatterSettings {
    var settings = MatterSettings()
    settings.isSeeded = true
    return settings
  }

  @Test("The seed determines codes and names, and no key")
  func seed() async throws {
    let (one, two) = (try await appearance(world: 1, seeded), try await appearance(world: 2, seeded))
    #expect(one.codes == two.codes && one.host == two.host)
    #expect(one.instance == two.instance && one.nextInstance == two.nextInstance && one.instance != one.nextInstance)
    #expect(one.invitation.trustAnchor != two.invitation.trustAnchor)
    let other = try await appearance(world: 1, seeded, seed: 8)
    #expect(other.codes != one.codes && other.host != one.host && other.instance != one.instance)
  }

  @Test("Without a given seed, codes and names come from the machine's randomness")
  func random() async throws {
    let (one, two) = (
      try await appearance(world: 1, MatterSettings()), try await appearance(world: 2, MatterSettings())
    )
    #expect(one.codes != two.codes && one.host != two.host && one.instance != two.instance)
  }

  @Test("A chosen passcode changes nothing else that the seed determines")
  func chosen() async throws {
    let drawn = try await appearance(world: 1, seeded)
    var settings = seeded
    settings.passcode = 20_202_021
    let chosen = try await appearance(world: 2, settings)
    #expect(chosen.invitation.payload.passcode.number == 20_202_021)
    #expect(chosen.invitation.payload.discriminator == drawn.invitation.payload.discriminator)
    #expect(chosen.host == drawn.host && chosen.instance == drawn.instance)
  }

  @Test("An identity determines codes, the name of the host and the attestation keys, for each copy")
  func identity() async throws {
    func copy(_ number: Int, _ text: String = "a text") -> AccessoryCopy {
      AccessoryCopy(
        group: "hall", number: number, name: "Hall",
        identity: CopyIdentity(text, group: "hall", number: number))
    }
    let settings = MatterSettings()
    let one = try await appearance(world: 1, settings, copy: copy(1))
    let two = try await appearance(world: 2, settings, seed: 8, copy: copy(1))
    #expect(one.invitation == two.invitation && one.host == two.host)
    #expect(one.instance != two.instance)
    for other in [copy(2), copy(1, "another")] {
      let other = try await appearance(world: 1, settings, copy: other)
      #expect(other.codes != one.codes && other.host != one.host)
      #expect(other.invitation.trustAnchor != one.invitation.trustAnchor)
    }
  }
}
