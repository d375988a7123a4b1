import HAPWire

/// Compares queries of other hosts with the browser's questions and records.
extension MDNSBrowser {
  /// Compares a multicast query that contains all of its known answers with the browser's questions and records.
  mutating func observeQuery(_ bytes: UnsafeRawBufferPointer, _ place: Int) {
    let interface = links[place].interface.index
    var known: Set<RecordID>?
    var hasUnknown = false
    for question in scan.entries where question.section == .question && question.classField == 1 {
      guard owner.read(bytes, at: question.name, before: bytes.count) != nil,
        let name = cache.names.find(owner)
      else { continue }
      if known == nil { (known, hasUnknown) = readKnownAnswers(bytes, interface) }
      let answers = known ?? []
      if !hasUnknown { suppress(name, question.type, place) }
      observe(name, question.type, place, known: answers)
    }
  }

  /// Returns the known answers of a query that are in the cache, and whether there are other answers that the browser
  /// would not have sent.
  private mutating func readKnownAnswers(
    _ bytes: UnsafeRawBufferPointer, _ interface: UInt32
  ) -> (known: Set<RecordID>, hasUnknown: Bool) {
    var known: Set<RecordID> = []
    var hasUnknown = false
    for record in scan.entries where record.section == .answer {
      guard let id = find(bytes, record, interface), isKnownAnswer(cache[id]) else {
        hasUnknown = true
        continue
      }
      known.insert(id)
    }
    return (known, hasUnknown)
  }

  /// Returns the cached record that is equal to a record in a packet.
  private mutating func find(
    _ bytes: UnsafeRawBufferPointer, _ record: DNSScan.Entry, _ interface: UInt32
  ) -> RecordID? {
    guard owner.read(bytes, at: record.name, before: bytes.count) != nil,
      let name = cache.names.find(owner)
    else { return nil }
    // A name at the end of the data may be compressed.
    let head = record.type == DNSType.srv ? 6 : record.type == DNSType.ptr ? 0 : record.data.count
    guard head <= record.data.count else { return nil }
    let data = bytes[record.data.lowerBound..<(record.data.lowerBound + head)]
    guard head < record.data.count || record.type == DNSType.ptr else {
      return cache.first(of: name) {
        $0.type == record.type && $0.interface == interface && $0.data.elementsEqual(data)
      }
    }
    guard
      target.read(bytes, at: record.data.lowerBound + head, before: record.data.upperBound) != nil,
      let goal = cache.names.find(target)
    else { return nil }
    if record.type == DNSType.ptr {
      return cache.pointers(to: goal) { $0.name == name && $0.interface == interface }.first
    }
    return cache.first(of: name) {
      $0.type == record.type && $0.interface == interface && $0.target == goal && $0.data.elementsEqual(data)
    }
  }

  /// Skips the browser's next question, because another host has just sent the same question. The browser never skips
  /// two questions in a row, so that no host can prevent its questions. RFC 6762 §7.3.
  private mutating func suppress(_ name: NameID, _ type: UInt16, _ place: Int) {
    let soon = now + Time.second
    if type == DNSType.ptr, let search = cache.names[name].search {
      var state = links[place].states[search]
      guard state.sent > 0, state.due < soon, !state.wasSuppressed else { return }
      scheduleNext(&state)
      state.wasSuppressed = true
      links[place].states[search] = state
    } else if let id = lookups.find(cache.names[name], links[place].interface.index) {
      let isDue = lookups[id].isWaiting || (lookups.deadlines.due(of: id) ?? .max) < soon
      let kind = RecordKinds(type: type)
      guard isDue, lookups[id].wasSuppressed.isDisjoint(with: kind) else { return }
      lookups[id].suppressed.formUnion(kind)
      lookups[id].wasSuppressed.formUnion(kind)
    }
  }

  /// Handles another host's question for records in the cache. The question counts as the browser's question. If a
  /// record doesn't arrive after two such questions, it expires within ten seconds. RFC 6762 §7.3, §10.5.
  private mutating func observe(_ name: NameID, _ type: UInt16, _ place: Int, known: Set<RecordID>) {
    if let search = cache.names[name].search {
      guard type == DNSType.ptr else { return }
      // At most once a second, because there may be many records.
      guard links[place].states[search].observed <= now - Time.second else { return }
      links[place].states[search].observed = now
    }
    let interface = links[place].interface.index
    let expected = cache.all(of: name, type: type) { record in
      record.interface == interface && record.isWanted && record.state != .leaving
        // A responder doesn't send a record again that it has just sent. RFC 6762 §6.
        && record.received <= now - Time.second
        && (record.unanswered == 0 || record.lastUnanswered <= now - Time.second)
    }
    for id in expected where !known.contains(id) {
      if cache[id].state == .current, let due = cache.deadlines.due(of: id), due < now + Time.second,
        due < cache[id].expires
      {
        cache[id].questions += 1
        cache.schedule(id, notBefore: now + Time.second)
      }
      cache[id].unanswered += 1
      cache[id].lastUnanswered = now
      if cache[id].unanswered >= 2 { leave(id, after: Self.patience) }
    }
  }
}
