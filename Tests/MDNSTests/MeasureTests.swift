import HAPWire
import MDNS
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

#if canImport(Glibc)
  private let own = __rusage_who_t(RUSAGE_SELF.rawValue)
#else
  private let own = RUSAGE_SELF
#endif

/// Prints the user CPU time and the memory of the responder alone. `MDNS_MEASURE=10000` sets the number of services;
/// without it, the suite is skipped.
@Suite(.enabled(if: getenv("MDNS_MEASURE") != nil), .serialized) struct MeasureTests {
  private static var count: Int { getenv("MDNS_MEASURE").flatMap { Int(String(cString: $0)) } ?? 0 }

  private static func userTime() -> Duration {
    var usage = rusage()
    getrusage(own, &usage)
    return .seconds(Int64(usage.ru_utime.tv_sec)) + .microseconds(Int64(usage.ru_utime.tv_usec))
  }

  private static func peak() -> Int {
    var usage = rusage()
    getrusage(own, &usage)
    return Int(usage.ru_maxrss) * 1024
  }

  private static func print(_ label: String, _ time: Duration) {
    let microseconds = Double(time.components.seconds) * 1e6 + Double(time.components.attoseconds) / 1e12
    Swift.print("MDNS \(label): \(microseconds / Double(count)) µs per service")
  }

  /// Runs until nothing is due, and returns each packet to the responder, as a socket does.
  private static func run(_ responder: inout MDNSResponder, from start: Duration, to end: Duration) -> (Int, Int) {
    var packets = 0
    var bytes = 0
    let source = MDNSArrival(from: MDNSEndpoint(Network.address(0)), interface: 1)
    var now = start
    while true {
      for output in responder.takeOutputs() {
        guard case .send(let packet) = output else { continue }
        packets += 1
        bytes += packet.bytes.count
        responder.receive(packet.bytes, source, at: now)
      }
      guard let next = responder.nextDeadline, next <= end else { break }
      now = max(now, next)
      responder.advance(to: now)
    }
    return (packets, bytes)
  }

  @Test func startAndQuestions() throws {
    let count = Self.count
    let services = (0..<count).map { index in
      lamp(
        "Accessory \(index)", host: "accessory-\(index)",
        text: [
          "c#=1", "ff=0", "id=AA:BB:CC:00:\(index / 100):\(index % 100)", "md=Measured 1,1", "pv=1.1", "s#=1", "sf=1",
          "ci=5", "sh=AAAAAA==",
        ])
    }
    let before = Self.peak()
    var responder = MDNSResponder(random: MDNSRandom(seed: 1))
    var now = Duration.seconds(10)
    responder.setInterface(Network.interface(0), at: now)
    var began = Self.userTime()
    for service in services { _ = try responder.publish(service, at: now) }
    Self.print("publish", Self.userTime() - began)
    let (packets, bytes) = Self.run(&responder, from: now, to: now + .seconds(3600))
    Self.print("start to second announcement", Self.userTime() - began)
    Swift.print("MDNS packets: \(packets), bytes per packet: \(bytes / max(1, packets))")
    Swift.print("MDNS peak memory: \((Self.peak() - before) / count) bytes per service")
    now += .seconds(3600)
    began = Self.userTime()
    let question = query(DNSQuestion(hap, DNSType.ptr)).encoded()
    responder.receive(question, MDNSArrival(from: Network.stranger, interface: 1), at: now)
    let answer = Self.run(&responder, from: now, to: now + .seconds(60))
    Self.print("answer to a browser", Self.userTime() - began)
    Swift.print("MDNS packets: \(answer.0), bytes per packet: \(answer.1 / max(1, answer.0))")
    now += .seconds(60)
    began = Self.userTime()
    for index in 0..<count {
      let name = hap.prefixed(by: Array("Accessory \(index)".utf8))
      let bytes = query(DNSQuestion(name, DNSType.srv)).encoded()
      responder.receive(bytes, MDNSArrival(from: Network.stranger, interface: 1), at: now)
    }
    Self.print("question for SRV", Self.userTime() - began)
    _ = responder.takeOutputs()
    #expect(responder.nextDeadline == nil)
  }
}
