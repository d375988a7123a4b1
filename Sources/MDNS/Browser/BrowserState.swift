import HAPWire

/// A search for a service type.
struct Search: Sendable {
  let type: String
  /// The full name of the type, to which its PTR records belong.
  var name: NameID
  /// The name at the end of each instance's name, without the subtype: in lower case, and in its original case.
  let parent: [UInt8]
  let parentWire: [UInt8]
}

/// The state of a search on one interface.
struct SearchState: Sendable {
  /// The time of the next question. Each pause is twice as long as the previous one.
  var due: Int64
  /// The number of questions since the search began.
  var sent = 0
  /// The time before which no other question is sent: a second after the last one, or later if that one took many
  /// packets.
  var restUntil: Int64 = .min
  /// Whether a PTR record of the search has to be queried again.
  var isWanted = false
  /// Whether the last question was skipped because another host had sent it.
  var wasSuppressed = false
  /// The time at which another host's question was last compared with the records.
  var observed: Int64 = .min

  init(due: Int64) { self.due = due }

  /// Returns the pause after a number of questions: 1 s, 2 s, 4 s, … up to an hour. RFC 6762 §5.2.
  static func pause(after questions: Int) -> Int64 {
    Int64(min(1 << min(max(questions - 1, 0), 12), 3600)) * Time.second
  }
}

/// An interface, and the questions that wait to be sent on it.
struct BrowserLink: Sendable {
  /// The rate limit of packets with questions for single names: one every 10 ms, and up to 50 at once. Without it, a
  /// flood of names could make the browser flood the network.
  static let packetPause = 10 * Time.millisecond
  static let burst = 500 * Time.millisecond

  var interface: MDNSInterface
  /// The state of each search.
  var states: [SearchState]
  /// The time of the next questions for new names.
  var batch: Int64 = .min
  /// Records that are queried again, and names that are looked up. Records are first, so that unknown names can't delay
  /// the refresh of known records.
  var refreshes: [(name: NameID, type: UInt16)] = []
  var waiting: [NameID] = []
  /// The time at which all packets so far would have been sent if one were sent every 10 ms.
  private var spent: Int64 = .min

  init(interface: MDNSInterface, states: [SearchState]) {
    self.interface = interface
    self.states = states
  }

  /// The earliest time for the next waiting question; nil: none waits.
  var nextSend: Int64? {
    refreshes.isEmpty && waiting.isEmpty ? nil : max(spent, .min + Self.burst) - Self.burst
  }

  func maySend(at now: Int64) -> Bool { max(spent, .min + Self.burst) - Self.burst <= now }

  mutating func didSend(at now: Int64) { spent = max(spent, now) + Self.packetPause }
}

/// A name that is looked up on an interface: an instance (SRV and TXT) or a host (A and AAAA).
struct Lookup: Sendable {
  var name: NameID
  var interface: UInt32
  /// The number of PTR records on this interface that refer to the name.
  var instances = 0
  /// The number of SRV records of services on this interface that name it as the host.
  var users = 0
  /// The number of questions since records became missing.
  var attempts = 0
  /// The kinds of records that another host, or the previous packet, has just asked for.
  var suppressed: RecordKinds = []
  /// The kinds of records that were last asked for by another host instead of the browser.
  var wasSuppressed: RecordKinds = []
  var isWaiting = false
  fileprivate(set) var next = NameTable.none

  /// The number of questions after which the addresses of a family are no longer needed, if addresses of the other
  /// family are known.
  static let attemptsForSecondFamily = 3
}

/// The lookups of all names, and the due time of each.
struct LookupTable: Sendable {
  private var lookups: [Lookup] = []
  private var free: [UInt32] = []
  var deadlines = DeadlineQueue()

  subscript(_ id: UInt32) -> Lookup {
    get { lookups[Int(id)] }
    _modify { yield &lookups[Int(id)] }
  }

  func find(_ entry: NameTable.Entry, _ interface: UInt32) -> UInt32? {
    var id = entry.lookups
    while id != NameTable.none, lookups[Int(id)].interface != interface { id = lookups[Int(id)].next }
    return id == NameTable.none ? nil : id
  }

