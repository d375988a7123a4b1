import Foundation
import HAPModel
import Testing

@testable import HAPStore

/// Exit tests: the body runs in a separate process, which kills itself as `kill -9` would.
@Suite("A killed process")
struct KilledProcessTests {
  let temporary = TemporaryFolder()

  @Test(
    "[ST.1] [ST.4] After kill -9, committed changes are kept, uncommitted ones are completely gone, and the accessory is free again"
  )
  func durability() async throws {
    let path = temporary.state
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let store = try StateFolder.open(path: path).accessory(key: "garage")
      _ = try store.identity(orMake: { .test })
      for number in 1...20 { try store.upsert(.test(UInt8(number))) }
      try store.updateConfiguration(hash: [1])
      try store.setFailedTries(2)
      for round in 0..<100 {
        try store.values.commit((1...10).map { (AttributeID(aid: 1, iid: $0), .integer(Int128(round))) })
      }
      try? store.folder.state.change { database throws(SQLiteError) in
        try database.run("DELETE FROM pairings")
        kill(getpid(), SIGKILL)
      }
    }
    let folder = try StateFolder.open(path: path)
    try #expect(folder.list().map(\.isRunning) == [false])
    let store = try folder.accessory(key: "garage")
    try #expect(store.identity(orMake: { fatalError("it has one") }) == .test)
    try #expect(store.pairings().count == 20)
    try #expect(store.failedTries() == 2)
    try #expect(store.configuration().hash == [1])
    try #expect(store.values.load().count == 10)
    try #expect(Set(store.values.load().values) == [.integer(99)])
  }

  @Test(
    "[ST.8] A second process for a running accessory is refused with the first one's PID, and may run another accessory"
  )
  func otherProcess() async throws {
    let path = temporary.state, pid = getpid()
    let store = try StateFolder.open(path: path).accessory(key: "garage", name: "Garage")
    await #expect(processExitsWith: .success) { [path = path as String, pid = pid as Int32] in
      let folder = try StateFolder.open(path: path)
      let refusal = code { _ = try folder.accessory(key: "garage") }
      guard refusal == .alreadyRunning(name: "Garage", pid: pid) else { exit(3) }
      guard try folder.list().first?.isRunning == true else { exit(4) }
      let lamp = try folder.accessory(key: "lamp")
      try lamp.upsert(.test(5))
      try lamp.values.commit([(AttributeID(aid: 1, iid: 1), .bool(true))])
      exit(0)
    }
    try store.upsert(.test(1))
    let lamp = try StateFolder.open(path: path).accessory(key: "lamp")
    try #expect(lamp.pairings() == [.test(5)])
    try #expect(lamp.values.load() == [AttributeID(aid: 1, iid: 1): .bool(true)])
  }

  @Test("Several processes that open a new folder at the same time each keep their data")
  func race() async throws {
    let path = temporary.state
    await withTaskGroup(of: Void.self) { group in
      for name in ["a", "b", "c"] {
        group.addTask {
          await #expect(processExitsWith: .success) { [path = path as String, name = name as String] in
            let store = try StateFolder.open(path: path).accessory(key: name)
            for number in 1...20 {
              try store.upsert(.test(UInt8(number)))
              try store.values.commit([(AttributeID(aid: 1, iid: UInt64(number)), .string(name))])
            }
            exit(0)
          }
        }
      }
    }
    let folder = try StateFolder.open(path: path)
    try #expect(folder.list().map(\.pairings.count) == [20, 20, 20])
    for name in ["a", "b", "c"] { try #expect(folder.accessory(key: name).values.load().count == 20) }
  }
}
