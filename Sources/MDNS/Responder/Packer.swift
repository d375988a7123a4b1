/// Collects records for packets of one form on one link.
struct Packer {
  enum Form: Equatable {
    case probe
    case response
    case goodbye
    /// An answer to a querier that doesn't support multicast DNS, with its id and questions. RFC 6762 §6.7.
    case legacy(id: UInt16, questions: [UInt8], count: UInt16)
  }

  struct Item {
    var ref: Ref
    var answers: Records
    var additionals: Records = []
  }

  let form: Form
  let link: Int
  let destination: MDNSPacket.Destination
  var items: [Item] = []
  /// The maximum size of the current packet in bytes.
  var size = 0
  /// The service that must be the only one in the current packet, and the number of services in it.
  var alone: Ref?
  var services = 0
  /// The number of packets that were sent.
  var packets = 0
  private var lastCost = 0
  /// The maximum number of packets. Further packets are not written, and the last one is marked as truncated.
  var mostPackets = Int.max
  var isCut = false

  init(_ form: Form, link: Int, to destination: MDNSPacket.Destination) {
    self.form = form
    self.link = link
    self.destination = destination
  }

  /// The number of packets including the one that the next flush sends.
  var packetsInAll: Int { packets + (items.isEmpty ? 0 : 1) }

  /// Returns whether one more item, of the size of the last one, fits into a number of packets.
  func hasRoom(within most: Int, of room: Int) -> Bool {
    packetsInAll < most || packetsInAll == most && !items.isEmpty && size + lastCost <= room
  }

  mutating func append(_ item: Item, cost: Int) {
    items.append(item)
    size += cost
    lastCost = cost
  }

  mutating func begin() {
    items.removeAll(keepingCapacity: true)
    size = 0
    alone = nil
    services = 0
  }
}

extension MDNSResponder {
  func packer(_ form: Packer.Form, link: Int) -> Packer {
    Packer(form, link: link, to: .multicast(isV4: links[link].isV4))
  }

  /// Adds records. Sends the current packet first if it has no room for them, or if it has a service that must be the
  /// only one.
  mutating func add(_ item: Packer.Item, to packer: inout Packer) {
    if item.answers.isEmpty, item.additionals.isEmpty { return }
    var cost = cost(of: item, in: packer)
    if !packer.items.isEmpty, packer.size + cost > links[packer.link].room || !fits(item.ref, packer) {
      guard packer.packets + 1 < packer.mostPackets else {
        packer.isCut = true
        return
      }
      flush(&packer)
      // The next packet has no names yet to which the records could point.
      cost = self.cost(of: item, in: packer)
    }
    if packer.items.isEmpty { packer.size = overhead(of: packer.form) }
    packer.append(item, cost: cost)
    if item.ref.kind == .service {
      packer.services += 1
      if services[item.ref.index].isAlone { packer.alone = item.ref }
    }
  }

  /// Returns whether records of this name may be added to the packet. A service that must be alone shares a packet only
  /// with its host.
  private func fits(_ ref: Ref, _ packer: Packer) -> Bool {
    if let alone = packer.alone { return ref.kind == .host && services[alone.index].host == ref.index }
    guard ref.kind == .service, services[ref.index].isAlone else { return true }
    let host = Ref(.host, Int(services[ref.index].host))
    return packer.items.allSatisfy { $0.ref == host }
  }

  /// Returns the size of the header and of "local".
  private func overhead(of form: Packer.Form) -> Int {
    if case .legacy(_, let questions, _) = form { return 12 + 7 + questions.count }
    return 12 + 7
  }

  /// Returns the maximum size of the records in bytes.
  private func cost(of item: Packer.Item, in packer: Packer) -> Int {
    let records = item.answers.union(item.additionals)
    var bytes = packer.form == .probe ? 6 : 0
    switch item.ref.kind {
    case .host: bytes += hostCost(item.ref.index, records, packer.link)
    case .type: bytes += 44 + types[item.ref.index].wire.count
    case .service:
      // A copy of the entry would increase its reference counts.
      let index = item.ref.index
      bytes += Int(services[index].labelLength) + 3
      let first = packer.items.first { $0.ref.kind == .service }
      if first.map({ services[$0.ref.index].type != services[index].type }) ?? true {
        bytes += types[Int(services[index].type)].wire.count + 1
      }
      if records.contains(.pointer) { bytes += 14 }
      if records.contains(.listed) { bytes += 44 }
      if records.contains(.srv) { bytes += 20 }
      if records.contains(.text) { bytes += 12 + services[index].textCount }
      if records.contains(.serviceDenial) { bytes += 21 }
      if !records.isDisjoint(with: .allSubtypes) {
        for (place, subtype) in services[index].subtypes.enumerated() where records.contains(.subtype(place)) {
          bytes += subtypes[Int(subtype)].wire.count + 16
        }
      }
      if records.contains(.srv) || !records.isDisjoint(with: .ofHost) {
        bytes += hostCost(Int(services[index].host), records, packer.link)
      }
    case .subtype, .serviceList: break
    }
    return bytes
  }

