import Foundation
import HAPCrypto
import HAPWorld
import Synchronization
import Testing

@testable import HAPStore

@Suite("The store of homes")
struct HomeStoreTests {
  let temporary = TemporaryFolder()

  private func open() throws(StoreError) -> HomeStore {
    try HomeStore(folder: temporary.state, files: temporary.files)
  }

  @Test("A new store is empty", .onBothDisks)
  func empty() throws {
    try #expect(open().load() == HomeRows())
    #expect(temporary.mode("home.db") == 0o600)
  }

  @Test("Rows keep their order over updates and restarts; a row that was removed and added again is last", .onBothDisks)
  func commands() throws {
    for (command, expected) in zip(HomeCommands.all, HomeCommands.states.dropFirst()) {
      let store = try open()
      try store.commit(command)
      try #expect(store.load() == expected)
      store.close()
      try #expect(open().load() == expected)
    }
    #expect(
      HomeCommands.states.last?.objects.map(\.name) == ["My Home", "Living Room", "Room 5", "Room 6", "Added again"])
  }

  @Test("A value is read back unchanged", .onBothDisks, arguments: ["", "Garagentür 🚪", "a\0b", "\n", "' OR 1=1 --"])
  func texts(_ text: String) throws {
    let object = HomeObjectRow(id: "i\(text)", home: text, kind: text, name: text, json: text)
    let state = HomeStateRow(id: "s\(text)", json: text)
    let database = HomeDatabaseRow(device: text, configurationNumber: .max, body: [])
    let changes: [HomeRowChange] = [
      .keep(.object(object)), .keep(.triggerState(state)), .keep(.person(state)),
      .keep(.database(database)),
    ]
    try open().commit(changes)
    try #expect(open().load() == HomeRows().after(changes))
  }

  @Test("Rows of one ID are separate in each table")
  func tables() throws {
    let store = try open()
    let state = HomeStateRow(id: "x", json: "1")
    try store.commit([.keep(.triggerState(state)), .keep(.person(state))])
    for table in HomeRowChange.Table.allCases where table != .people { try store.commit([.remove(table, id: "x")]) }
    try #expect(store.load() == HomeRows().after([.keep(.person(state))]))
  }

  @Test("Removing a home removes its objects and no others, in one transaction with the next rows", .onBothDisks)
  func home() throws {
    let store = try open()
    var other = HomeObjectRow.test(2)
    other.home = "G"
    let state = HomeStateRow(id: "id-1", json: "1")
    try store.commit([.keep(.object(.test(1))), .keep(.object(other)), .keep(.object(.test(3))), .keep(.person(state))])
    try store.commit([.removeHome(id: "H"), .keep(.object(.test(4)))])
    try #expect(
      store.load() == HomeRows().after([.keep(.object(other)), .keep(.object(.test(4))), .keep(.person(state))]))
    try store.commit([.removeHome(id: "nothing")])
    try #expect(store.load().objects.map(\.id) == ["id-2", "id-4"])
  }

  @Test("Removing a row that does not exist, and committing nothing, changes nothing", .onBothDisks)
  func nothing() throws {
    let store = try open()
    try store.commit(HomeCommands.all[1])
    try store.commit([])
    for table in HomeRowChange.Table.allCases { try store.commit([.remove(table, id: "nobody")]) }
    try #expect(store.load() == HomeCommands.states[0].after(HomeCommands.all[1]))
  }

  @Test("A commit is one transaction and waits once for the disk")
  func oneSync() throws {
    let lines = Mutex<[String]>([])
    var options = SimulatedDisk.Options()
    options.trace = { line in lines.withLock { $0.append(line) } }
    let store = try HomeStore(folder: "/home", files: SimulatedDisk(options))
    try store.commit(HomeCommands.all[0])  // also synchronizes the header of the new log
    for command in HomeCommands.all[1...] {
      lines.withLock { $0 = [] }
      try store.commit(command)
      #expect(lines.withLock { $0.filter { $0.hasPrefix("sync ") } } == ["sync /home/home.db-wal"])
    }
  }

  @Test("If one change of a commit fails, none is stored, and the store continues", .onBothDisks)
  func full() throws {
    let store = try open()
    try store.commit(HomeCommands.all[1])
    try store.limit(pages: 30)
    let big = HomeDatabaseRow(device: "d", configurationNumber: 1, body: .init(repeating: 1, count: 200_000))
    #expect(code { try store.commit([.keep(.object(.test(9))), .keep(.database(big))]) } == .full)
    let before = HomeRows().after(HomeCommands.all[1])
    try #expect(store.load() == before)
    try store.commit([.keep(.object(.test(9)))])
    store.close()
    try #expect(open().load() == before.after([.keep(.object(.test(9)))]))
  }

  @Test("A fault of the disk is an error that names the file; the command is not stored")
  func diskFaults() throws {
    let disk = SimulatedDisk()
    let store = try HomeStore(folder: "/home", files: disk)
    try store.commit(HomeCommands.all[1])
    let before = try store.load()
    for operation in [DiskOperation.sync, .write] {
      disk.fail(operation)
      #expect { try store.commit([.keep(.object(.test(9)))]) } throws: {
        ($0 as? StoreError)?.code == .failed && ($0 as? StoreError)?.path == "/home/home.db"
      }
      try #expect(store.load() == before)
    }
    disk.capacity = disk.used
    let body = [UInt8](repeating: 1, count: 20_000)
    let large = HomeRowChange.keep(.database(.init(device: "d", configurationNumber: 1, body: body)))
    #expect(code { try store.commit([large]) } == .full)
    try #expect(store.load() == before)
    disk.capacity = 1 << 30
    disk.isReadOnly = true
    #expect(code { try store.commit([.keep(.object(.test(9)))]) } != nil)
    try #expect(store.load() == before)
    #expect(code { _ = try HomeStore(folder: "/other", files: disk) } == .unwritable)
    disk.isReadOnly = false
    try store.commit([.keep(.object(.test(9)))])
    store.close()
    try #expect(HomeStore(folder: "/home", files: disk).load() == before.after([.keep(.object(.test(9)))]))
  }

  // MARK: One store for a folder

  @Test("Only one store can be open for a folder; closing it or releasing it frees the folder", .onBothDisks)
  func once() throws {
    let first = try open()
    #expect(code { _ = try open() } == .alreadyRunning(name: "hub", pid: getpid()))
    first.close()
    first.close()  // closing twice has no further effect
    do {
      let second = try open()
      try second.commit(HomeCommands.all[1])
    }
    try #expect(open().load().objects.count == 2)
  }

  @Test("A second process is refused with the first one's PID, and can make a backup")
  func otherProcess() async throws {
    let folder = temporary.state, pid = getpid()
    let store = try open()
    try store.commit(HomeCommands.all[1])
    await #expect(processExitsWith: .success) { [folder = folder as String, pid = pid as Int32] in
      guard code({ _ = try HomeStore(folder: folder) }) == .alreadyRunning(name: "hub", pid: pid) else { exit(3) }
      guard code({ try HomeStore.restore(folder + "/x", into: folder) }) == .alreadyRunning(name: "hub", pid: pid)
      else {
        exit(4)
      }
      try HomeStore.backUp(folder: folder, to: folder + "/copy")
      exit(0)
    }
    try store.commit(HomeCommands.all[2])
    store.close()
    try HomeStore.restore(folder + "/copy", into: folder)
    try #expect(open().load().objects.count == 2)
  }

  @Test("A store can be opened after an attempt that failed", .onBothDisks)
  func failedAttempt() throws {
    try temporary.write(Data(repeating: 7, count: 5000), "home.db")
    let other = temporary.state + "/other"
    for _ in 0..<2 { #expect(code { _ = try open() } == .corrupt) }
    let store = try HomeStore(folder: other, files: temporary.files)
    try store.commit(HomeCommands.all[1])
    store.close()
    try HomeStore.backUp(folder: other, to: temporary.state + "/copy", files: temporary.files)
    try HomeStore.restore(temporary.state + "/copy", into: temporary.state, files: temporary.files)
    try #expect(open().load().objects.count == 2)
    #expect(temporary.bytes("home.db.replaced") == Data(repeating: 7, count: 5000))
  }

  // MARK: Permissions

  @Test("A file that others could read is restricted to its owner; a folder that others can change is refused")
  func permissions() throws {
    let manager = FileManager.default
    try open().commit(HomeCommands.all[0])
    #expect(temporary.mode() == 0o700)
    try manager.setAttributes([.posixPermissions: 0o666], ofItemAtPath: temporary.state + "/home.db")
    let store = try open()
    for name in ["home.db", "home.db-wal", "home.db-shm", "open.lock", "running.lock"] {
      #expect(temporary.mode(name) == 0o600, "\(name)")
    }
    store.close()
    for mode in [0o720, 0o702, 0o777, 0o1777] {
      try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: temporary.state)
      #expect(code { _ = try open() } == .exposed)
      #expect(code { try HomeStore.restore("/x", into: temporary.state) } == .exposed)
    }
    try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: temporary.state)
    _ = try open()
    #expect(temporary.mode() == 0o755)
  }

  @Test("A folder that can't be created or written is named")
  func unwritable() throws {
    try Data().write(to: URL(fileURLWithPath: temporary.path + "/file"))
    for path in [temporary.path + "/file", temporary.path + "/file/below", "/proc/hapsim", ""] {  // platform: any
      #expect(code { _ = try HomeStore(folder: path) } == .unwritable, "\(path)")
    }
    try FileManager.default.createDirectory(atPath: temporary.state + "/home.db", withIntermediateDirectories: true)
    #expect(code { _ = try open() } == .unwritable)
  }

  @Test("A file without write permission is named", .enabled(if: getuid() != 0, "root may write anywhere"))
  func noRight() throws {
    try open().commit(HomeCommands.all[0])
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: temporary.state + "/home.db")
    #expect(code { _ = try open() } == .unwritable)
  }
}
