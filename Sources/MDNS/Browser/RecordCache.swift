import HAPWire

/// A record that arrived on an interface.
struct CachedRecord: Sendable {
  enum State: Sendable {
    /// The record is queried again before its TTL ends.
    case current
    /// The record expires at `expires` without a question: it was withdrawn or replaced, or queries of other hosts got
    /// no answer.
    case leaving
    /// The record expires at `expires`, unless it arrives in answer to one of two questions. RFC 6762 §10.4.
    case doubted
  }

  var name: NameID
  var type: UInt16
  var interface: UInt32
  /// PTR and SRV: the name in the data.
  var target: NameID
  /// The data without `target`; NSEC: the bits of the `RecordKinds` that exist.
  var data: [UInt8]
  var ttl: UInt32
  /// The time of arrival in nanoseconds, as all times here.
  var received: Int64
  var expires: Int64
  /// A number that increases with each new value, so that the newest of several can be used. A record that arrives
  /// again keeps its number.
  fileprivate(set) var sequence: UInt64 = 0
  var state = State.current
  /// The number of questions since `received`, and the share of the TTL that is added to 80 %, 85 %, … for the next
  /// one.
  var questions: UInt8 = 0
  var delay: Float = 0
  /// The number of other hosts' queries for this record that had no answer since `received`. RFC 6762 §10.5.
  var unanswered: UInt8 = 0
  var lastUnanswered: Int64 = 0
  /// Whether a service needs the record, or the record refers to a service.
  var isWanted = false

  fileprivate var isLive = false
  fileprivate(set) var nextOfName = NameTable.none
  fileprivate(set) var previousOfName = NameTable.none
  fileprivate(set) var nextOfTarget = NameTable.none
  fileprivate(set) var previousOfTarget = NameTable.none
  fileprivate(set) var nextUnwanted = NameTable.none
  fileprivate(set) var previousUnwanted = NameTable.none

  init(
    _ name: NameID, _ type: UInt16, interface: UInt32, target: NameID, data: [UInt8], ttl: UInt32, received: Int64
  ) {
    self.name = name
    self.type = type
    self.interface = interface
    self.target = target
    self.data = data
    self.ttl = ttl
    self.received = received
    expires = received + Int64(ttl) * Time.second
  }

  /// The approximate size in bytes. It includes the report of a TXT record, in which each string is a separate
  /// allocation.
  var byteCount: Int { 160 + data.count + (type == DNSType.txt ? 56 * stringCount : 0) }

  private var stringCount: Int {
    var (count, at) = (0, 0)
    while at < data.count {
      if data[at] > 0 { count += 1 }
      at += 1 + Int(data[at])
    }
    return count
  }
}

/// The kinds of records that a service consists of.
struct RecordKinds: OptionSet, Sendable {
  let rawValue: UInt8
  static let v4 = RecordKinds(rawValue: 1)
  static let v6 = RecordKinds(rawValue: 2)
  static let place = RecordKinds(rawValue: 4)
  static let text = RecordKinds(rawValue: 8)
  static let addresses: RecordKinds = [.v4, .v6]
  static let instance: RecordKinds = [.place, .text]

  static let types: [(kind: RecordKinds, type: UInt16)] = [
    (.place, DNSType.srv), (.text, DNSType.txt), (.v4, DNSType.a), (.v6, DNSType.aaaa),
  ]

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Creates the kind of a record type. It is empty for other types.
  init(type: UInt16) { self = Self.types.first { $0.type == type }?.kind ?? [] }
}

/// The index of a record in the cache.
typealias RecordID = UInt32

/// All records with their names and due times. Records that no service needs are kept for a while, because the packet
/// that makes them needed may follow. They are evicted first.
struct RecordCache: Sendable {
  var names = NameTable()
  private(set) var count = 0
  private(set) var byteCount = 0
  private(set) var unwantedCount = 0
  /// The approximate size of the records and all names in bytes.
  var totalBytes: Int { byteCount + names.byteCount + names.count * 144 }
  private var records: [CachedRecord] = []
  private var free: [RecordID] = []
  private var sequence: UInt64 = 0
  private var oldestUnwanted = NameTable.none
  private var newestUnwanted = NameTable.none
  private(set) var deadlines = DeadlineQueue()

  subscript(_ id: RecordID) -> CachedRecord {
    get { records[Int(id)] }
    _modify { yield &records[Int(id)] }
  }

  /// - Parameter record: a record that is not wanted yet. Its names are in `names`.
  mutating func insert(_ record: CachedRecord) -> RecordID {
    var record = record
    sequence += 1
    record.sequence = sequence
    record.isLive = true
    let id: RecordID
    if let last = free.popLast() {
      id = last
      records[Int(id)] = record
    } else {
      id = RecordID(records.count)
      records.append(record)
    }
    count += 1
    byteCount += record.byteCount
    let next = names[record.name].records[record.type]
    records[Int(id)].nextOfName = next
    if next != NameTable.none { records[Int(next)].previousOfName = id }
    names[record.name].records[record.type] = id
    if record.target != NameTable.none {
      let next = names[record.target].leading[record.type]
      records[Int(id)].nextOfTarget = next
      if next != NameTable.none { records[Int(next)].previousOfTarget = id }
      names[record.target].leading[record.type] = id
    }
    appendUnwanted(id)
    schedule(id)
    return id
  }

  /// Makes a cached record the newest one.
  mutating func setNewest(_ id: RecordID) {
    sequence += 1
    records[Int(id)].sequence = sequence
  }

