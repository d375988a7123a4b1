import HAPWire

/// The TTLs and the class with which the records of a service are written.
private struct RecordStyle {
  var hostTTL: UInt32
  var otherTTL: UInt32
  /// The class of records that no other host has. RFC 6762 §10.2.
  var uniqueClass: UInt16

  init(_ behavior: MDNSBehavior, _ form: Packer.Form) {
    hostTTL = behavior.hostTTL ?? MDNS.hostTTL
    otherTTL = behavior.otherTTL ?? MDNS.otherTTL
    uniqueClass = behavior.flushesCaches ? 0x8001 : 1
    switch form {
    case .response: break
    case .probe: uniqueClass = 1
    case .goodbye:
      hostTTL = 0
      otherTTL = 0
    case .legacy:
      hostTTL = min(hostTTL, 10)
      otherTTL = min(otherTTL, 10)
      uniqueClass = 1
    }
  }
}

extension MDNSResponder {
  // MARK: Names

  mutating func putName(_ ref: Ref, _ writer: inout PacketWriter) {
    switch ref.kind {
    case .service: putServiceName(ref.index, &writer)
    case .host: putHostName(ref.index, &writer)
    case .type: putTypeName(ref.index, &writer)
    case .subtype: putSubtypeName(ref.index, &writer)
    case .serviceList:
      writer.put(Self.serviceListPrefix)
      putLocal(&writer)
    }
  }

  private mutating func putServiceName(_ index: Int, _ writer: inout PacketWriter) {
    if services[index].nameIn == packetNumber { return writer.putPointer(services[index].nameAt) }
    let place = writer.place
    let length = services[index].labelLength
    if place > 0 {
      services[index].nameAt = place
      services[index].nameIn = packetNumber
    }
    writer.put8(length)
    services[index].blob.withUnsafeBufferPointer {
      writer.put(UnsafeBufferPointer(rebasing: $0[..<Int(length)]))
    }
    putTypeName(Int(services[index].type), &writer)
  }

  private mutating func putTypeName(_ index: Int, _ writer: inout PacketWriter) {
    if types[index].nameIn == packetNumber { return writer.putPointer(types[index].nameAt) }
    let place = writer.place
    if place > 0 {
      types[index].nameAt = place
      types[index].nameIn = packetNumber
    }
    types[index].wire.withUnsafeBufferPointer {
      writer.put(UnsafeBufferPointer(rebasing: $0[..<($0.count - Self.local.count)]))
    }
    putLocal(&writer)
  }

  private mutating func putSubtypeName(_ index: Int, _ writer: inout PacketWriter) {
    if subtypes[index].nameIn == packetNumber { return writer.putPointer(subtypes[index].nameAt) }
    let place = writer.place
    if place > 0 {
      subtypes[index].nameAt = place
      subtypes[index].nameIn = packetNumber
    }
    writer.put(subtypes[index].wire)
    putTypeName(Int(subtypes[index].type), &writer)
  }

  private mutating func putHostName(_ index: Int, _ writer: inout PacketWriter) {
    if hosts[index].nameIn == packetNumber { return writer.putPointer(hosts[index].nameAt) }
    let place = writer.place
    if place > 0 {
      hosts[index].nameAt = place
      hosts[index].nameIn = packetNumber
    }
    writer.put8(UInt8(hosts[index].label.count))
    writer.put(hosts[index].label)
    putLocal(&writer)
  }

  private mutating func putLocal(_ writer: inout PacketWriter) {
    if localIn == packetNumber { return writer.putPointer(localAt) }
    let place = writer.place
    if place > 0 {
      localAt = place
      localIn = packetNumber
    }
    writer.put(Self.local)
    writer.put8(0)
  }

  // MARK: Records

  /// Writes records of a service and its host, of a host or of a type. Skips records of the host that the packet
  /// already contains.
  /// - Returns: the number of records that were written.
  mutating func put(_ records: Records, of ref: Ref, _ packer: Packer, _ writer: inout PacketWriter) -> UInt16 {
    switch ref.kind {
    case .host:
      let behavior = hosts[ref.index].services.first.map { services[Int($0)].behavior } ?? 0
      return put(records, ofHost: ref.index, RecordStyle(behaviors[Int(behavior)], packer.form), packer, &writer)
    case .type: return putListed(ref.index, RecordStyle(MDNSBehavior(), packer.form), &writer)
    case .service:
      let style = RecordStyle(behaviors[Int(services[ref.index].behavior)], packer.form)
      var count = put(records, ofService: ref.index, style, &writer)
      if !records.isDisjoint(with: .ofHost) {
        count += put(records, ofHost: Int(services[ref.index].host), style, packer, &writer)
      }
      return count
    case .subtype, .serviceList: return 0
    }
  }

