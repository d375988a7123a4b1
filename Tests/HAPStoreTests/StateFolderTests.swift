import Foundation
import HAPModel
import Synchronization
import Testing

@testable import HAPStore

@Suite("The state folder")
struct StateFolderTests {
  let temporary = TemporaryFolder()

  @Test("Only the owner can access folder and files, whatever mode they had")
  func modes() throws {
    try FileManager.default.createDirectory(atPath: temporary.path + "/deep", withIntermediateDirectories: true)
    let path = temporary.state + "/a/b/"
    let folder = try StateFolder.open(path: path)
    let store = try folder.accessory(key: "garage")
    try store.upsert(.test(1))
    try store.values.commit([(AttributeID(aid: 1, iid: 1), .bool(true))])
    for folder in ["", "a", "a/b"] { #expect(temporary.mode(folder) == 0o700) }
    for file in ["state.db", "state.db-wal", "state.db-shm", "values.db", "values.db-wal", "running.lock", "open.lock"]
    {
      #expect(temporary.mode("a/b/" + file) == 0o600, "\(file)")
    }
  }

  @Test("A file that others may read is made private")
  func narrowsMode() throws {
    do { _ = try temporary.open().accessory(key: "a") }
    let file = temporary.state + "/state.db"
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    _ = try temporary.open()
    #expect(temporary.mode("state.db") == 0o600)
  }

  @Test(
    "Gathered changes of all threads are stored together, and become visible at the end; a failed change reverts only itself",
    .onBothDisks
  )
  func gathering() throws {
    struct Refused: Error {}
    let folder = try temporary.open()
    let other = try temporary.open()
    try folder.gathering {
      for number in 0..<50 {
        let store = try folder.accessory(key: "\(number)", name: "Lamp")
        try store.replaceIdentity(.test)
        // A key that already exists: only this change is reverted.
        try? folder.state.change { database throws(SQLiteError) in
          try database.run("UPDATE accessories SET name = 'x' WHERE key = ?", .text("\(number)"))
          try database.run("INSERT INTO accessories (key, name) VALUES (?, 'twice')", .text("\(number)"))
        }
        store.close()
      }
      #expect(try other.list().isEmpty)
    }
    #expect(try other.list().map(\.name) == Array(repeating: "Lamp", count: 50))
    #expect(throws: Refused.self) {
      try folder.gathering {
        try folder.accessory(key: "last").close()
        throw Refused()
      }
    }
    // Changes before the failure are kept.
    #expect(try other.list().count == 51)
    try folder.accessory(key: "by itself").close()
    #expect(try other.list().count == 52)
  }

