import Foundation
import HAPWorld
import Testing

@testable import HAPStore

@Suite("Backup and restore of homes", .onBothDisks)
struct HomeCopyTests {
  let temporary = TemporaryFolder()

  private var files: any StoreFiles { temporary.files }
  private var copy: String { temporary.state + "/copy" }

  private func open() throws(StoreError) -> HomeStore { try HomeStore(folder: temporary.state, files: files) }

  /// Commits the first commands, and returns the rows.
  @discardableResult
  private func fill(_ store: HomeStore, commands: Int) throws -> HomeRows {
    for command in HomeCommands.all[..<commands] { try store.commit(command) }
    return HomeCommands.states[commands]
  }

  private func restore(_ backup: String? = nil) throws(StoreError) {
    try HomeStore.restore(backup ?? copy, into: temporary.state, files: files)
  }

  private func names() -> Set<String> {
    let names = ["home.db", "copy"].flatMap { name in
      ["", ".new", ".restored", ".replaced", ".partial"].flatMap { part in
        ["", "-journal", "-wal", "-shm"].map { name + part + $0 }
      }
    }
    return Set(names.filter { temporary.bytes($0) != nil })
  }

  @Test("A backup has the rows of one moment, with keys; the store is used meanwhile, and restores to equal rows")
  func roundTrip() throws {
    let store = try open()
    let rows = try fill(store, commands: 11)
    try store.backUp(to: copy)
    #expect(temporary.mode("copy") == 0o600)
    for command in HomeCommands.all[11...] { try store.commit(command) }
    try #expect(store.load() == HomeCommands.states.last)
    store.close()
    try restore()
    try #expect(open().load() == rows)
    #expect(rows.controllers == [.anna, .ben])
  }

  @Test("A backup is one file, and equal to the next one without changes in between")
  func single() throws {
    let store = try open()
    try fill(store, commands: 5)
    try store.backUp(to: copy)
    try store.backUp(to: temporary.state + "/second")
    #expect(temporary.bytes("copy") == temporary.bytes("second"))
    #expect(names().filter { $0.hasPrefix("copy") } == ["copy"])
    #expect(try #require(temporary.bytes("copy")).count > 4096)
  }

  @Test("Commits by other threads during a backup are in it completely or not at all")
  func whileInUse() async throws {
    let store = try open()
    try store.commit([.keep(.object(.test(1, name: "0"))), .keep(.object(.test(2, name: "0")))])
    let folder = temporary.state
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 1...40 {
          try store.commit([.keep(.object(.test(1, name: "\(number)"))), .keep(.object(.test(2, name: "\(number)")))])
        }
      }
      for number in 0..<5 { group.addTask { try store.backUp(to: "\(folder)/copy-\(number)") } }
      try await group.waitForAll()
    }
    store.close()
    for number in 0..<5 {
      try restore("\(folder)/copy-\(number)")
      let names = Set(try open().load().objects.map(\.name))
      #expect(names.count == 1, "\(names)")
    }
  }

  @Test("A backup never replaces a file", arguments: ["copy", "copy.partial"])
  func overwrites(_ name: String) throws {
    let store = try open()
    try temporary.write(Data("precious".utf8), name)
    #expect(code { try store.backUp(to: copy) } == .exists)
    #expect(temporary.bytes(name) == Data("precious".utf8))
    #expect(names().filter { $0.hasPrefix("copy") } == [name])
  }

  @Test("A backup to a folder that does not exist is refused")
  func nowhere() throws {
    #expect(code { try open().backUp(to: temporary.state + "/none/copy") } == .unwritable)
  }

  @Test("A folder without a store has no backup")
  func nothing() throws {
    #expect(code { try HomeStore.backUp(folder: temporary.state, to: copy, files: files) } == .failed)
    #expect(names() == [])
  }

  @Test("A restore creates the store in a new folder, and a second one is possible")
  func newFolder() throws {
    let rows = try fill(open(), commands: 5)
    try HomeStore.backUp(folder: temporary.state, to: copy, files: files)
    let other = temporary.state + "/far/other"
    for _ in 0..<2 {
      try HomeStore.restore(copy, into: other, files: files)
      try #expect(HomeStore(folder: other, files: files).load() == rows)
    }
  }

  @Test("The replaced file is kept with its log, and can be restored in turn; the backup is not changed")
  func replaced() throws {
    var store = try open()
    try fill(store, commands: 3)
    try store.backUp(to: copy)
    let bytes = temporary.bytes("copy")
    for command in HomeCommands.all[3...] { try store.commit(command) }
    store.close()
    try restore()
    #expect(temporary.bytes("copy") == bytes)
    #expect(names().isSuperset(of: ["home.db", "home.db.replaced"]) && !names().contains("home.db.new"))
    try restore(temporary.state + "/home.db.replaced")
    store = try open()
    try #expect(store.load() == HomeCommands.states.last)
    try store.commit([.keep(.object(.test(99)))])
  }

  @Test("The log of an earlier replaced file is not applied to a later one")
  func staleLog() throws {
    try fill(open(), commands: 3)
    do {
      let database = try temporary.database("home.db")
      database.keepLogOnClose(true)  // as after kill -9
      try database.execute("UPDATE objects SET name = 'In the log'")
    }
    try HomeStore.backUp(folder: temporary.state, to: copy, files: files)
    try restore()
    #expect(names().contains("home.db.replaced-wal"))
    let rows = try open().load()
    #expect(rows.objects.map(\.name) == Array(repeating: "In the log", count: 3))
    try restore()
    #expect(names().isDisjoint(with: ["home.db.replaced-wal", "home.db.replaced-journal"]))
    try restore(temporary.state + "/home.db.replaced")
    try #expect(open().load() == rows)
  }

  @Test(
    "A backup that can't be used is named and changes nothing",
    arguments: [
      "missing", "empty", "short", "text", "truncated", "damaged", "newer", "foreign", "version",
    ])
  func unusable(_ damage: String) throws {
    let store = try open()
    let rows = try fill(store, commands: 5)
    try store.backUp(to: copy)
    store.close()
    let before = temporary.bytes("home.db")
    var data = try #require(temporary.bytes("copy"))
    var expected = StoreError.Code.corrupt
    switch damage {
    case "missing": expected = .failed
    case "empty": data = Data()
    case "short": data = data.prefix(200)
    case "text": data = Data(String(repeating: "not a database ", count: 100).utf8)
    case "truncated": data = data.prefix(data.count - 5000)
    case "damaged": data.replaceSubrange(4096..<6000, with: repeatElement(0xA5, count: 1904))
    case "newer":
      data.replaceSubrange(60..<64, with: [0, 0, 0, 9])
      expected = .newerSchema(found: 9, supported: Schema.home.version)
    case "foreign":
      data.replaceSubrange(68..<72, with: [1, 2, 3, 4])
      expected = .foreign
    default: data.replaceSubrange(60..<64, with: [0, 0, 0, 0])
    }
    try temporary.write(data, "bad")
    let path = temporary.state + (damage == "missing" ? "/none" : "/bad")
    #expect(throws: StoreError.self) { try restore(path) }
    #expect(code { try restore(path) } == expected)
    #expect(temporary.bytes("home.db") == before)
    #expect(temporary.bytes("bad") == data)
    #expect(names().filter { $0.contains(".new") || $0.contains(".re") } == [])
    try #expect(open().load() == rows)
  }

  @Test("A file of another kind of store is not restored")
  func otherStore() throws {
    _ = try temporary.open().accessory(key: "garage")
    #expect(code { try restore(temporary.state + "/state.db") } == .foreign)
  }

  @Test("A restore is refused while the store is open")
  func running() throws {
    let store = try open()
    try store.backUp(to: copy)
    #expect(code { try restore() } == .alreadyRunning(name: "hub", pid: getpid()))
    store.close()
    try restore()
  }

  @Test("A removed key is not in a backup")
  func secrets() throws {
    let store = try open()
    let seed = Data(repeating: 7, count: 32)
    try store.commit([.keep(.controller(.anna))])
    try store.backUp(to: copy)
    #expect(temporary.bytes("copy")?.range(of: seed) != nil)
    try store.commit([.remove(.controllers, id: "anna")])
    try store.backUp(to: temporary.state + "/second")
    #expect(temporary.bytes("second")?.range(of: seed) == nil)
  }
}

