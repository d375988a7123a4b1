import HAPLoop
import HAPWire
import WorldTestSupport

@testable import HAPDiscovery

/// Another program on the test's host. It parses packets without the tested code.
final class Browser: @unchecked Sendable {  // confined to the world's thread
  struct Seen: Equatable, Sendable {
    var host: String
    var port: UInt16
    var txt: [String]
    /// A host with IPv4 only.
    var addresses: Set<String>
  }

  private struct Expectation {
    var condition: ([String: Seen]) -> Bool
    var done: ([String: Seen]) -> Void
  }

  private static let type = DNSName("_hap._tcp.local")!

  private let loop: EventLoop
  private var sockets: MDNSSockets!
  private var instances: Set<DNSName> = []
  private var places: [DNSName: (host: DNSName, port: UInt16)] = [:]
  private var texts: [DNSName: [String]] = [:]
  private var hosts: [DNSName: Set<String>] = [:]
  private var expectations: [Expectation] = []

  init(_ host: TestHost) throws {
    loop = try host.makeLoop("browser")
    try loop.performAndWait {
      let sockets = MDNSSockets(self.loop) { [unowned self] datagram, _ in receive(datagram) }
      try sockets.open(on: [self.loop.interfaces().named(host.interface)], takesAddresses: false)
      self.sockets = sockets
      try sockets.sendToAll(DNSMessage(questions: [DNSQuestion(Self.type, DNSType.ptr)]).encoded())
    }
  }

  /// Waits until `condition` holds for the services by name.
  func seen(when condition: @escaping @Sendable ([String: Seen]) -> Bool) async -> [String: Seen] {
    await withCheckedContinuation { continuation in
      loop.schedule {
        self.expectations.append(Expectation(condition: condition) { continuation.resume(returning: $0) })
        self.look()
      }
    }
  }

  func close() throws {
    try loop.performAndWait { self.sockets.close() }
    loop.stop()
  }

  private func receive(_ datagram: UDPSocket.Datagram) {
    guard let message = try? DNSMessage(decoding: datagram.bytes), message.isResponse,
      datagram.source.port == MDNSSockets.port
    else { return }
    // RFC 6762 §10.2: these are all addresses of the host. (The IPv6 packets contain the same ones.)
    for record in message.records where record.flushesCache && record.type == DNSType.a { hosts[record.name] = [] }
    for record in message.records { take(record) }
    look()
  }

  private func take(_ record: DNSRecord) {
    switch record.data {
    case .pointer(let instance) where record.name == Self.type:
      if record.isGoodbye { instances.remove(instance) } else { instances.insert(instance) }
    case .service(_, _, let port, let host) where !record.isGoodbye: places[record.name] = (host, port)
    case .text(let strings) where !record.isGoodbye:
      texts[record.name] = strings.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
    case .address(let bytes) where record.type == DNSType.a && !record.isGoodbye:
      hosts[record.name, default: []].insert(bytes.map { "\($0)" }.joined(separator: "."))
    default: break
    }
  }

  private var seen: [String: Seen] {
    var seen: [String: Seen] = [:]
    for instance in instances {
      guard let label = instance.firstLabel, let place = places[instance], let text = texts[instance],
        let addresses = hosts[place.host], !addresses.isEmpty
      else { continue }
      seen[String(decoding: label, as: UTF8.self)] = Seen(
        host: place.host.description, port: place.port, txt: text, addresses: addresses)
    }
    return seen
  }

  private func look() {
    let seen = seen
    let fulfilled = expectations.filter { $0.condition(seen) }
    expectations.removeAll { $0.condition(seen) }
    for expectation in fulfilled { expectation.done(seen) }
  }
}
