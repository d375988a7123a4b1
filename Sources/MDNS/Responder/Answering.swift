import HAPWire

/// A query that is being answered.
private struct Answering {
  let querier: Querier
  let link: Int
  /// The answer to the querier only.
  var reply: Reply
  /// The immediate multicast answer that defends names against a probe.
  var defence: Packer
  /// Whether the querier may get a unicast answer now.
  var mayReply: Bool
  /// The time at which shared records are sent: after 20 to 120 ms. RFC 6762 §6.
  var sharedDue: Int64
  /// The time at which unique records are sent: at once, or at `sharedDue` if the query has several questions. RFC 6762
  /// §6.3.
  let uniqueDue: Int64
}

extension MDNSResponder {
  /// The minimum time between two multicast answers that defend a name against probes. RFC 6762 §6.
  static let defencePause = 250 * Time.millisecond
  static let mostJobs = 8
  /// The maximum number of unicast answers that wait on a link. Beyond it, an answer is sent at once.
  static let mostReplies = 64
  /// The maximum number of names in an answer to one querier. Further records are multicast, a few packets at a time.
  static let mostItems = 64
  /// The maximum number of names in an answer to a querier that doesn't support multicast DNS. A packet cannot contain
  /// as many.
  static let mostLegacyItems = 256

  mutating func answer(_ questions: [Question], _ querier: Querier, _ legacy: Packer.Form?, on link: Int) {
    let sharedDue = now + Time.nanoseconds(random.milliseconds(20...120))
    let uniqueDue = querier.hasSeveralQuestions ? sharedDue : now
    var answering = Answering(
      querier: querier, link: link, reply: Reply(querier: querier, form: legacy ?? .response, due: uniqueDue),
      defence: packer(.response, link: link), mayReply: querier.mayReply, sharedDue: sharedDue, uniqueDue: uniqueDue)
    let wantsReply =
      querier.isLegacy || querier.isDirect || querier.isProbe || questions.contains(where: \.wantsUnicast)
    if wantsReply, querier.mayReply {
      answering.mayReply = links[link].budget.isLeft(for: querier.source.address, at: now)
    }
    if querier.isLegacy, !answering.mayReply { return }
    for question in questions { answer(question, &answering) }
    if uniqueDue > now, !answering.reply.items.isEmpty, links[link].replies.count < Self.mostReplies {
      links[link].replies.append(answering.reply)
    } else {
      send(answering.reply, on: link)
    }
    flush(&answering.defence)
  }

  /// Sends an answer to its querier, without the names that were removed after the question arrived.
  mutating func send(_ reply: Reply, on link: Int) {
    let source = reply.querier.source.address
    guard links[link].budget.isLeft(for: source, at: now) else { return sendToAll(reply, on: link) }
    var packer = Packer(reply.form, link: link, to: .unicast(reply.querier.source))
    packer.isCut = reply.isCut
    if reply.querier.isLegacy { packer.mostPackets = 1 }
    for var item in reply.items where isThere(item.ref, on: link) {
      item.additionals = additionals(to: item.answers, of: item.ref, on: link)
      add(item, to: &packer)
    }
    flush(&packer)
  }

  /// Multicasts the answer, because the querier may get no further unicast packets now. A querier that doesn't support
  /// multicast DNS gets no answer.
  private mutating func sendToAll(_ reply: Reply, on link: Int) {
    if reply.querier.isLegacy || reply.querier.isProbe { return }
    for item in reply.items where item.ref.kind == .host || item.ref.kind == .service {
      guard isThere(item.ref, on: link), behavior(of: item.ref).announces else { continue }
      wait(item.answers, of: item.ref, on: link, until: now)
    }
  }

  private mutating func answer(_ question: Question, _ answering: inout Answering) {
    let isPointer = question.type == DNSType.ptr || question.type == DNSType.any
    let ref = question.ref
    switch ref.kind {
    case .service:
      guard isUp(ref.index, on: answering.link) else { return }
      let records: Records
      switch question.type {
      case DNSType.any: records = [.srv, .text]
      case DNSType.srv: records = .srv
      case DNSType.txt: records = .text
      // RFC 6762 §6.1: there is no such record.
      default: records = .serviceDenial
      }
      send(records, of: ref, question, &answering)
    case .host:
      guard links[answering.link].hosts[ref.index].stage == .verified else { return }
      send(hostAnswer(question, on: answering.link), of: ref, question, &answering)
    case .subtype:
      if isPointer { browse(subtype: ref.index, question, &answering) }
    case .type: if isPointer { browse(ref.index, question, &answering) }
    case .serviceList: if isPointer { list(question, &answering) }
    }
  }

  private func hostAnswer(_ question: Question, on link: Int) -> Records {
    let addresses = addresses(ofHost: question.ref.index, on: link)
    var there = Records()
    for address in addresses { there.insert(address.isV4 ? .v4 : .v6) }
    // If the configured address of the host belongs to another interface, the host has no address on this link. Another
    // link of the same network may announce it.
    if there.isEmpty { return [] }
    switch question.type {
    case DNSType.any: return there
    case DNSType.a: return there.contains(.v4) ? .v4 : .hostDenial
    case DNSType.aaaa: return there.contains(.v6) ? .v6 : .hostDenial
    default: return .hostDenial
    }
  }