@Suite("Backup and restore of homes on a disk with faults")
struct HomeCopyFaultTests {
  private func filled(_ disk: SimulatedDisk) throws {
    let store = try HomeStore(folder: "/hub", files: disk)
    for command in HomeCommands.all[..<11] { try store.commit(command) }
    try store.backUp(to: "/backup")
    try store.commit(HomeCommands.all[11])
  }

  @Test(
    "After a fault at any operation, a backup leaves no file, and a restore leaves the old rows or the new ones",
    arguments: [DiskOperation.open, .write, .sync, .delete, .rename, .truncate])
  func faults(_ operation: DiskOperation) throws {
    var (refusedBackups, refusedRestores) = (0, 0)
    for count in 0..<200 {
      let disk = SimulatedDisk()
      try filled(disk)
      disk.fail(operation, after: count)
      do { try HomeStore.backUp(folder: "/hub", to: "/second", files: disk) } catch {
        refusedBackups += 1
        disk.clearFaults()
        #expect(disk.paths(in: "/").filter { $0.hasPrefix("/second") } == [], "\(operation) \(count)")
      }
      disk.clearFaults()
      disk.fail(operation, after: count)
      let isRefused = (try? HomeStore.restore("/backup", into: "/hub", files: disk)) == nil
      disk.clearFaults()
      let found = try HomeStore(folder: "/hub", files: disk).load()
      #expect(
        found == HomeCommands.states[11] || (isRefused && found == HomeCommands.states[12]), "\(operation) \(count)")
      if isRefused { refusedRestores += 1 }
      if !isRefused && count > 30 { break }
    }
    if operation != .truncate { #expect(refusedRestores > 0 && (refusedBackups > 0 || operation == .delete)) }
  }

  @Test("Without space, a backup and a restore are refused and leave nothing", arguments: [0, 5000, 20_000, 40_000])
  func full(_ free: Int) throws {
    let disk = SimulatedDisk()
    try filled(disk)
    disk.capacity = disk.used + free
    #expect(code { try HomeStore.backUp(folder: "/hub", to: "/second", files: disk) } == .full)
    #expect(disk.paths(in: "/").filter { $0.hasPrefix("/second") } == [])
    #expect(code { try HomeStore.restore("/backup", into: "/hub", files: disk) } == .full)
    try #expect(HomeStore(folder: "/hub", files: disk).load() == HomeCommands.states[12])
  }
}
