import HAPCrypto
import HAPModel
import Testing

@testable import HAPStore

@Suite("The stored data of an accessory", .onBothDisks)
struct AccessoryStoreTests {
  let temporary = TemporaryFolder()

  /// Reopens the folder, as the next process would.
  func garage<R>(_ body: (AccessoryStore) throws -> R) throws -> R {
    let store = try temporary.open().accessory(key: "garage", name: "Garage")
    defer { store.close() }
    return try body(store)
  }

  @Test("[ST.5] An identity is created once and never changes")
  func identity() throws {
    try garage { try #expect($0.identity(orMake: { .test }) == .test) }
    try garage { store in
      let identity = try store.identity(orMake: { fatalError("it has one") })
      #expect(identity == .test)
    }
  }

  @Test("An identity can be replaced")
  func replaceIdentity() throws {
    let other = StoredIdentity(
      deviceID: DeviceID("11:22:33:44:55:66")!, keySeed: SecretBytes([UInt8](repeating: 1, count: 32)))
    try garage {
      _ = try $0.identity(orMake: { .test })
      try $0.replaceIdentity(other)
    }
    try garage { try #expect($0.identity(orMake: { .test }) == other) }
  }

  @Test("[ST.5] Setup code, setup ID and verifier are created once and can be replaced")
  func setup() throws {
    try garage { try #expect($0.setup(orMake: { .test }) == .test) }
    var other = StoredSetup.test
    other.code = try SetupCode("518-08-582")
    try garage {
      try #expect($0.setup(orMake: { other }) == .test)
      try $0.replaceSetup(other)
    }
    try garage { try #expect($0.setup(orMake: { .test }) == other) }
  }

  @Test("Pairings are returned in order of creation, with identical bytes")
  func pairings() throws {
    let odd = Pairing(identifier: [0, 255, 0], publicKey: [UInt8](repeating: 0, count: 32), isAdmin: false)
    try garage {
      try #expect($0.pairings() == [])
      for pairing in [.test(3), odd, .test(1, isAdmin: false)] { try $0.upsert(pairing) }
    }
    try garage { try #expect($0.pairings() == [.test(3), odd, .test(1, isAdmin: false)]) }
  }

  @Test("A pairing added again has its new key and rights, and its old position")
  func upsert() throws {
    var changed = Pairing.test(1)
    changed.isAdmin = false
    changed.publicKey = [UInt8](repeating: 99, count: 32)
    try garage {
      try $0.upsert(.test(1))
      try $0.upsert(.test(2))
      try $0.upsert(changed)
    }
    try garage { try #expect($0.pairings() == [changed, .test(2)]) }
  }

  @Test("A removed pairing is gone; removing it again reports that it doesn't exist")
  func removePairing() throws {
    try garage {
      try $0.upsert(.test(1))
      try $0.upsert(.test(2))
      try #expect($0.removePairing(Pairing.test(1).identifier))
      try #expect(!$0.removePairing(Pairing.test(1).identifier))
      try #expect(!$0.removePairing([]))
    }
    try garage {
      try #expect($0.pairings() == [.test(2)])
      try $0.removeAllPairings()
    }
    try garage { try #expect($0.pairings() == []) }
  }

  @Test("Accessories have separate pairings")
  func separate() throws {
    let folder = try temporary.open()
    let one = try folder.accessory(key: "one")
    let two = try folder.accessory(key: "two")
    try one.upsert(.test(1))
    try two.upsert(.test(1, isAdmin: false))
    try one.setFailedTries(5)
    try one.removeAllPairings()
    try #expect(two.pairings() == [.test(1, isAdmin: false)])
    try #expect(two.failedTries() == 0)
  }

  @Test("The count of failed tries survives restarts")
  func failedTries() throws {
    try garage {
      try #expect($0.failedTries() == 0)
      try $0.setFailedTries(99)
    }
    try garage { try #expect($0.failedTries() == 99) }
  }

  @Test("[AD.10] c# starts at 1, increases when the hash differs and stays when it doesn't")
  func configuration() throws {
    try garage {
      try #expect($0.configurationNumber() == 1)
      try #expect($0.updateConfiguration(hash: [1]) == 1)
    }
    try garage {
      try #expect($0.updateConfiguration(hash: [1]) == 1)
      try #expect($0.updateConfiguration(hash: [2]) == 2)
    }
    try garage {
      try #expect($0.updateConfiguration(hash: [2]) == 2)
      try #expect($0.configuration().hash == [2])
      try #expect($0.updateConfiguration(hash: [1]) == 3)
    }
  }

  @Test("[AD.2, AD.20] After c# 65535 comes 1")
  func configurationWraps() throws {
    try garage {
      try $0.setConfiguration(number: 65535, hash: [1])
      try #expect($0.updateConfiguration(hash: [1]) == 65535)
      try #expect($0.updateConfiguration(hash: [2]) == 1)
      try #expect($0.updateConfiguration(hash: []) == 2)
    }
  }

  @Test("With wrapsToZero, 0 follows 65535 in c#")
  func configurationWrapsToZero() throws {
    try garage {
      try $0.setConfiguration(number: 65535, hash: [1])
      try #expect($0.updateConfiguration(hash: [2], wrapsToZero: true) == 0)
      try #expect($0.configurationNumber() == 0)
      try #expect($0.updateConfiguration(hash: [3], wrapsToZero: true) == 1)
    }
  }

  @Test("[DB.14] Ids stay with their keys; numbers above 63 bits, too")
  func idMap() throws {
    let map = IDMap(scopes: [
      "": .init(ids: ["main": 1, "lamp": .max], next: 2),
      "1": .init(ids: ["3E/0": 1, "3E/0/14": 2], next: 9),
    ])
    try garage {
      try #expect($0.idMap() == IDMap())
      try $0.setIDMap(map)
    }
    try garage { try #expect($0.idMap() == map) }
  }

  @Test("[DB.14] A counter never decreases, whatever the given map contains, so a freed id stays unused")
  func freedID() throws {
    try garage {
      try $0.setIDMap(IDMap(scopes: ["1": .init(ids: ["a": 1, "b": 2], next: 3)]))
      try $0.setIDMap(IDMap(scopes: ["1": .init(ids: ["a": 1], next: 1)]))
    }
    try garage {
      try #expect($0.idMap().scopes["1"] == .init(ids: ["a": 1], next: 3))
      try $0.setIDMap(IDMap())
      try #expect($0.idMap().scopes == ["1": .init(ids: [:], next: 3)])
    }
  }

  @Test("[ST.6] Factory reset removes identity, pairings, tries, c# and values, and keeps the label and the ids")
  func reset() throws {
    let ids = IDMap(scopes: ["1": .init(ids: ["a": 1], next: 2)])
    let label = FrontEndData(name: "matter.label", bytes: [], survivesReset: true)
    try garage {
      _ = try $0.identity(orMake: { .test })
      _ = try $0.setup(orMake: { .test })
      try $0.upsert(.test(1))
      try $0.setFailedTries(3)
      try $0.setConfiguration(number: 9, hash: [1])
      try $0.setIDMap(ids)
      try $0.values.commit([(AttributeID(aid: 1, iid: 1), .bool(true))])
      try $0.keep(.frontEnd(label))
      try $0.keep(.frontEnd(FrontEndData(name: "matter.fabrics", bytes: [2], survivesReset: false)))
      try #expect($0.frontEndData().map(\.name) == ["matter.fabrics", "matter.label"])
      try $0.reset()
    }
    try garage {
      try #expect($0.frontEndData() == [label])
      try #expect($0.pairings() == [])
      try #expect($0.failedTries() == 0)
      try #expect($0.configurationNumber() == 1)
      try #expect($0.configuration().hash == nil)
      try #expect($0.values.load() == [:])
      try #expect($0.idMap() == ids)
      try #expect($0.setup(orMake: { fatalError("it has one") }) == .test)
      let other = StoredIdentity(deviceID: DeviceID("11:22:33:44:55:66")!, keySeed: StoredIdentity.test.keySeed)
      try #expect($0.identity(orMake: { other }) == other)
    }
  }

  @Test("A seed of the wrong length and a c# of 0 are programming errors and trap")
  func traps() async {
    await #expect(processExitsWith: .failure) {
      let store = try StateFolder.ephemeral().accessory(key: "a")
      try store.replaceIdentity(.init(deviceID: StoredIdentity.test.deviceID, keySeed: SecretBytes([1])))
    }
    await #expect(processExitsWith: .failure) {
      try StateFolder.ephemeral().accessory(key: "a").setConfiguration(number: 0, hash: nil)
    }
    await #expect(processExitsWith: .failure) { try StateFolder.ephemeral().accessory(key: "a").setFailedTries(-1) }
  }
}