  /// Sends records of one service or host to the querier, or by multicast.
  private mutating func send(_ all: Records, of ref: Ref, _ question: Question, _ answering: inout Answering) {
    let link = answering.link
    let behavior = behavior(of: ref)
    let state = state(ref, on: link)
    let records = state.knownIn == answering.querier.query ? all.subtracting(state.known) : all
    let isUnicast = question.wantsUnicast || answering.querier.isDirect
    if records.isEmpty || isUnicast && !behavior.hearsUnicast { return }
    if answering.querier.isLegacy || !behavior.announces { return reply(records, of: ref, &answering) }
    if answering.querier.isProbe {
      let ready = state.notSent(records, since: now - Self.defencePause)
      if ready.isEmpty { return reply(records, of: ref, &answering) }
      noteSent(ready, of: ref, on: link)
      return add(Packer.Item(ref: ref, answers: ready), to: &answering.defence)
    }
    var toAll = records
    if isUnicast, behavior.answersUnicast, answering.mayReply, answering.reply.items.count < Self.mostItems {
      // RFC 6762 §5.4: records that were not multicast for a quarter of their TTL are multicast again.
      toAll = []
      for record in [Records.pointer, .allSubtypes, .srv, .text, .serviceDenial, .v4, .v6, .hostDenial] {
        let part = records.intersection(record)
        guard !part.isEmpty else { continue }
        let quarter = Int64(ttl(of: part, ref)) * Time.second / 4
        if now - state.sent(part) > quarter { toAll.formUnion(part) }
      }
      reply(records.subtracting(toAll), of: ref, &answering)
    }
    let isShared = !toAll.isDisjoint(with: .shared)
    wait(toAll, of: ref, on: link, until: isShared ? answering.sharedDue : answering.uniqueDue)
  }

  private mutating func reply(_ records: Records, of ref: Ref, _ answering: inout Answering) {
    guard !records.isEmpty, answering.mayReply else { return }
    if answering.querier.isLegacy, answering.reply.items.count == Self.mostLegacyItems {
      answering.reply.isCut = true
    } else {
      answering.reply.items.append(Packer.Item(ref: ref, answers: records))
    }
  }

  // MARK: All services of a type

  /// Answers with all services of a subtype. Those that need a packet each are due at the rate of packets, so that they
  /// don't delay answers to questions that arrive meanwhile. The rate counts only services that send a packet by
  /// then: not those with a known or unicast answer, and not those whose record was just multicast.
  private mutating func browse(subtype: Int, _ question: Question, _ answering: inout Answering) {
    var packets = 0
    let start = answering.sharedDue
    for service in subtypes[subtype].services.map(Int.init) where isUp(service, on: answering.link) {
      guard let place = services[service].subtypes.firstIndex(of: UInt32(subtype)) else { continue }
      answering.sharedDue = start + Int64(packets / configuration.packetsPerTick) * tick
      send(.subtype(place), of: Ref(.service, service), question, &answering)
      let isDue = links[answering.link].services[service].answerDue <= answering.sharedDue
      if isDue, services[service].isAlone { packets += 1 }
    }
    answering.sharedDue = start
  }

  private mutating func browse(_ type: Int, _ question: Question, _ answering: inout Answering) {
    let link = answering.link
    let querier = answering.querier
    if querier.isLegacy {
      for service in types[type].services.map(Int.init) where isUp(service, on: link) && !answering.reply.isCut {
        reply(.pointer, of: Ref(.service, service), &answering)
      }
      return
    }
    for service in unannounced.map(Int.init) where Int(services[service].type) == type && isUp(service, on: link) {
      send(.pointer, of: Ref(.service, service), question, &answering)
    }
    let isUnicast = question.wantsUnicast || querier.isDirect
    // If a source repeats its question before all answers were sent, only its list of known answers is updated.
    if isUnicast,
      let same = links[link].jobs.firstIndex(where: { $0.type == type && $0.querier.source == querier.source })
    {
      links[link].jobs[same].querier = querier
      return
    }
    if isUnicast, answering.mayReply, links[link].jobs.count < Self.mostJobs {
      links[link].jobs.append(UnicastJob(type: type, querier: querier, due: answering.sharedDue))
      return
    }
    if links[link].types[type].waiting == nil {
      links[link].types[type].waiting = TypeState.Browse(asked: now, query: querier.query)
      links[link].types[type].due = answering.sharedDue
    } else {
      // Two queriers have different known answers. So all records are sent.
      links[link].types[type].waiting = TypeState.Browse(asked: now, query: 0)
    }
  }

  /// Answers a question for the list of service types. RFC 6763 §9.
  private mutating func list(_ question: Question, _ answering: inout Answering) {
    let link = answering.link
    let querier = answering.querier
    for type in types.indices where types[type].services.contains(where: { isUp(Int($0), on: link) }) {
      let state = links[link].types[type]
      if state.listedKnownIn == querier.query { continue }
      let isFresh = now - state.listedSent <= Int64(MDNS.otherTTL) * Time.second / 4
      let isUnicast = (question.wantsUnicast || querier.isDirect) && isFresh && answering.mayReply
      if querier.isLegacy || isUnicast {
        reply(.listed, of: Ref(.type, type), &answering)
      } else {
        links[link].types[type].listedDue = min(state.listedDue, answering.sharedDue)
      }
    }
  }
}
