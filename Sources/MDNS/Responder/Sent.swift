extension ClaimState {
  /// Returns the time at which the records were last multicast. For several records, it is the latest of their times.
  func sent(_ records: Records) -> Int64 {
    var latest = Time.past
    for record in records.each { latest = max(latest, time(of: record)) }
    return latest
  }

  /// Returns the time at which a single record was last multicast.
  private func time(of record: Records) -> Int64 {
    switch record {
    case .pointer, .v4: return pointerSent
    case .srv, .v6: return srvSent
    case .text: return textSent
    case .serviceDenial, .hostDenial: return denialSent
    default:
      let place = record.lastSubtype
      return subtypesSent.indices.contains(place) ? subtypesSent[place] : Time.past
    }
  }

  mutating func noteSent(_ records: Records, at now: Int64) {
    if !records.isDisjoint(with: [.pointer, .v4]) { pointerSent = now }
    let missing = records.lastSubtype + 1 - subtypesSent.count
    if missing > 0 { subtypesSent += Array(repeating: Time.past, count: missing) }
    for place in subtypesSent.indices where records.contains(.subtype(place)) { subtypesSent[place] = now }
    if !records.isDisjoint(with: [.srv, .v6]) { srvSent = now }
    if records.contains(.text) { textSent = now }
    if !records.isDisjoint(with: [.serviceDenial, .hostDenial]) { denialSent = now }
    waiting.subtract(records)
  }

  /// Returns the records that were not multicast after a time.
  func notSent(_ records: Records, since time: Int64) -> Records {
    var left = records
    for record in records.each where self.time(of: record) > time { left.subtract(record) }
    return left
  }

  /// Returns the earliest time at which one of the records was multicast.
  func earliest(_ records: Records) -> Int64 {
    var earliest = records.isEmpty ? Time.past : Time.never
    for record in records.each { earliest = min(earliest, time(of: record)) }
    return earliest
  }
}

extension MDNSResponder {
  /// Notes the current time as the time at which these records were multicast. They are also removed from the waiting
  /// answers.
  mutating func noteSent(_ records: Records, of ref: Ref, on link: Int) {
    switch ref.kind {
    case .service:
      links[link].services[ref.index].noteSent(records.subtracting(.ofHost), at: now)
      let ofHost = records.intersection(.ofHost)
      if !ofHost.isEmpty { noteSent(ofHost, of: Ref(.host, Int(services[ref.index].host)), on: link) }
      if records.contains(.listed) { noteSent(.listed, of: Ref(.type, Int(services[ref.index].type)), on: link) }
    case .host:
      links[link].hosts[ref.index].noteSent(records, at: now)
      if !records.isDisjoint(with: .addresses) { links[link].hosts[ref.index].wasAnnounced = true }
    case .type:
      links[link].types[ref.index].listedSent = now
      links[link].types[ref.index].listedDue = Time.never
    case .subtype, .serviceList: break
    }
  }

  /// Returns the records of a service and its host that were not multicast after a time.
  func notSent(_ records: Records, of ref: Ref, on link: Int, since time: Int64) -> Records {
    if ref.kind == .host { return links[link].hosts[ref.index].notSent(records, since: time) }
    let own = links[link].services[ref.index].notSent(records.subtracting(.ofHost), since: time)
    let host = links[link].hosts[Int(services[ref.index].host)]
    return own.union(host.notSent(records.intersection(.ofHost), since: time))
  }

  /// Adds records to a multicast answer that is sent at a time or earlier. If all of them were multicast less than a
  /// second before that time, they wait until the second is over. RFC 6762 §6.
  mutating func wait(_ records: Records, of ref: Ref, on link: Int, until time: Int64) {
    guard !records.isEmpty else { return }
    let earlier = withState(ref, on: link) { state -> Int64? in
      state.waiting.formUnion(records)
      let free = state.earliest(records) + Time.second
      let due = free > time ? free + 1 : time
      guard due < state.answerDue else { return nil }
      state.answerDue = due
      return due
    }
    if let earlier { links[link].answers.insert(ref, at: earlier) }
  }

  /// Returns the additional records: those that a querier needs next. RFC 6763 §12.
  func additionals(to records: Records, of ref: Ref, on link: Int) -> Records {
    var more = Records()
    if !records.isDisjoint(with: [.pointer, .allSubtypes]) { more.formUnion([.srv, .text]) }
    if records.union(more).contains(.srv) || !records.isDisjoint(with: .addresses) { more.formUnion(.addresses) }
    more.formUnion(denial(of: ref, records, on: link))
    return more.subtracting(records)
  }

  /// Returns the additional records that were not multicast within the last second. RFC 6762 §6.
  func freshAdditionals(to records: Records, of ref: Ref, on link: Int) -> Records {
    notSent(additionals(to: records, of: ref, on: link), of: ref, on: link, since: now - Time.second)
  }
}
