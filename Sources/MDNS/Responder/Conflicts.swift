import HAPWire

extension MDNSResponder {
  /// Claims a name that no other service of this responder has, if possible the service's configured name.
  /// - Returns: false if the service was withdrawn.
  mutating func claimLocally(_ index: Int) -> Bool {
    if isTaken(services[index].hash, services[index].label, .service) {
      guard services[index].mayRename else {
        report(.gaveUp(id(index), name: services[index].name))
        remove(index, goodbye: false)
        return false
      }
      setNextName(index)
    }
    names.insert(Ref(.service, index).raw, services[index].hash)
    return true
  }

  /// Gives the service the next name that no other service of this responder has.
  private mutating func setNextName(_ index: Int) {
    let old = services[index].name
    let number = unlikelyNumber(Ref(.service, index))
    let type = types[Int(services[index].type)]
    let new = AlternativeName.ofService(number.map { AlternativeName.ofService(old, number: $0) } ?? old) { name in
      let label = Array(name.utf8)[...]
      return isTaken(Self.serviceHash(label, type), label, .service)
    }
    let text = services[index].blob[Int(services[index].labelLength)...]
    let label = Array(new.utf8)
    services[index].blob = label + text
    services[index].labelLength = UInt8(label.count)
    services[index].hash = Self.serviceHash(services[index].label, types[Int(services[index].type)])
    services[index].isRegistered = false
    report(.renamed(id(index), from: old, to: new))
  }

  // MARK: Conflicts

  /// Handles another host's conflicting record for one of our names. RFC 6762 §8.1, §9.
  mutating func conflict(_ ref: Ref, on link: Int) {
    let state = state(ref, on: link)
    guard behavior(of: ref).yieldsNames, state.stage != .idle else { return }
    if isHopeless(ref) { return defend(ref, on: link) }
    if state.stage == .verified {
      // A name that was probed recently is defended, because a conflicting host would have answered those probes.
      guard now - state.reprobed >= ConflictHistory.window else { return defend(ref, on: link) }
      let time = now
      withState(ref, on: link) { $0.reprobed = time }
      for service in affected(by: ref) { report(.conflict(id(service), name: name(of: ref))) }
      // The delay prevents that responses already in flight count as objections to the first probe.
      return probe(ref, on: link, at: now + Time.nanoseconds(random.milliseconds(20...250)))
    }
    // Conflicts before the first probe are ignored, because each forged one would change the name. A real one is
    // confirmed by an answer to that probe.
    if state.probes > 0 { lose(ref) }
  }

  /// Returns whether a name is kept despite conflicts.
  private mutating func isHopeless(_ ref: Ref) -> Bool {
    guard conflicts[ref]?.isHopeless(at: now) == true else { return false }
    conflicts[ref]?.extend(at: now)
    return true
  }

  private func affected(by ref: Ref) -> [Int] {
    ref.kind == .service ? [ref.index] : hosts[ref.index].services.map(Int.init)
  }

  func name(of ref: Ref) -> String { ref.kind == .service ? services[ref.index].name : hosts[ref.index].name }

  /// Sends the records of a verified name again, to replace the other host's records in caches.
  private mutating func defend(_ ref: Ref, on link: Int) {
    guard state(ref, on: link).stage == .verified else { return }
    wait(ref.kind == .host ? .addresses : [.srv, .text], of: ref, on: link, until: now)
  }

  /// Changes to the next name, or withdraws the services of the name if renaming isn't allowed. RFC 6762 §9.
  private mutating func lose(_ ref: Ref) {
    let pause = conflicts[ref, default: ConflictHistory()].note(at: now)
    guard ref.kind == .service ? services[ref.index].mayRename : hosts[ref.index].mayRename else {
      for service in affected(by: ref) {
        report(.gaveUp(id(service), name: services[service].name))
        remove(service, goodbye: false)
      }
      return
    }
    if ref.kind == .service { renameService(ref.index) } else { renameHost(ref.index) }
    let delay = pause > 0 ? pause : Time.nanoseconds(random.milliseconds(0...250))
    for link in links.indices { probe(ref, on: link, at: now + delay) }
  }

  private mutating func renameService(_ index: Int) {
    names.remove(Ref(.service, index).raw, services[index].hash)
    setNextName(index)
    names.insert(Ref(.service, index).raw, services[index].hash)
    // The records of the old name belong to the other host now.
    for link in links.indices { links[link].services[index].wasAnnounced = false }
  }

