import HAPWire

/// A name that was read from a packet. Its memory is reused for the next name.
struct NameBuffer: Sendable {
  /// The labels, each after its length byte, without the empty label at the end.
  private(set) var wire: [UInt8] = []
  /// The labels in lower case. RFC 6762 §16.
  private(set) var folded: [UInt8] = []

  mutating func clear() {
    wire.removeAll(keepingCapacity: true)
    folded.removeAll(keepingCapacity: true)
  }

  /// Reads a name from a message.
  /// - Parameter end: the end of the message, or of a record's data.
  /// - Returns: the offset after the name or after its first pointer; nil if the name is malformed. The contents of the
  ///   buffer are then undefined.
  mutating func read(_ bytes: UnsafeRawBufferPointer, at start: Int, before end: Int) -> Int? {
    clear()
    return try? DNSNameWalk.walk(bytes, from: start, before: end) { place, length in
      for byte in bytes[place...(place + length)] {
        wire.append(byte)
        folded.append(DNSName.folded(byte))
      }
    }
  }

  mutating func set(_ name: some Sequence<UInt8>) {
    clear()
    for byte in name {
      wire.append(byte)
      folded.append(DNSName.folded(byte))
    }
  }

  /// The number of bytes of the first label, including its length byte; 0 for the root.
  var firstLabelSize: Int { wire.isEmpty ? 0 : 1 + Int(wire[0]) }
}

/// A name's number in a `NameTable`.
typealias NameID = UInt32

/// All names in the browser's data. Names that differ only in the case of letters are one entry. An entry has the heads
/// of the lists of its records and lookups.
struct NameTable: Sendable {
  static let none = UInt32.max

  /// The first PTR record, and the first of the other records. There are two lists, because a type can have thousands
  /// of PTR records. A sender can also make thousands of SRV records that name an instance as their host.
  struct ListHeads: Sendable {
    var pointers = none
    var others = none

    var isEmpty: Bool { pointers == none && others == none }

    /// The head of the list for a record type.
    subscript(type: UInt16) -> UInt32 {
      get { type == DNSType.ptr ? pointers : others }
      set { if type == DNSType.ptr { pointers = newValue } else { others = newValue } }
    }
  }

  struct Entry: Sendable {
    /// The name, with the letters in the case that arrived first.
    fileprivate(set) var wire: [UInt8]
    fileprivate var hash: UInt64
    fileprivate var isLive = true
    /// The records of the name.
    var records = ListHeads()
    /// The records whose data refers to the name.
    var leading = ListHeads()
    /// The first interface on which the name is looked up.
    var lookups = none
    /// The service whose instance name it is.
    var service = none
    /// The number of SRV records of services that name it as their host.
    var users = 0
    /// The search whose type it is.
    var search: Int?
    /// Whether the addresses have changed since the last reports.
    var isTouchedHost = false

    fileprivate var isUsed: Bool {
      !records.isEmpty || !leading.isEmpty || lookups != none || service != none || search != nil
    }
  }

  private(set) var count = 0
  private(set) var byteCount = 0
  /// Names to which a record is about to be added, and which are therefore not removed.
  var pinned: (NameID, NameID)?
  private var entries: [Entry] = []
  private var free: [UInt32] = []
  private var index = NameIndex()

  subscript(_ id: NameID) -> Entry {
    get { entries[Int(id)] }
    _modify { yield &entries[Int(id)] }
  }

  func find(_ name: NameBuffer) -> NameID? { find(name, Self.hash(name)) }

  private func find(_ name: NameBuffer, _ hash: UInt64) -> NameID? {
    index.first(hash) { Self.isEqual(entries[Int($0)].wire, name.folded) }
  }

  mutating func intern(_ name: NameBuffer) -> NameID {
    let hash = Self.hash(name)
    if let id = find(name, hash) { return id }
    count += 1
    byteCount += name.wire.count
    let entry = Entry(wire: name.wire, hash: hash)
    let id: UInt32
    if let last = free.popLast() {
      id = last
      entries[Int(id)] = entry
    } else {
      id = UInt32(entries.count)
      entries.append(entry)
    }
    index.insert(id, hash)
    return id
  }

  /// Removes a name that is not used. Does nothing if it has been removed already.
  mutating func releaseIfUnused(_ id: NameID) {
    let entry = entries[Int(id)]
    guard entry.isLive, !entry.isUsed, id != pinned?.0, id != pinned?.1 else { return }
    index.remove(id, entry.hash)
    count -= 1
    byteCount -= entry.wire.count
    entries[Int(id)].wire = []
    entries[Int(id)].isLive = false
    free.append(id)
  }

  // Not `DNSScan.hash`, because a sender could choose names with equal hashes. Swift's hash has a different seed in
  // each process. No output depends on it.
  private static func hash(_ name: NameBuffer) -> UInt64 {
    var hasher = Hasher()
    name.folded.withUnsafeBytes { hasher.combine(bytes: $0) }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  private static func isEqual(_ wire: [UInt8], _ folded: [UInt8]) -> Bool {
    guard wire.count == folded.count else { return false }
    for index in wire.indices where DNSName.folded(wire[index]) != folded[index] { return false }
    return true
  }
}
