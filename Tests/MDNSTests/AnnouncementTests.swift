import HAPWire
import MDNS
import Testing

@Suite struct AnnouncementTests {
  @Test("[MD.9] Two announcements, a second apart, have all records in their answer section")
  func announcements() throws {
    let network = Network()
    network.add(v6: true)
    let id = network.establish(lamp())
    let responses = network.responses()
    try #require(responses.count == 2)
    #expect(responses[1].time - responses[0].time == .seconds(1))
    for sent in responses {
      #expect(sent.isMulticast && sent.message.id == 0 && sent.message.flags == 0x8400)
      let types = Set(sent.message.answers.map(\.type))
      #expect(types == [DNSType.ptr, DNSType.srv, DNSType.txt, DNSType.a, DNSType.aaaa])
      #expect(sent.message.questions.isEmpty && sent.message.authorities.isEmpty)
    }
    #expect(network.reports() == [.registered(id, name: "Lamp", host: "lamp")])
    #expect(network.stations[0].reports[0].time == responses[0].time)
  }

  @Test("[MD.10] Unique records are sent with the cache-flush bit, PTR records without it")
  func cacheFlush() {
    let network = Network()
    network.add()
    network.establish(lamp())
    network.hear(query(DNSQuestion(hap, DNSType.ptr), DNSQuestion(lampHost, DNSType.aaaa)))
    network.run(.seconds(3))
    let records = network.responses().flatMap { $0.message.records }
    #expect(records.contains { $0.type == DNSType.ptr } && records.contains { $0.type == DNSType.nsec })
    for record in records { #expect(record.flushesCache == (record.type != DNSType.ptr), "\(record)") }
  }

  @Test("[MD.14] Services of one host that wait for their goodbyes together release the host once")
  func sharedHostGoodbye() throws {
    let network = Network()
    var configuration = MDNSResponder.Configuration()
    configuration.packetsPerTick = 1
    network.add(configuration)
    func alone(_ name: String, host: String, port: UInt16) -> MDNSService {
      var service = lamp(name, host: host, port: port)
      service.isAlone = true
      return service
    }
    let pair = [("A", UInt16(1)), ("B", 2)].map { network.publish(alone($0.0, host: "both", port: $0.1)) }
    network.run(.seconds(5))
    for id in pair { network.stations[0].responder.withdraw(id, at: network.now) }
    network.run(.seconds(2))
    let goodbyes = network.sent.flatMap(\.message.records).filter { $0.isGoodbye && $0.type == DNSType.srv }
    #expect(goodbyes.count == 2)
    let hosts = ["one", "two"]
    for (index, host) in hosts.enumerated() { network.publish(alone(host, host: host, port: UInt16(3 + index))) }
    let mark = network.mark
    network.run(.seconds(5))
    for host in hosts {
      let places = network.responses(after: mark).flatMap(\.message.records).filter {
        $0.type == DNSType.srv && $0.name.firstLabel == Array(host.utf8)
      }
      #expect(!places.isEmpty)
      for place in places {
        guard case .service(_, _, _, let target) = place.data else { continue }
        #expect(target == DNSName("\(host).local"))
      }
    }
  }

  @Test("[MD.11] Records with a host's name have a TTL of 120 s, all others of 75 minutes")
  func ttls() {
    let network = Network()
    network.add(v6: true)
    network.establish(lamp())
    for record in network.responses().flatMap({ $0.message.records }) {
      let isOfHost = [DNSType.a, DNSType.aaaa, DNSType.srv, DNSType.nsec].contains(record.type)
      #expect(record.ttl == (isOfHost ? 120 : 4500), "\(record)")
    }
  }

  @Test("[MD.12] The PTR record is never sent while a name of the service is being probed")
  func completeOnly() {
    let network = Network()
    network.add()
    network.publish(lamp())
    network.run(.ms(600))
    // There is a conflict for the host's name, but not for the service's.
    network.hear(response(DNSRecord(lampHost, DNSType.a, ttl: 120, .address([10, 0, 0, 77]))))
    network.hear(query(DNSQuestion(hap, DNSType.ptr)))
    network.run(.seconds(5))
    let renamed = DNSName("lamp-2.local")!
    let lastProbe = network.probes().last { $0.message.questions.contains { $0.name == renamed } }
    let first = network.responses().first
    #expect(lastProbe != nil && first!.time - lastProbe!.time == .ms(250))
    #expect(first!.message.answers(DNSType.ptr).contains(pointer()))
    #expect(first!.message.answers(DNSType.a).map(\.name) == [renamed])
  }

  @Test("[MD.13] A changed TXT record is announced at once and again a second later")
  func textUpdate() throws {
    let network = Network()
    network.add()
    let id = network.establish(lamp())
    let mark = network.mark
    let start = network.now
    try network.stations[0].responder.update(id, text: [Array("sf=0".utf8)], at: network.now)
    network.run(.seconds(5))
    let sent = network.responses(after: mark)
    #expect(sent.map { $0.time - start } == [.zero, .seconds(1)])
    for one in sent {
      #expect(one.message.answers.map(\.data) == [.text([Array("sf=0".utf8)])])
      #expect(one.message.answers[0].flushesCache)
    }
  }

  @Test("[MD.13] A TXT record with a string of more than 255 bytes is refused, and nothing is announced")
  func longText() throws {
    let network = Network()
    network.add()
    let id = network.establish(lamp())
    let mark = network.mark
    #expect(throws: MDNSServiceError.textTooLong(256)) {
      try network.stations[0].responder.update(id, text: [[UInt8](repeating: 0x61, count: 256)], at: network.now)
    }
    network.run(.seconds(5))
    #expect(network.responses(after: mark).isEmpty)
  }

