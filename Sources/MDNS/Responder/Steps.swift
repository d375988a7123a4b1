extension MDNSResponder {
  /// The number of probes, and the pause after each. RFC 6762 §8.1.
  static let probeCount: UInt8 = 3
  static let probePause = 250 * Time.millisecond
  /// The number of announcements, and the pause between them. RFC 6762 §8.3.
  static let announcementCount: UInt8 = 2
  static let announcementPause = Time.second

  /// Returns the time of the first probe for names that are published now. RFC 6762 §8.1: it is a random time of up to
  /// 250 ms, so that machines that are switched on together don't probe together. Names that are published during this
  /// time share the time and the packets.
  mutating func initialTime() -> Int64 {
    if start <= now { start = now + Time.nanoseconds(random.milliseconds(0...250)) }
    return start
  }

  // MARK: States

  func state(_ ref: Ref, on link: Int) -> ClaimState {
    ref.kind == .host ? links[link].hosts[ref.index] : links[link].services[ref.index]
  }

  @inline(__always)
  mutating func withState<Result>(
    _ ref: Ref, on link: Int, _ body: (inout ClaimState) -> Result
  ) -> Result {
    ref.kind == .host ? body(&links[link].hosts[ref.index]) : body(&links[link].services[ref.index])
  }

  /// Returns the behavior of a service, or of the first service of a host.
  func behavior(of ref: Ref) -> MDNSBehavior {
    if ref.kind == .service { return behavior(ref.index) }
    return hosts[ref.index].services.first.map { behavior(Int($0)) } ?? MDNSBehavior()
  }

  /// Starts to probe for a name, with the first probe.
  mutating func probe(_ ref: Ref, on link: Int, at time: Int64) {
    let probes = behavior(of: ref).probes ? 0 : Self.probeCount
    let host = ref.kind == .host ? ref.index : Int(services[ref.index].host)
    let isPlaced = isPlaced(host, on: link)
    withState(ref, on: link) { state in
      state.stage = isPlaced ? .probing : .idle
      state.probes = probes
      state.announcements = 0
      state.waiting = []
      state.answerDue = Time.never
      state.due = time
    }
    links[link].steps.insert(ref, at: time)
  }

  /// Returns whether the service's records may be sent: its name and its host's name are verified.
  @inline(__always)
  func isUp(_ index: Int, on link: Int) -> Bool {
    links[link].services[index].stage == .verified && services[index].isLive
      && links[link].hosts[Int(services[index].host)].stage == .verified
  }

  /// Returns whether the name has records that may be sent.
  func isThere(_ ref: Ref, on link: Int) -> Bool {
    switch ref.kind {
    case .service: isUp(ref.index, on: link)
    case .host: links[link].hosts[ref.index].stage == .verified
    case .type, .subtype, .serviceList: true
    }
  }

  // MARK: Steps

  /// Sends due probes and announcements within the rate limit.
  mutating func runSteps() {
    if !leaving.isEmpty { sayGoodbyes() }
    for link in links.indices where (links[link].steps.first?.due ?? Time.never) <= now { runSteps(on: link) }
  }

  private mutating func runSteps(on link: Int) {
    beginTick(on: link)
    var probes = packer(.probe, link: link)
    var news = packer(.response, link: link)
    let most = configuration.packetsPerTick - links[link].stepPackets
    let room = links[link].room
    while let next = links[link].steps.first, next.due <= now {
      guard probes.hasRoom(within: most - news.packetsInAll, of: room),
        news.hasRoom(within: most - probes.packetsInAll, of: room)
      else { break }
      _ = links[link].steps.removeFirst()
      let state = state(next.key, on: link)
      guard state.due == next.due else { continue }
      switch state.stage {
      case .idle: break
      case .probing: continueProbing(next.key, on: link, &probes)
      case .verified: continueAnnouncing(next.key, on: link, &news)
      }
    }
    flush(&probes)
    flush(&news)
    links[link].stepPackets += probes.packets + news.packets
    if links[link].steps.isEmpty { links[link].leaving = [] }
  }

  /// Resets the packet counts if a tick has passed.
  mutating func beginTick(on link: Int) {
    guard now - links[link].tick >= tick else { return }
    links[link].tick = now
    links[link].stepPackets = 0
    links[link].bulkPackets = 0
  }

  private mutating func schedule(_ ref: Ref, on link: Int, after pause: Int64) {
    let due = now + pause
    withState(ref, on: link) { $0.due = due }
    links[link].steps.insert(ref, at: due)
  }

  private mutating func continueProbing(_ ref: Ref, on link: Int, _ packer: inout Packer) {
    let sent = state(ref, on: link).probes
    guard sent < Self.probeCount else { return verified(ref, on: link) }
    withState(ref, on: link) { $0.probes = sent + 1 }
    add(Packer.Item(ref: ref, answers: ref.kind == .host ? .addresses : [.srv, .text]), to: &packer)
    schedule(ref, on: link, after: Self.probePause)
  }

  /// Marks a name as verified, because no host objected to it. RFC 6762 §8.1.
  private mutating func verified(_ ref: Ref, on link: Int) {
    withState(ref, on: link) { state in
      state.stage = .verified
      state.due = Time.never
    }
    if ref.kind == .service { return announceVerified(ref.index, on: link) }
    for service in hosts[ref.index].services where links[link].services[Int(service)].stage == .verified {
      announceVerified(Int(service), on: link)
    }
  }

  /// Announces a service if its host is verified too.
  private mutating func announceVerified(_ index: Int, on link: Int) {
    guard isUp(index, on: link) else { return }
    announce(index, announcement(of: index), on: link)
    guard !services[index].isRegistered else { return }
    services[index].isRegistered = true
    services[index].isHeard = false
    report(.registered(id(index), name: services[index].name, host: hosts[Int(services[index].host)].name))
  }

  // MARK: Announcements

  /// Returns all records of a service and its host.
  func announcement(of index: Int) -> Records {
    [.pointer, .listed, .srv, .text, .v4, .v6, .subtypes(services[index].subtypes.count)]
  }

  /// Announces records of a service now and once more, if its names are verified. RFC 6762 §8.3, §8.4.
  mutating func announce(_ index: Int, _ records: Records, on link: Int) {
    guard isUp(index, on: link) else { return }
    links[link].services[index].announcements = Self.announcementCount
    links[link].services[index].announced.formUnion(records)
    schedule(Ref(.service, index), on: link, after: 0)
  }

  /// Announces the addresses of a host.
  mutating func announce(host index: Int, on link: Int) {
    guard links[link].hosts[index].stage == .verified else { return }
    links[link].hosts[index].announcements = Self.announcementCount
    links[link].hosts[index].announced.formUnion(.addresses)
    schedule(Ref(.host, index), on: link, after: 0)
  }

  private mutating func continueAnnouncing(_ ref: Ref, on link: Int, _ packer: inout Packer) {
    let state = state(ref, on: link)
    let behavior = behavior(of: ref)
    guard state.announcements > 0, ref.kind == .host || isUp(ref.index, on: link) else { return }
    if behavior.announces {
      var records = state.announced
      if ref.kind == .service, links[link].types[Int(services[ref.index].type)].listedSent > now - Time.second {
        records.remove(.listed)
      }
      add(Packer.Item(ref: ref, answers: records), to: &packer)
      noteSent(records, of: ref, on: link)
      withState(ref, on: link) { $0.wasAnnounced = true }
    }
    let repeats = ref.kind == .service ? behavior.repeats : nil
    let left = state.announcements - 1
    withState(ref, on: link) { state in
      state.announcements = repeats == nil ? left : Self.announcementCount
      if left == 0, repeats == nil { state.announced = [] }
      state.due = Time.never
    }
    if let repeats {
      schedule(ref, on: link, after: max(Time.nanoseconds(repeats), Time.millisecond))
    } else if left > 0 {
      schedule(ref, on: link, after: Self.announcementPause)
    }
  }

  /// Returns the NSEC record for a host without addresses of one family, if addresses were asked for. RFC 6762 §6.2.
  /// Announcements and answers about services don't contain it. With it, 1000 services would have more records than the
  /// 4096 in Avahi's cache.
  func denial(of ref: Ref, _ records: Records, on link: Int) -> Records {
    guard !records.isDisjoint(with: .addresses) else { return [] }
    let host = ref.kind == .host ? ref.index : Int(services[ref.index].host)
    let addresses = addresses(ofHost: host, on: link)
    let first = addresses.first?.isV4
    return addresses.contains { $0.isV4 != first } ? [] : .hostDenial
  }

  // MARK: Goodbyes

  /// The earliest time for the next goodbyes.
  var goodbyeTime: Int64 {
    links.filter { $0.stepPackets >= configuration.packetsPerTick }.map { $0.tick + tick }.max() ?? now
  }

  /// Sends goodbyes for withdrawn services within the rate limit. RFC 6762 §10.1.
  mutating func sayGoodbyes() {
    var packers = links.indices.map { packer(.goodbye, link: $0) }
    for link in links.indices { beginTick(on: link) }
    let most = configuration.packetsPerTick
    func isFull(_ packer: Packer) -> Bool {
      let link = links[packer.link]
      return !packer.hasRoom(within: most - link.stepPackets, of: link.room)
    }
    var done = 0
    while done < leaving.count, !packers.contains(where: isFull) {
      let index = Int(leaving[done])
      for link in links.indices where links[link].services[index].wasAnnounced {
        var records = announcement(of: index).subtracting(.listed)
        let host = Int(services[index].host)
        if hosts[host].isLive { records.subtract(.addresses) }
        // The host has a new name that was not announced yet.
        if !links[link].hosts[host].wasAnnounced { records.subtract([.srv, .addresses]) }
        add(Packer.Item(ref: Ref(.service, index), answers: records), to: &packers[link])
      }
      done += 1
    }
    for link in links.indices {
      flush(&packers[link])
      links[link].stepPackets += packers[link].packets
    }
    for index in leaving[..<done] { free(Int(index)) }
    leaving.removeFirst(done)
  }
}
