import CSQLite
import Testing

@testable import HAPWorld

/// Random operations on a disk and on a model. The model keeps all contents and lists of names since the last sync.
/// After a power loss, the disk must have one of these lists. Each sector of each file must have one of these contents.
@Suite("A simulated disk and a model")
struct DiskModelTests {
  @Test("Operations, kills and power losses in any order agree with the model", arguments: [512, 4096])
  func anything(sectorSize: Int) throws {
    var outcomes: Set<String> = []
    for seed in UInt64(0)..<(sectorSize == 512 ? 40 : 20) {
      let run = DiskModelRun(seed: seed, sectorSize: sectorSize)
      for _ in 0..<120 { try run.step() }
      outcomes.formUnion(run.outcomes)
    }
    // Each outcome must occur. Otherwise, a rule was not tested.
    #expect(
      outcomes == [
        "killed", "names lost", "names kept", "old sector", "newest sector", "sector in between", "shorter", "as long",
      ])
  }

  @Test("A file that is rewritten without a sync, or repeatedly created and removed, uses bounded memory")
  func bounded() throws {
    let disk = disk()
    let file = try RawFile(disk, "/db")
    for number in 0..<10_000 { file.write([UInt8(truncatingIfNeeded: number)], at: number % 3 * 4096) }
    #expect(file.size == 2 * 4096 + 1 && disk.used == file.size)
    #expect(disk.core.names.file("/db")?.content.changed.values.map(\.count) == [4, 4, 4])
    for _ in 0..<1000 {
      try RawFile(disk, "/other").write([1], at: 0)
      #expect(disk.delete("/other") == SQLITE_OK)
    }
    let pending = Mirror(reflecting: disk.core.names).children.first { $0.label == "pending" }?.value as? [Any]
    #expect(pending?.count == FileNames.pendingLimit)
  }

  @Test("Impossible offsets and lengths are refused")
  func wrongOffsets() throws {
    let disk = disk()
    let file = try RawFile(disk, "/db")
    for offset in [-1, Int(Int64.max), 1 << 40] {
      #expect(file.write([1, 2], at: offset) == SQLITE_FULL)
      let (code, bytes) = file.read(offset, 2)
      #expect(code == 522 && bytes == [0, 0])
    }
    #expect(file.truncate(-1) == 1546 && file.truncate(1 << 40) == SQLITE_FULL && file.size == 0)
    #expect(file.write([], at: 5) == SQLITE_OK && file.size == 0)
  }

  @Test("A file with or without a name can be deleted when it is closed")
  func temporary() throws {
    let disk = disk()
    let named = try RawFile(disk, "/named", flags: RawFile.readWrite | SQLITE_OPEN_DELETEONCLOSE)
    let unnamed = [try RawFile(disk, nil), try RawFile(disk, nil)]
    unnamed[0].write([1, 2], at: 0)
    named.write([3], at: 0)
    #expect(unnamed[1].size == 0 && unnamed[0].read(0, 2).bytes == [1, 2])
    #expect(disk.paths(in: "/") == ["/named"] && disk.used == 3)
    #expect(throws: RawCode(code: SQLITE_CANTOPEN)) {
      try RawFile(disk, "/named", flags: RawFile.readWrite | SQLITE_OPEN_EXCLUSIVE)
    }
    let again = try RawFile(disk, "/named")
    unnamed[0].close()
    #expect(disk.delete("/named") == SQLITE_OK && disk.used == 1 && again.size == 1)
    again.close()
    named.close()
    let second = try RawFile(disk, "/second", flags: RawFile.readWrite | SQLITE_OPEN_DELETEONCLOSE)
    #expect(disk.paths(in: "/") == ["/second"])
    second.close()
    #expect(disk.paths(in: "/").isEmpty && disk.used == 0)
  }

  @Test("Different spellings of a path refer to the same file")
  func paths() {
    for path in ["/a/b", "a/b", "//a//b/", "/a/./b", "/a/c/../b", "/../a/b"] {
      #expect(FileNames.absolute(path) == "/a/b")
    }
    #expect(FileNames.absolute("") == "/" && FileNames.absolute("..") == "/")
    #expect(FileNames.parent(of: "/a") == "/" && FileNames.parent(of: "/a/b") == "/a")
  }
}

private final class DiskModelRun {
  final class File {
    var bytes: [UInt8] = []
    /// All contents since the last sync, in order.
    var versions: [[UInt8]] = [[]]
    func changed() { versions.append(bytes) }
  }
  struct Handle {
    var raw: RawFile
    var file: File
    var path: String
    var syncsFolder: Bool
  }
  static let paths = ["/db", "/db-wal", "/other"]

  let disk: SimulatedDisk
  let sectorSize: Int
  var random: DiskRandom
  var names: [String: File] = [:]
  /// All lists of names since the last sync of the folder, in order.
  var lists: [[String: File]] = [[:]]
  var handles: [Handle] = []
  var dead: [RawFile] = []
  var outcomes: Set<String> = []

  init(seed: UInt64, sectorSize: Int) {
    disk = HAPWorldTests.disk(seed: seed, sectorSize: sectorSize)
    self.sectorSize = sectorSize
    random = DiskRandom(seed: seed ^ 0xABCD)
  }

  func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

