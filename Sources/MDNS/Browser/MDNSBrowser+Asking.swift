import HAPWire

/// The questions: their due times and their packets.
extension MDNSBrowser {
  func linkPlace(_ interface: UInt32) -> Int? { links.firstIndex { $0.interface.index == interface } }

  // MARK: Lookups

  /// Schedules lookups of the names whose records changed, if records are missing.
  mutating func evaluateTouched() {
    if touched.isEmpty { return }
    var names: [(name: NameID, interface: UInt32)] = []
    swap(&names, &touched)
    for (name, interface) in names { evaluate(name, interface) }
  }

  private mutating func evaluate(_ name: NameID, _ interface: UInt32) {
    guard let id = lookups.find(cache.names[name], interface), let place = linkPlace(interface) else { return }
    let missing = missing(lookups[id], place)
    if missing.isEmpty {
      lookups.deadlines.remove(id)
      lookups[id].attempts = 0
      lookups[id].suppressed = []
      lookups[id].wasSuppressed = []
    } else if !lookups[id].isWaiting, lookups.deadlines.due(of: id) == nil {
      // The questions for all names that were found during one delay are sent together.
      if links[place].batch <= now { links[place].batch = now + delay() }
      lookups[id].attempts = 0
      lookups.deadlines.set(id, to: links[place].batch)
    }
  }

  /// Returns the kinds of records that are needed, are not in the cache, and are not denied by an NSEC record.
  private func missing(_ lookup: Lookup, _ place: Int) -> RecordKinds {
    var missing: RecordKinds = []
    if lookup.instances > 0 { missing.formUnion(.instance) }
    if lookup.users > 0 {
      if links[place].interface.usesV4 { missing.insert(.v4) }
      if links[place].interface.usesV6 { missing.insert(.v6) }
    }
    var known: RecordKinds = []
    _ = cache.first(of: lookup.name) { record in
      guard record.interface == lookup.interface else { return false }
      if record.type == DNSType.nsec {
        missing.formIntersection(RecordKinds(rawValue: record.data.first ?? 0))
      } else {
        known.formUnion(RecordKinds(type: record.type))
      }
      return false
    }
    missing.subtract(known)
    if lookup.attempts >= Lookup.attemptsForSecondFamily, !known.isDisjoint(with: .addresses) {
      missing.subtract(.addresses)
    }
    return missing
  }

  mutating func performLookups() {
    while let first = lookups.deadlines.first, first.due <= now {
      lookups.deadlines.remove(first.id)
      guard let place = linkPlace(lookups[first.id].interface) else { continue }
      lookups[first.id].isWaiting = true
      links[place].waiting.append(lookups[first.id].name)
    }
  }

  // MARK: Records

  /// Requests a question for a record that is in the cache.
  mutating func ask(for record: CachedRecord) {
    guard let place = linkPlace(record.interface) else { return }
    if record.type == DNSType.ptr {
      // One question is for all PTR records of the type. It is not repeated if it was just sent.
      guard let search = cache.names[record.name].search, links[place].states[search].restUntil <= now else { return }
      links[place].states[search].isWanted = true
    } else if links[place].refreshes.last.map({ $0 == (record.name, record.type) }) != true,
      links[place].refreshes.count < configuration.limits.records
    {
      links[place].refreshes.append((record.name, record.type))
    }
  }

  // MARK: Packets

  /// Sends the due questions on an interface.
  mutating func send(_ place: Int) {
    let due = links[place].states.indices.filter { index in
      let state = links[place].states[index]
      return searches[index] != nil && (state.due <= now || state.isWanted)
    }
    guard !due.isEmpty || links[place].nextSend != nil else { return }
    var query = Query(packer: QueryPacker(limit: room(place)), interface: links[place].interface.index)
    for index in due { add(search: index, to: &query, place) }
    while !links[place].refreshes.isEmpty || !links[place].waiting.isEmpty, links[place].maySend(at: now) {
      fillPacket(&query, place)
      links[place].didSend(at: now)
      finishPacket(&query)
    }
    finishPacket(&query)
    for index in due { didSend(index, place, packets: query.packer.packets.count) }
    for packet in query.packer.packets { output(packet, links[place].interface) }
  }

  private func room(_ place: Int) -> Int {
    let interface = links[place].interface
    return interface.usesV6 ? interface.room(isV4: false) : interface.room(isV4: true)
  }

  /// The packets of a query that is being written.
  struct Query {
    var packer: QueryPacker
    let interface: UInt32
    /// The questions of the current packet.
    var asked: [(name: NameID, type: UInt16)] = []
  }

