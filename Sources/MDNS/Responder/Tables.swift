import HAPWire

extension MDNSResponder {
  // MARK: Adding

  /// Adds a service to the tables, but not yet to the index of names.
  mutating func insert(_ service: MDNSService, _ behavior: UInt16) -> Int {
    let host = host(for: service)
    let type = type(service.type)
    let label = Array(service.name.utf8)
    var entry = ServiceEntry(
      blob: label + Self.textData(service.text), labelLength: UInt8(label.count), isAlone: service.isAlone,
      mayRename: service.mayRename, behavior: behavior, type: UInt16(type), port: service.port, host: UInt32(host),
      generation: 0, subtypes: service.subtypes.map { UInt32(subtype($0, of: type)) })
    let index: Int
    if let free = freeServices.popLast() {
      index = Int(free)
      entry.generation = services[index].generation &+ 1
      services[index] = entry
    } else {
      index = services.count
      services.append(entry)
      for link in links.indices { links[link].services.append(ClaimState()) }
    }
    services[index].hash = Self.serviceHash(services[index].label, types[type])
    services[index].position = UInt32(types[type].services.count)
    types[type].services.append(UInt32(index))
    for subtype in services[index].subtypes { subtypes[Int(subtype)].services.append(UInt32(index)) }
    if !behaviors[Int(behavior)].announces { unannounced.append(UInt32(index)) }
    hosts[host].services.append(UInt32(index))
    hosts[host].users += 1
    return index
  }

  /// Returns the host of a service: an existing one with this name and these addresses, or a new one.
  private mutating func host(for service: MDNSService) -> Int {
    let label = Array(service.host.utf8)
    let hash = Self.hostHash(label)
    for ref in names.values(hash).lazy.map(Ref.init(raw:)) where ref.kind == .host {
      let isShared =
        Self.isSame(hosts[ref.index].label[...], label[...]) && hosts[ref.index].addresses == service.addresses
      if isShared { return ref.index }
    }
    var entry = HostEntry(label: label, addresses: service.addresses, mayRename: service.mayRename)
    entry.hash = hash
    let index: Int
    if let free = freeHosts.popLast() {
      index = Int(free)
      hosts[index] = entry
    } else {
      index = hosts.count
      hosts.append(entry)
      for link in links.indices { links[link].hosts.append(ClaimState()) }
    }
    // Another host of this responder may have the name with other addresses.
    if isTaken(hosts[index].hash, hosts[index].label[...], .host) { setNextHostName(index, after: service.host) }
    names.insert(Ref(.host, index).raw, hosts[index].hash)
    return index
  }

  private mutating func type(_ name: String) -> Int {
    // Services of one type are usually published in sequence.
    if name == lastType.name { return lastType.index }
    let index = findType(name)
    lastType = (name, index)
    return index
  }

  private mutating func findType(_ name: String) -> Int {
    let wire = Self.wire(name) + Self.local
    let hash = Self.hash(of: [wire[...]])
    for ref in names.values(hash).lazy.map(Ref.init(raw:)) where ref.kind == .type {
      if Self.isSame(types[ref.index].wire[...], wire[...]) { return ref.index }
    }
    types.append(TypeEntry(wire: wire, hash: hash))
    for link in links.indices { links[link].types.append(TypeState()) }
    names.insert(Ref(.type, types.count - 1).raw, hash)
    return types.count - 1
  }

  private mutating func subtype(_ name: String, of type: Int) -> Int {
    let wire = [UInt8(name.utf8.count)] + Array(name.utf8) + [4] + Array("_sub".utf8)
    let hash = Self.hash(of: [wire[...], types[type].wire[...]])
    for ref in names.values(hash).lazy.map(Ref.init(raw:)) where ref.kind == .subtype {
      let isKnown = Int(subtypes[ref.index].type) == type && Self.isSame(subtypes[ref.index].wire[...], wire[...])
      if isKnown { return ref.index }
    }
    let entry = SubtypeEntry(wire: wire, type: UInt16(type), hash: hash)
    let index: Int
    if let free = freeSubtypes.popLast() {
      index = Int(free)
      subtypes[index] = entry
    } else {
      index = subtypes.count
      subtypes.append(entry)
    }
    names.insert(Ref(.subtype, index).raw, hash)
    return index
  }

  mutating func number(of behavior: MDNSBehavior) -> UInt16 {
    if let known = behaviors.firstIndex(of: behavior) { return UInt16(known) }
    // A run uses a few dozen behaviors. The table never shrinks, so it has a limit.
    guard behaviors.count < Int(UInt16.max) else { return 0 }
    behaviors.append(behavior)
    return UInt16(behaviors.count - 1)
  }