  @Test("A setup without a verifier is stored as such, and its verifier is derived from the code", .onBothDisks)
  func setupOnDemand() throws {
    let folder = try temporary.open()
    let store = try folder.accessory(key: "lamp")
    let made = try store.setup { .make(code: nil, id: nil, from: .seeded(1), isPutOff: true) }
    #expect(made.verifier == nil)
    let kept = try store.setup { .test }
    #expect(kept == made)
    #expect(
      kept.srpVerifier.verifier == StoredSetup.make(code: nil, id: nil, from: .seeded(1)).srpVerifier.verifier)
  }

  @Test("[PS.72] A salt doesn't start with a zero byte") func salt() {
    // Of 1000 seeds, about four give such a salt first.
    let salts = (0..<1000).map { StoredSetup.make(code: nil, id: nil, from: .seeded($0), isPutOff: true).salt }
    #expect(salts.allSatisfy { $0[0] != 0 })
    #expect(Set(salts).count == 1000)
  }

  @Test("The accessories of a folder are listed by name, with their pairings and whether they run", .onBothDisks)
  func list() throws {
    let folder = try temporary.open()
    try #expect(folder.list() == [])
    let garage = try folder.accessory(key: "Kilgo/GD-1/0001", name: "Old name")
    _ = try garage.identity(orMake: { .test })
    try garage.upsert(.test(1))
    garage.close()
    let again = try folder.accessory(key: "Kilgo/GD-1/0001", name: "Garage")
    try folder.accessory(key: "attic").close()
    let other = try temporary.open()
    for folder in [folder, other] {
      #expect(
        try folder.list() == [
          KnownAccessory(
            key: "Kilgo/GD-1/0001", name: "Garage", deviceID: StoredIdentity.test.deviceID, pairings: [.test(1)],
            isRunning: true, pid: getpid()),
          KnownAccessory(key: "attic", name: "attic", deviceID: nil, pairings: [], isRunning: false, pid: nil),
        ])
    }
    again.close()
    try #expect(other.list().map(\.isRunning) == [false, false])
    try folder.accessory(key: "Kilgo/GD-1/0001").close()
    try #expect(folder.list().map(\.name) == ["Garage", "attic"])
  }

  @Test(
    "[ST.8] An accessory can run only once, in one folder object or two; another one can run at the same time",
    .onBothDisks)
  func alreadyRunning() throws {
    let one = try temporary.open()
    let two = try temporary.open()
    let first = try one.accessory(key: "garage", name: "Garage")
    for folder in [one, two] {
      #expect(
        code { _ = try folder.accessory(key: "garage", name: "Thief") }
          == .alreadyRunning(name: "Garage", pid: getpid()))
    }
    let lamp = try two.accessory(key: "lamp")
    lamp.close()
    first.close()
    first.close()  // closing twice has no further effect
    let second = try two.accessory(key: "garage")
    #expect(second.key == "garage")
    #expect(code { _ = try one.accessory(key: "garage") } == .alreadyRunning(name: "Garage", pid: getpid()))
  }

  @Test("Releasing a store releases its accessory")
  func letGo() throws {
    let folder = try temporary.open()
    do { _ = try folder.accessory(key: "garage") }
    _ = try folder.accessory(key: "garage")
  }

  @Test("A reset keeps only the label; forget removes the accessory; both are refused while it runs")
  func resetAndForget() throws {
    let folder = try temporary.open()
    let store = try folder.accessory(key: "garage", name: "Garage")
    try store.upsert(.test(1))
    _ = try store.setup(orMake: { .test })
    try store.values.commit([(AttributeID(aid: 1, iid: 1), .bool(true))])
    let running = StoreError.Code.alreadyRunning(name: "Garage", pid: getpid())
    #expect(code { try folder.reset(key: "garage") } == running)
    #expect(code { try folder.forget(key: "garage") } == running)
    try #expect(store.pairings() == [.test(1)])
    store.close()
    try folder.reset(key: "garage")
    try #expect(folder.list().map(\.pairings) == [[]])
    try folder.forget(key: "garage")
    try #expect(folder.list() == [])
    let again = try folder.accessory(key: "garage")
    try #expect(again.values.load() == [:])
    var other = StoredSetup.test
    other.salt = [1]
    try #expect(again.setup(orMake: { other }) == other)
  }

  @Test("An unknown accessory can't be reset or forgotten, and the attempt doesn't create it", .onBothDisks)
  func unknown() throws {
    let folder = try temporary.open()
    #expect(code { try folder.reset(key: "nobody") } == .unknownAccessory)
    #expect(code { try folder.forget(key: "nobody") } == .unknownAccessory)
    try #expect(folder.list() == [])
  }

  @Test("In memory all operations work, and no data is shared or kept")
  func ephemeral() throws {
    let folder = StateFolder.ephemeral()
    let store = try folder.accessory(key: "garage")
    #expect(code { _ = try folder.accessory(key: "garage") } == .alreadyRunning(name: "garage", pid: getpid()))
    try store.upsert(.test(1))
    try store.values.commit([(AttributeID(aid: 1, iid: 1), .bool(true))])
    try #expect(store.pairings() == [.test(1)])
    try #expect(store.values.load().count == 1)
    try #expect(StateFolder.ephemeral().list() == [])
    #expect(folder.path == nil)
  }

  @Test(
    "Two folder objects on one path see each other's changes, and threads may write concurrently", .onBothDisks)
  func twoFolders() async throws {
    let folders = [try temporary.open(), try temporary.open()]
    await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          let store = try folders[worker % 2].accessory(key: "\(worker)")
          for round in 1...25 {
            try store.upsert(.test(UInt8(round)))
            try store.values.commit([(AttributeID(aid: 1, iid: UInt64(round)), .integer(Int128(worker)))])
          }
          store.close()
        }
      }
    }
    for worker in 0..<4 {
      let store = try folders[(worker + 1) % 2].accessory(key: "\(worker)")
      try #expect(store.pairings().count == 25)
      try #expect(Set(store.values.load().values) == [.integer(Int128(worker))])
      store.close()
    }
  }

  @Test("Without disk space, a change of state fails completely", .onBothDisks)
  func full() throws {
    let folder = try temporary.open()
    let store = try folder.accessory(key: "garage")
    try store.upsert(.test(1))
    let ids = (0..<5000).map { ("a long key that takes room \($0)", UInt64($0 + 1)) }
    let map = IDMap(scopes: ["1": .init(ids: Dictionary(uniqueKeysWithValues: ids), next: 5001)])
    try folder.state.limit(pages: 20)
    #expect(code { try store.setIDMap(map) } == .full)
    try #expect(store.idMap() == IDMap())
    try #expect(store.pairings() == [.test(1)])
    try folder.state.limit(pages: 100_000)
    try store.setIDMap(map)
    try #expect(store.idMap() == map)
  }

  @Test("Errors have the file and advice, on one line")
  func descriptions() {
    let codes: [StoreError.Code] = [
      .alreadyRunning(name: "Garage", pid: 12), .alreadyRunning(name: "Garage", pid: nil), .unwritable, .exposed,
      .exists, .corrupt, .foreign, .newerSchema(found: 2, supported: 1), .full, .busy, .unknownAccessory, .failed,
    ]
    for code in codes {
      let text = StoreError(code, path: "/x/state.db", detail: "detail").description
      #expect(text.contains("/x/state.db") && !text.contains("\n"))
    }
  }
}
