/// The bytes of one file: what programs read, and what a power loss can leave of it.
///
/// The disk writes whole sectors. Until a sync, a sector on the disk has its synced content or the content after any of the writes since;
/// each sector independently of the others, which includes every reordering. The length of the file is chosen likewise.
struct FileContent {
  /// A sector that is written more often without a sync loses the oldest contents in between, which bounds the memory.
  static let versionLimit = 4

  let sectorSize: Int
  /// What programs read.
  private(set) var bytes: [UInt8] = []
  private(set) var synced: [UInt8] = []
  /// The sectors changed since the last sync, each with its contents between the synced one and the current one, oldest first.
  private var changed: [Int: [[UInt8]]] = [:]
  /// The lengths since the last sync, oldest first.
  private var lengths: [Int] = []

  init(sectorSize: Int) { self.sectorSize = sectorSize }

  var isSynced: Bool { changed.isEmpty && lengths.isEmpty }

  /// Copies bytes from `offset` on; the rest of `target` is filled with zeros.
  /// - Returns: the number of bytes that the file has there.
  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    let count = max(0, min(target.count, bytes.count - offset))
    guard let start = target.baseAddress else { return 0 }
    if count > 0 {
      bytes.withUnsafeBytes { start.copyMemory(from: $0.baseAddress! + offset, byteCount: count) }
    }
    if count < target.count {
      (start + count).initializeMemory(as: UInt8.self, repeating: 0, count: target.count - count)
    }
    return count
  }

  /// A write beyond the end leaves zeros in between.
  mutating func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
    guard let start = source.baseAddress, !source.isEmpty else { return }
    let end = offset + source.count
    keepVersions(of: offset..<end)
    if end > bytes.count {
      bytes += [UInt8](repeating: 0, count: end - bytes.count)
      keepLength()
    }
    bytes.withUnsafeMutableBytes { ($0.baseAddress! + offset).copyMemory(from: start, byteCount: source.count) }
  }

  mutating func truncate(to length: Int) {
    if length < bytes.count {
      keepVersions(of: length..<bytes.count)
      bytes.removeLast(bytes.count - length)
      keepLength()
    } else if length > bytes.count {
      bytes += [UInt8](repeating: 0, count: length - bytes.count)
      keepLength()
    }
  }

  mutating func sync() {
    Self.resize(&synced, to: bytes.count)
    for sector in changed.keys {
      let range = clipped(sector, to: bytes.count)
      if range.isEmpty { continue }
      synced.withUnsafeMutableBytes { synced in
        bytes.withUnsafeBytes { bytes in
          synced.baseAddress.unsafelyUnwrapped.advanced(by: range.lowerBound).copyMemory(
            from: bytes.baseAddress.unsafelyUnwrapped + range.lowerBound, byteCount: range.count)
        }
      }
    }
    changed.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
  }

  /// Makes the content what the disk has after a power loss.
  mutating func losePower(_ loss: inout PowerLoss) {
    let length = loss.choose(lengths.count + 1)
    var result = synced
    Self.resize(&result, to: length == 0 ? synced.count : lengths[length - 1])
    for sector in changed.keys.sorted() {
      let versions = changed[sector] ?? []
      let choice = loss.choose(versions.count + 2)
      if choice == 0 { continue }
      let content = choice <= versions.count ? versions[choice - 1] : Array(bytes[clipped(sector, to: bytes.count)])
      for (index, position) in clipped(sector, to: result.count).enumerated() {
        result[position] = index < content.count ? content[index] : 0
      }
    }
    bytes = result
    synced = result
    changed = [:]
    lengths = []
  }

  private mutating func keepVersions(of range: Range<Int>) {
    for sector in range.lowerBound / sectorSize...(range.upperBound - 1) / sectorSize {
      guard let index = changed.index(forKey: sector) else {
        changed[sector] = []
        continue
      }
      if changed.values[index].count == Self.versionLimit { changed.values[index].removeFirst() }
      changed.values[index].append(Array(bytes[clipped(sector, to: bytes.count)]))
    }
  }

  private mutating func keepLength() {
    if lengths.count > Self.versionLimit { lengths.removeFirst() }
    lengths.append(bytes.count)
  }

  private func clipped(_ sector: Int, to count: Int) -> Range<Int> {
    min(sector * sectorSize, count)..<min((sector + 1) * sectorSize, count)
  }

  private static func resize(_ bytes: inout [UInt8], to count: Int) {
    if count < bytes.count {
      bytes.removeLast(bytes.count - count)
    } else if count > bytes.count {
      bytes += [UInt8](repeating: 0, count: count - bytes.count)
    }
  }
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