  /// Removes a record, and its names if they are no longer used.
  mutating func remove(_ id: RecordID) {
    let record = records[Int(id)]
    if !record.isWanted { removeUnwanted(id) }
    deadlines.remove(id)
    count -= 1
    byteCount -= record.byteCount
    if record.previousOfName == NameTable.none {
      names[record.name].records[record.type] = record.nextOfName
    } else {
      records[Int(record.previousOfName)].nextOfName = record.nextOfName
    }
    if record.nextOfName != NameTable.none { records[Int(record.nextOfName)].previousOfName = record.previousOfName }
    if record.target != NameTable.none {
      if record.previousOfTarget == NameTable.none {
        names[record.target].leading[record.type] = record.nextOfTarget
      } else {
        records[Int(record.previousOfTarget)].nextOfTarget = record.nextOfTarget
      }
      if record.nextOfTarget != NameTable.none {
        records[Int(record.nextOfTarget)].previousOfTarget = record.previousOfTarget
      }
      if record.target != record.name { names.releaseIfUnused(record.target) }
    }
    records[Int(id)].data = []
    records[Int(id)].isLive = false
    free.append(id)
    names.releaseIfUnused(record.name)
  }

  /// The record that is evicted first: the one that no service has needed for the longest time.
  var firstToGo: RecordID? { oldestUnwanted == NameTable.none ? nil : oldestUnwanted }

  mutating func setWanted(_ id: RecordID, _ isWanted: Bool) {
    guard records[Int(id)].isWanted != isWanted else { return }
    records[Int(id)].isWanted = isWanted
    if isWanted { removeUnwanted(id) } else { appendUnwanted(id) }
    schedule(id)
  }

  // MARK: Lists

  /// Returns one of a name's records for which the condition is true. PTR records are skipped.
  func first(of name: NameID, where condition: (CachedRecord) -> Bool) -> RecordID? {
    var id = names[name].records.others
    while id != NameTable.none, !condition(records[Int(id)]) { id = records[Int(id)].nextOfName }
    return id == NameTable.none ? nil : id
  }

  /// Returns all records of a name that fulfil the condition, the newest first. PTR records are skipped.
  func all(of name: NameID, where condition: (CachedRecord) -> Bool = { _ in true }) -> [RecordID] {
    list(names[name].records.others, { $0.nextOfName }, condition)
  }

  /// Returns all records of a name and type that fulfil the condition, the newest first.
  func all(of name: NameID, type: UInt16, where condition: (CachedRecord) -> Bool = { _ in true }) -> [RecordID] {
    list(names[name].records[type], { $0.nextOfName }) { $0.type == type && condition($0) }
  }

  /// Returns all PTR records that refer to an instance and fulfil the condition, the newest first. There is at most one
  /// for each search and interface.
  func pointers(to instance: NameID, where condition: (CachedRecord) -> Bool = { _ in true }) -> [RecordID] {
    list(names[instance].leading.pointers, { $0.nextOfTarget }, condition)
  }

  /// Returns all SRV records that name a host, the newest first. Their number is limited only by the size of the cache.
  func places(on host: NameID) -> [RecordID] {
    list(names[host].leading.others, { $0.nextOfTarget }) { _ in true }
  }

  @inline(__always)
  private func list(
    _ head: RecordID, _ next: (CachedRecord) -> RecordID, _ condition: (CachedRecord) -> Bool
  ) -> [RecordID] {
    var found: [RecordID] = []
    var id = head
    while id != NameTable.none {
      if condition(records[Int(id)]) { found.append(id) }
      id = next(records[Int(id)])
    }
    return found
  }

  func all(onInterface interface: UInt32) -> [RecordID] {
    records.indices.lazy.map(RecordID.init).filter {
      records[Int($0)].isLive && records[Int($0)].interface == interface
    }
  }

  private mutating func appendUnwanted(_ id: RecordID) {
    unwantedCount += 1
    records[Int(id)].previousUnwanted = newestUnwanted
    records[Int(id)].nextUnwanted = NameTable.none
    if newestUnwanted == NameTable.none {
      oldestUnwanted = id
    } else {
      records[Int(newestUnwanted)].nextUnwanted = id
    }
    newestUnwanted = id
  }

  private mutating func removeUnwanted(_ id: RecordID) {
    unwantedCount -= 1
    let (previous, next) = (records[Int(id)].previousUnwanted, records[Int(id)].nextUnwanted)
    if previous == NameTable.none { oldestUnwanted = next } else { records[Int(previous)].nextUnwanted = next }
    if next == NameTable.none { newestUnwanted = previous } else { records[Int(next)].previousUnwanted = previous }
  }

  // MARK: Time

  /// Sets the next due time of the record: for a question if it is needed, and at its expiry.
  /// - Parameter earliest: the earliest time for a question.
  mutating func schedule(_ id: RecordID, notBefore earliest: Int64 = .min) {
    let record = records[Int(id)]
    deadlines.set(id, to: min(max(nextQuestion(of: record) ?? record.expires, earliest), record.expires))
  }

  /// Returns the time of the next question. Questions are sent at 80, 85, 90 and 95 % of the TTL, and up to 2 % later.
  /// RFC 6762 §5.2. For a record in doubt, two are sent within ten seconds. §10.4.
  private func nextQuestion(of record: CachedRecord) -> Int64? {
    guard record.isWanted, record.type != DNSType.nsec, record.questions < (record.state == .doubted ? 2 : 4) else {
      return nil
    }
    switch record.state {
    case .leaving: return nil
    case .doubted: return record.expires - (record.questions == 0 ? 10 : 7) * Time.second
    case .current: break
    }
    let share = 0.8 + 0.05 * Double(record.questions) + Double(record.delay)
    return record.received + Int64(Double(record.ttl) * share * 1e9)
  }
}
