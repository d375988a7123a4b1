import HAPWire

/// Creates the reports on services.
extension MDNSBrowser {
  mutating func touchService(of name: NameID) {
    let service = cache.names[name].service
    guard service != NameTable.none else { return }
    services.touch(service)
    settleDue = settleDue ?? max(now + Self.settlingTime, settleNotBefore)
  }

  mutating func touchHost(_ name: NameID) {
    settleDue = settleDue ?? max(now + Self.settlingTime, settleNotBefore)
    guard !cache.names[name].isTouchedHost else { return }
    cache.names[name].isTouchedHost = true
    touchedHosts.append(name)
  }

  /// Reports all services whose records changed, in the order of the changes.
  mutating func report() {
    settleDue = nil
    var placeCount = 0
    for host in touchedHosts {
      cache.names[host].isTouchedHost = false
      let places = cache.places(on: host)
      placeCount += places.count
      for id in places.reversed() {
        let service = cache.names[cache[id].name].service
        if service != NameTable.none { services.touch(service) }
      }
    }
    touchedHosts = []
    let touched = services.takeTouched()
    settleNotBefore =
      now + max(Int64(touched.count) * Self.pauseForService, Int64(placeCount) * Self.pauseForPlace)
    var hosts: [NameID: Host] = [:]
    for id in touched {
      let new = picture(services[id], &hosts)
      switch (services[id].told, new) {
      case (nil, nil): continue
      case (nil, let new?): outputs.append(.report(.appeared(new)))
      case (let old?, let new?):
        if old == new { continue }
        outputs.append(.report(.changed(new)))
      case (let old?, nil): outputs.append(.report(.gone(name: old.name, type: old.type)))
      }
      services.setTold(id, new)
    }
  }

  /// The part of a report about a host. Services of one host share it, because a host may have hundreds of addresses.
  private struct Host {
    var name: String
    var addresses: [MDNSFoundService.Address]
  }

  /// Returns the report on a service; nil: a record is missing.
  /// - Parameter hosts: the hosts of the other services in the same reports.
  private func picture(_ service: FoundService, _ hosts: inout [NameID: Host]) -> MDNSFoundService? {
    let wire = cache.names[service.name].wire
    guard let place = newest(DNSType.srv, of: service.name), let text = newest(DNSType.txt, of: service.name),
      let type = searches[service.search]?.type, let length = wire.first
    else { return nil }
    let port = UInt16(place.data[4]) << 8 | UInt16(place.data[5])
    let host = hosts[place.target] ?? Host(name: hostText(place.target), addresses: addresses(of: place.target))
    hosts[place.target] = host
    guard port > 0, !host.addresses.isEmpty else { return nil }
    return MDNSFoundService(
      name: [UInt8](wire[1..<(1 + Int(length))]), type: type, host: host.name, port: port,
      addresses: host.addresses, interface: place.interface,
      text: text.data.withUnsafeBytes { MDNSFoundService.strings(of: $0) } ?? [])
  }

  /// Returns the record with the newest value. A record that arrives again keeps its position.
  private func newest(_ type: UInt16, of name: NameID) -> CachedRecord? {
    var newest: CachedRecord?
    _ = cache.first(of: name) { record in
      if record.type == type, record.sequence > newest?.sequence ?? 0 { newest = record }
      return false
    }
    return newest
  }

  /// Returns the addresses of a host without duplicates: IPv4 first, link-local IPv6 last, and sorted by their bytes.
  private func addresses(of host: NameID) -> [MDNSFoundService.Address] {
    var found: [MDNSFoundService.Address] = []
    _ = cache.first(of: host) { record in
      guard record.type == DNSType.a || record.type == DNSType.aaaa, let address = MDNSAddress(bytes: record.data)
      else {
        return false
      }
      let new = MDNSFoundService.Address(address, scope: !address.isV4 && address.isLinkLocal ? record.interface : 0)
      if !found.contains(new) { found.append(new) }
      return false
    }
    return found.sorted { one, other in
      if one.rank != other.rank { return one.rank < other.rank }
      if one.address == other.address { return one.scope < other.scope }
      return one.address.bytes.lexicographicallyPrecedes(other.address.bytes)
    }
  }

  private func hostText(_ host: NameID) -> String {
    var labels: [[UInt8]] = []
    var rest = cache.names[host].wire[...]
    while let length = rest.popFirst() {
      labels.append(rest.prefix(Int(length)).map(DNSName.folded))
      rest = rest.dropFirst(Int(length))
    }
    return DNSName(labels).description
  }
}

extension MDNSFoundService.Address {
  fileprivate var rank: Int { address.isV4 ? 0 : address.isLinkLocal ? 2 : 1 }
}

extension MDNSFoundService {
  /// Returns the strings of a TXT record's data, without empty ones; nil if the last one is truncated. RFC 6763 §6.1.
  static func strings(of data: UnsafeRawBufferPointer) -> [[UInt8]]? {
    var strings: [[UInt8]] = []
    var at = 0
    while at < data.count {
      let end = at + 1 + Int(data[at])
      guard end <= data.count else { return nil }
      if end > at + 1 { strings.append([UInt8](data[(at + 1)..<end])) }
      at = end
    }
    return strings
  }
}
