import CSQLite
import Foundation
import HAPModel
import HAPWorld
import Testing

@testable import HAPStore

/// All data of an accessory in state.db, for comparison.
private struct Contents: Equatable, CustomStringConvertible {
  var identity: String
  var pairings: [Pairing]
  var tries: Int
  var configuration: UInt16
  var ids: IDMap

  init(_ store: AccessoryStore) throws {
    let known = try store.folder.list().first
    identity = known?.deviceID?.text ?? "none"
    pairings = try store.pairings()
    tries = try store.failedTries()
    configuration = try store.configurationNumber()
    ids = try store.idMap()
  }

  var description: String {
    "\(identity), \(pairings.count) pairings, \(tries) tries, c# \(configuration), \(ids.scopes.count) scopes"
  }
}

@Suite("A power cut at any moment")
struct PowerCutTests {
  /// The changes that an accessory stores from its first start to its last pairing, one after the other.
  private static let steps: [@Sendable (AccessoryStore) throws -> Void] =
    [
      { _ = try $0.identity(orMake: { .test }) },
      { _ = try $0.setup(orMake: { .test }) },
      { try $0.setIDMap(IDMap(scopes: ["aid": .init(ids: ["a": 1, "b": 2], next: 3)])) },
      { try $0.updateConfiguration(hash: [1]) },
      { try $0.setFailedTries(1) },
      { try $0.setFailedTries(2) },
      { try $0.upsert(.test(1)) },
      { try $0.setFailedTries(0) },
      { try $0.values.commit([(AttributeID(aid: 1, iid: 9), .bool(true))]) },
      { try $0.upsert(.test(2, isAdmin: false)) },
      { try $0.upsert(.test(2, isAdmin: true)) },
      {
        try $0.setIDMap(
          IDMap(scopes: ["aid": .init(ids: ["a": 1, "c": 3], next: 4), "iid a": .init(ids: ["x": 1], next: 2)]))
      },
      { try $0.updateConfiguration(hash: [2]) },
      { _ = try $0.removePairing(Pairing.test(1).identifier) },
    ]

  /// The steps, followed by the maximum number of pairings, and by none.
  private static var allSteps: [@Sendable (AccessoryStore) throws -> Void] {
    var steps = steps
    for number in UInt8(3)...16 { steps.append { try $0.upsert(.test(number)) } }
    steps.append { try $0.removeAllPairings() }
    return steps
  }

  @Test("[ST.1] After a power cut at any write, the disk has the old or the new state, and all answered changes")
  func everyPrefix() throws {
    let temporary = TemporaryFolder()
    RecordingVFS.watch(temporary.state)
    var states: [Contents?] = [nil]
    var store: AccessoryStore? = try StateFolder.open(path: temporary.state).accessory(key: "garage")
    for (number, step) in Self.allSteps.enumerated() {
      if number == 9 {
        // A restart in between: the log is copied into the file, and restarts.
        store?.close()
        store = nil
        store = try StateFolder.open(path: temporary.state).accessory(key: "garage")
      }
      let current = try #require(store)
      states.append(try Contents(current))
      RecordingVFS.answered(states.count - 1, in: temporary.state)
      try step(current)
    }
    states.append(try Contents(try #require(store)))
    RecordingVFS.answered(states.count - 1, in: temporary.state)
    store?.close()
    store = nil
    let log = RecordingVFS.unwatch(temporary.state).log
    let writes = log.count { if case .write = $0 { true } else { false } }
    #expect(writes > 60, "\(writes) writes are too few to prove anything")
    #expect(log.contains { if case .sync(let path) = $0 { path.hasSuffix("state.db-wal") } else { false } })

    var chance = Chance(seed: 7)
    var disk = Disk()
    var answered = 0
    for (index, operation) in log.enumerated() {
      if case .answered(let number) = operation { answered = number }
      disk.apply(operation)
      var fates: [(Int) -> Int?] = [{ _ in nil }, { $0 }]
      for _ in 0..<2 {
        // Some arrived, some did not, and some arrived partly.
        let seed = chance.next()
        var own = Chance(seed: seed)
        fates.append { size in
          switch own.next() % 3 {
          case 0: nil
          case 1: size
          default: Int(own.next() % UInt64(size + 1))
          }
        }
      }
      for fate in fates {
        let found = try restart(disk.contents(survives: fate), at: temporary.state)
        let allowed = states[answered...min(answered + 1, states.count - 1)]
        #expect(
          answered == 0 ? (found == nil || found == states[1]) : allowed.contains(found),
          "step \(index + 1) of \(log.count): \(found.map(\.description) ?? "nothing") found, \(answered) answered")
      }
    }
  }

  /// Returns an accessory's data after a start with these files, on a simulated disk, because a real one syncs slowly.
  private func restart(_ files: [String: [UInt8]], at recorded: String) throws -> Contents? {
    try OnBothDisks.$disk.withValue(SimulatedDisk()) {
      let temporary = TemporaryFolder()
      for (path, bytes) in files where path.hasSuffix(".db") || path.hasSuffix("-wal") {
        try temporary.write(Data(bytes), String(path.dropFirst(recorded.count + 1)))
      }
      let folder = try temporary.open()
      guard try !folder.list().isEmpty else { return nil }
      return try Contents(try folder.accessory(key: "garage"))
    }
  }

  @Test(
    "[ST.7] If the disk is full from any write on, each change is done or refused with an error, and no answered change is lost",
    arguments: [SQLITE_FULL, SQLITE_IOERR])
  func fullDisk(failure: Int32) throws {
    for limit in 0..<60 {
      let temporary = TemporaryFolder()
      let store = try StateFolder.open(path: temporary.state).accessory(key: "garage")
      for step in Self.steps[..<7] { try step(store) }
      RecordingVFS.watch(temporary.state, failsFrom: limit, failure: failure)
      var expected = try Contents(store)
      var isRefused = false
      for step in Self.steps[9...] {
        do {
          try step(store)
          expected = try Contents(store)
        } catch let error as StoreError {
          isRefused = true
          #expect(error.path.hasPrefix(temporary.state), "the error names no file: \(error)")
          #expect(!"\(error)".isEmpty)
          try #expect(Contents(store) == expected, "a refused change took effect")
          break
        }
      }
      _ = RecordingVFS.unwatch(temporary.state)
      store.close()
      let again = try StateFolder.open(path: temporary.state).accessory(key: "garage")
      let found = try Contents(again)
      #expect(found == expected, "limit \(limit): \(found) instead of \(expected)")
      // When there is space again, changes succeed.
      try again.upsert(.test(90))
      try #expect(again.pairings().contains(.test(90)))
      if !isRefused { return }
    }
    Issue.record("the disk was never large enough")
  }
}

/// A small generator with the same sequence in each run.
private struct Chance {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
