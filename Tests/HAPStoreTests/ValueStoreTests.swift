import HAPModel
import HAPWorld
import Testing

@testable import HAPStore

@Suite("Persistent values", .onBothDisks)
struct ValueStoreTests {
  let temporary = TemporaryFolder()

  func values<R>(_ key: String = "garage", _ body: (ValueStore) throws -> R) throws -> R {
    let store = try temporary.open().accessory(key: key)
    defer { store.close() }
    return try body(store.values)
  }

  static let id = AttributeID(aid: 1, iid: 9)

  @Test(
    "A value is read back unchanged",
    arguments: [
      .null, .bool(true), .bool(false), .integer(0), .integer(-1), .integer(Int128(Int64.max)),
      .integer(Int128(Int64.min)),
      .integer(Int128(UInt64.max)), .integer(.min), .float(0), .float(21.5), .float(-0.1), .float(.infinity),
      .string(""),
      .string("Garagentür 🚪"), .string("a\0b"), .data([]), .data([0, 255, 0]),
      .data([UInt8](repeating: 3, count: 100_000)),
    ] as [Value])
  func roundTrip(_ value: Value) throws {
    try values { try $0.commit([(Self.id, value)]) }
    try values { try #expect($0.load() == [Self.id: value]) }
  }

  @Test("NaN and infinities are stored as null")
  func notANumber() throws {
    try values {
      try $0.commit([(Self.id, .float(.nan))])
      try #expect($0.load() == [Self.id: .null])
    }
  }

  @Test("The later of two changes counts, in one commit and in several")
  func laterWins() throws {
    try values {
      try $0.commit([(Self.id, .integer(1)), (Self.id, .integer(2))])
      try #expect($0.load() == [Self.id: .integer(2)])
      try $0.commit([(Self.id, .string("x"))])
      try $0.commit([])
      try #expect($0.load() == [Self.id: .string("x")])
    }
  }

  @Test("Ids of 64 bits and accessories are distinct")
  func ids() throws {
    let all: [(AttributeID, Value)] = [(1, 1), (1, .max), (.max, 1), (.max, .max)].enumerated().map {
      (AttributeID(aid: $1.0, iid: $1.1), .integer(Int128($0)))
    }
    try values { try $0.commit(all) }
    try values("other") {
      try #expect($0.load() == [:])
      try $0.commit([(Self.id, .bool(true))])
    }
    try values { try #expect($0.load() == Dictionary(uniqueKeysWithValues: all)) }
  }

  @Test("Removed values are gone, and the others are kept")
  func remove() throws {
    let other = AttributeID(aid: 1, iid: 10)
    try values {
      try $0.commit([(Self.id, .integer(1)), (other, .integer(2))])
      try $0.remove([Self.id, AttributeID(aid: 7, iid: 7)])
      try $0.remove([])
    }
    try values {
      try #expect($0.load() == [other: .integer(2)])
      try $0.removeAll()
      try #expect($0.load() == [:])
    }
  }

  @Test("In memory, values are kept for each accessory as on disk, until the folder is released")
  func inMemory() throws {
    let folder = StateFolder.ephemeral()
    let other = AttributeID(aid: 1, iid: 10)
    func values<R>(_ key: String = "garage", _ body: (ValueStore) throws -> R) throws -> R {
      let store = try folder.accessory(key: key)
      defer { store.close() }
      return try body(store.values)
    }
    try values { try $0.commit([(Self.id, .integer(1)), (Self.id, .float(.nan)), (other, .string("x"))]) }
    try values { try #expect($0.load() == [Self.id: .null, other: .string("x")]) }
    try values("other") { try #expect($0.load() == [:]) }
    try values { try $0.remove([Self.id, AttributeID(aid: 7, iid: 7)]) }
    try values { try #expect($0.load() == [other: .string("x")]) }
    try values { try $0.removeAll() }
    try values { try #expect($0.load() == [:]) }
    try #expect(StateFolder.ephemeral().accessory(key: "garage").values.load() == [:])
  }

  @Test("A value of a kind from a later version is ignored")
  func unknownKind() throws {
    try values { try $0.commit([(Self.id, .integer(1)), (AttributeID(aid: 1, iid: 2), .bool(true))]) }
    do {
      let database = try temporary.database("values.db")
      try database.run("UPDATE characteristic_values SET kind = 77 WHERE iid = 9")
    }
    try values { try #expect($0.load() == [AttributeID(aid: 1, iid: 2): .bool(true)]) }
  }

  @Test("Without disk space a commit fails completely, and the store continues")
  func full() throws {
    try values { values in
      try values.commit([(Self.id, .integer(1))])
      try values.file?.limit(pages: 8)
      let big = Value.data([UInt8](repeating: 1, count: 100_000))
      let changes: [(AttributeID, Value)] = [(Self.id, .integer(2)), (AttributeID(aid: 1, iid: 10), big)]
      #expect(code { try values.commit(changes) } == .full)
      try #expect(values.load() == [Self.id: .integer(1)])
      try values.commit([(Self.id, .integer(3))])
    }
    try values { try #expect($0.load() == [Self.id: .integer(3)]) }
  }
}

@Suite("Values after a power cut")
struct ValuesAfterPowerCutTests {
  private let disk = SimulatedDisk(SimulatedDisk.Options())
  private let log = "/state/values.db-wal"

  /// Kills the process that used the folder, so the files are never closed.
  private func values<R>(_ body: (ValueStore) throws -> R) throws -> R {
    let store = try StateFolder.open(path: "/state", files: disk).accessory(key: "garage")
    defer {
      disk.kill()
      disk.start()
    }
    return try body(store.values)
  }

  @Test("A transaction of the log is not restored if the one before it was lost and is repeated")
  func lostTransaction() throws {
    let (first, second) = (AttributeID(aid: 1, iid: 9), AttributeID(aid: 1, iid: 10))
    try values { try $0.commit([(first, .integer(1))]) }
    var lengths: [Int] = []
    try values {
      for change in [(first, Value.integer(2)), (second, Value.integer(3))] {
        lengths.append(disk.contents(of: log)?.count ?? 0)
        try $0.commit([change])
      }
    }
    // The power cut loses the second to last transaction.
    var bytes = try #require(disk.contents(of: log))
    #expect(lengths[0] < lengths[1] && lengths[1] < bytes.count)
    for index in lengths[0]..<lengths[1] { bytes[index] = 0 }
    disk.place(bytes, at: log)
    try values { values in
      try #expect(values.load() == [first: .integer(1)])
      try values.commit([(first, .integer(2))])
    }
    try values { try #expect($0.load() == [first: .integer(2)]) }
  }
}