  private func hostCost(_ index: Int, _ records: Records, _ link: Int) -> Int {
    var bytes = hosts[index].label.count + 9
    if !records.isDisjoint(with: .addresses) {
      for address in addresses(ofHost: index, on: link) where records.contains(address.isV4 ? .v4 : .v6) {
        bytes += 12 + address.count
      }
      // The addresses that are withdrawn.
      bytes += links[link].leaving.count * 28
    }
    if records.contains(.hostDenial) { bytes += 20 }
    return bytes
  }

  // MARK: Packets

  mutating func flush(_ packer: inout Packer) {
    guard let only = packer.items.first else { return }
    if packer.items.count == 1, packer.size > links[packer.link].room {
      divide(only, &packer)
    } else {
      write(packer)
      packer.packets += 1
    }
    packer.begin()
  }

  /// Sends records that are too large for one packet. The answers are sent without additional records, and if necessary
  /// in one packet for each kind. Only a single record may be larger than an unfragmented packet. RFC 6762 §17. The PTR
  /// records are sent last, so that no browser gets them without the others.
  private mutating func divide(_ item: Packer.Item, _ packer: inout Packer) {
    var parts: [Records] = [item.answers]
    packer.begin()
    let size = overhead(of: packer.form) + cost(of: Packer.Item(ref: item.ref, answers: item.answers), in: packer)
    if size > links[packer.link].room, packer.form != .probe, packer.mostPackets == .max {
      let last = item.answers.subtracting([.addresses, .srv, .text])
      parts = [
        item.answers.intersection(.addresses), item.answers.intersection(.srv), item.answers.intersection(.text),
      ]
      parts.append(last)
    }
    for part in parts where !part.isEmpty {
      let part = Packer.Item(ref: item.ref, answers: part)
      packer.append(part, cost: overhead(of: packer.form) + cost(of: part, in: packer))
      write(packer)
      packer.packets += 1
      packer.begin()
    }
  }

  private mutating func write(_ packer: Packer) {
    let bytes = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: packer.size + 16) { buffer in
      var writer = PacketWriter(buffer)
      write(packer, &writer)
      assert(writer.isComplete, "the size of a packet was underestimated")
      return writer.isComplete ? writer.message : []
    }
    guard bytes.count > 12 else { return }
    echoes.note(bytes, announcing: announced(in: packer), at: now)
    outputs.append(
      .send(MDNSPacket(bytes, interface: links[packer.link].interface.index, to: packer.destination)))
    if case .unicast(let target) = packer.destination { links[packer.link].budget.spend(on: target.address) }
  }

  /// Returns the services that a packet announces and that are not reported as `heard` yet.
  private func announced(in packer: Packer) -> [MDNSServiceID] {
    guard packer.form == .response, case .multicast = packer.destination else { return [] }
    return packer.items.lazy
      .filter { $0.ref.kind == .service && $0.answers.contains(.pointer) && !services[$0.ref.index].isHeard }
      .map { id($0.ref.index) }
  }

  private mutating func write(_ packer: Packer, _ writer: inout PacketWriter) {
    packetNumber &+= 1
    var questions: UInt16 = 0
    var counts: (answers: UInt16, more: UInt16) = (0, 0)
    if case .legacy(_, let text, let count) = packer.form {
      writer.put(text)
      questions = count
    }
    if packer.form == .probe {
      for item in packer.items {
        putName(item.ref, &writer)
        writer.put16(255)
        writer.put16(configuration.sharesPort ? 1 : 0x8001)
        questions += 1
      }
    }
    for item in packer.items { counts.answers += put(item.answers, of: item.ref, packer, &writer) }
    for item in packer.items where !item.additionals.isEmpty {
      counts.more += put(item.additionals, of: item.ref, packer, &writer)
    }
    switch packer.form {
    case .probe: writer.putHeader(id: 0, flags: 0, counts: (questions, 0, counts.answers, 0))
    case .response, .goodbye:
      writer.putHeader(id: 0, flags: 0x8400, counts: (0, counts.answers, 0, counts.more))
    case .legacy(let id, _, _):
      let flags: UInt16 = packer.isCut ? 0x8600 : 0x8400
      writer.putHeader(id: id, flags: flags, counts: (questions, counts.answers, 0, counts.more))
    }
  }
}
