import HAPWire
import Testing

@testable import MDNS

/// A browser with virtual time, and its packets and reports.
final class BrowserLab {
  struct Sent {
    var at: Duration
    var packet: MDNSPacket
    var message: DNSMessage
  }

  var browser: MDNSBrowser
  private(set) var now = Duration.zero
  private(set) var sent: [Sent] = []
  private(set) var reports: [MDNSBrowserReport] = []

  static let type = DNSName("_hap._tcp.local")!
  static let neighbour = MDNSEndpoint(MDNSAddress(bytes: [10, 0, 0, 7])!)

  /// - Parameter interfaces: indices; index 1 has the address 10.0.0.1/24, index 2 has 10.0.1.1/24, and so on.
  init(
    interfaces: [UInt32] = [1], usesV6: Bool = false, sharesPort: Bool = false, seed: UInt64 = 1,
    limits: MDNSBrowser.Limits = .init(), type: String? = "_hap._tcp"
  ) throws {
    var configuration = MDNSBrowser.Configuration()
    configuration.sharesPort = sharesPort
    configuration.limits = limits
    browser = MDNSBrowser(configuration, random: MDNSRandom(seed: seed))
    for index in interfaces { add(interface: index, usesV6: usesV6) }
    if let type { try browser.browse(type, at: .zero) }
  }

  func add(interface index: UInt32, usesV6: Bool = false, mtu: Int = 1500) {
    let own = MDNSAddress(bytes: [10, 0, UInt8(index - 1), 1])!
    let interface = MDNSInterface(index: index, [.init(own, prefixLength: 24)], mtu: mtu, usesV4: true, usesV6: usesV6)
    browser.setInterface(interface, at: now)
    take()
  }

  /// Advances to a time, and performs each due action at its time.
  func advance(to time: Duration) {
    while let next = browser.nextDeadline, next <= time {
      now = max(now, next)
      browser.advance(to: now)
      take()
    }
    now = time
    browser.advance(to: now)
    take()
  }

  func advance(by duration: Duration) { advance(to: now + duration) }

  func receive(
    _ message: DNSMessage, on interface: UInt32 = 1, from source: MDNSEndpoint = neighbour, isUnicast: Bool = false
  ) {
    receive(message.encoded(), on: interface, from: source, isUnicast: isUnicast)
  }

  func receive(
    _ bytes: [UInt8], on interface: UInt32 = 1, from source: MDNSEndpoint = neighbour, isUnicast: Bool = false
  ) {
    browser.receive(bytes, MDNSArrival(from: source, interface: interface, isUnicast: isUnicast), at: now)
    take()
  }

  /// Passes a response of another host to the browser.
  func respond(_ records: [DNSRecord], additional: [DNSRecord] = [], on interface: UInt32 = 1) {
    receive(DNSMessage(flags: 0x8400, answers: records, additionals: additional), on: interface)
  }

  /// Passes a query of another host to the browser.
  func query(_ questions: [DNSQuestion], knowing known: [DNSRecord] = [], flags: UInt16 = 0, isUnicast: Bool = false) {
    receive(DNSMessage(flags: flags, questions: questions, answers: known), isUnicast: isUnicast)
  }

  func take() {
    for output in browser.takeOutputs() {
      switch output {
      case .report(let report): reports.append(report)
      case .send(let packet):
        guard let message = try? DNSMessage(decoding: packet.bytes) else {
          Issue.record("a packet that can't be read")
          continue
        }
        sent.append(Sent(at: now, packet: packet, message: message))
      }
    }
  }

  /// Returns the packets since the last call.
  func takeSent() -> [Sent] {
    defer { sent = [] }
    return sent
  }

  func takeReports() -> [MDNSBrowserReport] {
    defer { reports = [] }
    return reports
  }

  /// Returns the questions since the last call, each with its time.
  func takeQuestions() -> [(at: Duration, question: DNSQuestion)] {
    takeSent().flatMap { sent in sent.message.questions.map { (sent.at, $0) } }
  }
}

/// An accessory's records.
struct Accessory {
  var name = "Lamp"
  var host = "lamp"
  var port: UInt16 = 80
  var text = ["sf=1"]
  var addresses: [[UInt8]] = [[10, 0, 0, 7]]
  var hostTTL: UInt32 = 120
  var otherTTL: UInt32 = 4500
  var flushesCache = true

  var type: DNSName { BrowserLab.type }
  var instance: DNSName { type.prefixed(by: Array(name.utf8)) }
  var hostName: DNSName { DNSName([Array(host.utf8), Array("local".utf8)]) }

  var pointer: DNSRecord { DNSRecord(type, DNSType.ptr, ttl: otherTTL, .pointer(instance)) }
  var place: DNSRecord {
    DNSRecord(
      instance, DNSType.srv, ttl: hostTTL, flushesCache: flushesCache,
      .service(priority: 0, weight: 0, port: port, target: hostName))
  }
  var textRecord: DNSRecord {
    DNSRecord(
      instance, DNSType.txt, ttl: otherTTL, flushesCache: flushesCache, .text(text.map { Array($0.utf8) }))
  }
  var addressRecords: [DNSRecord] {
    addresses.map { address in
      DNSRecord(
        hostName, address.count == 4 ? DNSType.a : DNSType.aaaa, ttl: hostTTL, flushesCache: flushesCache,
        .address(address))
    }
  }
  /// The NSEC record with the existing address types of the host.
  var denial: DNSRecord {
    DNSRecord(
      hostName, DNSType.nsec, ttl: hostTTL, flushesCache: flushesCache,
      .existing(next: hostName, types: Set(addressRecords.map(\.type)).sorted()))
  }
  var all: [DNSRecord] { [pointer, place, textRecord] + addressRecords + [denial] }

  /// Returns the service in the form in which the browser reports it.
  func found(on interface: UInt32 = 1) -> MDNSFoundService {
    MDNSFoundService(
      name: Array(name.utf8), type: "_hap._tcp", host: "\(host).local", port: port,
      addresses: addresses.compactMap { MDNSAddress(bytes: $0).map { .init($0) } }, interface: interface,
      text: text.map { Array($0.utf8) })
  }

  var gone: MDNSBrowserReport { .gone(name: Array(name.utf8), type: "_hap._tcp") }
}

extension DNSRecord {
  /// Returns the record with another TTL.
  func with(ttl: UInt32) -> DNSRecord {
    var record = self
    record.ttl = ttl
    return record
  }
}
