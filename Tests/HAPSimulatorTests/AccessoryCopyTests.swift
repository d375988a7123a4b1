@testable import HAPPreparation
import HAPCrypto
import HAPFleet
import HAPModel
import HAPProfile
import HAPStore
import HAPWire
import Testing
@testable import HAPHost

@Suite struct CopiesOfAProfile {
  private func profile(_ text: String) throws -> AccessoryProfile {
    try AccessoryProfile(json: Array(text.utf8), fileName: "profile")
  }

  private func prepared(
    _ number: Int, in folder: StateFolder, identity: String? = nil, parameters: JSONNode? = nil
  ) throws -> PreparedAccessory {
    var copy = AccessoryCopy(
      group: "hall", number: number, name: "Hall \(number)",
      identity: identity.map { CopyIdentity($0, group: "hall", number: number) })
    if let parameters { copy.behaviours = [(ServiceDefinition.thermostat.type, parameters)] }
    return try PreparedAccessory(
      ServableProfile(profile(ProfileText.thermostat)), in: folder, choices: .init(copy: copy), random: .system)
  }

  private func value(_ name: String, _ prepared: PreparedAccessory) -> String? {
    let database = prepared.database
    return database.characteristics.first { Catalogue.characteristic($0.type)?.identifier == name }?.value.stringValue
  }

  @Test("Each copy has its own name, serial number, keys, code and setup ID") func own() throws {
    let folder = StateFolder.ephemeral()
    let copies = try (1...3).map { try prepared($0, in: folder) }
    #expect(copies.map(\.name) == ["Hall 1", "Hall 2", "Hall 3"])
    #expect(copies.map { value("Name", $0) } == ["Hall 1", "Hall 2", "Hall 3"])
    #expect(copies.map { value("SerialNumber", $0) } == ["H-1-1", "H-1-2", "H-1-3"])
    #expect(Set(copies.map(\.deviceID)).count == 3)
    #expect(Set(copies.map { $0.identity.key.publicKey }).count == 3)
    #expect(Set(copies.map(\.setupPayload.uri)).count == 3)
  }

  @Test("An identity text fixes the identity in any folder; a folder with another stored identity is refused")
  func identity() throws {
    let wanted = CopyIdentity("a text", group: "hall", number: 2)
    for _ in 0..<2 {
      let copy = try prepared(2, in: .ephemeral(), identity: "a text")
      #expect(copy.deviceID == wanted.deviceID && copy.setupCode == wanted.setupCode)
      #expect(copy.identity.key.publicKey == SigningKey(seed: wanted.keySeed).publicKey)
      #expect(copy.identity.verifier.verifier == SRPVerifier(code: wanted.setupCode.text, salt: wanted.salt).verifier)
    }
    let folder = StateFolder.ephemeral()
    let kept = try prepared(2, in: folder, identity: "a text")
    kept.store.close()
    try prepared(2, in: folder, identity: "a text").store.close()
    // Without a text, the stored identity is used.
    let again = try prepared(2, in: folder)
    #expect(again.deviceID == wanted.deviceID)
    again.store.close()
    #expect(throws: IdentityConflict.self) { try prepared(2, in: folder, identity: "another") }
  }

  @Test("Parameters override those of the profile, for one copy only") func behaviour() throws {
    let servable = try profile(ProfileText.thermostat)
    let parameters = try JSONNode.parse(Array(#"{"inertia": "2h"}"#.utf8))
    let joined = servable.behaviours(of: ServiceDefinition.thermostat.type, with: parameters)
    #expect(joined.map { $0.node.compactText } == [#"{"outside":0,"inertia":"2h"}"#])
    let cold = try JSONNode.parse(Array(#"{"outside": -9}"#.utf8))
    #expect(
      servable.behaviours(of: ServiceDefinition.thermostat.type, with: cold).map { $0.node.compactText } == [
        #"{"outside":-9}"#
      ])
  }
}
