import HAPWire
import MDNS
import Testing

/// A network in memory with virtual time: packets arrive immediately, or after a delay, at all stations of the link,
/// including the sender.
final class Network {
  /// A packet as it was sent.
  struct Sent {
    let time: Duration
    let station: Int
    let packet: MDNSPacket
    let message: DNSMessage

    var isMulticast: Bool {
      packet.destination == .multicast(isV4: true) || packet.destination == .multicast(isV4: false)
    }
  }

  struct Station {
    var responder: MDNSResponder
    let address: MDNSAddress
    var reports: [(time: Duration, report: MDNSReport)] = []
  }

  private struct Delivery {
    let time: Duration
    let number: Int
    let station: Int
    let bytes: [UInt8]
    let arrival: MDNSArrival
  }

  private(set) var now = Duration.seconds(1000)
  var stations: [Station] = []
  private(set) var sent: [Sent] = []
  private var deliveries: [Delivery] = []
  private var lastNumber = 0
  /// Returns `nil` if a packet from one station to another is lost, otherwise its delay.
  var path: (Int, Int) -> Duration? = { _, _ in .zero }
  /// Whether packets return to their sender.
  var hasEcho = true

  static func address(_ station: Int) -> MDNSAddress { MDNSAddress(bytes: [10, 0, 0, UInt8(station + 1)])! }
  static func addressV6(_ station: Int) -> MDNSAddress {
    MDNSAddress(bytes: [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [UInt8(station + 1)])!
  }

  /// A host other than the stations.
  static let stranger = MDNSEndpoint(MDNSAddress(bytes: [10, 0, 0, 200])!)

  static func interface(_ station: Int, v6: Bool = false, mtu: Int = 1500) -> MDNSInterface {
    var assignments = [MDNSInterface.Assignment(address(station), prefixLength: 24)]
    if v6 { assignments.append(MDNSInterface.Assignment(addressV6(station), prefixLength: 64)) }
    return MDNSInterface(index: 1, assignments, mtu: mtu, usesV4: true, usesV6: false)
  }

  /// Adds a station with interface 1 over IPv4.
  @discardableResult
  func add(
    seed: UInt64 = 1, v6: Bool = false, mtu: Int = 1500,
    _ configuration: MDNSResponder.Configuration = MDNSResponder.Configuration()
  ) -> Int {
    let number = stations.count
    var responder = MDNSResponder(configuration, random: MDNSRandom(seed: seed &+ UInt64(number)))
    responder.setInterface(Self.interface(number, v6: v6, mtu: mtu), at: now)
    stations.append(Station(responder: responder, address: Self.address(number)))
    return number
  }

  // MARK: Time

  /// Advances time; all due actions happen in order.
  func run(_ duration: Duration) { run(to: now + duration) }

  func run(to end: Duration) {
    collect()
    while let next = nextTime, next <= end {
      now = max(now, next)
      while let index = nextDelivery, deliveries[index].time <= now {
        let delivery = deliveries.remove(at: index)
        stations[delivery.station].responder.receive(delivery.bytes, delivery.arrival, at: now)
        collect()
      }
      for station in stations.indices where (stations[station].responder.nextDeadline ?? .seconds(1 << 40)) <= now {
        stations[station].responder.advance(to: now)
        collect()
      }
    }
    now = end
    for station in stations.indices { stations[station].responder.advance(to: now) }
    collect()
  }

  private var nextDelivery: Int? {
    deliveries.indices.min {
      (deliveries[$0].time, deliveries[$0].number) < (deliveries[$1].time, deliveries[$1].number)
    }
  }

  private var nextTime: Duration? {
    (stations.compactMap(\.responder.nextDeadline) + deliveries.map(\.time)).min()
  }

  /// Takes the outputs of all stations.
  func collect() {
    for station in stations.indices {
      for output in stations[station].responder.takeOutputs() {
        switch output {
        case .report(let report): stations[station].reports.append((now, report))
        case .send(let packet): send(packet, from: station)
        }
      }
    }
  }

  private func send(_ packet: MDNSPacket, from station: Int) {
    guard let message = try? DNSMessage(decoding: packet.bytes) else {
      Issue.record("a packet that can't be read: \(packet.bytes)")
      return
    }
    sent.append(Sent(time: now, station: station, packet: packet, message: message))
    let source = MDNSEndpoint(stations[station].address)
    switch packet.destination {
    case .multicast(let isV4):
      guard isV4 else { return }
      for other in stations.indices where other != station || hasEcho {
        let delay = other == station ? .zero : path(station, other)
        if let delay { deliver(packet.bytes, to: other, MDNSArrival(from: source, interface: 1), after: delay) }
      }
    case .unicast(let target):
      guard let other = stations.firstIndex(where: { $0.address == target.address }), let delay = path(station, other)
      else { return }
      deliver(packet.bytes, to: other, MDNSArrival(from: source, interface: 1, isUnicast: true), after: delay)
    }
  }

  private func deliver(_ bytes: [UInt8], to station: Int, _ arrival: MDNSArrival, after delay: Duration) {
    lastNumber += 1
    deliveries.append(
      Delivery(time: now + delay, number: lastNumber, station: station, bytes: bytes, arrival: arrival))
  }

  // MARK: Inputs

  @discardableResult
  func publish(_ service: MDNSService, on station: Int = 0, _ behavior: MDNSBehavior = MDNSBehavior()) -> MDNSServiceID
  {
    defer { collect() }
    do {
      return try stations[station].responder.publish(service, behavior: behavior, at: now)
    } catch {
      fatalError("\(error)")
    }
  }

  /// Publishes a service, and waits until its announcements are over.
  @discardableResult
  func establish(
    _ service: MDNSService, on station: Int = 0, _ behavior: MDNSBehavior = MDNSBehavior()
  ) -> MDNSServiceID {
    let id = publish(service, on: station, behavior)
    run(.seconds(5))
    return id
  }

  /// Passes a message of another host to one station.
  func hear(
    _ message: DNSMessage, from source: MDNSEndpoint = stranger, unicast: Bool = false, on station: Int = 0,
    interface: UInt32 = 1
  ) {
    hear(message.encoded(), from: source, unicast: unicast, on: station, interface: interface)
  }

  func hear(
    _ bytes: [UInt8], from source: MDNSEndpoint = stranger, unicast: Bool = false, on station: Int = 0,
    interface: UInt32 = 1
  ) {
    let arrival = MDNSArrival(from: source, interface: interface, isUnicast: unicast)
    stations[station].responder.receive(bytes, arrival, at: now)
    collect()
  }

  // MARK: Results

  /// The index in `sent` of the next packet.
  var mark: Int { sent.count }

  func responses(after mark: Int = 0, from station: Int = 0) -> [Sent] {
    sent[mark...].filter { $0.message.isResponse && $0.station == station }
  }

  func probes(from station: Int = 0) -> [Sent] { sent.filter { $0.message.isProbe && $0.station == station } }

  /// Returns the reports without `heard`.
  func reports(_ station: Int = 0) -> [MDNSReport] {
    stations[station].reports.map(\.report).filter { if case .heard = $0 { false } else { true } }
  }

  /// Returns the services of the `heard` reports.
  func heard(_ station: Int = 0) -> [MDNSServiceID] {
    stations[station].reports.compactMap { if case .heard(let id) = $0.report { id } else { nil } }
  }

  /// Returns the name of the service that a station registered last.
  func registeredName(_ station: Int) -> String? {
    for report in reports(station).reversed() {
      if case .registered(_, let name, _) = report { return name }
    }
    return nil
  }
}

let hap = DNSName("_hap._tcp.local")!
let lampName = hap.prefixed(by: Array("Lamp".utf8))
let lampHost = DNSName("lamp.local")!

func lamp(
  _ name: String = "Lamp", host: String = "lamp", port: UInt16 = 51826, text: [String] = ["c#=1", "sf=1"],
  addresses: [MDNSAddress] = [], mayRename: Bool = true
) -> MDNSService {
  MDNSService(
    name: name, port: port, text: text.map { Array($0.utf8) }, host: host, addresses: addresses, mayRename: mayRename)
}

/// Returns another host's SRV record of a name.
func otherService(_ name: DNSName = lampName, ttl: UInt32 = 120, port: UInt16 = 9) -> DNSRecord {
  DNSRecord(
    name, DNSType.srv, ttl: ttl, flushesCache: true,
    .service(priority: 0, weight: 0, port: port, target: DNSName("other.local")!))
}

func response(_ records: DNSRecord...) -> DNSMessage { DNSMessage(flags: 0x8400, answers: records) }

func query(_ questions: DNSQuestion..., known: [DNSRecord] = []) -> DNSMessage {
  DNSMessage(questions: questions, answers: known)
}

func pointer(to name: DNSName = lampName, ttl: UInt32 = 4500) -> DNSRecord {
  DNSRecord(hap, DNSType.ptr, ttl: ttl, .pointer(name))
}

extension DNSMessage {
  func answers(_ type: UInt16) -> [DNSRecord] { answers.filter { $0.type == type } }
  func additionals(_ type: UInt16) -> [DNSRecord] { additionals.filter { $0.type == type } }
}

extension Duration {
  static func ms(_ count: Int) -> Duration { .milliseconds(count) }
}
