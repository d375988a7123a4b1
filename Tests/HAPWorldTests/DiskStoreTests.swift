import CSQLite
import HAPCrypto
import HAPModel
import Testing

@testable import HAPStore
@testable import HAPWorld

/// Tests the stores of HAPStore with the production code.
@Suite("Stores on a simulated disk")
struct DiskStoreTests {
  private static let steps: [@Sendable (AccessoryStore) throws -> Void] = [
    { _ = try $0.identity(orMake: { .draw(from: .seeded(1)) }) },
    { _ = try $0.setup(orMake: { .make(code: nil, id: nil, from: .seeded(2), isPutOff: true) }) },
    { try $0.setIDMap(IDMap(scopes: ["aid": .init(ids: ["a": 1, "b": 2], next: 3)])) },
    { try $0.updateConfiguration(hash: [1]) },
    { try $0.values.commit([(AttributeID(aid: 1, iid: 9), .integer(1))]) },
    { try $0.setFailedTries(1) },
    { try $0.upsert(pairing(1)) },
    { try $0.setFailedTries(0) },
    {
      try $0.values.commit([(AttributeID(aid: 1, iid: 9), .integer(2)), (AttributeID(aid: 1, iid: 10), .string("x"))])
    },
    { try $0.upsert(pairing(2)) },
    { try $0.updateConfiguration(hash: [2]) },
    { _ = try $0.removePairing(pairing(1).identifier) },
    { try $0.reset() },
  ]

  private static func pairing(_ number: UInt8) -> Pairing {
    Pairing(identifier: [number], publicKey: .init(repeating: number, count: 32), isAdmin: true)
  }

  /// The stored data of an accessory: data that must survive a power loss, and the values.
  private struct Contents: Equatable {
    var state: [String] = []
    var values: [AttributeID: Value] = [:]
  }

  private func contents(_ store: AccessoryStore) throws -> Contents {
    let known = try #require(try store.folder.list().first)
    let configuration = try store.configuration()
    return Contents(
      state: [
        known.deviceID?.text ?? "none", "\(known.pairings)", "\(try store.failedTries())", "\(configuration)",
        try store.idMap().scopes.map { "\($0) \($1.next) \($1.ids.sorted { $0.key < $1.key })" }.sorted().joined(),
      ], values: try store.values.load())
  }

