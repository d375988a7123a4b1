import HAPLoop
import HAPWire
import Testing

@testable import HAPTarget

private let type = MDNSObserver.hapType
private let lamp = type.prefixed(by: Array("Lamp".utf8))
private let host = DNSName("host.local")!

private func pointer(ttl: UInt32 = 4500, to instance: DNSName = lamp) -> DNSRecord {
  DNSRecord(type, DNSType.ptr, ttl: ttl, .pointer(instance))
}

private func service(ttl: UInt32 = 120, port: UInt16 = 1234, of instance: DNSName = lamp) -> DNSRecord {
  DNSRecord(
    instance, DNSType.srv, ttl: ttl, flushesCache: true, .service(priority: 0, weight: 0, port: port, target: host))
}

private func text(_ strings: [String], ttl: UInt32 = 4500, flushesCache: Bool = true) -> DNSRecord {
  DNSRecord(lamp, DNSType.txt, ttl: ttl, flushesCache: flushesCache, .text(strings.map { Array($0.utf8) }))
}

private func address(_ bytes: [UInt8], ttl: UInt32 = 120, flushesCache: Bool = true) -> DNSRecord {
  let type = bytes.count == 4 ? DNSType.a : DNSType.aaaa
  return DNSRecord(host, type, ttl: ttl, flushesCache: flushesCache, .address(bytes))
}

/// Packets of these messages, 1.5 s apart.
private func instances(_ messages: [DNSMessage]) -> [ServiceInstance] {
  let packets = messages.enumerated().map { index, message in
    packet(message, number: index + 1, at: .milliseconds(1500 * index))
  }
  return ServicePicture(of: type, from: packets).instances
}

struct ServicePictureTests {
  @Test("A service is assembled from the records of several packets, and each record names its packet")
  func whole() throws {
    let found = instances([
      response([pointer()]), response([text(["id=A"])], additionals: [service(), address([10, 0, 0, 7])]),
    ])
    let instance = try #require(found.first)
    #expect(found.count == 1 && instance.name == lamp && instance.label == Array("Lamp".utf8) && instance.isResolved)
    #expect(instance.pointer?.packet == 1 && instance.service?.packet == 2 && instance.text?.record.ttl == 4500)
    #expect(instance.socketAddresses.map(\.description) == ["10.0.0.7:1234"])
    #expect(instance.missingQuestions.isEmpty && instance.value("ID") == Array("A".utf8))
  }

  @Test("Missing records are asked for: first SRV and TXT, then the host's addresses")
  func missing() {
    #expect(instances([response([pointer()])])[0].missingQuestions.map(\.type) == [DNSType.srv, DNSType.txt])
    let later = instances([response([pointer(), service()])])[0]
    #expect(later.missingQuestions.map(\.type) == [DNSType.txt, DNSType.a, DNSType.aaaa])
    #expect(later.missingQuestions.map(\.name) == [lamp, host, host] && !later.isResolved)
  }

  @Test("The last TXT record counts, and a goodbye removes it", arguments: [true, false])
  func texts(_ flushesCache: Bool) {
    let old = text(["sf=1"], flushesCache: flushesCache)
    let new = text(["sf=0"], flushesCache: flushesCache)
    #expect(instances([response([pointer(), old]), response([new])])[0].textStrings == [Array("sf=0".utf8)])
    // A repeated record is the newest.
    #expect(instances([response([old]), response([new]), response([old])])[0].textStrings == [Array("sf=1".utf8)])
    let goodbye = text(["sf=1"], ttl: 0, flushesCache: flushesCache)
    #expect(instances([response([pointer(), old]), response([goodbye])])[0].text == nil)
  }

  @Test("A goodbye of the PTR record removes the service; a later announcement restores it")
  func goodbyes() {
    let up = response([pointer(), service(), text([])])
    #expect(instances([up, response([pointer(ttl: 0)])]).isEmpty)
    #expect(instances([up, response([pointer(ttl: 0)]), up]).map(\.name) == [lamp])
    let other = type.prefixed(by: [0x42])
    #expect(instances([up, response([pointer(ttl: 0, to: other)])]).map(\.name) == [lamp])
  }

