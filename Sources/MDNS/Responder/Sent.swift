extension ClaimState {
  /// Returns the time at which the records were last multicast. For several records, it is the latest of their times.
  func sent(_ record: Records) -> Int64 {
    var latest = Time.past
    if !record.isDisjoint(with: [.pointer, .v4]) { latest = max(latest, pointerSent) }
    if !record.isDisjoint(with: .allSubtypes) { latest = max(latest, subtypesSent) }
    if !record.isDisjoint(with: lateSubtypes) { latest = max(latest, lateSubtypesSent) }
    if !record.isDisjoint(with: [.srv, .v6]) { latest = max(latest, srvSent) }
    if record.contains(.text) { latest = max(latest, textSent) }
    if !record.isDisjoint(with: [.serviceDenial, .hostDenial]) { latest = max(latest, denialSent) }
    return latest
  }

  mutating func noteSent(_ records: Records, at now: Int64) {
    if !records.isDisjoint(with: [.pointer, .v4]) { pointerSent = now }
    noteSubtypes(records.intersection(.allSubtypes), at: now)
    if !records.isDisjoint(with: [.srv, .v6]) { srvSent = now }
    if records.contains(.text) { textSent = now }
    if !records.isDisjoint(with: [.serviceDenial, .hostDenial]) { denialSent = now }
    waiting.subtract(records)
  }

  /// Notes that some subtypes were multicast. The time of the others is not changed, so that their answers are not
  /// delayed.
  private mutating func noteSubtypes(_ sent: Records, at now: Int64) {
    guard !sent.isEmpty else { return }
    knownSubtypes.formUnion(sent)
    guard sent != knownSubtypes else {
      subtypesSent = now
      lateSubtypes = []
      return
    }
    lateSubtypes = now - lateSubtypesSent < Time.second ? lateSubtypes.union(sent) : sent
    lateSubtypesSent = now
  }

  /// Returns the records that were not multicast after a time.
  func notSent(_ records: Records, since time: Int64) -> Records {
    var left = records
    if lateSubtypesSent > time { left.subtract(lateSubtypes) }
    if subtypesSent > time { left.subtract(.allSubtypes) }
    for record in Self.groups where !records.isDisjoint(with: record) && sent(record.intersection(records)) > time {
      left.subtract(record)
    }
    return left
  }

  /// The groups of records that share a time. Subtypes have two.
  private static let groups: [Records] = [
    .pointer, .srv, .text, .serviceDenial, .v4, .v6, .hostDenial,
  ]

  /// Returns the earliest time at which one of the records was multicast.
  func earliest(_ records: Records) -> Int64 {
    let parts = Self.groups + [lateSubtypes, .allSubtypes.subtracting(lateSubtypes)]
    return parts.map { $0.intersection(records) }.filter { !$0.isEmpty }.map { sent($0) }.min() ?? Time.past
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

  /// Adds records to a multicast answer that is sent at a time or earlier.
  mutating func wait(_ records: Records, of ref: Ref, on link: Int, until due: Int64) {
    guard !records.isEmpty else { return }
    let isEarlier = withState(ref, on: link) { state in
      state.waiting.formUnion(records)
      guard due < state.answerDue else { return false }
      state.answerDue = due
      return true
    }
    if isEarlier { links[link].answers.insert(ref, at: due) }
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
