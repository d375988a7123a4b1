import HAPWire

extension MDNSResponder {
  /// Handles a datagram. Its content and source can be anything.
  package mutating func receive(_ bytes: UnsafeRawBufferPointer, _ arrival: MDNSArrival, at now: Duration) {
    advance(to: now)
    guard (12...MDNS.largestPacket).contains(bytes.count),
      let link = links.firstIndex(where: {
        $0.interface.index == arrival.interface && $0.isV4 == arrival.source.address.isV4
      })
    else { return }
    if isOwn(arrival.source.address), let announced = echoes.take(bytes, at: self.now) { return heard(announced) }
    // RFC 6762 §11: a packet to the group comes from the link, whatever its source is. A packet that came from another link gets no answer.
    let isOnLink = links[link].interface.isOnLink(arrival.source.address)
    guard isOnLink || !arrival.isUnicast && arrival.source.port == MDNS.port else { return }
    guard scan.read(bytes), !scan.hasForeignCodes else { return }
    if scan.isResponse {
      // RFC 6762 §6: a response from a port other than 5353 is ignored.
      if arrival.source.port == MDNS.port { receiveResponse(bytes, arrival, on: link) }
    } else {
      receiveQuery(bytes, arrival, mayReply: isOnLink, on: link)
    }
    runSteps()
    runAnswers(on: link)
  }

  /// Handles a packet of this machine that was received again.
  private mutating func heard(_ announced: [MDNSServiceID]) {
    for id in announced {
      guard let index = index(of: id), services[index].isRegistered, !services[index].isHeard else { continue }
      services[index].isHeard = true
      report(.heard(id))
    }
  }

  // MARK: Responses

  private mutating func receiveResponse(_ bytes: UnsafeRawBufferPointer, _ arrival: MDNSArrival, on link: Int) {
    for entry in scan.entries where entry.section != .question && entry.plainClass == 1 {
      guard let ref = ref(entry.nameHash, bytes, at: entry.name) else { continue }
      switch ref.kind {
      case .service:
        guard entry.type == DNSType.srv || entry.type == DNSType.txt else { continue }
        let record = entry.type == DNSType.srv ? Records.srv : .text
        compare(isSame(entry, bytes, ref.index), entry, record, ref, arrival, on: link)
      case .host:
        guard entry.type == DNSType.a || entry.type == DNSType.aaaa else { continue }
        let record = entry.type == DNSType.a ? Records.v4 : .v6
        compare(isOwnAddress(entry, bytes, ofHost: ref.index), entry, record, ref, arrival, on: link)
      case .type, .subtype, .serviceList:
        guard let (target, record) = target(of: entry, ref, bytes) else { continue }
        if target.kind == .type {
          if entry.ttl >= MDNS.otherTTL, !arrival.isUnicast { noteSent(.listed, of: target, on: link) }
        } else {
          compare(true, entry, record, target, arrival, on: link)
        }
      }
    }
  }

  /// Handles another host's record for one of our names.
  private mutating func compare(
    _ isSame: Bool, _ entry: DNSScan.Entry, _ record: Records, _ ref: Ref, _ arrival: MDNSArrival, on link: Int
  ) {
    if !isSame {
      if entry.ttl > 0 { conflict(ref, on: link) }
      return
    }
    guard state(ref, on: link).stage == .verified else { return }
    let ttl = ttl(of: record, ref)
    if entry.ttl >= ttl {
      // RFC 6762 §7.4: the record replaces our own answer.
      if !arrival.isUnicast { noteSent(record, of: ref, on: link) }
    } else if entry.ttl < ttl / 2 || entry.ttl == 0 {
      // RFC 6762 §6.6: with its TTL, caches would remove the record too early.
      wait(record, of: ref, on: link, until: now)
    }
  }

  func ttl(of record: Records, _ ref: Ref) -> UInt32 {
    let behavior = behavior(of: ref)
    return record.isDisjoint(with: [.srv, .v4, .v6, .hostDenial, .serviceDenial])
      ? behavior.otherTTL ?? MDNS.otherTTL : behavior.hostTTL ?? MDNS.hostTTL
  }