  private mutating func put(
    _ records: Records, ofService index: Int, _ style: RecordStyle, _ writer: inout PacketWriter
  ) -> UInt16 {
    var count: UInt16 = 0
    let type = Int(services[index].type)
    if records.contains(.pointer) {
      putTypeName(type, &writer)
      count += putPointer(to: Ref(.service, index), style, &writer)
    }
    if !records.isDisjoint(with: .allSubtypes) {
      for (place, subtype) in services[index].subtypes.enumerated() where records.contains(.subtype(place)) {
        putSubtypeName(Int(subtype), &writer)
        count += putPointer(to: Ref(.service, index), style, &writer)
      }
    }
    if records.contains(.listed) { count += putListed(type, style, &writer) }
    if records.contains(.srv) {
      putServiceName(index, &writer)
      let data = putHead(DNSType.srv, style.uniqueClass, style.hostTTL, &writer)
      // Priority and weight.
      writer.put32(0)
      writer.put16(services[index].port)
      putHostName(Int(services[index].host), &writer)
      end(data, &writer)
      count += 1
    }
    if records.contains(.text) {
      putServiceName(index, &writer)
      let data = putHead(DNSType.txt, style.uniqueClass, style.otherTTL, &writer)
      let start = Int(services[index].labelLength)
      services[index].blob.withUnsafeBufferPointer { writer.put(UnsafeBufferPointer(rebasing: $0[start...])) }
      end(data, &writer)
      count += 1
    }
    if records.contains(.serviceDenial) {
      // Bitmap of the types TXT (16) and SRV (33).
      putDenial(of: Ref(.service, index), [0, 0, 0x80, 0, 0x40], style, &writer)
      count += 1
    }
    return count
  }

  private mutating func put(
    _ records: Records, ofHost index: Int, _ style: RecordStyle, _ packer: Packer, _ writer: inout PacketWriter
  ) -> UInt16 {
    if hosts[index].writtenIn != packetNumber {
      hosts[index].writtenIn = packetNumber
      hosts[index].written = []
    }
    let new = records.subtracting(hosts[index].written)
    hosts[index].written.formUnion(records)
    var count: UInt16 = 0
    let addresses = addresses(ofHost: index, on: packer.link)
    for address in addresses where new.contains(address.isV4 ? .v4 : .v6) {
      putAddress(address, index, style.uniqueClass, style.hostTTL, &writer)
      count += 1
    }
    if packer.form == .response, hosts[index].addresses.isEmpty, !new.isDisjoint(with: .addresses) {
      for address in links[packer.link].leaving {
        putAddress(address, index, 1, 0, &writer)
        count += 1
      }
    }
    if new.contains(.hostDenial) {
      var bitmap: [UInt8] = addresses.contains(where: { !$0.isV4 }) ? [0, 0, 0, 0x08] : [0]
      // Bitmap of the types A (1) and AAAA (28).
      if addresses.contains(where: \.isV4) { bitmap[0] = 0x40 }
      putDenial(of: Ref(.host, index), bitmap, style, &writer)
      count += 1
    }
    return count
  }

  private mutating func putAddress(
    _ address: MDNSAddress, _ host: Int, _ classField: UInt16, _ ttl: UInt32, _ writer: inout PacketWriter
  ) {
    putHostName(host, &writer)
    let data = putHead(address.isV4 ? DNSType.a : DNSType.aaaa, classField, ttl, &writer)
    writer.put(address)
    end(data, &writer)
  }

  /// Writes the PTR record of the list of types for this type, unless the packet already contains it. RFC 6763 §9.
  private mutating func putListed(_ type: Int, _ style: RecordStyle, _ writer: inout PacketWriter) -> UInt16 {
    if types[type].listedIn == packetNumber { return 0 }
    types[type].listedIn = packetNumber
    putName(.serviceList, &writer)
    return putPointer(to: Ref(.type, type), style, &writer)
  }

  /// Writes the rest of a PTR record after its name.
  private mutating func putPointer(to target: Ref, _ style: RecordStyle, _ writer: inout PacketWriter) -> UInt16 {
    let data = putHead(DNSType.ptr, 1, style.otherTTL, &writer)
    putName(target, &writer)
    end(data, &writer)
    return 1
  }

  /// Writes an NSEC record with the types that the name has, which are below 256. RFC 6762 §6.1.
  private mutating func putDenial(
    of ref: Ref, _ bitmap: [UInt8], _ style: RecordStyle, _ writer: inout PacketWriter
  ) {
    putName(ref, &writer)
    let data = putHead(DNSType.nsec, style.uniqueClass, style.hostTTL, &writer)
    putName(ref, &writer)
    writer.put8(0)
    writer.put8(UInt8(bitmap.count))
    writer.put(bitmap)
    end(data, &writer)
  }

  /// Writes a record's fields between its name and its data.
  /// - Returns: the offset of the data's length field.
  private func putHead(_ type: UInt16, _ classField: UInt16, _ ttl: UInt32, _ writer: inout PacketWriter) -> Int {
    writer.put16(type)
    writer.put16(classField)
    writer.put32(ttl)
    writer.put16(0)
    return writer.count - 2
  }

  private func end(_ data: Int, _ writer: inout PacketWriter) {
    writer.patch(UInt16(truncatingIfNeeded: writer.count - data - 2), at: data)
  }
}
