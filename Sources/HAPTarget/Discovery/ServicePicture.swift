import HAPDiscovery
import HAPWire

/// The state of a type's services according to a series of packets, as a cache would hold it. RFC 6762 §10.
struct ServicePicture {
  private struct Key: Hashable {
    let name: DNSName
    let type: UInt16
  }

  private let type: DNSName
  private var records: [Key: [ReceivedRecord]] = [:]
  private(set) var names: [DNSName] = []
  private var known: Set<DNSName> = []

  init(of type: DNSName, from packets: some Sequence<ObservedPacket> = []) {
    self.type = type
    for packet in packets { take(packet) }
  }

  /// Adds a packet's records. A response must come from port 5353; others are ignored. RFC 6762 §6.
  mutating func take(_ packet: ObservedPacket) {
    guard !packet.isOwn, packet.message.isResponse, packet.source.port == MDNSSockets.port else { return }
    for record in packet.message.records { take(record, packet) }
  }

  private mutating func take(_ record: DNSRecord, _ packet: ObservedPacket) {
    switch record.data {
    case .pointer(let instance):
      guard record.name == type, instance.parent == type else { return }
      note(instance)
      if record.isGoodbye {
        // Some responders send only this record as a goodbye.
        records[Key(name: instance, type: DNSType.srv)] = nil
        records[Key(name: instance, type: DNSType.txt)] = nil
      }
    case .service, .text:
      guard record.name.parent == type else { return }
      note(record.name)
    case .address: break
    case .existing, .raw: return
    }
    let key = Key(name: record.name, type: record.type)
    var seen = records[key] ?? []
    seen.removeAll { old in
      if old.record.data == record.data { return true }
      // PTR records are shared, so their cache-flush bit is ignored.
      guard record.flushesCache, record.type != DNSType.ptr else { return false }
      // Addresses come in several packets, and each interface may announce different ones.
      let isAddress = record.type == DNSType.a || record.type == DNSType.aaaa
      return !isAddress || (old.interface == packet.interface && packet.time - old.time > .seconds(1))
    }
    if !record.isGoodbye {
      seen.append(
        ReceivedRecord(
          record: record, packet: packet.number, time: packet.time, source: packet.source, interface: packet.interface))
    }
    records[key] = seen.isEmpty ? nil : seen
  }

  private mutating func note(_ instance: DNSName) { if known.insert(instance).inserted { names.append(instance) } }

  /// The services in the order of their first packet, without those that were withdrawn completely.
  var instances: [ServiceInstance] { names.compactMap(instance) }

  /// Returns an instance, or nil if no record of it is known.
  func instance(_ name: DNSName) -> ServiceInstance? {
    var instance = ServiceInstance(name: name)
    instance.pointer = records[Key(name: type, type: DNSType.ptr)]?.last { $0.record.data == .pointer(name) }
    instance.service = records[Key(name: name, type: DNSType.srv)]?.last
    instance.text = records[Key(name: name, type: DNSType.txt)]?.last
    if instance.pointer == nil, instance.service == nil, instance.text == nil { return nil }
    if let host = instance.host {
      instance.addresses = [DNSType.a, DNSType.aaaa].flatMap { records[Key(name: host, type: $0)] ?? [] }
    }
    return instance
  }
}
