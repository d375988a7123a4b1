import Foundation
import HAPModel
import Synchronization
import Testing

@testable import HAPStore

@Suite("Unusable files")
struct DamagedFilesTests {
  let temporary = TemporaryFolder()

  /// A folder as a run leaves it.
  func makeState() throws {
    let store = try temporary.open().accessory(key: "garage")
    _ = try store.identity(orMake: { .test })
    for number in 1...50 { try store.upsert(.test(UInt8(number))) }
    try store.values.commit((1...500).map { (AttributeID(aid: 1, iid: $0), .string("value \($0)")) })
  }

  private static let newer = StoreError.Code.newerSchema(found: 9, supported: Schema.state.version)

  /// Damages `name`, and expects that the folder is refused with `expected` and the file is unchanged.
  func refused(_ name: String, _ expected: StoreError.Code, damage: (inout Data) -> Void) throws {
    var data = try #require(temporary.bytes(name))
    damage(&data)
    try temporary.write(data, name)
    do throws(StoreError) {
      _ = try temporary.open().accessory(key: "garage")
      Issue.record("it was opened")
    } catch {
      #expect(error.code == expected)
      #expect(error.path == temporary.state + "/" + name)
    }
    #expect(temporary.bytes(name) == data)
  }

  @Test("[ST.7] A state.db that is not a database is an error with its path, and stays unchanged", .onBothDisks)
  func noDatabase() throws {
    try temporary.write(Data("this was a letter to my aunt, and not a database at all".utf8), "state.db")
    try refused("state.db", .corrupt) { _ in }
  }

  @Test(
    "[ST.7] A truncated state.db is an error with its path, and stays unchanged", .onBothDisks,
    arguments: [1, 100, 4096, 10_000])
  func truncated(_ length: Int) throws {
    try makeState()
    try refused("state.db", .corrupt) { $0 = $0.prefix(length) }
  }

  @Test(
    "A state.db with a damaged page is an error with its path, and stays unchanged", .onBothDisks,
    arguments: [0, 1, 2, 3, 4])
  func rubbish(_ page: Int) throws {
    try makeState()
    try refused("state.db", .corrupt) { data in
      let start = page * 4096 + (page == 0 ? 100 : 0)
      data.replaceSubrange(start..<min(start + 2000, data.count), with: repeatElement(0xA5, count: 2000))
    }
  }

  @Test("[ST.7] A state.db of a newer hapsim is an error with its path, and stays unchanged", .onBothDisks)
  func newer() throws {
    try makeState()
    try refused("state.db", Self.newer) { $0.replaceSubrange(60..<64, with: [0, 0, 0, 9]) }
  }

  @Test("A state.db without a schema version is an error with its path, and stays unchanged", .onBothDisks)
  func lostVersion() throws {
    try makeState()
    try refused("state.db", .corrupt) { $0.replaceSubrange(60..<64, with: [0, 0, 0, 0]) }
  }

  @Test("Another program's database is refused and left unchanged", .onBothDisks, arguments: ["state.db", "values.db"])
  func foreign(_ name: String) throws {
    try makeState()
    try refused(name, .foreign) { $0.replaceSubrange(68..<72, with: [1, 2, 3, 4]) }
  }

  @Test("A values.db of a newer hapsim is refused and left unchanged", .onBothDisks)
  func newerValues() throws {
    try makeState()
    try refused("values.db", .newerSchema(found: 2, supported: 1)) { $0.replaceSubrange(60..<64, with: [0, 0, 0, 2]) }
  }

  @Test("A refused state.db keeps the contents of its log", .onBothDisks, arguments: [true, false])
  func logIsKept(_ isNewer: Bool) throws {
    try makeState()
    do {
      let database = try temporary.database("state.db")
      database.keepLogOnClose(true)  // as after kill -9
      let version = isNewer ? 9 : Schema.state.version
      try database.execute("PRAGMA user_version = \(version); UPDATE accessories SET name = 'In the log'")
    }
    let log = try #require(temporary.bytes("state.db-wal"))
    #expect(!log.isEmpty)
    if isNewer {
      try refused("state.db", Self.newer) { _ in }
      #expect(temporary.bytes("state.db-wal") == log)
    } else {
      try #expect(temporary.open().list().map(\.name) == ["In the log"])
    }
  }

  @Test(
    "[ST.7] A damaged values.db is moved away with a message, and pairings are not affected", .onBothDisks,
    arguments: [0, 60, 100, 5000])
  func damagedValues(_ length: Int) throws {
    try makeState()
    var data = try #require(temporary.bytes("values.db"))
    data = data.prefix(length) + Data(repeating: 0x5A, count: 9000)
    try temporary.write(data, "values.db")
    try temporary.write(Data(repeating: 1, count: 100), "values.db-wal")
    let messages = Mutex<[String]>([])
    let folder = try temporary.open { message in messages.withLock { $0.append(message) } }
    let store = try folder.accessory(key: "garage")
    try #expect(store.values.load() == [:])
    try #expect(store.pairings().count == 50)
    #expect(messages.withLock { $0.count } == 1)
    #expect(messages.withLock { $0.first?.contains("values.db was damaged") } == true)
    try store.values.commit([(AttributeID(aid: 1, iid: 1), .bool(true))])
    #expect(temporary.mode("values.db") == 0o600)
    #expect(temporary.bytes("values.db.damaged") == data)
  }

  @Test("An empty state.db, left by a crash during the first start, is initialized", .onBothDisks)
  func empty() throws {
    try temporary.write(Data(), "state.db")
    try #expect(temporary.open().list() == [])
  }

  @Test("A folder that can't be created or written is named")
  func unwritable() throws {
    try Data().write(to: URL(fileURLWithPath: temporary.path + "/file"))
    for path in ["/file", "/file/below", "/file/far/below"] {
      #expect(code { _ = try StateFolder.open(path: temporary.path + path) } == .unwritable, "\(path)")
    }
    try FileManager.default.createDirectory(atPath: temporary.state + "/state.db", withIntermediateDirectories: true)
    #expect(code { _ = try temporary.open() } == .unwritable)
    // No system creates a folder there.
    #expect(code { _ = try StateFolder.open(path: "/proc/hapsim") } == .unwritable)  // platform: any
    #expect(code { _ = try StateFolder.open(path: "") } == .unwritable)
  }

  @Test("A folder without write permission is named", .enabled(if: getuid() != 0, "root may write anywhere"))
  func noRight() throws {
    try makeState()
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: temporary.state + "/state.db")
    #expect(code { _ = try temporary.open() } == .unwritable)
  }
}
