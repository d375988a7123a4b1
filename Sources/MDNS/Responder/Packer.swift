/// Collects records for packets of one kind on one link.
struct Packer {
  enum Form: Equatable {
    case probe
    case response
    case goodbye
    /// To a querier that doesn't know multicast DNS, with its id and questions. RFC 6762 §6.7.
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
  /// Bytes of the present packet at most.
  var size = 0
  /// The service of the present packet that has to be alone in it, and the number of services.
  var alone: Ref?
  var services = 0
  /// How many packets left.
  var packets = 0
  private var lastCost = 0
  /// Packets beyond this are not written, and the last one says that it is cut.
  var mostPackets = Int.max
  var isCut = false

  init(_ form: Form, link: Int, to destination: MDNSPacket.Destination) {
    self.form = form
    self.link = link
    self.destination = destination
  }

  /// Packets that left or will leave with the next flush.
  var packetsInAll: Int { packets + (items.isEmpty ? 0 : 1) }

  /// Whether one more item, of the size of the last one, stays within a number of packets.
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

  /// Adds records, after a flush if the present packet has no room for them, or has a service that has to be alone.
  mutating func add(_ item: Packer.Item, to packer: inout Packer) {
    if item.answers.isEmpty, item.additionals.isEmpty { return }
    var cost = cost(of: item, in: packer)
    if !packer.items.isEmpty, packer.size + cost > links[packer.link].room || !fits(item.ref, packer) {
      guard packer.packets + 1 < packer.mostPackets else {
        packer.isCut = true
        return
      }
      flush(&packer)
      // The next packet has no names yet that the records could point to.
      cost = self.cost(of: item, in: packer)
    }
    if packer.items.isEmpty { packer.size = overhead(of: packer.form) }
    packer.append(item, cost: cost)
    if item.ref.kind == .service {
      packer.services += 1
      if services[item.ref.index].isAlone { packer.alone = item.ref }
    }
  }

  /// Whether the packet may have records of this name too. A service that is alone shares a packet with its host only.
  private func fits(_ ref: Ref, _ packer: Packer) -> Bool {
    if let alone = packer.alone { return ref.kind == .host && services[alone.index].host == ref.index }
    guard ref.kind == .service, services[ref.index].isAlone else { return true }
    let host = Ref(.host, Int(services[ref.index].host))
    return packer.items.allSatisfy { $0.ref == host }
  }

  /// The header, and "local".
  private func overhead(of form: Packer.Form) -> Int {
    if case .legacy(_, let questions, _) = form { return 12 + 7 + questions.count }
    return 12 + 7
  }

  /// Bytes that the records take at most.
  private func cost(of item: Packer.Item, in packer: Packer) -> Int {
    let records = item.answers.union(item.additionals)
    var bytes = packer.form == .probe ? 6 : 0
    switch item.ref.kind {
    case .host: bytes += hostCost(item.ref.index, records, packer.link)
    case .type: bytes += 44 + types[item.ref.index].wire.count
    case .service:
      // A copy of the entry would count its references.
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
      // Those that are taken back.
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

  /// Writes records that are too large for one packet: the answers without additional records, or else each kind by itself. Only a single record may be larger
  /// than a packet that leaves in one piece. RFC 6762 §17. The PTR records leave last, so that no browser has them without the others.
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
      assert(writer.isComplete, "the size of a packet was taken for less than it is")
      return writer.isComplete ? writer.message : []
    }
    guard bytes.count > 12 else { return }
    echoes.note(bytes, announcing: announced(in: packer), at: now)
    outputs.append(
      .send(MDNSPacket(bytes, interface: links[packer.link].interface.index, to: packer.destination)))
    if case .unicast(let target) = packer.destination { links[packer.link].budget.spend(on: target.address) }
  }

  /// The services that a packet announces, of those that were not heard yet.
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