  // MARK: Names

  /// Returns whether two labels or names are equal apart from the case of ASCII letters. RFC 6762 §16.
  static func isSame(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { DNSName.folded($0) == DNSName.folded($1) }
  }

  /// Returns whether one of our names is equal to the given one. A service is compared with those of the same hash, and
  /// therefore of the same type.
  func isTaken(_ hash: UInt64, _ label: ArraySlice<UInt8>, _ kind: Ref.Kind) -> Bool {
    for ref in names.values(hash).lazy.map(Ref.init(raw:)) where ref.kind == kind {
      if Self.isSame(kind == .host ? hosts[ref.index].label[...] : services[ref.index].label, label) { return true }
    }
    return false
  }

  /// Returns the reference of our name that a packet contains; nil: it is not ours.
  func ref(_ hash: UInt64, _ bytes: UnsafeRawBufferPointer, at place: Int) -> Ref? {
    if hash == Self.serviceListHash {
      return matches(.serviceList, bytes, at: place) ? .serviceList : nil
    }
    return names.values(hash).lazy.map(Ref.init(raw:)).first { matches($0, bytes, at: place) }
  }

  /// Returns whether a name in a packet is equal to one of ours.
  func matches(_ ref: Ref, _ bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
      guard let count = DNSScan.expand(bytes, at: place, before: bytes.count, into: buffer) else { return false }
      var rest = UnsafeBufferPointer(rebasing: buffer[..<count])
      func take(_ part: ArraySlice<UInt8>) -> Bool {
        guard rest.count >= part.count else { return false }
        for (offset, byte) in part.enumerated() where rest[offset] != DNSName.folded(byte) { return false }
        rest = UnsafeBufferPointer(rebasing: rest[part.count...])
        return true
      }
      func takeLabel(_ label: ArraySlice<UInt8>) -> Bool { take([UInt8(label.count)]) && take(label) }
      let isSame =
        switch ref.kind {
        case .service:
          takeLabel(services[ref.index].label) && take(types[Int(services[ref.index].type)].wire[...])
        case .host: takeLabel(hosts[ref.index].label[...]) && take(Self.local[...])
        case .type: take(types[ref.index].wire[...])
        case .subtype:
          take(subtypes[ref.index].wire[...]) && take(types[Int(subtypes[ref.index].type)].wire[...])
        case .serviceList: take(Self.serviceListPrefix[...]) && take(Self.local[...])
        }
      return isSame && rest.isEmpty
    }
  }

  // MARK: Removing

  /// Removes a service from the index. It stays in the tables until its goodbye was sent.
  mutating func remove(_ index: Int, goodbye: Bool) {
    services[index].isLive = false
    names.remove(Ref(.service, index).raw, services[index].hash)
    conflicts[Ref(.service, index)] = nil
    unlist(index)
    unannounced.removeAll { $0 == index }
    let host = Int(services[index].host)
    if hosts[host].services == [UInt32(index)] {
      hosts[host].isLive = false
      names.remove(Ref(.host, host).raw, hosts[host].hash)
      conflicts[Ref(.host, host)] = nil
    } else {
      hosts[host].services.removeAll { $0 == index }
    }
    if goodbye, behavior(index).saysGoodbye { leaving.append(UInt32(index)) } else { free(index) }
  }

  private mutating func unlist(_ index: Int) {
    let type = Int(services[index].type)
    let position = Int(services[index].position)
    let last = types[type].services.removeLast()
    if position < types[type].services.count {
      types[type].services[position] = last
      services[Int(last)].position = UInt32(position)
      for link in links.indices { moved(Int(last), to: position, type, on: link) }
    }
  }

  /// Frees the table entry of a service, and of its host if the host has no other service.
  mutating func free(_ index: Int) {
    let host = Int(services[index].host)
    hosts[host].users -= 1
    let isLast = hosts[host].users == 0
    for link in links.indices {
      links[link].services[index] = ClaimState()
      if isLast { links[link].hosts[host] = ClaimState() }
    }
    if isLast {
      hosts[host].services = []
      freeHosts.append(UInt32(host))
    }
    for subtype in services[index].subtypes.map(Int.init) {
      subtypes[subtype].services.removeAll { $0 == index }
      guard subtypes[subtype].services.isEmpty, !freeSubtypes.contains(UInt32(subtype)) else { continue }
      names.remove(Ref(.subtype, subtype).raw, subtypes[subtype].hash)
      freeSubtypes.append(UInt32(subtype))
    }
    services[index].subtypes = []
    services[index].blob = []
    services[index].labelLength = 0
    freeServices.append(UInt32(index))
  }
}
