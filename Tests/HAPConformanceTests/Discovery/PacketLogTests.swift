import HAPDiscovery
import HAPLoop
import HAPWire
import Testing

@testable import HAPTarget

/// A foreign packet, multicast by default.
func packet(
  _ message: DNSMessage, number: Int = 1, at time: Duration = .zero, interface: UInt32 = 1, port: UInt16 = 5353,
  isMulticast: Bool = true, isOwn: Bool = false
) -> ObservedPacket {
  ObservedPacket(
    number: number, time: time, source: SocketAddress(host: IPAddress(bytes: [10, 0, 0, 7])!, port: port),
    destination: isMulticast ? MDNSSockets.groups[0] : .loopbackV4, interface: interface, localPort: 5353,
    hopLimit: 255, isOwn: isOwn, message: message)
}

func response(_ answers: [DNSRecord], additionals: [DNSRecord] = []) -> DNSMessage {
  DNSMessage(flags: 0x8400, answers: answers, additionals: additionals)
}

struct PacketLogTests {
  private static func filled(_ count: Int, countLimit: Int = 100, costLimit: Int = .max) -> PacketLog {
    var log = PacketLog(countLimit: countLimit, costLimit: costLimit)
    for _ in 0..<count { log.append(packet(DNSMessage(), number: log.nextNumber)) }
    return log
  }

  @Test("The log drops the oldest packets at its limit, and counts them", arguments: [0, 1, 100, 101, 1000])
  func count(_ count: Int) {
    let log = Self.filled(count)
    #expect(log.packets.count <= 100 && log.packets.count >= min(count, 75))
    #expect(log.packets.map(\.number) == Array((count - log.packets.count + 1)..<(count + 1)))
    #expect(log.mark.number == count)
  }

  @Test("The log keeps at most its memory limit, but always keeps the last packet")
  func cost() {
    let big = DNSRecord(DNSName([]), 65280, ttl: 1, .raw([UInt8](repeating: 0, count: 10_000)))
    var log = PacketLog(costLimit: 100_000)
    for _ in 0..<500 {
      log.append(packet(response([big]), number: log.nextNumber))
      #expect(log.packets.count < 12)
    }
    #expect(log.packets.last?.number == 500 && log.packets.count >= 8)
    var tiny = PacketLog(costLimit: 1)
    for number in 1...3 {
      tiny.append(packet(response([big]), number: number))
      #expect(tiny.packets.map(\.number) == [number])
    }
  }

  @Test("Packets after a mark are found, even if all packets before it were dropped")
  func marks() {
    let log = Self.filled(1000)
    let first = log.packets[0].number
    func numbers(_ mark: Int) -> [Int] { log.packets(after: PacketLog.Mark(number: mark)).map(\.number) }
    #expect(numbers(0) == Array(first...1000))
    #expect(numbers(first - 1) == Array(first...1000))
    #expect(numbers(first) == Array((first + 1)...1000))
    #expect(numbers(999) == [1000] && numbers(1000) == [] && numbers(5000) == [])
    #expect(PacketLog().packets(after: PacketLog.Mark(number: 0)).isEmpty)
  }
}