  @Test(
    "[MD.13] A TXT record that changes during probing is announced with its last value; an unchanged one is not"
  )
  func earlyUpdate() throws {
    let network = Network()
    network.add()
    let id = network.publish(lamp())
    network.run(.ms(500))
    try network.stations[0].responder.update(id, text: [Array("sf=0".utf8)], at: network.now)
    network.run(.seconds(5))
    let texts = network.responses().flatMap { $0.message.answers(DNSType.txt) }
    #expect(texts.count == 2 && texts.allSatisfy { $0.data == .text([Array("sf=0".utf8)]) })
    let mark = network.mark
    try network.stations[0].responder.update(id, text: [Array("sf=0".utf8)], at: network.now)
    network.run(.seconds(5))
    #expect(network.mark == mark)
  }

  @Test(
    "[MD.14] A withdrawn service sends a goodbye for all its records; without goodbyes nothing is sent",
    arguments: [true, false])
  func goodbye(_ isPolite: Bool) {
    let network = Network()
    network.add()
    let id = network.establish(lamp())
    let mark = network.mark
    network.stations[0].responder.withdraw(id, goodbye: isPolite, at: network.now)
    network.run(.seconds(5))
    let sent = network.responses(after: mark)
    #expect(sent.count == (isPolite ? 1 : 0))
    if isPolite {
      #expect(Set(sent[0].message.answers.map(\.type)) == [DNSType.ptr, DNSType.srv, DNSType.txt, DNSType.a])
      #expect(sent[0].message.records.allSatisfy { $0.isGoodbye })
    }
    network.hear(query(DNSQuestion(hap, DNSType.ptr), DNSQuestion(lampName, DNSType.any)))
    network.run(.seconds(5))
    #expect(network.responses(after: mark).count == (isPolite ? 1 : 0))
    #expect(network.stations[0].responder.name(of: id) == nil)
  }

