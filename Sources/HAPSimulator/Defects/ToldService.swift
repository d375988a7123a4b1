import HAPDiscovery
import HAPLoop
import HAPWire

/// The records that multicast DNS has of a service, and what they say to questions, probes and other people's records. RFC 6762, RFC 6763.
struct ToldService {
  private static let local = Array("local".utf8)
  /// Who looks for types of services asks for this. RFC 6763 §9.
  private static let types = DNSName([Array("_services".utf8), Array("_dns-sd".utf8), Array("_udp".utf8), local])
  /// RFC 6762 §10: what names a host, and everything else.
  private static let hostTTL: UInt32 = 120
  private static let otherTTL: UInt32 = 4500

  /// The service's, and those of other instances with the same port and TXT record.
  private(set) var names: [String]
  /// Without ".local".
  private(set) var host: String
  var txt: TextRecord
  /// Of the host, by the index of the interface on which they are told.
  var addresses: [UInt32: [IPAddress]] = [:]
  /// RFC 6762 §10.2: set in records that nobody else has.
  var flushesCaches = true
  private let type: DNSName
  private let port: UInt16

  /// - Parameters:
  ///   - record: one that can be advertised.
  ///   - others: names of other instances.
  init(_ record: ServiceRecord, others: [String]) {
    names = [record.name] + others.filter { $0 != record.name }
    host = record.host
    txt = record.txt
    port = record.port
    type = DNSName(record.type.split(separator: ".").map { Array($0.utf8) } + [Self.local])
  }

  // MARK: Names

  private var instances: [DNSName] { names.map { type.prefixed(by: Array($0.utf8)) } }
  private var hostName: DNSName { DNSName([Array(host.utf8), Self.local]) }
  /// Those that nobody else may have.
  var claimed: [DNSName] { instances + [hostName] }

  /// Takes the next name in place of one that is somebody else's.
  mutating func rename(_ name: DNSName) {
    if name == hostName { host = AlternativeName.ofHost(host) }
    for (index, instance) in instances.enumerated() where instance == name {
      repeat {
        names[index] = AlternativeName.ofService(names[index])
      } while names.filter { $0 == names[index] }.count > 1
    }
  }

  // MARK: Records

  private func unique(_ name: DNSName, _ type: UInt16, ttl: UInt32, _ data: DNSRecord.Data) -> DNSRecord {
    DNSRecord(name, type, ttl: ttl, flushesCache: flushesCaches, data)
  }

  private func pointer(to instance: DNSName) -> DNSRecord {
    DNSRecord(type, DNSType.ptr, ttl: Self.otherTTL, .pointer(instance))
  }

  private func service(_ instance: DNSName) -> DNSRecord {
    unique(
      instance, DNSType.srv, ttl: Self.hostTTL, .service(priority: 0, weight: 0, port: port, target: hostName))
  }

  private func text(_ instance: DNSName) -> DNSRecord {
    // RFC 6763 §6.1: one that says nothing has an empty string.
    let strings = txt.strings
    return unique(instance, DNSType.txt, ttl: Self.otherTTL, .text(strings.isEmpty ? [[]] : strings))
  }

  private func hosts(on interface: UInt32) -> [DNSRecord] {
    (addresses[interface] ?? []).map {
      unique(hostName, $0.isV4 ? DNSType.a : DNSType.aaaa, ttl: Self.hostTTL, .address($0.bytes))
    }
  }

  /// All that is announced on an interface.
  func records(on interface: UInt32) -> [DNSRecord] {
    instances.flatMap { [pointer(to: $0), service($0), text($0)] } + hosts(on: interface)
  }

  /// The TXT records.
  var texts: [DNSRecord] { instances.map(text) }

  /// What a probe says that it is going to have. RFC 6762 §8.2; the cache-flush bit is no part of it, §10.2.
  func claims(on interface: UInt32) -> [DNSRecord] {
    (instances.flatMap { [service($0), text($0)] } + hosts(on: interface)).map { record in
      var record = record
      record.flushesCache = false
      return record
    }
  }

  /// Whether it would tell this record on an interface now.
  func has(_ record: DNSRecord, on interface: UInt32) -> Bool {
    answers(to: DNSQuestion(record.name, record.type), on: interface).contains(record)
  }

  // MARK: Questions

  func answers(to question: DNSQuestion, on interface: UInt32) -> [DNSRecord] {
    let all = records(on: interface) + [DNSRecord(Self.types, DNSType.ptr, ttl: Self.otherTTL, .pointer(type))]
    let found = all.filter(question.isAnswered)
    guard found.isEmpty, claimed.contains(question.name) else { return found }
    // RFC 6762 §6.1: of a name that is ours, there is no such record.
    let types = Set(all.filter { $0.name == question.name }.map(\.type)).sorted()
    return [unique(question.name, DNSType.nsec, ttl: Self.hostTTL, .existing(next: question.name, types: types))]
  }

  /// What those who get these answers will ask for next. RFC 6763 §12.
  func additionals(to answers: [DNSRecord], on interface: UInt32) -> [DNSRecord] {
    var more: [DNSRecord] = []
    for answer in answers {
      if case .pointer(let instance) = answer.data, instances.contains(instance) {
        more += [service(instance), text(instance)]
      }
    }
    if (answers + more).contains(where: { $0.type == DNSType.srv }) { more += hosts(on: interface) }
    var seen = Set(answers)
    return more.filter { seen.insert($0).inserted }
  }

  // MARK: Conflicts

  /// The name of ours that somebody's record is in conflict with: it is of a kind that nobody else may have, and says something else. RFC 6762 §9.
  func conflict(with record: DNSRecord) -> DNSName? {
    guard !record.isGoodbye, record.classField & 0x7FFF == 1, let name = claimed.first(where: { $0 == record.name })
    else { return nil }
    let kinds = name == hostName ? [DNSType.a, DNSType.aaaa] : [DNSType.srv, DNSType.txt]
    guard kinds.contains(record.type) else { return nil }
    // What is told on one interface may be heard on another.
    let own = Set(addresses.keys.flatMap { claims(on: $0) }.map(\.data))
    return own.contains(record.data) ? nil : name
  }

  /// Whether the claims of another's probe go before ours, on a name of both. RFC 6762 §8.2.
  func yields(to probe: DNSMessage, on interface: UInt32) -> Bool {
    let ours = claims(on: interface)
    return claimed.contains { name in
      let theirs = Self.order(probe.authorities.filter { $0.name == name })
      let own = Self.order(ours.filter { $0.name == name })
      return !theirs.isEmpty && own.lexicographicallyPrecedes(theirs) { $0.lexicographicallyPrecedes($1) }
    }
  }

  /// Class, type and bare data of each, sorted.
  private static func order(_ records: [DNSRecord]) -> [[UInt8]] {
    records.map { record in
      var record = record
      record.flushesCache = false
      var writer = DNSWriter(compressing: false)
      writer.append(record)
      // Class and type change places; TTL and length don't count.
      let fields = Array(writer.bytes[record.name.byteCount...])
      return Array(fields[2..<4]) + Array(fields[0..<2]) + Array(fields[10...])
    }.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
