import HAPWire
import MDNS
import Testing

@Suite struct HostileTests {
  private func established(_ count: Int = 1) -> Network {
    let network = Network()
    network.add()
    for index in 0..<count {
      network.publish(count == 1 ? lamp() : lamp("Lamp \(index)", host: "host-\(index)"))
    }
    network.run(.seconds(60))
    return network
  }

  @Test("[MD.47] A packet of any bytes is accepted as input, and a malformed message causes no answer")
  func anyBytes() {
    let network = established()
    var random = MDNSRandom(seed: 7)
    let base = network.responses()[0].packet.bytes
    let mark = network.mark
    for count in [0, 1, 11, 12, 13, 9000, 9001, 65507] {
      network.hear((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
    // The name points to itself.
    network.hear([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xC0, 12, 0, 255, 0, 1])
    network.run(.seconds(5))
    #expect(network.mark == mark && network.reports().count == 1)
    for _ in 0..<20_000 {
      var bytes = base
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
      network.hear(bytes)
    }
    network.run(.seconds(120))
    // The changed packets may have caused a rename. The service answers under its current name.
    let name = network.stations[0].responder.name(of: network.reports()[0].id) ?? ""
    let last = network.mark
    network.hear(query(DNSQuestion(hap.prefixed(by: Array(name.utf8)), DNSType.srv)))
    #expect(network.responses(after: last).flatMap { $0.message.answers(DNSType.srv) }.count == 1)
    #expect(network.registeredName(0) == name)
  }

  @Test("[MD.47] Messages with an opcode or a response code are ignored")
  func foreignCodes() {
    let network = established()
    let mark = network.mark
    for flags in [0x0800, 0x7800, 0x0003, 0x000F] as [UInt16] {
      var message = query(DNSQuestion(lampName, DNSType.srv))
      message.flags = flags
      network.hear(message)
      message = response(otherService())
      message.flags |= flags
      network.hear(message)
    }
    network.run(.seconds(5))
    #expect(network.mark == mark && network.reports().count == 1)
  }

  @Test("[MD.47] Questions of another class are ignored; those of any class are answered")
  func classes() {
    let network = established()
    for (classField, isAnswered) in [(3, false), (0x8003, false), (255, true), (1, true)] as [(UInt16, Bool)] {
      let mark = network.mark
      var bytes = query(DNSQuestion(lampName, DNSType.srv)).encoded()
      bytes[bytes.count - 2] = UInt8(classField >> 8)
      bytes[bytes.count - 1] = UInt8(classField & 0xFF)
      network.hear(bytes)
      network.run(.seconds(2))
      #expect((network.mark > mark) == isAnswered, "\(classField)")
    }
  }

  @Test("[MD.48] A flood of questions is answered with few packets, and others still get answers")
  func flood() {
    let network = established(100)
    let mark = network.mark
    for round in 0..<5000 {
      let source = MDNSEndpoint(Network.stranger.address, port: round % 2 == 0 ? 5353 : 40000)
      network.hear(query(DNSQuestion(hap, DNSType.ptr, wantsUnicast: round % 3 == 0)), from: source)
      if round % 10 == 0 { network.run(.ms(1)) }
    }
    let other = MDNSEndpoint(MDNSAddress(bytes: [10, 0, 0, 33])!, port: 40000)
    let last = network.mark
    network.hear(query(DNSQuestion(hap.prefixed(by: Array("Lamp 7".utf8)), DNSType.srv)), from: other)
    #expect(network.sent[last...].contains { $0.packet.destination == .unicast(other) })
    network.run(.seconds(3))
    // 100 services take 16 packets, which are multicast once a second; the flood took half a second.
    let (toAll, toOne) = (network.sent[mark...].filter(\.isMulticast), network.sent[mark...].filter { !$0.isMulticast })
    #expect((16...50).contains(toAll.count), "\(toAll.count) packets to all")
    let replies = toOne.count { $0.packet.destination != .unicast(other) }
    #expect((100...120).contains(replies), "\(replies) packets to the source")
  }

  @Test("[MD.48] A flood of truncated queries neither increases the memory nor delays others")
  func cutFlood() {
    let network = established()
    var cut = query(DNSQuestion(hap, DNSType.ptr))
    cut.flags |= DNSMessage.truncated
    for port in 0..<2000 {
      network.hear(cut, from: MDNSEndpoint(MDNSAddress(bytes: [10, 0, 0, UInt8(port % 200 + 20)])!))
    }
    let mark = network.mark
    let end = network.now + .seconds(1)
    network.hear(query(DNSQuestion(lampName, DNSType.srv)), from: MDNSEndpoint(MDNSAddress(bytes: [10, 0, 0, 19])!))
    #expect(network.mark == mark + 1)
    // Queries above the limit are answered without waiting for more known answers.
    network.run(.ms(150))
    #expect(network.responses(after: mark).contains { $0.message.answers.contains(pointer()) })
    // Each waiting query is answered at a different time.
    var times = 0
    while let next = network.stations[0].responder.nextDeadline, next < end {
      network.run(to: next)
      times += 1
    }
    #expect((30...40).contains(times), "\(times) queries waited")
    network.run(.seconds(5))
    #expect(network.mark - mark <= 4)
  }

  @Test("[MD.48] A message of 9000 bytes with more than 1024 questions is not read")
  func manyQuestions() {
    let network = established()
    let mark = network.mark
    var bytes = query(DNSQuestion(lampName, DNSType.srv)).encoded()
    let name: [UInt8] = [0xC0, 12]
    let count = 1100
    for _ in 0..<count { bytes += name + [0, 33, 0, 1] }
    bytes[4] = UInt8((count + 1) >> 8)
    bytes[5] = UInt8((count + 1) & 0xFF)
    network.hear(bytes)
    network.run(.seconds(1))
    #expect(network.mark == mark)
  }
}
