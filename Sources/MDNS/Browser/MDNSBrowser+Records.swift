import HAPWire

/// Adds, refreshes and removes records, and updates the names and services that depend on them.
extension MDNSBrowser {
  /// Adds a record that was not in the cache, if there is room.
  mutating func insert(_ record: CachedRecord, search: Int? = nil) {
    // Eviction may remove the last other record of one of the names.
    cache.names.pinned = (record.name, record.target)
    let hasRoom = makeRoom(for: record)
    cache.names.pinned = nil
    guard hasRoom else {
      cache.names.releaseIfUnused(record.name)
      if record.target != NameTable.none, record.target != record.name { cache.names.releaseIfUnused(record.target) }
      return
    }
    let id = cache.insert(record)
    cache[id].delay = randomDelay(record.type)
    if record.type == DNSType.ptr, let search {
      insertPointer(id, search: search)
    } else if isNeeded(record) {
      setWanted(id, true)
    }
    touched.append((record.name, record.interface))
  }

  private mutating func insertPointer(_ id: RecordID, search: Int) {
    let (instance, interface) = (cache[id].target, cache[id].interface)
    cache.setWanted(id, true)
    let lookup = lookups.make(instance, interface, &cache.names)
    lookups[lookup].instances += 1
    if cache.names[instance].service == NameTable.none {
      cache.names[instance].service = services.insert(instance, search: search)
      updateWanted(of: instance)
    }
    touchService(of: instance)
    touched.append((instance, interface))
  }

  /// Removes a record, and the names and services that only this record refers to.
  mutating func drop(_ id: RecordID) {
    let record = cache[id]
    touched.append((record.name, record.interface))
    if record.type == DNSType.ptr {
      dropPointer(id)
    } else {
      // Removed first, because the name of an SRV record can be the host that it refers to.
      cache.remove(id)
      if record.isWanted { didChangeNeed(of: record, isWanted: false) }
    }
  }

  private mutating func dropPointer(_ id: RecordID) {
    let (instance, interface, owner) = (cache[id].target, cache[id].interface, cache[id].name)
    cache.remove(id)
    if let lookup = lookups.find(cache.names[instance], interface) {
      lookups[lookup].instances -= 1
      lookups.removeIfUnused(lookup, &cache.names)
    }
    let service = cache.names[instance].service
    guard service != NameTable.none else { return }
    let others = cache.pointers(to: instance)
    guard let other = others.last else { return endService(service) }
    // Another search has also found the service, which therefore stays.
    guard searches[services[service].search]?.name == owner, !others.contains(where: { cache[$0].name == owner }),
      let search = cache.names[cache[other].name].search
    else { return }
    reportGone(service)
    services.setTold(service, nil)
    services[service].search = search
    touchService(of: instance)
  }

  private mutating func endService(_ service: UInt32) {
    let name = services[service].name
    reportGone(service)
    services.remove(service)
    cache.names[name].service = NameTable.none
    updateWanted(of: name)
    cache.names.releaseIfUnused(name)
  }

  private mutating func reportGone(_ service: UInt32) {
    if let told = services[service].told { outputs.append(.report(.gone(name: told.name, type: told.type))) }
  }

  // MARK: Needed records

  /// Returns whether a service or a search needs the record.
  private func isNeeded(_ record: CachedRecord) -> Bool {
    let entry = cache.names[record.name]
    switch record.type {
    case DNSType.ptr: return entry.search != nil
    case DNSType.srv, DNSType.txt: return entry.service != NameTable.none
    case DNSType.a, DNSType.aaaa: return entry.users > 0
    default: return entry.service != NameTable.none || entry.users > 0
    }
  }

  private mutating func updateWanted(of name: NameID) {
    for id in cache.all(of: name) { setWanted(id, isNeeded(cache[id])) }
  }

  private mutating func setWanted(_ id: RecordID, _ isWanted: Bool) {
    let record = cache[id]
    guard record.isWanted != isWanted else { return }
    cache.setWanted(id, isWanted)
    didChangeNeed(of: record, isWanted: isWanted)
  }

  /// Updates the service and the host of a record that has become part of a service, or is no longer part of one.
  private mutating func didChangeNeed(of record: CachedRecord, isWanted: Bool) {
    switch record.type {
    case DNSType.srv:
      touchService(of: record.name)
      isWanted ? addUser(record.target, record.interface) : removeUser(record.target, record.interface)
    case DNSType.txt: touchService(of: record.name)
    case DNSType.a, DNSType.aaaa: touchHost(record.name)
    default: break
    }
  }

