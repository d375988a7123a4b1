import HAPWire

/// Reads responses of other hosts.
extension MDNSBrowser {
  /// Reads a response: first the PTR records, then the SRV and TXT records of their instances, then the addresses of
  /// their hosts. The order of the records in the packet doesn't matter.
  mutating func takeResponse(_ bytes: UnsafeRawBufferPointer, _ interface: UInt32) {
    let records = scan.entries
    for round in 0..<3 {
      for record in records
      where record.section != .question && record.plainClass == 1 && Self.round(of: record.type) == round {
        guard owner.read(bytes, at: record.name, before: bytes.count) != nil else { continue }
        if round == 0 {
          takePointer(bytes, record, interface)
        } else {
          takeData(bytes, record, interface)
        }
      }
    }
  }

  private static func round(of type: UInt16) -> Int? {
    switch type {
    case DNSType.ptr: 0
    case DNSType.srv, DNSType.txt: 1
    case DNSType.a, DNSType.aaaa, DNSType.nsec: 2
    default: nil
    }
  }

  /// Reads a PTR record. It is ignored unless it belongs to a search. Its cache-flush bit is ignored, because PTR
  /// records are shared. RFC 6762 §10.2.
  private mutating func takePointer(_ bytes: UnsafeRawBufferPointer, _ record: DNSScan.Entry, _ interface: UInt32) {
    guard let type = cache.names.find(owner), let search = cache.names[type].search,
      let parent = searches[search]?.parent,
      target.read(bytes, at: record.data.lowerBound, before: record.data.upperBound)
        == record.data.upperBound,
      target.firstLabelSize > 0, target.folded[target.firstLabelSize...] == parent[...]
    else { return }
    if let instance = cache.names.find(target) {
      let known = cache.pointers(to: instance) { $0.name == type && $0.interface == interface }
      if let known = known.first {
        return record.ttl == 0 ? leave(known, after: Self.grace) : renew(known, ttl: record.ttl)
      }
    }
    guard record.ttl > 0 else { return }
    insert(CachedRecord(type, record, interface, target: cache.names.intern(target), data: [], at: now), search: search)
  }

  /// Reads any other record: of an instance, of a host, or of a name that may become one of them.
  private mutating func takeData(_ bytes: UnsafeRawBufferPointer, _ record: DNSScan.Entry, _ interface: UInt32) {
    let isOfInstance = record.type == DNSType.srv || record.type == DNSType.txt
    if isOfInstance, !isInstance(owner) { return }
    guard let data = readData(bytes, record) else { return }
    if let name = cache.names.find(owner) {
      // A type's name has only PTR records, and possibly thousands.
      if cache.names[name].search != nil { return }
      let isSRV = record.type == DNSType.srv
      let goal = isSRV ? cache.names.find(target) : NameTable.none
      let set = cache.all(of: name, type: record.type) { $0.interface == interface }
      let known = set.first { cache[$0].target == goal && cache[$0].data == data }
      if let known, record.ttl > 0, record.hasTopBit || cache[known].state == .leaving,
        set.contains(where: { cache[$0].sequence > cache[known].sequence })
      {
        // The value had changed, and has changed back.
        cache.setNewest(known)
        touchService(of: name)
      }
      if let known { record.ttl == 0 ? leave(known, after: Self.grace) : renew(known, ttl: record.ttl) }
      if record.hasTopBit, record.ttl > 0 { flush(set, except: known) }
      // Existing records stay, and new ones beyond the limit are ignored.
      if known != nil || set.count >= configuration.limits.recordsOfName { return }
    }
    guard record.ttl > 0 else { return }
    let name = cache.names.intern(owner)
    let goal = record.type == DNSType.srv ? cache.names.intern(target) : NameTable.none
    insert(CachedRecord(name, record, interface, target: goal, data: data, at: now))
  }

  /// Returns whether the name is an instance of a type that is searched for.
  private func isInstance(_ name: NameBuffer) -> Bool {
    name.firstLabelSize > 0
      && searches.contains { search in search.map { name.folded[name.firstLabelSize...] == $0.parent[...] } ?? false }
  }

  /// Handles the cache-flush bit: all other records of the name and type that arrived more than a second ago expire in
  /// a second. RFC 6762 §10.2.
  private mutating func flush(_ set: [RecordID], except known: RecordID?) {
    for id in set where id != known && cache[id].received <= now - Self.grace && cache[id].state != .leaving {
      leave(id, after: Self.grace)
    }
  }

  /// Returns the data of a record without the name at its end, which is then in `target`.
  /// - Returns: nil if the data is malformed or of no use.
  private mutating func readData(_ bytes: UnsafeRawBufferPointer, _ record: DNSScan.Entry) -> [UInt8]? {
    let data = UnsafeRawBufferPointer(rebasing: bytes[record.data])
    guard data.count <= configuration.limits.data else { return nil }
    switch record.type {
    case DNSType.srv:
      // The priority, the weight and the port of two bytes each, then the host.
      guard data.count > 6,
        target.read(bytes, at: record.data.lowerBound + 6, before: record.data.upperBound)
          == record.data.upperBound, !target.wire.isEmpty
      else { return nil }
      return [UInt8](data.prefix(6))
    case DNSType.txt: return MDNSFoundService.strings(of: data) == nil ? nil : [UInt8](data)
    case DNSType.a: return data.count == 4 && isUsable(data) ? [UInt8](data) : nil
    case DNSType.aaaa: return data.count == 16 && isUsable(data) ? [UInt8](data) : nil
    default: return readTypes(bytes, record).map { [$0.rawValue] }
    }
  }

  /// Returns whether an address of a host is valid: neither unspecified nor a group.
  private func isUsable(_ address: UnsafeRawBufferPointer) -> Bool {
    let isGroup = address.count == 4 ? address[0] & 0xF0 == 0xE0 : address[0] == 0xFF
    return !isGroup && address.contains { $0 != 0 }
  }

  /// Returns the relevant types that exist according to an NSEC record. RFC 6762 §6.1.
  private mutating func readTypes(_ bytes: UnsafeRawBufferPointer, _ record: DNSScan.Entry) -> RecordKinds? {
    let end = record.data.upperBound
    guard let start = target.read(bytes, at: record.data.lowerBound, before: end), end - start >= 2,
      bytes[start] == 0, (1...32).contains(bytes[start + 1]), start + 2 + Int(bytes[start + 1]) <= end
    else { return nil }
    var kinds: RecordKinds = []
    for (kind, type) in RecordKinds.types where type >> 3 < UInt16(bytes[start + 1]) {
      if bytes[start + 2 + Int(type >> 3)] & 0x80 >> UInt8(type & 7) != 0 { kinds.insert(kind) }
    }
    return kinds
  }
}

extension CachedRecord {
  fileprivate init(
    _ name: NameID, _ record: DNSScan.Entry, _ interface: UInt32, target: NameID, data: [UInt8], at now: Int64
  ) {
    self.init(
      name, record.type, interface: interface, target: target, data: data, ttl: min(record.ttl, MDNSBrowser.longestTTL),
      received: now)
  }
}