  @Test("[MD.14] A goodbye leaves out the addresses of a host that has another service")
  func sharedHost() {
    let network = Network()
    network.add()
    let id = network.establish(lamp())
    network.establish(lamp("Other"))
    let mark = network.mark
    network.stations[0].responder.withdraw(id, at: network.now)
    network.run(.seconds(1))
    #expect(
      Set(network.responses(after: mark)[0].message.answers.map(\.type)) == [DNSType.ptr, DNSType.srv, DNSType.txt])
    // A service that was never announced sends no goodbye.
    let early = network.publish(lamp("Early", host: "early"))
    network.run(.ms(300))
    network.stations[0].responder.withdraw(early, at: network.now)
    let second = network.mark
    network.run(.seconds(1))
    #expect(network.mark == second)
  }

  @Test(
    "[MD.14] A service that is withdrawn while its host is renamed sends no record with the new name",
    arguments: [true, false])
  func renamedHostGoodbye(_ isEarly: Bool) throws {
    let network = Network()
    network.add()
    let id = network.establish(lamp())
    network.run(.seconds(10))
    let theirs = response(DNSRecord(lampHost, DNSType.a, ttl: 120, .address([10, 0, 0, 77])))
    network.hear(theirs)
    network.run(.ms(300))
    network.hear(theirs)
    #expect(network.stations[0].responder.host(of: id) == "lamp-2")
    network.run(isEarly ? .ms(600) : .seconds(10))
    let mark = network.mark
    network.stations[0].responder.withdraw(id, at: network.now)
    network.run(.seconds(5))
    let goodbyes = network.responses(after: mark).flatMap(\.message.records)
    #expect(goodbyes.allSatisfy { $0.isGoodbye })
    let types = Set(goodbyes.map(\.type))
    #expect(types == (isEarly ? [DNSType.ptr, DNSType.txt] : [DNSType.ptr, DNSType.txt, DNSType.srv, DNSType.a]))
  }

  @Test("[MD.15] Announcements of many services share packets, and are sent a few at a time")
  func pacing() {
    let network = Network()
    network.add()
    for index in 0..<500 { network.publish(lamp("Lamp \(index)", host: "lamp-\(index)-x")) }
    network.run(.seconds(10))
    #expect(network.reports().count == 500)
    let announced = network.responses().flatMap { $0.message.answers(DNSType.srv) }
    #expect(announced.count == 1000)
    #expect(network.sent.count < 5 * 500 / 6)
    var perTick: [Int64: Int] = [:]
    for sent in network.sent { perTick[Int64(sent.time / .ms(10)), default: 0] += 1 }
    #expect(perTick.values.max()! <= 24)
  }

  @Test(
    "[MD.16] With an MTU of 1500, a packet has at most 1440 bytes over IPv4 and 1452 over IPv6; a smaller MTU reduces it",
    arguments: [true, false])
  func packetSizes(_ isV4: Bool) {
    for mtu in [1500, 1280, 576] {
      let most = mtu - (isV4 ? 60 : 48)
      let network = Network()
      network.add(mtu: mtu)
      if !isV4 {
        let own = MDNSInterface.Assignment(Network.addressV6(0), prefixLength: 64)
        network.stations[0].responder.setInterface(MDNSInterface(index: 1, [own], mtu: mtu), at: network.now)
      }
      for index in 0..<60 {
        let text = String(repeating: "t", count: index * 3)
        network.publish(lamp("Lamp \(index)", host: "host-\(index)", text: ["a=1", text]))
      }
      network.run(.seconds(10))
      #expect(network.reports().count == 60)
      #expect(network.sent.map(\.packet.bytes.count).max()! <= most)
      #expect(network.sent.map(\.packet.bytes.count).max()! > most - 300)
    }
  }

  @Test(
    "[MD.16] Records can fill a packet up to exactly the MTU, with names and data of any length",
    arguments: [1, 2, 8, 14, 15], [true, false])
  func fullPackets(_ typeLength: Int, _ isV4: Bool) {
    let type = "_" + String(repeating: "t", count: typeLength) + "._tcp"
    let most = isV4 ? 1440 : 1452
    var largest = 0
    for nameLength in [1, 57] {
      for textLength in [stride(from: 580, to: 660, by: 4), stride(from: 1180, to: 1330, by: 4)].joined() {
        let network = Network()
        network.add()
        if !isV4 {
          let own = MDNSInterface.Assignment(Network.addressV6(0), prefixLength: 64)
          network.stations[0].responder.setInterface(MDNSInterface(index: 1, [own]), at: network.now)
        }
        // Strings of at most 255 bytes, each with a length byte.
        let text = (0..<textLength / 250).map { _ in [UInt8](repeating: 0x74, count: 249) }
        for number in 0..<4 {
          network.publish(
            MDNSService(
              name: String(repeating: "n", count: nameLength) + "\(number)", type: type, port: 1,
              text: text + [[UInt8](repeating: 0x74, count: textLength % 250)], host: "host-\(number)x"))
        }
        network.run(.seconds(3))
        // A single record may be larger, and so may the probe for its name.
        for sent in network.sent where sent.message.answers.count > 1 {
          largest = max(largest, sent.packet.bytes.count)
        }
      }
    }
    #expect((most - 24...most).contains(largest), "\(largest)")
  }

  @Test(
    "[MD.16] A record that is too large for a packet of its link is sent alone, up to 9000 bytes, with the PTR record last"
  )
  func largeRecord() {
    let network = Network()
    network.add()
    let text = (0..<30).map { "k\($0)=" + String(repeating: "v", count: 240) }
    network.establish(lamp(text: text))
    let first = network.responses().filter { $0.time == network.responses()[0].time }
    #expect(first.contains { $0.message.answers.count == 1 && $0.message.answers[0].type == DNSType.txt })
    #expect(first.last!.message.answers(DNSType.ptr).contains(pointer()))
    #expect(first.allSatisfy { $0.packet.bytes.count <= 1440 || $0.message.records.count == 1 })
    #expect(network.sent.allSatisfy { $0.packet.bytes.count <= 9000 - 28 })
  }

  @Test("[MD.17] Services of _matter types get separate packets, together with their host")
  func alone() {
    let network = Network()
    network.add()
    let type = DNSName("_matter._tcp.local")!
    for index in 0..<5 {
      network.publish(lamp("Lamp \(index)", host: "lamp-\(index)x"))
      network.publish(
        MDNSService(
          name: "0123456789ABCDEF-\(index)", type: "_matter._tcp", subtypes: ["_I0123456789ABCDEF"], port: 5540,
          text: [Array("SII=500".utf8)], host: "host-\(index)"))
    }
    network.run(.seconds(5))
    network.hear(query(DNSQuestion(type, DNSType.ptr), DNSQuestion(hap, DNSType.ptr)))
    network.run(.seconds(5))
    #expect(network.sent.count >= 5 * 6)
    var seen = 0
    for sent in network.sent {
      let services = sent.message.records.filter { $0.type == DNSType.srv }
      guard let matter = services.first(where: { $0.name.isWithin(type) }) else { continue }
      seen += 1
      #expect(services.count == 1)
      guard case .service(_, _, _, let host) = matter.data else { continue }
      #expect(sent.message.records.filter { $0.type == DNSType.a }.allSatisfy { $0.name == host })
    }
    #expect(seen >= 30)
  }
}