  // MARK: Comparing records

  /// Returns whether an SRV or TXT record has our data.
  func isSame(_ entry: DNSScan.Entry, _ bytes: UnsafeRawBufferPointer, _ index: Int) -> Bool {
    if entry.type == DNSType.txt {
      return bytes[entry.data].elementsEqual(services[index].blob[Int(services[index].labelLength)...])
    }
    let start = entry.data.lowerBound
    guard entry.data.count > 6, DNSScan.number(bytes, start) == 0, DNSScan.number(bytes, start + 2) == 0,
      DNSScan.number(bytes, start + 4) == services[index].port
    else { return false }
    return matches(Ref(.host, Int(services[index].host)), bytes, at: start + 6)
  }

  /// Returns whether an A or AAAA record has an address that we announce on any link. Two interfaces may be on one
  /// network.
  private func isOwnAddress(_ entry: DNSScan.Entry, _ bytes: UnsafeRawBufferPointer, ofHost index: Int) -> Bool {
    guard let address = MDNSAddress(bytes: bytes[entry.data]) else { return false }
    return links.indices.contains { addresses(ofHost: index, on: $0).contains(address) }
  }

  /// Returns our service or type to which a PTR record refers.
  func target(of entry: DNSScan.Entry, _ name: Ref, _ bytes: UnsafeRawBufferPointer) -> (Ref, Records)? {
    guard entry.type == DNSType.ptr,
      let hash = DNSScan.hash(bytes, at: entry.data.lowerBound, before: entry.data.upperBound)?.hash,
      let target = ref(hash, bytes, at: entry.data.lowerBound)
    else { return nil }
    switch (name.kind, target.kind) {
    case (.serviceList, .type): return (target, .listed)
    case (.type, .service) where Int(services[target.index].type) == name.index: return (target, .pointer)
    case (.subtype, .service):
      guard let place = services[target.index].subtypes.firstIndex(of: UInt32(name.index)) else { return nil }
      return (target, .subtype(place))
    default: return nil
    }
  }

  // MARK: Queries

  private mutating func receiveQuery(
    _ bytes: UnsafeRawBufferPointer, _ arrival: MDNSArrival, mayReply: Bool, on link: Int
  ) {
    let isProbe = scan.entries.contains { $0.section == .authority }
    let questions = questions(bytes)
    let cut = links[link].deferred.firstIndex { $0.querier.source == arrival.source }
    if questions.isEmpty, let cut, !scan.entries.contains(where: { $0.section == .question }) {
      // RFC 6762 §7.2: more known answers of the querier.
      noteKnown(bytes, query: links[link].deferred[cut].querier.query, on: link)
      if scan.isTruncated { delay(cut, on: link) }
      return
    }
    if isProbe { compareProbes(bytes, on: link) }
    guard !questions.isEmpty else { return }
    lastQuery = lastQuery == .max ? 1 : lastQuery + 1
    let querier = Querier(
      source: arrival.source, query: lastQuery, id: scan.id, isDirect: arrival.isUnicast, isProbe: isProbe,
      hasSeveralQuestions: !isProbe && scan.entries.count { $0.section == .question } > 1, mayReply: mayReply)
    if !isProbe { noteKnown(bytes, query: lastQuery, on: link) }
    if scan.isTruncated, !querier.isLegacy, links[link].deferred.count < Self.mostDeferred {
      let query = DeferredQuery(querier: querier, questions: questions, due: now, latest: now + 3 * Time.second)
      links[link].deferred.append(query)
      delay(links[link].deferred.count - 1, on: link)
      return
    }
    guard querier.isLegacy else { return answer(questions, querier, nil, on: link) }
    let (form, repeated) = legacyForm(questions, bytes)
    answer(repeated, querier, form, on: link)
  }

  /// The maximum number of truncated queries that wait for the rest of their known answers.
  static let mostDeferred = 32
  /// The maximum number of questions for our names that are answered.
  static let mostQuestions = 256

  private mutating func delay(_ index: Int, on link: Int) {
    let due = now + Time.nanoseconds(random.milliseconds(400...500))
    links[link].deferred[index].due = min(due, links[link].deferred[index].latest)
  }

