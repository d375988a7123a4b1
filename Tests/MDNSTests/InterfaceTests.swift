import HAPWire
import MDNS
import Testing

private let first = MDNSAddress(bytes: [10, 0, 0, 1])!
private let second = MDNSAddress(bytes: [10, 0, 0, 9])!
private let linkLocal = Network.addressV6(0)

private func interface(_ index: UInt32, _ addresses: [MDNSAddress], v4: Bool? = nil, v6: Bool? = nil) -> MDNSInterface {
  MDNSInterface(
    index: index, addresses.map { MDNSInterface.Assignment($0, prefixLength: $0.isV4 ? 24 : 64) }, usesV4: v4,
    usesV6: v6)
}

@Suite struct InterfaceTests {
  private func set(_ network: Network, _ interface: MDNSInterface) {
    network.stations[0].responder.setInterface(interface, at: network.now)
    network.collect()
  }

  private func addresses(_ network: Network, after mark: Int) -> [[MDNSAddress]] {
    network.responses(after: mark).map { sent in
      sent.message.answers.compactMap { record in
        if case .address(let bytes) = record.data, !record.isGoodbye { MDNSAddress(bytes: bytes) } else { nil }
      }
    }
  }

  @Test("[MD.40] A new address is announced twice, together with all other addresses of the host")
  func newAddress() {
    let network = Network()
    network.add()
    network.establish(lamp())
    let mark = network.mark
    set(network, interface(1, [first, second]))
    network.run(.seconds(5))
    #expect(addresses(network, after: mark) == [[first, second], [first, second]])
    #expect(network.responses(after: mark).allSatisfy { $0.message.answers.allSatisfy(\.flushesCache) })
    let later = network.mark
    set(network, interface(1, [second]))
    network.run(.seconds(5))
    #expect(addresses(network, after: later) == [[second], [second]])
    #expect(network.sent[mark...].allSatisfy { !$0.message.isProbe })
  }

  @Test("[MD.40] When the last address of a family is removed, a goodbye is sent for the old ones")
  func lastOfFamily() {
    let network = Network()
    network.add(v6: true)
    network.establish(lamp())
    let mark = network.mark
    set(network, interface(1, [first], v6: false))
    network.run(.seconds(5))
    let gone = network.responses(after: mark).flatMap(\.message.answers).filter(\.isGoodbye)
    #expect(!gone.isEmpty && gone.allSatisfy { $0.data == .address(linkLocal.bytes) && !$0.flushesCache })
    #expect(addresses(network, after: mark) == [[first], [first]])
  }

  @Test(
    "[MD.40] Each address removed in two changes within a second gets two goodbyes; one that returns gets none")
  func goneInTwoChanges() {
    let network = Network()
    network.add(v6: true)
    let other = Network.addressV6(70)
    set(network, interface(1, [first, linkLocal, other], v6: false))
    network.establish(lamp())
    let mark = network.mark
    set(network, interface(1, [first], v6: false))
    network.run(.ms(500))
    set(network, interface(1, [second], v6: false))
    network.run(.seconds(5))
    func gone(after mark: Int) -> [DNSRecord] {
      network.responses(after: mark).flatMap(\.message.answers).filter(\.isGoodbye)
    }
    for address in [linkLocal, other] {
      #expect(gone(after: mark).count { $0.data == .address(address.bytes) } >= 2)
    }
    #expect(addresses(network, after: mark).last == [second])
    let last = network.responses(after: mark).last { $0.message.answers.contains { $0.isGoodbye } }
    #expect(last.map { network.now - $0.time < .seconds(4.5) } == true)
    // An address returns while goodbyes are sent.
    let later = network.mark
    set(network, interface(1, [linkLocal], v4: true, v6: false))
    network.run(.ms(500))
    set(network, interface(1, [first, linkLocal], v6: false))
    let back = network.mark
    network.run(.seconds(5))
    #expect(gone(after: later).contains { $0.data == .address(second.bytes) })
    #expect(gone(after: back).isEmpty)
  }