  private mutating func add(search index: Int, to query: inout Query, _ place: Int) {
    guard let name = searches[index]?.name else { return }
    let wantsUnicast = links[place].states[index].sent == 0 && !configuration.sharesPort
    if add((name, DNSType.ptr), to: &query, wantsUnicast: wantsUnicast) { return }
    finishPacket(&query)
    _ = add((name, DNSType.ptr), to: &query, wantsUnicast: wantsUnicast)
  }

  /// Adds a question.
  /// - Returns: false if there is no room in the packet.
  private func add(_ question: (name: NameID, type: UInt16), to query: inout Query, wantsUnicast: Bool = false) -> Bool
  {
    let wire = cache.names[question.name].wire
    guard query.packer.append(question: wire, type: question.type, wantsUnicast: wantsUnicast) else { return false }
    query.asked.append(question)
    return true
  }

  /// Adds questions for single records until the packet is full or no question waits.
  private mutating func fillPacket(_ query: inout Query, _ place: Int) {
    var taken = 0
    for question in links[place].refreshes {
      let isDue = cache.first(of: question.name) {
        $0.type == question.type && $0.interface == query.interface && $0.questions > 0 && $0.state != .leaving
      }
      let isRepeated = query.asked.contains { $0 == question }
      if isDue != nil, !isRepeated, !add(question, to: &query) { break }
      taken += 1
    }
    links[place].refreshes.removeFirst(taken)
    guard links[place].refreshes.isEmpty else { return }
    taken = 0
    for name in links[place].waiting {
      guard look(up: name, &query, place) else { break }
      taken += 1
    }
    links[place].waiting.removeFirst(taken)
  }

  /// Adds the questions of a lookup.
  /// - Returns: false if there is no room for all questions. The others are added to the next packet.
  private mutating func look(up name: NameID, _ query: inout Query, _ place: Int) -> Bool {
    guard let id = lookups.find(cache.names[name], query.interface), lookups[id].isWaiting else { return true }
    let missing = missing(lookups[id], place)
    for (kind, type) in RecordKinds.types where missing.contains(kind) && !lookups[id].suppressed.contains(kind) {
      guard add((name, type), to: &query) else { return false }
      lookups[id].suppressed.insert(kind)
      lookups[id].wasSuppressed.remove(kind)
    }
    lookups[id].suppressed = []
    lookups[id].isWaiting = false
    if missing.isEmpty { return true }
    lookups[id].attempts += 1
    lookups.deadlines.set(id, to: now + SearchState.pause(after: lookups[id].attempts))
    return true
  }

  /// Adds the known answers to the packet's questions, in several packets if necessary, and ends the packet.
  private func finishPacket(_ query: inout Query) {
    for question in query.asked {
      let known = cache.all(of: question.name, type: question.type) {
        $0.interface == query.interface && isKnownAnswer($0)
      }
      for id in known.reversed() { query.packer.append(knownAnswer(cache[id])) }
    }
    query.asked = []
    query.packer.finish()
  }

  /// Returns whether at least half of the record's TTL is left. RFC 6762 §7.1.
  func isKnownAnswer(_ record: CachedRecord) -> Bool {
    record.state == .current && Int64(record.ttl) <= 2 * ((record.expires - now) / Time.second)
  }

  private func knownAnswer(_ record: CachedRecord) -> QueryPacker.KnownAnswer {
    QueryPacker.KnownAnswer(
      name: cache.names[record.name].wire, type: record.type, ttl: UInt32((record.expires - now) / Time.second),
      data: record.data, target: record.target == NameTable.none ? nil : cache.names[record.target].wire)
  }

  private mutating func didSend(_ index: Int, _ place: Int, packets: Int) {
    var state = links[place].states[index]
    // The known answers of a large network need many packets. On average, they are sent at no more than ten packets a
    // second.
    state.restUntil = now + max(Time.second, Int64(packets) * 100 * Time.millisecond)
    if state.due <= now { scheduleNext(&state) }
    state.due = max(state.due, state.restUntil)
    state.isWanted = false
    state.wasSuppressed = false
    links[place].states[index] = state
  }

  func scheduleNext(_ state: inout SearchState) {
    state.sent += 1
    state.due = now + SearchState.pause(after: state.sent)
  }

  private mutating func output(_ packet: [UInt8], _ interface: MDNSInterface) {
    echoes.note(packet, at: now)
    for isV4 in [true, false] where isV4 ? interface.usesV4 : interface.usesV6 {
      outputs.append(.send(MDNSPacket(packet, interface: interface.index, to: .multicast(isV4: isV4))))
    }
  }
}