  private mutating func addUser(_ host: NameID, _ interface: UInt32) {
    let lookup = lookups.make(host, interface, &cache.names)
    lookups[lookup].users += 1
    cache.names[host].users += 1
    if cache.names[host].users == 1 { updateWanted(of: host) }
    touched.append((host, interface))
  }

  private mutating func removeUser(_ host: NameID, _ interface: UInt32) {
    cache.names[host].users -= 1
    if cache.names[host].users == 0 { updateWanted(of: host) }
    guard let lookup = lookups.find(cache.names[host], interface) else { return }
    lookups[lookup].users -= 1
    lookups.removeIfUnused(lookup, &cache.names)
  }

  // MARK: Eviction

  /// Evicts records that no service needs, then instances that were never resolved, until there is room.
  /// - Returns: whether there is room.
  private mutating func makeRoom(for record: CachedRecord) -> Bool {
    let limits = configuration.limits
    let isInstance = record.type == DNSType.ptr
    let isWanted = isNeeded(record)
    if !isWanted, cache.unwantedCount >= limits.unwantedRecords, let first = cache.firstToGo { drop(first) }
    if isInstance, cache.names[record.target].service == NameTable.none, services.count >= limits.services,
      !dropOldestUnresolved(except: record.target)
    {
      return false
    }
    while cache.count >= limits.records || cache.totalBytes + record.byteCount > limits.bytes {
      if let first = cache.firstToGo {
        drop(first)
      } else if !isWanted || !dropOldestUnresolved(except: isInstance ? record.target : record.name) {
        return false
      }
    }
    return true
  }

  private mutating func dropOldestUnresolved(except name: NameID) -> Bool {
    guard let oldest = services.oldestUnresolved, services[oldest].name != name else { return false }
    for id in cache.pointers(to: services[oldest].name) { drop(id) }
    return true
  }

  // MARK: Time

  /// Returns a random delay for questions, as a share of the TTL. It is shorter for SRV and PTR records, because their
  /// answers bring the other records.
  private mutating func randomDelay(_ type: UInt16) -> Float {
    let isFirst = type == DNSType.srv || type == DNSType.ptr
    return Float.random(in: isFirst ? 0.005...0.0125 : 0.0125...0.02, using: &random)
  }

  /// Renews a record that has arrived again.
  mutating func renew(_ id: RecordID, ttl: UInt32) {
    cache[id].ttl = min(ttl, Self.longestTTL)
    cache[id].received = now
    cache[id].expires = now + Int64(cache[id].ttl) * Time.second
    cache[id].state = .current
    cache[id].questions = 0
    cache[id].unanswered = 0
    cache[id].delay = randomDelay(cache[id].type)
    cache.schedule(id)
  }

  /// Makes the record expire after a pause. No question is sent for it.
  mutating func leave(_ id: RecordID, after pause: Int64) {
    cache[id].expires = min(cache[id].expires, now + pause)
    cache[id].state = .leaving
    cache.schedule(id)
  }

  /// Sends two questions for the record, and makes it expire after ten seconds without an answer.
  mutating func doubt(_ id: RecordID) {
    guard cache[id].isWanted, cache[id].state == .current else { return }
    cache[id].expires = min(cache[id].expires, now + Self.patience)
    cache[id].state = .doubted
    cache[id].questions = 0
    cache.schedule(id)
  }

  /// Sends the due questions for records, and drops expired records. If more than `mostRecordsAtOnce` are due, the
  /// others remain due.
  mutating func performRecords() {
    for _ in 0..<Self.mostRecordsAtOnce {
      guard let first = cache.deadlines.first else { return }
      let record = cache[first.id]
      if record.expires <= now {
        drop(first.id)
        if record.type == DNSType.srv, record.isWanted { doubtPointers(to: record) }
        continue
      }
      // Questions that are due soon go into the same packet, never before 80 % of the time.
      let ahead = record.state == .current ? min(200 * Time.millisecond, Int64(record.ttl) * 5 * Time.millisecond) : 0
      guard first.due < record.expires, first.due <= now + ahead else { return }
      cache[first.id].questions += 1
      cache.schedule(first.id, notBefore: now + Time.second)
      ask(for: record)
    }
  }

  /// Doubts the PTR records of a service whose last SRV record has expired. RFC 6762 §10.4.
  private mutating func doubtPointers(to place: CachedRecord) {
    let other = cache.first(of: place.name) { $0.type == DNSType.srv && $0.interface == place.interface }
    guard other == nil else { return }
    for id in cache.pointers(to: place.name, where: { $0.interface == place.interface }) {
      guard let search = cache.names[cache[id].name].search, let link = linkPlace(place.interface),
        links[link].states[search].restUntil <= now + 3 * Time.second
      else { continue }
      doubt(id)
    }
  }
}
