/// The bytes of one file: the current ones, which programs read, and those that can be on the disk after a power loss.
///
/// The disk writes whole sectors. Until a sync, a sector on the disk has its synced content or its content after any
/// later write. Each sector is independent of the others, which includes every reordering. The same applies to the
/// length of the file.
struct FileContent {
  /// The maximum number of intermediate contents of a sector. If there are more writes without a sync, the oldest
  /// contents are dropped, which bounds the memory.
  static let versionLimit = 4

  let sectorSize: Int
  /// The bytes that programs read.
  private let current = ByteBuffer()
  private let synced = ByteBuffer()
  /// The sectors that changed since the last sync, each with its contents between the synced and the current one,
  /// oldest first.
  private(set) var changed: [Int: [[UInt8]]] = [:]
  /// The lengths that the file had since the last sync, oldest first.
  private var lengths: [Int] = []

  init(sectorSize: Int) { self.sectorSize = sectorSize }

  var count: Int { current.count }
  var bytes: [UInt8] { Array(current.bytes) }

  /// Copies bytes, starting at `offset`, and fills the rest of `target` with zeros.
  /// - Returns: the number of bytes that were copied from the file.
  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    let (end, overflow) = offset.addingReportingOverflow(target.count)
    let found = current.slice(offset..<(overflow ? .max : end))
    if !found.isEmpty { target.copyMemory(from: found) }
    ByteBuffer.clear(target, from: found.count)
    return found.count
  }

  /// Writes bytes at `offset`. If it is beyond the end, the bytes between are zeros.
  mutating func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
    if source.isEmpty { return }
    let end = offset + source.count
    keepVersions(of: offset..<end)
    if end > current.count {
      current.resize(to: end)
      keepLength()
    }
    current.replace(at: offset, with: source)
  }

  mutating func truncate(to length: Int) {
    if length == current.count { return }
    if length < current.count { keepVersions(of: length..<current.count) }
    current.resize(to: length)
    keepLength()
  }

  mutating func sync() {
    synced.resize(to: current.count)
    for sector in changed.keys {
      let content = current.slice(range(of: sector))
      if !content.isEmpty { synced.replace(at: sector * sectorSize, with: content) }
    }
    changed.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
  }

  /// Replaces the content with one that the disk can have after a power loss.
  mutating func losePower(_ loss: inout PowerLoss) {
    let length = loss.choose(lengths.count + 1)
    let newest = changed.keys.sorted().map { ($0, Array(current.slice(range(of: $0)))) }
    synced.resize(to: length == 0 ? synced.count : lengths[length - 1])
    for (sector, current) in newest {
      let versions = changed[sector] ?? []
      let choice = loss.choose(versions.count + 2)
      if choice == 0 { continue }
      // A shorter content leaves the rest of the sector unchanged: no file system clears the removed part and keeps the
      // length.
      let room = max(0, synced.count - sector * sectorSize)
      (choice <= versions.count ? versions[choice - 1] : current).withUnsafeBytes { content in
        let part = UnsafeRawBufferPointer(rebasing: content.prefix(room))
        if !part.isEmpty { synced.replace(at: sector * sectorSize, with: part) }
      }
    }
    current.resize(to: synced.count)
    current.replace(at: 0, with: UnsafeRawBufferPointer(synced.bytes))
    changed = [:]
    lengths = []
  }

  private mutating func keepVersions(of bytes: Range<Int>) {
    for sector in bytes.lowerBound / sectorSize...(bytes.upperBound - 1) / sectorSize {
      guard let index = changed.index(forKey: sector) else {
        changed[sector] = []
        continue
      }
      if changed.values[index].count == Self.versionLimit { changed.values[index].removeFirst() }
      changed.values[index].append(Array(current.slice(range(of: sector))))
    }
  }

  private mutating func keepLength() {
    if lengths.count > Self.versionLimit { lengths.removeFirst() }
    lengths.append(current.count)
  }

  private func range(of sector: Int) -> Range<Int> { sector * sectorSize..<(sector + 1) * sectorSize }
}

/// The choices of one power loss: all unsynced data is lost, all is kept, or the seed decides for each part.
struct PowerLoss {
  private enum Fate { case nothing, everything, each }
  private let fate: Fate
  private(set) var random: DiskRandom

  init(_ random: DiskRandom) {
    self.random = random
    switch self.random.next() % 4 {
    case 0: fate = .nothing
    case 1: fate = .everything
    default: fate = .each
    }
  }

  /// - Returns: a number below `count`; 0 is the synced state, `count - 1` the current one.
  mutating func choose(_ count: Int) -> Int {
    switch fate {
    case .nothing: 0
    case .everything: count - 1
    case .each: Int(random.next() % UInt64(count))
    }
  }
}

/// A generator of random numbers: SplitMix64.
struct DiskRandom: Sendable {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