  func step() throws {
    switch below(30) {
    case 0...4: try open()
    case 5...6: if !handles.isEmpty { handles.remove(at: below(handles.count)).raw.close() }
    case 7: delete()
    case 8: try crash(losingPower: false)
    case 9: try crash(losingPower: true)
    default: if !handles.isEmpty { use(below(handles.count)) }
    }
    for file in dead { #expect(file.write([1], at: 0) == SQLITE_IOERR && file.read(0, 1).code == SQLITE_IOERR) }
    #expect(disk.paths(in: "/") == names.keys.sorted())
  }

  private func open() throws {
    let path = Self.paths[below(3)]
    let kind = path == "/db-wal" ? SQLITE_OPEN_WAL : SQLITE_OPEN_MAIN_DB
    let creates = below(4) > 0
    let flags = SQLITE_OPEN_READWRITE | kind | (creates ? SQLITE_OPEN_CREATE : 0)
    guard creates || names[path] != nil else {
      #expect(throws: RawCode(code: SQLITE_CANTOPEN)) { try RawFile(disk, path, flags: flags) }
      return
    }
    let isNew = names[path] == nil
    let file = names[path] ?? File()
    if isNew {
      names[path] = file
      lists.append(names)
    }
    let raw = try RawFile(disk, path, flags: flags)
    handles.append(Handle(raw: raw, file: file, path: path, syncsFolder: isNew && path == "/db-wal"))
  }

  private func delete() {
    let path = Self.paths[below(3)], syncs = below(2) == 0
    guard names[path] != nil else {
      #expect(disk.delete(path, syncsFolder: syncs) == SQLITE_IOERR | 23 << 8)
      return
    }
    #expect(disk.delete(path, syncsFolder: syncs) == SQLITE_OK)
    names[path] = nil
    lists = syncs ? [names] : lists + [names]
  }

  private func use(_ index: Int) {
    let (raw, file) = (handles[index].raw, handles[index].file)
    let offset = below(3) * sectorSize + below(3) * (sectorSize / 3)
    switch below(8) {
    case 0...3:
      let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: random.next()), count: below(2 * sectorSize))
      #expect(raw.write(bytes, at: offset) == SQLITE_OK)
      if bytes.isEmpty { return }
      let missing = offset + bytes.count - file.bytes.count
      if missing > 0 { file.bytes += [UInt8](repeating: 0, count: missing) }
      file.bytes.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      file.changed()
    case 4:
      #expect(raw.truncate(offset) == SQLITE_OK)
      file.bytes = Array(file.bytes.prefix(offset)) + .init(repeating: 0, count: max(0, offset - file.bytes.count))
      file.changed()
    case 5:
      #expect(raw.sync() == SQLITE_OK)
      file.versions = [file.bytes]
      if handles[index].syncsFolder { lists = [names] }
      handles[index].syncsFolder = false
    default:
      let count = below(2 * sectorSize)
      let expected = Array(file.bytes.dropFirst(offset).prefix(count))
      let (code, bytes) = raw.read(offset, count)
      #expect(bytes == expected + .init(repeating: 0, count: count - expected.count))
      #expect(code == (expected.count == count ? SQLITE_OK : 522))
    }
    #expect(raw.size == file.bytes.count)
  }

  private func crash(losingPower: Bool) throws {
    if losingPower { disk.losePower() } else { disk.kill() }
    #expect(throws: RawCode(code: SQLITE_IOERR)) { try RawFile(disk, "/db") }
    disk.start()
    dead = handles.map(\.raw)
    handles = []
    if losingPower { takeOver() } else { outcomes.insert("killed") }
    for (path, file) in names { #expect(disk.contents(of: path) == file.bytes) }
  }

  /// Checks the disk after a power loss, and copies its state to the model.
  private func takeOver() {
    let found = disk.paths(in: "/")
    let candidates = lists.filter { $0.keys.sorted() == found }
    #expect(!candidates.isEmpty, "\(found)")
    guard let list = candidates.last(where: { list in list.allSatisfy { isPossible($0.value, at: $0.key) } }) else {
      Issue.record("no content since the last sync")
      return
    }
    if lists.count > 1 { outcomes.insert(list.keys == names.keys ? "names kept" : "names lost") }
    for (path, file) in list {
      note(file, disk.contents(of: path) ?? [])
      file.bytes = disk.contents(of: path) ?? []
      file.versions = [file.bytes]
    }
    names = list
    lists = [list]
  }

  private func sector(_ number: Int, of bytes: [UInt8], upTo length: Int) -> [UInt8] {
    let part = bytes.dropFirst(number * sectorSize).prefix(min(sectorSize, length - number * sectorSize))
    return part + [UInt8](repeating: 0, count: min(sectorSize, length - number * sectorSize) - part.count)
  }

  /// Returns a sector of a version, with the synced bytes after the version's end.
  private func sector(_ number: Int, of version: [UInt8], over synced: [UInt8], upTo length: Int) -> [UInt8] {
    let part = version.dropFirst(number * sectorSize).prefix(sectorSize)
    return Array(
      (part + sector(number, of: synced, upTo: length).dropFirst(part.count)).prefix(length - number * sectorSize))
  }

  private func isPossible(_ file: File, at path: String) -> Bool {
    guard let found = disk.contents(of: path) else { return false }
    let sectors = 0..<(found.count + sectorSize - 1) / sectorSize
    return file.versions.contains { $0.count == found.count }
      && sectors.allSatisfy { number in
        let bytes = sector(number, of: found, upTo: found.count)
        return file.versions.contains {
          sector(number, of: $0, over: file.versions[0], upTo: found.count) == bytes
        }
      }
  }

  private func note(_ file: File, _ found: [UInt8]) {
    let (first, last) = (file.versions[0], file.bytes)
    if first.count != last.count { outcomes.insert(found.count == last.count ? "as long" : "shorter") }
    for number in 0..<min(first.count, last.count, found.count) / sectorSize {
      let (old, new, now) = (
        sector(number, of: first, upTo: first.count), sector(number, of: last, upTo: last.count),
        sector(number, of: found, upTo: found.count)
      )
      if old != new { outcomes.insert(now == old ? "old sector" : now == new ? "newest sector" : "sector in between") }
    }
  }
}