  /// Returns the questions for our names.
  private func questions(_ bytes: UnsafeRawBufferPointer) -> [Question] {
    var found: [Question] = []
    for (place, entry) in scan.entries.enumerated() {
      guard entry.section == .question, found.count < Self.mostQuestions else { break }
      guard entry.plainClass == 1 || entry.plainClass == 255, let ref = ref(entry.nameHash, bytes, at: entry.name)
      else { continue }
      // A repeated question is answered once.
      if let same = found.firstIndex(where: { $0.ref == ref && $0.type == entry.type }) {
        found[same].wantsUnicast = found[same].wantsUnicast && entry.hasTopBit
      } else {
        found.append(Question(entry: place, ref: ref, type: entry.type, wantsUnicast: entry.hasTopBit))
      }
    }
    return found
  }

  /// The maximum size of the questions that an answer repeats, in bytes.
  static let mostLegacyBytes = 300

  /// Returns the id and the questions that the answer to a query repeats. Only questions for our names are repeated,
  /// without the QU bit, and only as many as leave room for answers.
  private func legacyForm(_ questions: [Question], _ bytes: UnsafeRawBufferPointer) -> (Packer.Form, [Question]) {
    var text: [UInt8] = []
    var count = 0
    for question in questions {
      let entry = scan.entries[question.entry]
      guard let name = Self.expandedName(bytes, at: entry.name, before: bytes.count) else { break }
      let fields = [entry.type, entry.plainClass].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      guard text.count + name.count + 1 + fields.count <= Self.mostLegacyBytes else { break }
      text += name + [0] + fields
      count += 1
    }
    return (.legacy(id: scan.id, questions: text, count: UInt16(count)), Array(questions[..<count]))
  }

  // MARK: Known answers

  /// Notes which of our records are known answers of the querier with at least half of their TTL. RFC 6762 §7.1.
  private mutating func noteKnown(_ bytes: UnsafeRawBufferPointer, query: UInt32, on link: Int) {
    var addressCounts: [(host: Int, record: Records, count: Int)] = []
    for entry in scan.entries where entry.section == .answer && entry.plainClass == 1 {
      guard let ref = ref(entry.nameHash, bytes, at: entry.name) else { continue }
      switch ref.kind {
      case .service:
        guard entry.type == DNSType.srv || entry.type == DNSType.txt, isSame(entry, bytes, ref.index) else { continue }
        setKnown(entry.type == DNSType.srv ? .srv : .text, ref, entry.ttl, query, on: link)
      case .host:
        guard let address = MDNSAddress(bytes: bytes[entry.data]), entry.ttl >= ttl(of: .v4, ref) / 2,
          addresses(ofHost: ref.index, on: link).contains(address)
        else { continue }
        let record = address.isV4 ? Records.v4 : .v6
        if let place = addressCounts.firstIndex(where: { $0.host == ref.index && $0.record == record }) {
          addressCounts[place].count += 1
        } else {
          addressCounts.append((ref.index, record, 1))
        }
      case .type, .subtype, .serviceList:
        guard let (target, record) = target(of: entry, ref, bytes) else { continue }
        if target.kind == .type {
          if entry.ttl >= MDNS.otherTTL / 2 { links[link].types[target.index].listedKnownIn = query }
        } else {
          setKnown(record, target, entry.ttl, query, on: link)
        }
      }
    }
    for (host, record, count) in addressCounts {
      let all = addresses(ofHost: host, on: link).filter { $0.isV4 == (record == .v4) }.count
      // All addresses of a family are sent, or none: a part of them would remove the others from caches.
      if count >= all { setKnown(record, Ref(.host, host), MDNS.hostTTL, query, on: link) }
    }
  }

  private mutating func setKnown(_ record: Records, _ ref: Ref, _ ttl: UInt32, _ query: UInt32, on link: Int) {
    guard ttl >= self.ttl(of: record, ref) / 2, behavior(of: ref).suppressesKnownAnswers else { return }
    withState(ref, on: link) { state in
      if state.knownIn != query {
        state.knownIn = query
        state.known = []
      }
      state.known.insert(record)
    }
  }
}
