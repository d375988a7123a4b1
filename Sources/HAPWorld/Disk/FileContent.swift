/// The bytes of one file: what programs read, and what a power loss can leave of it.
///
/// The disk writes whole sectors. Until a sync, a sector on the disk has its synced content or the content after any of the writes since;
/// each sector independently of the others, which includes every reordering. The length of the file is chosen likewise.
struct FileContent {
  /// A sector that is written more often without a sync loses the oldest contents in between, which bounds the memory.
  static let versionLimit = 4

  let sectorSize: Int
  /// What programs read.
  private let current = ByteBuffer()
  private let synced = ByteBuffer()
  /// The sectors changed since the last sync, each with its contents between the synced one and the current one, oldest first.
  private(set) var changed: [Int: [[UInt8]]] = [:]
  /// The lengths since the last sync, oldest first.
  private var lengths: [Int] = []

  init(sectorSize: Int) { self.sectorSize = sectorSize }

  var count: Int { current.count }
  var bytes: [UInt8] { Array(current.bytes) }

  /// Copies bytes from `offset` on; the rest of `target` is filled with zeros.
  /// - Returns: the number of bytes that the file has there.
  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    let (end, overflow) = offset.addingReportingOverflow(target.count)
    let found = current.slice(offset..<(overflow ? .max : end))
    if !found.isEmpty { target.copyMemory(from: found) }
    ByteBuffer.clear(target, from: found.count)
    return found.count
  }

  /// A write beyond the end leaves zeros in between.
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

  /// Makes the content what the disk has after a power loss.
  mutating func losePower(_ loss: inout PowerLoss) {
    let length = loss.choose(lengths.count + 1)
    let newest = changed.keys.sorted().map { ($0, Array(current.slice(range(of: $0)))) }
    synced.resize(to: length == 0 ? synced.count : lengths[length - 1])
    for (sector, current) in newest {
      let versions = changed[sector] ?? []
      let choice = loss.choose(versions.count + 2)
      if choice == 0 { continue }
      // A content that was shorter leaves the rest: no file system clears what it cuts off and keeps the length.
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

/// The choices of one power loss: everything that was not synced is lost, everything is kept, or each part by the seed.
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

/// SplitMix64.
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