  @Test("Addresses accumulate; the cache-flush bit removes older ones (> 1 s) of the same interface")
  func addresses() {
    let up = response([service(), address([10, 0, 0, 1]), address([10, 0, 0, 2])])
    func hosts(_ instances: [ServiceInstance]) -> [String] { instances[0].socketAddresses.map { "\($0.host)" } }
    #expect(hosts(instances([up])) == ["10.0.0.1", "10.0.0.2"])
    #expect(hosts(instances([up, response([address([10, 0, 0, 3])])])) == ["10.0.0.3"])
    #expect(hosts(instances([up, response([address([10, 0, 0, 3], flushesCache: false)])])).count == 3)
    #expect(hosts(instances([up, response([address([10, 0, 0, 1], ttl: 0, flushesCache: false)])])) == ["10.0.0.2"])
    let elsewhere = packet(response([address([10, 0, 0, 3])]), number: 2, at: .seconds(9), interface: 2)
    #expect(hosts(ServicePicture(of: type, from: [packet(up), elsewhere]).instances).count == 3)
    let linkLocal = response([service(), address([0xFE, 0x80] + [UInt8](repeating: 1, count: 14))])
    #expect(instances([linkLocal])[0].socketAddresses.map(\.host.scope) == [1])
  }

  @Test("Questions, known answers, our own packets, other ports and other types are ignored")
  func unheard() {
    let up = response([pointer(), service()])
    let query = DNSMessage(questions: [DNSQuestion(type, DNSType.ptr)], answers: [pointer()], authorities: [service()])
    let other = DNSName("_ipp._tcp.local")!
    let foreign = response([
      DNSRecord(other, DNSType.ptr, ttl: 1, .pointer(lamp)),
      DNSRecord(type, DNSType.ptr, ttl: 1, .pointer(other.prefixed(by: [0x41]))),
      service(of: lamp.prefixed(by: [0x41])),
    ])
    let packets = [packet(query), packet(up, isOwn: true), packet(up, port: 5000), packet(foreign)]
    #expect(ServicePicture(of: type, from: packets).instances.isEmpty)
  }

  @Test("Names that differ only in case are the same service")
  func cases() {
    let shouted = type.prefixed(by: Array("LAMP".utf8))
    #expect(instances([response([pointer()]), response([service(of: shouted)])]).count == 1)
  }

  @Test("A target matches by name, identifier or address")
  func targets() throws {
    let up = response([pointer(), service(), text(["id=AA:BB"]), address([10, 0, 0, 7])])
    let instance = instances([up])[0]
    let host = IPAddress(bytes: [10, 0, 0, 7])!
    for right: ServiceTarget in [
      .name("Lamp"), .name("lamp"), .id("aa:bb"), .address(SocketAddress(host: host, port: 1234)),
      .address(SocketAddress(host: host, port: 0)),
    ] { #expect(right.matches(instance), "\(right)") }
    for wrong: ServiceTarget in [
      .name("Lam"), .name(""), .id("AA:BC"), .id(""), .address(SocketAddress(host: host, port: 1)),
      .address(SocketAddress(host: .loopbackV4, port: 1234)), .name(String(repeating: "a", count: 300)),
    ] { #expect(!wrong.matches(instance), "\(wrong)") }
  }

  @Test("Announcements, goodbyes and probes are distinguished")
  func kinds() {
    let announced = packet(response([text(["a"])]))
    #expect(announced.announcedText(of: lamp) == [Array("a".utf8)] && announced.isAnnouncement)
    #expect(packet(response([text(["a"], flushesCache: false)])).announcedText(of: lamp) == nil)
    #expect(packet(response([text(["a"], ttl: 0)])).announcedText(of: lamp) == nil)
    #expect(packet(response([text(["a"])]), isMulticast: false).announcedText(of: lamp) == nil)
    #expect(packet(response([text(["a"])]), isOwn: true).announcedText(of: lamp) == nil)
    #expect(announced.announcedText(of: host) == nil)
    #expect(packet(response([pointer(ttl: 0)])).isGoodbye(of: lamp))
    #expect(packet(response([service(ttl: 0)])).isGoodbye(of: lamp))
    #expect(!packet(response([pointer(), service()])).isGoodbye(of: lamp))
    #expect(!packet(response([pointer(ttl: 0, to: host)])).isGoodbye(of: lamp))
    let probe = DNSMessage(questions: [DNSQuestion(lamp, DNSType.any)], authorities: [service()])
    #expect(packet(probe).records(lamp).isEmpty)
  }
}
