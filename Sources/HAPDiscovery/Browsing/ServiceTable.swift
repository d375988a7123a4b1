import HAPLoop
import HAPWire

/// Combines the records received on all interfaces into services. If records differ, the latest one counts.
///
/// The network can fill the table only up to its limits. Records beyond them are ignored.
struct ServiceTable {
  static let mostServices = 512
  /// The limit for SRV and for TXT records of a service, over all interfaces.
  static let mostRecords = 32
  static let mostLinks = 64
  static let mostAddresses = 64
  /// In bytes. HAP's TXT records need less than a quarter of it.
  static let mostText = 4096

  private struct Location: Equatable {
    var host: String
    var port: UInt16
  }

  private struct Service {
    var links: [Link: Int] = [:]
    var locations = Hearings<Location>(most: mostRecords)
    var texts = Hearings<[UInt8]>(most: mostRecords)
  }

  private let type: String
  private var services: [String: Service] = [:]
  private var names: [String: String] = [:]
  private var hosts: [String: Hearings<IPAddress>] = [:]
  private var told: [String: DiscoveredService] = [:]
  /// The changed services that exist or were reported.
  private var touched: Set<String> = []

  /// - Parameter type: such as "_hap._tcp".
  init(type: String) { self.type = type }

  /// All records that the current instances need.
  var questions: Set<Question> {
    var questions: Set<Question> = []
    for name in names.keys { questions.formUnion([.location(name), .text(name)]) }
    for host in hosts.keys { questions.formUnion([.addressesV4(host), .addressesV6(host)]) }
    return questions
  }

  mutating func take(instance name: String, _ link: Link, isThere: Bool) {
    guard (1...63).contains(name.utf8.count) else { return }
    guard isThere else {
      guard let count = services[name]?.links[link] else { return }
      services[name]?.links[link] = count > 1 ? count - 1 : nil
      if services[name]?.links.isEmpty == true { remove(name) }
      return
    }
    if services[name] == nil {
      guard services.count < Self.mostServices else { return }
      services[name] = Service()
      names[fullName(name)] = name
    }
    if let links = services[name]?.links, links[link] != nil || links.count < Self.mostLinks {
      services[name]?.links[link, default: 0] += 1
    }
  }

  mutating func take(_ question: Question, _ link: Link, _ data: [UInt8], isThere: Bool) {
    switch question {
    case .location(let fullName):
      // Priority (2), weight (2), port (2), host.
      guard let name = names[fullName], data.count > 6, let host = DomainName.text(ofWireForm: data[6...]) else {
        return
      }
      let location = Location(host: host, port: UInt16(data[4]) << 8 | UInt16(data[5]))
      services[name]?.locations.take(location, link, isThere: isThere)
      touched.insert(name)
      sortOutHosts()
    case .text(let fullName):
      guard let name = names[fullName] else { return }
      services[name]?.texts.take(Array(data.prefix(Self.mostText)), link, isThere: isThere)
      touched.insert(name)
    case .addressesV4(let host), .addressesV6(let host):
      guard data.count == (question.type == 1 ? 4 : 16), hosts[host] != nil,
        var address = IPAddress(bytes: data), !address.isUnspecified, !address.isMulticast
      else { return }
      if address.isV6, address.isLinkLocal, let scoped = IPAddress(bytes: data, scope: link.interface) {
        address = scoped
      }
      hosts[host]?.take(address, link, isThere: isThere)
      for (name, service) in services where service.locations.last?.value.host == host { touched.insert(name) }
    }
  }

  /// Removes all records.
  mutating func clear() {
    touched = Set(told.keys)
    services = [:]
    names = [:]
    hosts = [:]
  }

  /// Returns the differences from the reported services, in order of their names.
  mutating func changes() -> [BrowserEvent] {
    var events: [BrowserEvent] = []
    for name in touched.sorted() {
      let now = service(name)
      switch (told[name], now) {
      case (nil, let now?): events.append(.appeared(now))
      case (let before?, let now?): if before != now { events.append(.changed(now)) }
      case (.some, nil): events.append(.gone(name: name))
      case (nil, nil): break
      }
      told[name] = now
    }
    touched = []
    return events
  }

  private func fullName(_ name: String) -> String { DNSName.escaped(name.utf8) + ".\(type).local" }

  private mutating func remove(_ name: String) {
    services[name] = nil
    names[fullName(name)] = nil
    if told[name] != nil { touched.insert(name) } else { touched.remove(name) }
    sortOutHosts()
  }

  /// Keeps only the hosts that a service refers to.
  private mutating func sortOutHosts() {
    let wanted = Set(services.values.compactMap { $0.locations.last?.value.host })
    hosts = hosts.filter { wanted.contains($0.key) }
    for host in wanted where hosts[host] == nil { hosts[host] = Hearings(most: Self.mostAddresses) }
  }

  /// Returns nil if the service doesn't exist or is incomplete.
  private func service(_ name: String) -> DiscoveredService? {
    guard let service = services[name], let location = service.locations.last, let text = service.texts.last,
      location.value.port > 0, let addresses = hosts[location.value.host]?.values, !addresses.isEmpty
    else { return nil }
    let sorted = addresses.sorted { ($0.rank, "\($0)") < ($1.rank, "\($1)") }
    return DiscoveredService(
      name: name, host: location.value.host, port: location.value.port,
      addresses: sorted.map { SocketAddress(host: $0, port: location.value.port) },
      interface: location.link.interface, txt: TextRecord.strings(of: text.value))
  }
}

/// Answers for one record in order of arrival, duplicates included.
private struct Hearings<Value: Equatable & Sendable>: Sendable {
  struct Hearing: Sendable {
    let value: Value
    let link: Link
    var count: Int
  }

  let most: Int
  private var hearings: [Hearing] = []

  init(most: Int) { self.most = most }

  var last: Hearing? { hearings.last }

  /// The values without duplicates, in order of arrival.
  var values: [Value] {
    var values: [Value] = []
    for hearing in hearings where !values.contains(hearing.value) { values.append(hearing.value) }
    return values
  }

  mutating func take(_ value: Value, _ link: Link, isThere: Bool) {
    let index = hearings.firstIndex { $0.value == value && $0.link == link }
    var hearing = index.map { hearings.remove(at: $0) } ?? Hearing(value: value, link: link, count: 0)
    hearing.count += isThere ? 1 : -1
    guard hearing.count > 0 else { return }
    if isThere {
      if hearings.count >= most { hearings.removeFirst() }
      hearings.append(hearing)
    } else if let index {
      hearings.insert(hearing, at: index)
    }
  }
}

extension IPAddress {
  fileprivate var isMulticast: Bool { isV4 ? bytes[0] & 0xF0 == 0xE0 : bytes[0] == 0xFF }
  /// The position in the list of addresses.
  fileprivate var rank: Int { isV4 ? 0 : isLinkLocal ? 2 : 1 }
}

extension TextRecord {
  /// Returns the strings of a TXT record's data, RFC 6763 §6.1. Truncated and empty strings are skipped.
  static func strings(of data: [UInt8]) -> [[UInt8]] {
    var strings: [[UInt8]] = []
    var rest = data[...]
    while let length = rest.popFirst(), rest.count >= Int(length) {
      if length > 0 { strings.append(Array(rest.prefix(Int(length)))) }
      rest = rest.dropFirst(Int(length))
    }
    return strings
  }
}
