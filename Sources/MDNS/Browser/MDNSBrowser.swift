import HAPWire

/// The browser of multicast DNS: searches for services of any number of types, and keeps their data up to date. It does
/// no I/O: its inputs are times, packets and interface changes; its outputs are packets and reports. RFC 6762, RFC
/// 6763.
///
/// It reads no clock. Every input has the time: a `Duration` since an origin that the caller chooses, never earlier
/// than the previous input. After each input the caller performs `takeOutputs()`, and it calls `advance(to:)` at
/// `nextDeadline`.
///
/// **For the sockets.** Each packet is sent to the group from port 5353 with a hop limit of 255. The browser's packets
/// may be passed to `receive`, which ignores them. Packets of a responder in the same process must be passed to it,
/// because its services are found like all others. If other processes of the machine receive on port 5353 too, set
/// `sharesPort`, because a unicast answer could arrive at another process (RFC 6762 §15.1).
///
/// **For `EmbeddedServiceSource` of HAPDiscovery.** The reports `appeared`, `changed` and `gone` have the meaning that
/// they have in `BrowserEvent`. The browser follows the same rules as `ServiceTable`:
/// - A service needs SRV with a port, TXT and an address.
/// - The newest record of all interfaces is used.
/// - The host is in lower case.
///
/// The browser collects reports for 10 ms, so the caller needs no `ServiceTable` and no timer for that. The caller
/// converts `name` to a `String`, and skips a service whose name is not UTF-8. It converts an address with its `scope`
/// and `port` to a `SocketAddress`, and `text` to `txt`. The caller itself reports `trouble`. After `removeInterface`,
/// the browser reports the services that were lost with the interface. `BrowserEvent` has no type, so the caller uses
/// one browser for each search, or sorts the reports by `type`.
package struct MDNSBrowser: Sendable {
  package struct Configuration: Sendable {
    /// Whether other processes of the machine receive on port 5353 too.
    package var sharesPort = false
    package var limits = Limits()

    package init() {}
  }

  /// Limits of the data that packets from the network can make the browser store.
  package struct Limits: Sendable {
    /// The maximum number of instances with a PTR record. Beyond it, an instance that was never resolved is evicted.
    /// If all are resolved, the new one is ignored.
    package var services = 20_000
    /// The maximum number of records of all names. Records that no service needs are evicted first.
    package var records = 160_000
    /// The maximum size of all records and names in bytes, approximately.
    package var bytes = 64 << 20
    /// The maximum number of records that no service needs. An address can be announced before the service to which it
    /// belongs.
    package var unwantedRecords = 16_384
    /// The maximum number of records of one name, type and interface, except PTR records.
    package var recordsOfName = 64
    /// The maximum size of a record's data in bytes.
    package var data = 4096

    package init() {}
  }

  /// The time for which reports are collected, because the records of a service arrive in several packets.
  static let settlingTime = 10 * Time.millisecond
  /// The pause after reports, for each service in them, because a packet about a host can change thousands of services.
  static let pauseForService = Time.millisecond / 20
  /// The pause after reports, for each SRV record that names the host, because only a few of these may belong to a
  /// service.
  static let pauseForPlace = Time.millisecond / 200
  /// The maximum number of due records that are handled at once. All records of the cache can be due together, and
  /// other events of the process must not wait for all of them.
  static let mostRecordsAtOnce = 2000
  /// The remaining lifetime of withdrawn and replaced records: one second. RFC 6762 §10.1, §10.2.
  static let grace = 1 * Time.second
  /// The remaining lifetime of records in doubt. RFC 6762 §10.4, §10.5.
  static let patience = 10 * Time.second
  /// The maximum TTL: a day, in seconds. Higher TTLs are reduced, so that one packet can't fill the cache forever.
  static let longestTTL: UInt32 = 86_400

  let configuration: Configuration
  var random: MDNSRandom
  var now: Int64 = 0
  var cache = RecordCache()
  var searches: [Search?] = []
  var links: [BrowserLink] = []
  var lookups = LookupTable()
  var services = ServiceList()
  /// The names and interfaces whose records changed during this input.
  var touched: [(name: NameID, interface: UInt32)] = []
  /// The hosts whose addresses changed since the last reports.
  var touchedHosts: [NameID] = []
  var settleDue: Int64?
  var settleNotBefore = Time.past
  var outputs: [MDNSBrowserOutput] = []
  var echoes = EchoTable()
  var scan = DNSScan()
  var owner = NameBuffer()
  var target = NameBuffer()

  /// - Parameter random: determines the delays. The same seed and inputs result in the same outputs.
  package init(_ configuration: Configuration = Configuration(), random: MDNSRandom) {
    self.configuration = configuration
    self.random = random
  }

  // MARK: Searches

  /// Starts to search for a service type on all interfaces. Does nothing if the search exists.
  /// - Parameter type: a type such as "_hap._tcp", or with a subtype such as "_L3840._sub._matterc._udp".
  package mutating func browse(_ type: String, at time: Duration) throws(MDNSServiceError) {
    guard let name = DNSName(type + ".local"), name.labels.count >= 3 else { throw .malformedType(type) }
    advance(to: time)
    guard search(type) == nil else { return }
    let labels = name.labels
    let parent = labels.count > 3 && labels[1] == Array("_sub".utf8) ? Array(labels[2...]) : labels
    owner.set(parent.flatMap { [UInt8($0.count)] + $0 })
    var search = Search(type: type, name: 0, parent: owner.folded, parentWire: owner.wire)
    owner.set(labels.flatMap { [UInt8($0.count)] + $0 })
    search.name = cache.names.intern(owner)
    // Another spelling of the type has a search already.
    guard cache.names[search.name].search == nil else { return }
    let index = searches.firstIndex { $0 == nil } ?? searches.count
    if index == searches.count { searches.append(search) } else { searches[index] = search }
    cache.names[search.name].search = index
    for place in links.indices {
      let state = SearchState(due: now + delay())
      if links[place].states.count == index {
        links[place].states.append(state)
      } else {
        links[place].states[index] = state
      }
    }
  }

  /// Ends a search and removes its services, without a report.
  package mutating func stop(_ type: String, at time: Duration) {
    advance(to: time)
    guard let index = search(type), let name = searches[index]?.name else { return }
    services.forgetReports(ofSearch: index)
    cache.names[name].search = nil
    for id in cache.all(of: name, type: DNSType.ptr) { drop(id) }
    searches[index] = nil
    cache.names.releaseIfUnused(name)
    evaluateTouched()
  }

  /// Verifies the location of a service, because a connection to it failed. Records without an answer within ten
  /// seconds are dropped. RFC 6762 §10.4.
  /// - Parameter name: the instance's name, as in the report.
  package mutating func reconfirm(_ name: [UInt8], type: String, at time: Duration) {
    advance(to: time)
    guard let index = search(type), let parent = searches[index]?.parentWire, (1...63).contains(name.count) else {
      return
    }
    owner.set([UInt8(name.count)] + name + parent)
    guard let instance = cache.names.find(owner), cache.names[instance].service != NameTable.none else { return }
    for id in cache.all(of: instance, type: DNSType.srv) {
      let host = cache[id].target
      for address in cache.all(of: host, where: { $0.type == DNSType.a || $0.type == DNSType.aaaa }) { doubt(address) }
      doubt(id)
    }
  }

  func search(_ type: String) -> Int? { searches.firstIndex { $0?.type == type } }

  // MARK: The network

  /// Adds or updates an interface. If its addresses changed, searches on it start again.
  package mutating func setInterface(_ interface: MDNSInterface, at time: Duration) {
    advance(to: time)
    let place = links.firstIndex { $0.interface.index == interface.index }
    if let place, links[place].interface == interface { return }
    let states = searches.map { _ in SearchState(due: now + delay()) }
    if let place {
      links[place].interface = interface
      links[place].states = states
      // Addresses of another family may be useful now.
      for id in cache.all(onInterface: interface.index) where cache[id].type == DNSType.srv {
        touched.append((cache[id].target, interface.index))
      }
      evaluateTouched()
    } else {
      links.append(BrowserLink(interface: interface, states: states))
    }
  }

  /// Removes an interface and its records.
  package mutating func removeInterface(_ index: UInt32, at time: Duration) {
    advance(to: time)
    guard let place = links.firstIndex(where: { $0.interface.index == index }) else { return }
    links.remove(at: place)
    // Removing a record can't remove another record of the interface.
    for id in cache.all(onInterface: index) { drop(id) }
    evaluateTouched()
  }

  /// Handles a datagram. Its content and source can be anything.
  package mutating func receive(_ bytes: UnsafeRawBufferPointer, _ arrival: MDNSArrival, at time: Duration) {
    advance(to: time)
    guard let place = links.firstIndex(where: { $0.interface.index == arrival.interface }),
      arrival.source.port == MDNS.port, bytes.count <= MDNS.largestPacket,
      !arrival.isUnicast || links[place].interface.isOnLink(arrival.source.address),
      !(links[place].interface.addresses.contains(arrival.source.address) && echoes.take(bytes, at: now) != nil),
      scan.read(bytes), !scan.hasForeignCodes
    else { return }
    if scan.isResponse {
      takeResponse(bytes, arrival.interface)
      evaluateTouched()
    } else if !arrival.isUnicast, !scan.isTruncated {
      observeQuery(bytes, place)
    }
  }

  package mutating func receive(_ bytes: [UInt8], _ arrival: MDNSArrival, at time: Duration) {
    bytes.withUnsafeBytes { receive($0, arrival, at: time) }
  }

  /// The size of the browser's data, for measurements: the numbers of instances, records and names, and the approximate
  /// size of records and names in bytes.
  package var size: (services: Int, records: Int, names: Int, bytes: Int) {
    (services.count, cache.count, cache.names.count, cache.totalBytes)
  }

  // MARK: Time

  /// The time at which `advance(to:)` has to be called; nil: not before the next input.
  package var nextDeadline: Duration? {
    var due = cache.deadlines.first?.due ?? .max
    due = min(due, lookups.deadlines.first?.due ?? .max, settleDue ?? .max)
    for link in links {
      for (index, state) in link.states.enumerated() where searches[index] != nil { due = min(due, state.due) }
      if let next = link.nextSend { due = min(due, max(next, now)) }
    }
    return due == .max ? nil : .nanoseconds(due)
  }

  /// Performs all due actions.
  package mutating func advance(to time: Duration) {
    now = max(now, Time.nanoseconds(time))
    performRecords()
    evaluateTouched()
    performLookups()
    for place in links.indices { send(place) }
    if let settleDue, settleDue <= now { report() }
  }

  /// Returns the outputs since the last call, in order.
  package mutating func takeOutputs() -> [MDNSBrowserOutput] {
    defer { outputs = [] }
    return outputs
  }

  /// Returns a random delay of 20 to 120 ms. RFC 6762 §5.2.
  mutating func delay() -> Int64 { Time.nanoseconds(random.milliseconds(20...120)) }
}
