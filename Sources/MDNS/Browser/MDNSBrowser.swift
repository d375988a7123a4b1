import HAPWire

/// The browser side of multicast DNS as a machine: searches for services of any number of types, and keeps what is known of each up to date.
/// Times, packets and interface changes in; packets and reports out. RFC 6762, RFC 6763.
///
/// It reads no clock: every input has the time, a `Duration` since an origin that the caller chooses, never earlier than the input before. After each
/// input the caller performs `takeOutputs()` and calls `advance(to:)` at `nextDeadline`.
///
/// **For the sockets around it.** Each packet goes to the group from port 5353 with a hop limit of 255. Its own packets may come back into `receive`,
/// which ignores them; packets of a responder of the same process have to, because its services are found like all others. If other processes of the
/// machine receive on port 5353 too, `sharesPort` is true: a unicast answer could reach another process (RFC 6762 §15.1).
///
/// **For `ServiceBrowser` of HAPDiscovery.** The reports are its events: `appeared`, `changed` and `gone` as in `BrowserEvent`, with the rules of
/// `ServiceTable` (a service needs SRV with a port, TXT and an address; the newest record of all interfaces counts; the host in lower case). They
/// are collected for 10 ms, so no table, no `RecordSource` and no timer for settling is needed: `name` becomes a `String` (skip a service whose name
/// is not UTF-8), an address with its `scope` becomes a `SocketAddress` with `port`, `text` becomes `txt`. `trouble` is for the sockets to report;
/// `removeInterface` reports the services that were lost with an interface. `BrowserEvent` has no type: use one machine for each search, or sort the
/// reports by `type`.
package struct MDNSBrowser: Sendable {
  package struct Configuration: Sendable {
    /// Whether other processes of the machine receive on port 5353 too.
    package var sharesPort = false
    package var limits = Limits()

    package init() {}
  }

  /// What the network can make the browser keep.
  package struct Limits: Sendable {
    /// Instances with a PTR record. If there are more, an instance that was never resolved is evicted; resolved ones stay, and the new one is ignored.
    package var services = 20_000
    /// Of all names; records that no service needs are evicted first.
    package var records = 160_000
    /// Bytes of all records and names, about.
    package var bytes = 64 << 20
    /// Records that no service needs: an address can be announced before the service that it belongs to.
    package var unwantedRecords = 16_384
    /// Of one name, type and interface, PTR records aside.
    package var recordsOfName = 64
    /// Bytes of the data of a record.
    package var data = 4096

    package init() {}
  }

  /// Reports are collected for this time, because the records of a service come in several packets.
  static let settlingTime = 10 * Time.millisecond
  /// After a report on many services, the next one waits for this time for each: a packet about a host can change thousands.
  static let pauseForService = Time.millisecond / 20
  /// The same for each SRV record that names the host, because few of them may belong to a service.
  static let pauseForPlace = Time.millisecond / 200
  /// Records that can be due together may be as many as the cache holds, and other events of the process must not wait for all of them.
  static let mostRecordsAtOnce = 2000
  /// One second, for goodbyes and replaced records. RFC 6762 §10.1, §10.2.
  static let grace = 1 * Time.second
  /// For records in doubt. RFC 6762 §10.4, §10.5.
  static let patience = 10 * Time.second
  /// In seconds: a day. Longer times are cut, so that one packet doesn't fill the cache forever.
  static let longestTTL: UInt32 = 86_400

  let configuration: Configuration
  var random: MDNSRandom
  var now: Int64 = 0
  var cache = RecordCache()
  var searches: [Search?] = []
  var links: [BrowserLink] = []
  var lookups = LookupTable()
  var services = ServiceList()
  /// Names on interfaces whose records changed during this input.
  var touched: [(name: NameID, interface: UInt32)] = []
  /// Hosts whose addresses changed since the last reports.
  var touchedHosts: [NameID] = []
  var settleDue: Int64?
  var settleNotBefore = Time.past
  var outputs: [MDNSBrowserOutput] = []
  var echoes = EchoTable()
  var scan = DNSScan()
  var owner = NameBuffer()
  var target = NameBuffer()

  /// - Parameter random: decides delays; the same seed and inputs give the same outputs.
  package init(_ configuration: Configuration = Configuration(), random: MDNSRandom) {
    self.configuration = configuration
    self.random = random
  }

  // MARK: Searches

  /// Begins to search for a service type on all interfaces. Does nothing if it is searched for already.
  /// - Parameter type: such as "_hap._tcp", or with a subtype "_L3840._sub._matterc._udp".
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
    // Another spelling of a type that is searched for.
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

  /// Ends a search and forgets its services, without a report.
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

  /// Asks again for where a service is, because a connection to it failed. What isn't answered within ten seconds is dropped. RFC 6762 §10.4.
  /// - Parameter name: the instance's name as reported.
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

  /// Adds an interface, or replaces what is known of it. If its addresses changed, searches on it begin again.
  package mutating func setInterface(_ interface: MDNSInterface, at time: Duration) {
    advance(to: time)
    let place = links.firstIndex { $0.interface.index == interface.index }
    if let place, links[place].interface == interface { return }
    let states = searches.map { _ in SearchState(due: now + delay()) }
    if let place {
      links[place].interface = interface
      links[place].states = states
      // Addresses of another family may be of use now.
      for id in cache.all(onInterface: interface.index) where cache[id].type == DNSType.srv {
        touched.append((cache[id].target, interface.index))
      }
      evaluateTouched()
    } else {
      links.append(BrowserLink(interface: interface, states: states))
    }
  }

  /// Forgets all that was heard on an interface.
  package mutating func removeInterface(_ index: UInt32, at time: Duration) {
    advance(to: time)
    guard let place = links.firstIndex(where: { $0.interface.index == index }) else { return }
    links.remove(at: place)
    // A record that goes can't take another of the interface with it.
    for id in cache.all(onInterface: index) { drop(id) }
    evaluateTouched()
  }

  /// A datagram of any content, from any source.
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

  /// What the browser keeps, for measurements: instances, records, names, and the bytes of records and names, about.
  package var size: (services: Int, records: Int, names: Int, bytes: Int) {
    (services.count, cache.count, cache.names.count, cache.totalBytes)
  }

  // MARK: Time

  /// When `advance(to:)` has to be called; nil: not before the next input.
  package var nextDeadline: Duration? {
    var due = cache.deadlines.first?.due ?? .max
    due = min(due, lookups.deadlines.first?.due ?? .max, settleDue ?? .max)
    for link in links {
      for (index, state) in link.states.enumerated() where searches[index] != nil { due = min(due, state.due) }
      if let next = link.nextSend { due = min(due, max(next, now)) }
    }
    return due == .max ? nil : .nanoseconds(due)
  }

  /// Performs what is due.
  package mutating func advance(to time: Duration) {
    now = max(now, Time.nanoseconds(time))
    performRecords()
    evaluateTouched()
    performLookups()
    for place in links.indices { send(place) }
    if let settleDue, settleDue <= now { report() }
  }

  /// The outputs since the last call, in order.
  package mutating func takeOutputs() -> [MDNSBrowserOutput] {
    defer { outputs = [] }
    return outputs
  }

  /// 20 to 120 ms. RFC 6762 §5.2.
  mutating func delay() -> Int64 { Time.nanoseconds(random.milliseconds(20...120)) }
}