  /// Runs all steps with a restart in between, up to the first error.
  /// - Returns: the contents before each attempted step, and at the end.
  private func run(_ disk: SimulatedDisk) throws -> [Contents] {
    var states: [Contents] = []
    do {
      var store: AccessoryStore? = try StateFolder.open(path: "/home/state", files: disk).accessory(key: "garage")
      for (number, step) in Self.steps.enumerated() {
        if number == 7 {
          store?.close()
          store = nil
          store = try StateFolder.open(path: "/home/state", files: disk).accessory(key: "garage")
        }
        let current = try #require(store)
        states.append(try contents(current))
        try step(current)
      }
      states.append(try contents(#require(store)))
    } catch is StoreError { #expect(disk.isDown) }
    return states
  }

  @Test(
    "[ST.1] After a power loss or a kill at any change, all answered changes are kept",
    arguments: [true, false], [512, 4096])
  func crashes(losingPower: Bool, sectorSize: Int) throws {
    let all = try run(disk())
    #expect(all.count == Self.steps.count + 1)
    var (count, discarded, older) = (0, 0, 0)
    while true {
      let disk = disk(seed: UInt64(count), sectorSize: sectorSize)
      disk.crash(after: count, losingPower: losingPower)
      let begun = try run(disk).count
      guard disk.isDown else { break }
      disk.start()
      let messages = Messages()
      let folder = try StateFolder.open(path: "/home/state", files: disk) { messages.all.append($0) }
      let store = try folder.accessory(key: "garage")
      let found = try contents(store)
      // An attempted step may or may not be stored.
      let allowed = begun == 0 ? all[...0] : all[begun - 1...min(begun, all.count - 1)]
      #expect(allowed.contains { $0.state == found.state }, "after \(count) changes, in step \(begun)")
      if losingPower {
        discarded += messages.all.count
        if !allowed.contains(where: { $0.values == found.values }) { older += 1 }
      } else {
        #expect(
          messages.all.isEmpty && allowed.contains { $0.values == found.values }, "after \(count), in step \(begun)")
      }
      try store.upsert(Self.pairing(9))
      try store.values.commit([(AttributeID(aid: 1, iid: 9), .integer(5))])
      count += 1
    }
    #expect(count > 100, "\(count) changes are too few for this test")
    #expect((older > 5) == losingPower, "values are not synced, so a power loss loses some: \(older), \(discarded)")
  }

  @Test("[ST.7] A values.db damaged by a power loss is moved away, and pairings are kept")
  func damagedValues() throws {
    var discarded = 0
    for seed in UInt64(0)..<12 {
      let disk = disk(seed: seed, sectorSize: 512)
      let store = try StateFolder.open(path: "/state", files: disk).accessory(key: "garage")
      try store.upsert(Self.pairing(1))
      for round in 0..<45 {
        try store.values.commit(
          (0..<40).map { (AttributeID(aid: 1, iid: $0), .data(.init(repeating: UInt8(round), count: 3000))) })
      }
      disk.losePower()
      disk.start()
      let messages = Messages()
      let again = try StateFolder.open(path: "/state", files: disk) { messages.all.append($0) }
      let found = try again.accessory(key: "garage")
      try #expect(found.pairings() == [Self.pairing(1)])
      if messages.all.isEmpty { continue }
      discarded += 1
      try #expect(found.values.load() == [:])
      #expect(disk.contents(of: "/state/values.db.damaged") != nil)
    }
    #expect(discarded > 1, "\(discarded)")
  }

  @Test("A controller's pairings survive a kill and a power loss")
  func controller() throws {
    let disk = disk()
    for round in 0..<6 {
      let store = try ControllerStore(folder: "/ctl", files: disk)
      try #expect(store.pairings().map(\.alias) == (0..<round).map(String.init))
      try store.keep(
        ControllerPairing(
          alias: "\(round)", accessoryID: [1], accessoryKey: .init(repeating: 1, count: 32), controllerID: [2],
          controllerKey: SigningKey(seed: SecretBytes(.init(repeating: 3, count: 32))), addresses: []))
      if round % 2 == 0 { disk.losePower() } else { disk.kill() }
      #expect(throws: StoreError.self) { try store.pairings() }
      #expect(throws: StoreError.self) { try ControllerStore(folder: "/ctl", files: disk) }
      disk.start()
    }
  }

  @Test("[ST.8] An accessory can run only once on a host, and again after the host was killed")
  func runsOnce() throws {
    let disk = disk()
    let first = try StateFolder.open(path: "/state", files: disk).accessory(key: "garage", name: "Garage")
    let second = try StateFolder.open(path: "/state", files: disk)
    do {
      _ = try second.accessory(key: "garage")
      Issue.record("the accessory runs twice")
    } catch { #expect(error.code == .alreadyRunning(name: "Garage", pid: 1)) }
    disk.kill()
    disk.start()
    let third = try StateFolder.open(path: "/state", files: disk)
    let store = try third.accessory(key: "garage")
    first.close()  // too late: the lock belongs to the next process
    try #expect(third.list().map(\.isRunning) == [true])
    store.close()
    try #expect(third.list().map(\.isRunning) == [false])
  }

  @Test("A fault of the disk is an error that names the file")
  func errors() throws {
    let disk = disk()
    let store = try StateFolder.open(path: "/state", files: disk).accessory(key: "garage")
    disk.fail(.sync)
    do {
      try store.upsert(Self.pairing(1))
      Issue.record("it was stored without a sync")
    } catch { #expect(error.code == .failed && error.path == "/state/state.db") }
    disk.capacity = disk.used
    do {
      try store.values.commit([(AttributeID(aid: 1, iid: 1), .data(.init(repeating: 0, count: 9000)))])
      Issue.record("it was stored without space")
    } catch { #expect(error.code == .full) }
    disk.capacity = 1 << 20
    disk.isReadOnly = true
    do {
      _ = try StateFolder.open(path: "/other", files: disk)
      Issue.record("it was stored on a read-only disk")
    } catch { #expect(error.code == .unwritable && error.path == "/other") }
  }
}

private final class Messages: @unchecked Sendable { var all: [String] = [] }
