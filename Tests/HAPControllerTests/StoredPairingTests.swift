import HAPController
import Testing

@Suite struct StoredPairingTests {
  private let seed = [UInt8](repeating: 7, count: 32)

  private func pairing(_ name: String, key: Int = 32) -> StoredPairing? {
    guard let identity = ControllerIdentity(identifier: "me", seed: seed) else { return nil }
    return StoredPairing(
      name: name, accessoryID: "AA:BB:CC:DD:EE:FF", accessoryKey: [UInt8](repeating: 1, count: key),
      identity: identity, addresses: ["192.0.2.7:80"])
  }

  @Test("Keys of a wrong length and identifiers of a wrong length are refused")
  func lengths() {
    #expect(pairing("a") != nil && pairing("a", key: 31) == nil && pairing("a", key: 33) == nil)
    #expect(ControllerIdentity(identifier: "", seed: seed) == nil)
    #expect(ControllerIdentity(identifier: String(repeating: "x", count: 37), seed: seed) == nil)
    #expect(ControllerIdentity(identifier: String(repeating: "x", count: 36), seed: seed) != nil)
    #expect(ControllerIdentity(identifier: "me", seed: [1]) == nil)
  }

  @Test("A stored pairing returns its original members, including the secret key")
  func parts() throws {
    let made = try #require(pairing("a"))
    #expect(made.name == "a" && made.accessoryID == "AA:BB:CC:DD:EE:FF" && made.addresses == ["192.0.2.7:80"])
    #expect(made.identity.identifier == "me" && made.identity.withSeed { Array($0) } == seed)
  }

  @Test("Memory storage keeps one pairing per name, sorted by name")
  func memory() throws {
    let memory = PairingMemory([try #require(pairing("b")), try #require(pairing("a"))])
    #expect(memory.pairings().map(\.name) == ["a", "b"])
    var moved = try #require(pairing("a"))
    moved.addresses = []
    memory.store(moved)
    #expect(memory.pairings().map(\.addresses) == [[], ["192.0.2.7:80"]])
    memory.removePairing(named: "a")
    memory.removePairing(named: "nothing")
    #expect(memory.pairings().map(\.name) == ["b"])
  }
}
