import HAPWire

/// A search for a service type.
struct Search: Sendable {
  let type: String
  /// The type in full, which PTR records belong to.
  var name: NameID
  /// The name that the instances' names end with, without the subtype; in lower case, and as it was given.
  let parent: [UInt8]
  let parentWire: [UInt8]
}

/// How far a search on one interface is.
struct SearchState: Sendable {
  /// The next question, with twice the pause of the last.
  var due: Int64
  /// Questions since the search began.
  var sent = 0
  /// Before this time, no other question: a second after the last, and longer if that took many packets.
  var restUntil: Int64 = .min
  /// A record that leads to an instance is to be asked for.
  var isWanted = false
  /// The last question was another host's.
  var wasSuppressed = false
  /// When another host's question was last compared with the records.
  var observed: Int64 = .min

  init(due: Int64) { self.due = due }

  /// 1 s, 2 s, 4 s, … an hour. RFC 6762 §5.2.
  static func pause(after questions: Int) -> Int64 {
    Int64(min(1 << min(max(questions - 1, 0), 12), 3600)) * Time.second
  }
}

/// An interface, and the questions that are to be sent on it.
struct BrowserLink: Sendable {
  /// A packet of questions for single names each 10 ms, and up to 50 at once: a flood of names can't make the browser flood the network.
  static let packetPause = 10 * Time.millisecond
  static let burst = 500 * Time.millisecond

  var interface: MDNSInterface
  /// By search.
  var states: [SearchState]
  /// When the questions for names that were found last are asked.
  var batch: Int64 = .min
  /// Records to be asked for again, and names to be looked up. The former go first, so that unknown names can't keep known records waiting.
  var refreshes: [(name: NameID, type: UInt16)] = []
  var waiting: [NameID] = []
  /// When all packets so far would have left, one each 10 ms.
  private var spent: Int64 = .min

  init(interface: MDNSInterface, states: [SearchState]) {
    self.interface = interface
    self.states = states
  }

  /// When the next of the waiting questions may be sent; nil: none waits.
  var nextSend: Int64? {
    refreshes.isEmpty && waiting.isEmpty ? nil : max(spent, .min + Self.burst) - Self.burst
  }

  func maySend(at now: Int64) -> Bool { max(spent, .min + Self.burst) - Self.burst <= now }

  mutating func didSend(at now: Int64) { spent = max(spent, now) + Self.packetPause }
}

/// A name that is needed on an interface: of an instance (SRV and TXT) or of a host (A and AAAA).
struct Lookup: Sendable {
  var name: NameID
  var interface: UInt32
  /// PTR records of this interface that lead to the name.
  var instances = 0
  /// SRV records of this interface, of services, that name it as the host.
  var users = 0
  /// Questions since something was missing first.
  var attempts = 0
  /// What another host, or the packet before, has just asked for.
  var suppressed: RecordKinds = []
  /// What another host asked for instead of the browser the last time.
  var wasSuppressed: RecordKinds = []
  var isWaiting = false
  fileprivate(set) var next = NameTable.none

  /// Three questions for the addresses of a family are enough if the host has addresses of the other.
  static let attemptsForSecondFamily = 3
}

/// The lookups of all names, and when each is due.
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

  /// The lookup of a name on an interface; it is made if there is none.
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

  /// Removes a lookup that nothing needs any more.
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

/// An instance that some PTR record leads to.
struct FoundService: Sendable {
  var name: NameID
  var search: Int
  /// Reported last; nil: it was not reported, or is gone.
  var told: MDNSFoundService?
  fileprivate var isLive = true
  fileprivate var isTouched = false
  fileprivate var next = NameTable.none
  fileprivate var previous = NameTable.none
}

/// All instances; those that were never resolved, or are not any more, in the order in which they came.
struct ServiceList: Sendable {
  private(set) var count = 0
  private var services: [FoundService] = []
  private var free: [UInt32] = []
  private var oldest = NameTable.none
  private var newest = NameTable.none
  /// Services to report on, in order.
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

  /// As if services of a search had never been reported.
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