  /// Returns a random number after many conflicts. Another host is unlikely to have it, so further conflicts are
  /// probably forged.
  private mutating func unlikelyNumber(_ ref: Ref) -> Int32? {
    conflicts[ref]?.isUnlikely == true ? Int32.random(in: 10_000...99_999, using: &random) : nil
  }

  /// Gives the host the next name that no other host of this responder has.
  mutating func setNextHostName(_ index: Int, after old: String) {
    let new = AlternativeName.ofHost(old) { name in
      let label = Array(name.utf8)
      return isTaken(Self.hostHash(label), label[...], .host)
    }
    hosts[index].label = Array(new.utf8)
    hosts[index].hash = Self.hostHash(hosts[index].label)
  }

  private mutating func renameHost(_ index: Int) {
    let old = hosts[index].name
    names.remove(Ref(.host, index).raw, hosts[index].hash)
    let number = unlikelyNumber(Ref(.host, index))
    setNextHostName(index, after: number.map { AlternativeName.ofHost(old, number: $0) } ?? old)
    names.insert(Ref(.host, index).raw, hosts[index].hash)
    // The records of the old name belong to the other host now.
    for link in links.indices { links[link].hosts[index].wasAnnounced = false }
    for service in hosts[index].services {
      services[Int(service)].isRegistered = false
      report(.hostRenamed(id(Int(service)), from: old, to: hosts[index].name))
    }
  }

  // MARK: Simultaneous probes

  /// Compares another host's probe with our probe. The host with the lexicographically later data keeps the name, and
  /// the other one waits a second. RFC 6762 §8.2.
  mutating func compareProbes(_ bytes: UnsafeRawBufferPointer, on link: Int) {
    var seen: [Ref] = []
    for entry in scan.entries where entry.section == .authority {
      guard let ref = ref(entry.nameHash, bytes, at: entry.name), ref.kind == .service || ref.kind == .host,
        state(ref, on: link).stage == .probing, state(ref, on: link).probes > 0, !seen.contains(ref),
        behavior(of: ref).yieldsNames
      else { continue }
      seen.append(ref)
      guard !isHopeless(ref) else { continue }
      let theirs = scan.entries.filter { $0.section == .authority && $0.nameHash == entry.nameHash }
        .compactMap { Self.comparable($0, bytes) }.sorted { $0.lexicographicallyPrecedes($1) }
      let ours = probeData(ref, on: link).sorted { $0.lexicographicallyPrecedes($1) }
      guard ours.lexicographicallyPrecedes(theirs, by: { $0.lexicographicallyPrecedes($1) }) else { continue }
      let pause = conflicts[ref, default: ConflictHistory()].note(at: now)
      probe(ref, on: link, at: now + max(Time.second, pause))
    }
  }

  /// Returns the class, the type and the uncompressed data, in this order. RFC 6762 §8.2.
  private static func comparable(_ entry: DNSScan.Entry, _ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    var data: [UInt8] = [
      UInt8(entry.plainClass >> 8), UInt8(entry.plainClass & 0xFF), UInt8(entry.type >> 8), UInt8(entry.type & 0xFF),
    ]
    guard entry.type == DNSType.srv, entry.data.count > 6 else { return data + bytes[entry.data] }
    data += bytes[entry.data.lowerBound..<(entry.data.lowerBound + 6)]
    guard let target = expandedName(bytes, at: entry.data.lowerBound + 6, before: entry.data.upperBound) else {
      return nil
    }
    return data + target + [0]
  }

  /// Returns an uncompressed name without changing the case of its letters.
  static func expandedName(_ bytes: UnsafeRawBufferPointer, at place: Int, before end: Int) -> [UInt8]? {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
      DNSScan.expand(bytes, at: place, before: end, isFolded: false, into: buffer).map { Array(buffer[..<$0]) }
    }
  }

  /// Returns the records of our probe in the form of `comparable`.
  private func probeData(_ ref: Ref, on link: Int) -> [[UInt8]] {
    if ref.kind == .host {
      return addresses(ofHost: ref.index, on: link).map { [0, 1, 0, $0.isV4 ? 1 : 28] + $0.bytes }
    }
    let service = services[ref.index]
    let host = hosts[Int(service.host)].label
    let srv: [UInt8] = [0, 1, 0, 33, 0, 0, 0, 0, UInt8(service.port >> 8), UInt8(service.port & 0xFF)]
    return [
      srv + [UInt8(host.count)] + host + Self.local + [0],
      [0, 1, 0, 16] + service.blob[Int(service.labelLength)...],
    ]
  }
}
