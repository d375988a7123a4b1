extension MDNSResponder {
  // MARK: Interfaces

  /// Adds or updates an interface. Names are probed on a new interface, and new addresses are announced. RFC 6762 §8.
  package mutating func setInterface(_ interface: MDNSInterface, at now: Duration) {
    advance(to: now)
    for isV4 in [true, false] {
      let known = links.firstIndex { $0.interface.index == interface.index && $0.isV4 == isV4 }
      guard isV4 ? interface.usesV4 : interface.usesV6 else {
        if let known { links.remove(at: known) }
        continue
      }
      guard let known else {
        addLink(interface, isV4: isV4)
        continue
      }
      let old = links[known].interface
      links[known].interface = interface
      if old.addresses == interface.addresses { continue }
      // If addresses of a family are left, their announcement removes the old ones from caches. If none is left, the
      // old ones are withdrawn. RFC 6762 §10.1, §10.2. The addresses of an earlier change may not have been withdrawn
      // twice yet.
      let earlier = links[known].leaving.filter { !old.addresses.contains($0) }
      let leaving = (earlier + old.addresses).filter { address in
        !interface.addresses.contains { $0.isV4 == address.isV4 }
      }
      links[known].leaving = leaving.suffix(Link.mostLeaving)
      for host in hosts.indices where hosts[host].isLive { announce(host: host, on: known) }
    }
    placeHosts()
    forgetRegistrationsIfAlone()
    runSteps()
  }

  package mutating func removeInterface(_ index: UInt32, at now: Duration) {
    advance(to: now)
    links.removeAll { $0.interface.index == index }
    placeHosts()
    forgetRegistrationsIfAlone()
  }

  private mutating func addLink(_ interface: MDNSInterface, isV4: Bool) {
    var link = Link(interface, isV4: isV4)
    link.services = Array(repeating: ClaimState(), count: services.count)
    link.hosts = Array(repeating: ClaimState(), count: hosts.count)
    link.types = Array(repeating: TypeState(), count: types.count)
    links.append(link)
    let time = initialTime()
    for host in hosts.indices where hosts[host].isLive { probe(host: host, on: links.count - 1, at: time) }
  }

  /// Starts to probe for a host and its services.
  private mutating func probe(host: Int, on link: Int, at time: Int64) {
    probe(Ref(.host, host), on: link, at: time)
    for service in hosts[host].services where services[Int(service)].isLive {
      probe(Ref(.service, Int(service)), on: link, at: time)
    }
  }

  /// Updates the links of hosts with configured addresses after a change of interfaces.
  private mutating func placeHosts() {
    for host in hosts.indices where hosts[host].isLive && !hosts[host].addresses.isEmpty {
      for link in links.indices where (links[link].hosts[host].stage != .idle) != isPlaced(host, on: link) {
        probe(host: host, on: link, at: initialTime())
      }
    }
  }

  /// Marks all services as not registered if there is no interface.
  private mutating func forgetRegistrationsIfAlone() {
    guard links.isEmpty else { return }
    for index in services.indices { services[index].isRegistered = false }
    for index in leaving { free(Int(index)) }
    leaving = []
  }

  // MARK: Addresses

  /// Returns the addresses of a host that are announced on a link: configured ones, or those of the interface. The
  /// address of an interface is announced on that interface only.
  func addresses(ofHost index: Int, on link: Int) -> [MDNSAddress] {
    let given = hosts[index].addresses
    if given.isEmpty { return links[link].interface.addresses }
    let own = links[link].interface.addresses
    return given.filter { address in
      own.contains(address) || !links.contains { $0.interface.addresses.contains(address) }
    }
  }

  /// Returns whether a host is announced on a link. It isn't if all of its configured addresses belong to other
  /// interfaces.
  func isPlaced(_ host: Int, on link: Int) -> Bool {
    hosts[host].addresses.isEmpty || !addresses(ofHost: host, on: link).isEmpty
  }

  /// Returns whether a packet from this address may be one of ours.
  func isOwn(_ source: MDNSAddress) -> Bool {
    links.contains { $0.interface.assignments.contains { $0.address == source } }
  }

  // MARK: Deadlines

  func deadline(of link: Link) -> Int64 {
    var next = Time.never
    if let due = link.steps.first?.due {
      next = max(due, link.stepPackets >= configuration.packetsPerTick ? link.tick + tick : due)
    }
    for query in link.deferred { next = min(next, query.due) }
    for reply in link.replies { next = min(next, reply.due) }
    let bulk = link.bulkPackets >= configuration.packetsPerTick ? link.tick + tick : now
    if let due = link.answers.first?.due { next = min(next, max(due, bulk)) }
    for type in link.types {
      next = min(next, type.listedDue, type.running == nil ? max(type.due, bulk) : bulk)
    }
    for job in link.jobs { next = min(next, max(job.due, bulk)) }
    return next
  }
}