  /// Returns the lookup of a name on an interface, and creates it if it doesn't exist.
  mutating func make(_ name: NameID, _ interface: UInt32, _ names: inout NameTable) -> UInt32 {
    if let found = find(names[name], interface) { return found }
    var lookup = Lookup(name: name, interface: interface)
    lookup.next = names[name].lookups
    let id: UInt32
    if let last = free.popLast() {
      id = last
      lookups[Int(id)] = lookup
    } else {
      id = UInt32(lookups.count)
      lookups.append(lookup)
    }
    names[name].lookups = id
    return id
  }

  /// Removes a lookup that is no longer needed.
  mutating func removeIfUnused(_ id: UInt32, _ names: inout NameTable) {
    let lookup = lookups[Int(id)]
    guard lookup.instances == 0, lookup.users == 0 else { return }
    deadlines.remove(id)
    if names[lookup.name].lookups == id {
      names[lookup.name].lookups = lookup.next
    } else {
      var previous = names[lookup.name].lookups
      while lookups[Int(previous)].next != id { previous = lookups[Int(previous)].next }
      lookups[Int(previous)].next = lookup.next
    }
    free.append(id)
    names.releaseIfUnused(lookup.name)
  }
}

/// An instance to which a PTR record refers.
struct FoundService: Sendable {
  var name: NameID
  var search: Int
  /// The last report; nil: it was not reported, or was reported as gone.
  var told: MDNSFoundService?
  fileprivate var isLive = true
  fileprivate var isTouched = false
  fileprivate var next = NameTable.none
  fileprivate var previous = NameTable.none
}

/// All instances. Those that are not resolved are also in a list, in the order of arrival.
struct ServiceList: Sendable {
  private(set) var count = 0
  private var services: [FoundService] = []
  private var free: [UInt32] = []
  private var oldest = NameTable.none
  private var newest = NameTable.none
  /// The services whose reports are due, in order.
  private var touched: [UInt32] = []

  subscript(_ id: UInt32) -> FoundService {
    get { services[Int(id)] }
    _modify { yield &services[Int(id)] }
  }

  /// The instance that has been unresolved for the longest time.
  var oldestUnresolved: UInt32? { oldest == NameTable.none ? nil : oldest }

  mutating func insert(_ name: NameID, search: Int) -> UInt32 {
    let service = FoundService(name: name, search: search)
    let id: UInt32
    if let last = free.popLast() {
      id = last
      services[Int(id)] = service
    } else {
      id = UInt32(services.count)
      services.append(service)
    }
    count += 1
    link(id)
    return id
  }

  mutating func remove(_ id: UInt32) {
    if services[Int(id)].told == nil { unlink(id) }
    services[Int(id)].told = nil
    services[Int(id)].isLive = false
    services[Int(id)].isTouched = false
    count -= 1
    free.append(id)
  }

  mutating func setTold(_ id: UInt32, _ service: MDNSFoundService?) {
    switch (services[Int(id)].told, service) {
    case (nil, .some): unlink(id)
    case (.some, nil): link(id)
    default: break
    }
    services[Int(id)].told = service
  }

  /// Resets the services of a search to the state before their first report.
  mutating func forgetReports(ofSearch search: Int) {
    for id in services.indices where services[id].isLive && services[id].search == search { setTold(UInt32(id), nil) }
  }

  mutating func touch(_ id: UInt32) {
    guard !services[Int(id)].isTouched else { return }
    services[Int(id)].isTouched = true
    touched.append(id)
  }

  mutating func takeTouched() -> [UInt32] {
    let taken = touched
    touched = []
    return taken.filter { id in
      defer { services[Int(id)].isTouched = false }
      return services[Int(id)].isTouched
    }
  }

  private mutating func link(_ id: UInt32) {
    services[Int(id)].previous = newest
    services[Int(id)].next = NameTable.none
    if newest == NameTable.none { oldest = id } else { services[Int(newest)].next = id }
    newest = id
  }

  private mutating func unlink(_ id: UInt32) {
    let (previous, next) = (services[Int(id)].previous, services[Int(id)].next)
    if previous == NameTable.none { oldest = next } else { services[Int(previous)].next = next }
    if next == NameTable.none { newest = previous } else { services[Int(next)].previous = previous }
  }
}