  @Test("[MD.41] On a new interface the names are probed, and then announced only there")
  func newInterface() {
    let network = Network()
    network.add()
    let id = network.establish(lamp())
    let mark = network.mark
    set(network, interface(2, [second]))
    network.run(.seconds(5))
    let sent = network.sent[mark...]
    #expect(sent.filter(\.message.isProbe).count == 3)
    #expect(sent.count == 5 && sent.allSatisfy { $0.packet.interface == 2 })
    #expect(addresses(network, after: mark) == [[second], [second]])
    // A conflict on the new interface changes the name on all interfaces.
    network.hear(response(otherService()), from: MDNSEndpoint(MDNSAddress(bytes: [10, 0, 0, 8])!), interface: 2)
    network.run(.ms(300))
    network.hear(response(otherService()), from: MDNSEndpoint(MDNSAddress(bytes: [10, 0, 0, 8])!), interface: 2)
    let renamed = network.mark
    network.run(.seconds(5))
    #expect(network.stations[0].responder.name(of: id) == "Lamp (2)")
    #expect(Set(network.responses(after: renamed).map(\.packet.interface)) == [1, 2])
  }

  @Test(
    "[MD.42] On an interface that disappears and returns, names are probed and announced again, and the service is registered again"
  )
  func comesBack() {
    let network = Network()
    network.add()
    let id = network.establish(lamp())
    network.stations[0].responder.removeInterface(1, at: network.now)
    let mark = network.mark
    network.hear(query(DNSQuestion(hap, DNSType.ptr)))
    network.run(.seconds(60))
    #expect(network.mark == mark && network.stations[0].responder.nextDeadline == nil)
    set(network, interface(1, [first]))
    network.run(.seconds(5))
    #expect(network.sent[mark...].filter(\.message.isProbe).count == 3 && network.responses(after: mark).count == 2)
    #expect(
      network.reports() == [.registered(id, name: "Lamp", host: "lamp"), .registered(id, name: "Lamp", host: "lamp")])
  }

  @Test(
    "[MD.43] Each interface announces its addresses; a configured address that no interface has is announced on all"
  )
  func ownAddresses() {
    let network = Network()
    network.add()
    set(network, interface(2, [second]))
    let other = MDNSAddress(bytes: [192, 168, 7, 7])!
    network.establish(lamp())
    network.establish(lamp("Given", host: "given", addresses: [second, other]))
    for (index, own, given) in [(UInt32(1), [first], [other]), (2, [second], [second, other])] {
      let records = network.responses().filter { $0.packet.interface == index }.flatMap {
        $0.message.answers(DNSType.a)
      }
      #expect(Set(records.filter { $0.name == lampHost }.map(\.data)) == Set(own.map { .address($0.bytes) }))
      #expect(
        Set(records.filter { $0.name == DNSName("given.local")! }.map(\.data)) == Set(given.map { .address($0.bytes) }))
    }
  }

  @Test("[MD.43] A service whose addresses belong to another interface is not announced, and moves with them")
  func givenElsewhere() {
    let network = Network()
    network.add()
    set(network, interface(2, [second]))
    network.establish(lamp(addresses: [second]))
    #expect(Set(network.sent.map(\.packet.interface)) == [2])
    network.run(.seconds(10))
    var mark = network.mark
    network.hear(query(DNSQuestion(hap, DNSType.ptr)))
    network.hear(query(DNSQuestion(lampName, DNSType.any)))
    network.hear(query(DNSQuestion(hap, DNSType.ptr)), from: MDNSEndpoint(Network.stranger.address, port: 40000))
    network.run(.seconds(5))
    #expect(network.mark == mark)
    // No interface has the address, so all interfaces announce it.
    network.stations[0].responder.removeInterface(2, at: network.now)
    network.run(.seconds(5))
    #expect(network.sent[mark...].filter(\.message.isProbe).count == 3)
    #expect(addresses(network, after: mark) == [[second], [second]])
    // It returns on the other interface.
    mark = network.mark
    set(network, interface(2, [second]))
    network.run(.seconds(5))
    #expect(network.mark > mark && network.sent[mark...].allSatisfy { $0.packet.interface == 2 })
    mark = network.mark
    network.hear(query(DNSQuestion(lampName, DNSType.srv)))
    #expect(network.mark == mark)
  }

  @Test("[MD.44] IPv4 and IPv6 of an interface are separate links: a question over one is answered over it")
  func families() {
    let network = Network()
    network.add()
    set(network, interface(1, [first, linkLocal]))
    network.establish(lamp())
    #expect(network.responses().filter { $0.packet.destination == .multicast(isV4: false) }.count == 2)
    network.run(.seconds(10))
    let mark = network.mark
    let source = MDNSEndpoint(Network.addressV6(77))
    network.hear(query(DNSQuestion(lampName, DNSType.srv)), from: source)
    #expect(network.responses(after: mark).map(\.packet.destination) == [.multicast(isV4: false)])
  }

  @Test("[MD.45] A question to the group from another subnet is answered by multicast, even a QU question")
  func otherSubnet() {
    let network = Network()
    network.add()
    let id = network.establish(lamp())
    network.run(.seconds(10))
    let mark = network.mark
    let other = MDNSEndpoint(MDNSAddress(bytes: [169, 254, 1, 1])!)
    network.hear(query(DNSQuestion(lampName, DNSType.srv, wantsUnicast: true)), from: other)
    #expect(network.responses(after: mark).map(\.packet.destination) == [.multicast(isV4: true)])
    network.hear(response(otherService()), from: other)
    #expect(network.reports().last == .conflict(id, name: "Lamp"))
  }

  @Test("[MD.45] Unicast packets from other subnets are ignored, as are responses from another port than 5353")
  func offLink() {
    let network = Network()
    network.add()
    network.establish(lamp())
    network.run(.seconds(10))
    let mark = network.mark
    let far = MDNSEndpoint(MDNSAddress(bytes: [192, 0, 2, 1])!)
    network.hear(query(DNSQuestion(lampName, DNSType.srv)), from: far, unicast: true)
    network.hear(query(DNSQuestion(lampName, DNSType.srv)), from: MDNSEndpoint(far.address, port: 5354))
    network.hear(response(otherService()), from: far, unicast: true)
    network.hear(response(otherService()), from: MDNSEndpoint(Network.stranger.address, port: 5354))
    network.hear(query(DNSQuestion(lampName, DNSType.srv)), interface: 3)
    network.run(.seconds(5))
    #expect(network.mark == mark && network.reports().count == 1)
  }

  @Test(
    "[MD.46] Our packets are recognized when received, even after a change; another process of the machine is another host"
  )
  func echoes() throws {
    let network = Network()
    network.add()
    let id = network.establish(lamp())
    let announcement = try #require(network.responses().last).packet.bytes
    try network.stations[0].responder.update(id, text: [Array("sf=0".utf8)], at: network.now)
    network.collect()
    // The announcement of the old TXT record, which was still in flight.
    network.hear(announcement, from: MDNSEndpoint(first))
    network.run(.seconds(5))
    #expect(network.reports().count == 1)
    network.hear(response(otherService()), from: MDNSEndpoint(first))
    #expect(network.reports().last == .conflict(id, name: "Lamp"))
  }

  @Test("[MD.46] A returned announcement is reported once, and again after a rename; other packets are not")
  func heard() throws {
    let network = Network()
    network.hasEcho = false
    network.add()
    let id = network.establish(lamp())
    network.run(.seconds(2))
    let announcement = try #require(network.responses().last).packet.bytes
    network.hear(query(DNSQuestion(hap, DNSType.ptr)))
    network.run(.seconds(2))
    let answer = try #require(network.responses().last).packet.bytes
    network.hear(try #require(network.probes().last).packet.bytes, from: MDNSEndpoint(first))
    network.hear(announcement)
    #expect(network.heard().isEmpty && announcement != answer)
    for packet in [announcement, answer, announcement] { network.hear(packet, from: MDNSEndpoint(first)) }
    #expect(network.heard() == [id])
    network.hasEcho = true
    for _ in 1...2 {
      network.hear(response(otherService()))
      network.run(.ms(300))
    }
    network.run(.seconds(20))
    #expect(network.registeredName(0) == "Lamp (2)" && network.heard() == [id, id])
  }

  @Test("[MD.46] Two interfaces on one network recognize each other's packets as our own")
  func twoOnOneNetwork() {
    let network = Network()
    network.add()
    set(network, interface(2, [second]))
    network.publish(lamp())
    var seen = 0
    while seen < 20, network.reports().isEmpty || network.now < .seconds(1010) {
      network.run(.ms(10))
      for sent in network.sent[seen...] {
        let source = sent.packet.interface == 1 ? first : second
        network.hear(sent.packet.bytes, from: MDNSEndpoint(source), interface: 3 - sent.packet.interface)
      }
      seen = network.sent.count
    }
    #expect(network.reports().count == 1)
    #expect(network.probes().count == 6)
  }
}
