/// A name that was read from a packet, in memory that is used again for the next one.
struct NameBuffer: Sendable {
  /// Each label after its length, without the end.
  private(set) var wire: [UInt8] = []
  /// The same in lower case. RFC 6762 §16.
  private(set) var folded: [UInt8] = []

  mutating func clear() {
    wire.removeAll(keepingCapacity: true)
    folded.removeAll(keepingCapacity: true)
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    wire.append(contentsOf: bytes)
    for byte in bytes { folded.append(Self.folded(byte)) }
  }

  mutating func set(_ name: some Sequence<UInt8>) {
    clear()
    for byte in name {
      wire.append(byte)
      folded.append(Self.folded(byte))
    }
  }

  /// The bytes of the first label with its length; 0 for the root.
  var firstLabelSize: Int { wire.isEmpty ? 0 : 1 + Int(wire[0]) }

  // The lengths of labels, 1...63, are below all letters.
  static func folded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}

/// A name's number in a `NameTable`.
typealias NameID = UInt32

/// All names that the browser knows, each once whatever the case of its letters, with the heads of the lists of what belongs to each.
struct NameTable: Sendable {
  static let none = UInt32.max

  struct Entry: Sendable {
    /// In the case in which it was heard first.
    fileprivate(set) var wire: [UInt8]
    fileprivate var hash: Int
    fileprivate var next: UInt32
    fileprivate var isLive = true
    /// The first record of the name, and the first record that leads to the name (PTR or SRV).
    var records = none
    var pointers = none
    /// The first interface on which the name is looked up.
    var lookups = none
    /// The service whose instance name it is.
    var service = none
    /// SRV records of services that name it as their host.
    var users = 0
    /// The search whose type it is.
    var search: Int?
    /// The addresses changed since the last reports.
    var isTouchedHost = false

    fileprivate var isUsed: Bool {
      records != none || pointers != none || lookups != none || service != none || search != nil
    }
  }

  private(set) var count = 0
  private(set) var byteCount = 0
  /// Names that a record is about to be added to: they are not forgotten.
  var pinned: (NameID, NameID)?
  private var entries: [Entry] = []
  private var free: [UInt32] = []
  /// Heads of the lists of names with equal hashes; a power of two of them.
  private var buckets = [UInt32](repeating: none, count: 64)

  subscript(_ id: NameID) -> Entry {
    get { entries[Int(id)] }
    _modify { yield &entries[Int(id)] }
  }

  func find(_ name: NameBuffer) -> NameID? { find(name.folded[...]) }

  /// - Parameter folded: in lower case.
  func find(_ folded: ArraySlice<UInt8>) -> NameID? { find(folded, Self.hash(folded)) }

  private func find(_ folded: ArraySlice<UInt8>, _ hash: Int) -> NameID? {
    var id = buckets[hash & (buckets.count - 1)]
    while id != Self.none {
      if entries[Int(id)].hash == hash, Self.isEqual(entries[Int(id)].wire, folded) { return id }
      id = entries[Int(id)].next
    }
    return nil
  }

  mutating func intern(_ name: NameBuffer) -> NameID {
    let hash = Self.hash(name.folded[...])
    if let id = find(name.folded[...], hash) { return id }
    count += 1
    byteCount += name.wire.count
    if count > buckets.count { grow() }
    let bucket = hash & (buckets.count - 1)
    let entry = Entry(wire: name.wire, hash: hash, next: buckets[bucket])
    let id: UInt32
    if let last = free.popLast() {
      id = last
      entries[Int(id)] = entry
    } else {
      id = UInt32(entries.count)
      entries.append(entry)
    }
    buckets[bucket] = id
    return id
  }

  /// Forgets a name to which nothing belongs. Does nothing for one that is forgotten.
  mutating func releaseIfUnused(_ id: NameID) {
    let entry = entries[Int(id)]
    guard entry.isLive, !entry.isUsed, id != pinned?.0, id != pinned?.1 else { return }
    let bucket = entry.hash & (buckets.count - 1)
    if buckets[bucket] == id {
      buckets[bucket] = entry.next
    } else {
      var previous = buckets[bucket]
      while entries[Int(previous)].next != id { previous = entries[Int(previous)].next }
      entries[Int(previous)].next = entry.next
    }
    count -= 1
    byteCount -= entry.wire.count
    entries[Int(id)].wire = []
    entries[Int(id)].isLive = false
    free.append(id)
  }

  private mutating func grow() {
    var live: [UInt32] = []
    for head in buckets {
      var id = head
      while id != Self.none {
        live.append(id)
        id = entries[Int(id)].next
      }
    }
    buckets = [UInt32](repeating: Self.none, count: buckets.count * 2)
    for id in live {
      let bucket = entries[Int(id)].hash & (buckets.count - 1)
      entries[Int(id)].next = buckets[bucket]
      buckets[bucket] = id
    }
  }

  // Swift's hash has another seed in each process, so that no sender can choose names with equal hashes. No output depends on it.
  private static func hash(_ folded: ArraySlice<UInt8>) -> Int {
    var hasher = Hasher()
    folded.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }

  private static func isEqual(_ wire: [UInt8], _ folded: ArraySlice<UInt8>) -> Bool {
    guard wire.count == folded.count else { return false }
    return wire.withUnsafeBufferPointer { one in
      folded.withUnsafeBufferPointer { other in
        for index in 0..<one.count where NameBuffer.folded(one[index]) != other[index] { return false }
        return true
      }
    }
  }
}
