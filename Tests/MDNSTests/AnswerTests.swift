import HAPWire
import MDNS
import Testing

let quiet = Duration.seconds(10)

/// Returns a network with one station that has announced a service some time ago.
func announced(v6: Bool = false, _ behavior: MDNSBehavior = MDNSBehavior()) -> Network {
  let network = Network()
  network.add(v6: v6)
  network.establish(lamp(), behavior)
  network.run(quiet)
  return network
}

@Suite struct AnswerTests {
  @Test("[MD.18] A question for the type is answered by multicast after a random time of 20 to 120 ms")
  func sharedDelay() {
    var delays: Set<Duration> = []
    for seed in 1...40 {
      let network = Network()
      network.add(seed: UInt64(seed))
      network.establish(lamp())
      network.run(quiet)
      let start = network.now
      let mark = network.mark
      network.hear(query(DNSQuestion(hap, DNSType.ptr)))
      network.run(.seconds(1))
      let sent = network.responses(after: mark)
      #expect(sent.count == 1 && sent[0].isMulticast)
      #expect((.ms(20)...(.ms(120))).contains(sent[0].time - start))
      delays.insert(sent[0].time - start)
    }
    #expect(delays.count > 30 && delays.max()! > .ms(90) && delays.min()! < .ms(50))
  }

  @Test(
    "[MD.19] A question for a unique record is answered at once",
    arguments: [
      (lampName, DNSType.srv), (lampName, DNSType.txt), (lampName, DNSType.any), (lampHost, DNSType.a),
      (lampHost, DNSType.any), (DNSName("LAMP._HAP._tcp.LOCAL")!, DNSType.srv),
    ])
  func uniqueAnswer(_ name: DNSName, _ type: UInt16) throws {
    let network = announced()
    let mark = network.mark
    network.hear(query(DNSQuestion(name, type)))
    #expect(network.responses(after: mark).count == 1)
    let answers = try #require(network.responses(after: mark).first).message.answers
    #expect(!answers.isEmpty && answers.allSatisfy { $0.name == name && (type == DNSType.any || $0.type == type) })
    if type == DNSType.any, name == lampName { #expect(Set(answers.map(\.type)) == [DNSType.srv, DNSType.txt]) }
  }

  @Test(
    "[MD.20] A PTR record comes with SRV, TXT and addresses; an SRV record with addresses; an address with those of the other family",
    arguments: [false, true])
  func additionals(_ v6: Bool) throws {
    let network = announced(v6: v6)
    var mark = network.mark
    network.hear(query(DNSQuestion(hap, DNSType.ptr)))
    network.run(.seconds(2))
    let addresses: Set<UInt16> = v6 ? [DNSType.a, DNSType.aaaa] : [DNSType.a]
    var message = try #require(network.responses(after: mark).first).message
    #expect(message.answers == [pointer()])
    #expect(Set(message.additionals.map(\.type)) == addresses.union([DNSType.srv, DNSType.txt]))
    network.run(quiet)
    mark = network.mark
    network.hear(query(DNSQuestion(lampName, DNSType.srv)))
    message = try #require(network.responses(after: mark).first).message
    #expect(message.answers.count == 1 && Set(message.additionals.map(\.type)) == addresses)
    network.run(quiet)
    mark = network.mark
    network.hear(query(DNSQuestion(lampHost, DNSType.a)))
    message = try #require(network.responses(after: mark).first).message
    #expect(message.answers.map(\.type) == [DNSType.a])
    #expect(message.additionals.map(\.type) == [v6 ? DNSType.aaaa : DNSType.nsec])
  }

  @Test(
    "[MD.51] Answers with many services are sent a few packets at a time, even after a long silence",
    arguments: [true, false])
  func pace(_ wantsUnicast: Bool) {
    let network = Network()
    network.add()
    for number in 0..<500 { network.publish(lamp("Lamp \(number)", host: "lamp-\(number)")) }
    network.run(.seconds(1300))
    let mark = network.mark
    network.hear(query(DNSQuestion(hap, DNSType.ptr, wantsUnicast: wantsUnicast)))
    network.run(.seconds(3))
    let times = network.sent[mark...].map(\.time)
    #expect(times.count > 30)
    // The records were not multicast for a quarter of their TTL.
    #expect(network.sent[mark...].allSatisfy { $0.packet.destination == .multicast(isV4: true) })
    for time in times {
      // At most two ticks start in 10 ms.
      #expect(times.count { $0 >= time && $0 < time + .ms(10) } <= 20)
    }
  }

  @Test("[MD.23] A question that is repeated in a packet is answered once") func repeatedQuestion() {
    let network = announced()
    let mark = network.mark
    let one = DNSQuestion(lampName, DNSType.any, wantsUnicast: true)
    network.hear(DNSMessage(questions: Array(repeating: one, count: 200)))
    network.run(.seconds(2))
    let answers = network.responses(after: mark).flatMap(\.message.answers)
    #expect(answers.count == 2)
  }

  @Test("[MD.21] A record type that our name lacks is denied with NSEC, which lists the existing types")
  func denial() throws {
    let network = announced()
    for (name, type, types) in [
      (lampName, DNSType.a, [DNSType.txt, DNSType.srv]), (lampHost, DNSType.aaaa, [DNSType.a]),
      (lampHost, DNSType.txt, [DNSType.a]),
    ] {
      let mark = network.mark
      network.hear(query(DNSQuestion(name, type)))
      network.run(.seconds(3))
      let answers = try #require(network.responses(after: mark).first).message.answers
      #expect(answers.map(\.data) == [.existing(next: name, types: types)])
      #expect(answers[0].flushesCache && answers[0].ttl == 120)
    }
    // Names of other hosts are not denied.
    let mark = network.mark
    network.hear(query(DNSQuestion(DNSName("other.local")!, DNSType.a), DNSQuestion(hap, DNSType.txt)))
    network.run(.seconds(3))
    #expect(network.mark == mark)
  }

  @Test("[MD.22] No record is multicast twice within a second: an answer that is due earlier waits")
  func rateLimit() {
    let network = announced()
    let mark = network.mark
    let start = network.now
    for _ in 0..<50 {
      network.hear(query(DNSQuestion(lampName, DNSType.srv)))
      network.hear(query(DNSQuestion(hap, DNSType.ptr)))
      network.run(.ms(50))
    }
    network.run(.seconds(3))
    let sent = network.responses(after: mark)
    for type in [DNSType.ptr, DNSType.srv, DNSType.a] {
      let times = sent.filter { $0.message.records.contains { $0.type == type } }.map(\.time)
      #expect(times.count >= 3 && times.count <= 5)
      for (one, next) in zip(times, times.dropFirst()) { #expect(next - one >= .seconds(1), "\(type)") }
    }
    #expect(sent[0].time == start)
  }

  @Test("[MD.23] Pending answers to several queriers are sent once, in one packet")
  func aggregation() {
    let network = Network()
    network.add()
    for index in 0..<4 { network.publish(lamp("Lamp \(index)", host: "lamp-h\(index)")) }
    network.run(.seconds(10))
    let mark = network.mark
    for _ in 0..<3 { network.hear(query(DNSQuestion(hap, DNSType.ptr))) }
    network.run(.seconds(5))
    #expect(network.responses(after: mark).count == 1)
    #expect(network.responses(after: mark)[0].message.answers.count == 4)
    // Further questions don't delay the answer.
    let later = network.mark
    let start = network.now
    for _ in 0..<30 {
      network.hear(query(DNSQuestion(hap, DNSType.ptr)))
      network.run(.ms(10))
    }
    #expect(network.responses(after: later).first.map { $0.time - start <= .ms(120) } == true)
  }

  @Test(
    "[MD.24] A known answer with at least half of its TTL left is not sent",
    arguments: [4500, 2250, 2249, 10] as [UInt32])
  func knownAnswers(_ ttl: UInt32) {
    let network = announced()
    let mark = network.mark
    network.hear(query(DNSQuestion(hap, DNSType.ptr), known: [pointer(ttl: ttl)]))
    network.run(.seconds(3))
    #expect(network.responses(after: mark).isEmpty == (ttl >= 2250))
    let second = network.mark
    let text = DNSRecord(lampName, DNSType.txt, ttl: ttl, .text([Array("c#=1".utf8), Array("sf=1".utf8)]))
    network.hear(query(DNSQuestion(lampName, DNSType.txt), known: [text]))
    network.run(.seconds(3))
    #expect(network.responses(after: second).isEmpty == (ttl >= 2250))
    // A known answer with other data is not one of our records.
    let third = network.mark
    network.hear(query(DNSQuestion(lampName, DNSType.srv), known: [otherService()]))
    network.run(.seconds(3))
    #expect(network.responses(after: third).count == 1)
  }

  @Test("[MD.24] The addresses of a host are omitted only if all of them are known answers")
  func knownAddresses() {
    let network = Network()
    network.add()
    let addresses = [MDNSAddress(bytes: [10, 9, 9, 1])!, MDNSAddress(bytes: [10, 9, 9, 2])!]
    network.establish(lamp(addresses: addresses))
    network.run(quiet)
    let records = addresses.map { DNSRecord(lampHost, DNSType.a, ttl: 120, .address($0.bytes)) }
    var mark = network.mark
    network.hear(query(DNSQuestion(lampHost, DNSType.a), known: [records[0]]))
    #expect(network.responses(after: mark).count == 1)
    #expect(network.responses(after: mark)[0].message.answers.count == 2)
    network.run(quiet)
    mark = network.mark
    network.hear(query(DNSQuestion(lampHost, DNSType.a), known: records))
    network.run(.seconds(3))
    #expect(network.mark == mark)
  }

  @Test("[MD.25] After a truncated query, the answer waits 400 to 500 ms for the other known answers")
  func cutQuery() {
    let network = announced()
    var cut = query(DNSQuestion(hap, DNSType.ptr))
    cut.flags |= DNSMessage.truncated
    for isKnown in [true, false] {
      let mark = network.mark
      let start = network.now
      network.hear(cut)
      network.run(.ms(390))
      #expect(network.mark == mark)
      // Known answers of another querier don't count.
      let source = isKnown ? Network.stranger : MDNSEndpoint(MDNSAddress(bytes: [10, 0, 0, 201])!)
      network.hear(DNSMessage(answers: [pointer()]), from: source)
      network.run(.seconds(3))
      let sent = network.responses(after: mark)
      #expect(sent.isEmpty == isKnown)
      if let first = sent.first { #expect((.ms(420)...(.ms(620))).contains(first.time - start)) }
      network.run(quiet)
    }
  }

  @Test("[MD.26] An answer that another host sends first, with at least our TTL, is not sent again")
  func duplicateAnswer() {
    for (ttl, isSent) in [(4500, false), (4499, true)] as [(UInt32, Bool)] {
      let network = announced()
      let mark = network.mark
      network.hear(query(DNSQuestion(hap, DNSType.ptr)))
      network.hear(response(pointer(ttl: ttl)))
      network.run(.seconds(5))
      #expect(network.responses(after: mark).isEmpty != isSent)
    }
    let network = announced()
    let mark = network.mark
    let list = DNSName("_services._dns-sd._udp.local")!
    network.hear(query(DNSQuestion(list, DNSType.ptr)))
    network.hear(response(DNSRecord(list, DNSType.ptr, ttl: 4500, .pointer(hap))))
    network.run(.seconds(5))
    #expect(network.mark == mark)
  }

  @Test(
    "[MD.27] A QU question is answered by unicast, or by multicast if the record was not multicast for a quarter of its TTL"
  )
  func unicast() {
    let network = announced()
    for (name, type, delay) in [(lampName, DNSType.srv, Duration.zero), (hap, DNSType.ptr, .ms(120))] {
      let mark = network.mark
      network.hear(query(DNSQuestion(name, type, wantsUnicast: true)))
      network.run(delay)
      let sent = network.responses(after: mark)
      #expect(sent.map(\.packet.destination) == [.unicast(Network.stranger)])
      #expect(sent[0].message.answers.map(\.type) == [type] && !sent[0].message.additionals.isEmpty)
    }
    // SRV has a TTL of 120 s, PTR of 4500 s.
    network.run(.seconds(31))
    let mark = network.mark
    network.hear(query(DNSQuestion(lampName, DNSType.srv, wantsUnicast: true)))
    #expect(network.responses(after: mark).map(\.isMulticast) == [true])
    network.run(.seconds(1200))
    let second = network.mark
    network.hear(query(DNSQuestion(hap, DNSType.ptr, wantsUnicast: true)))
    network.run(.seconds(1))
    #expect(network.responses(after: second).map(\.isMulticast) == [true])
  }

  @Test("[MD.27] A question sent by unicast is answered like one with the QU bit")
  func direct() {
    let network = announced()
    let mark = network.mark
    network.hear(query(DNSQuestion(lampName, DNSType.srv)), unicast: true)
    #expect(network.responses(after: mark).map(\.packet.destination) == [.unicast(Network.stranger)])
  }

  @Test(
    "[MD.28] A querier with a port other than 5353 gets a plain DNS answer: its ID and question, at most 10 s, no cache-flush bit"
  )
  func legacy() throws {
    let network = announced()
    let source = MDNSEndpoint(Network.stranger.address, port: 40000)
    for question in [DNSQuestion(hap, DNSType.ptr), DNSQuestion(lampName, DNSType.srv, wantsUnicast: true)] {
      let mark = network.mark
      var message = query(question)
      message.id = 0xBEEF
      network.hear(message, from: source)
      let sent = try #require(network.responses(after: mark).first)
      #expect(sent.packet.destination == .unicast(source))
      #expect(sent.message.id == 0xBEEF)
      #expect(sent.message.questions == [DNSQuestion(question.name, question.type)])
      #expect(!sent.message.answers.isEmpty && !sent.message.additionals.isEmpty)
      #expect(sent.message.records.allSatisfy { $0.ttl <= 10 && !$0.flushesCache })
      network.run(quiet)
      #expect(network.responses(after: mark).count == 1)
    }
  }

  @Test("[MD.28] An answer to such a querier is truncated, with the TC bit, if it is too long")
  func cutLegacy() throws {
    let network = Network()
    network.add()
    for index in 0..<40 { network.publish(lamp("Lamp \(index)", host: "lamp-h\(index)")) }
    network.run(.seconds(10))
    let mark = network.mark
    network.hear(query(DNSQuestion(hap, DNSType.ptr)), from: MDNSEndpoint(Network.stranger.address, port: 40000))
    #expect(network.responses(after: mark).count == 1)
    let sent = try #require(network.responses(after: mark).first)
    #expect(sent.message.isTruncated && sent.message.answers.count > 3 && sent.packet.bytes.count <= 1440)
  }

  @Test("[MD.29] The list of types contains each type, and a question for a subtype returns its services")
  func enumeration() throws {
    let network = Network()
    network.add()
    network.publish(
      MDNSService(
        name: "AB", type: "_matterc._udp", subtypes: ["_L3840", "_S15"], port: 5540, text: [], host: "matter"))
    network.establish(lamp())
    network.run(quiet)
    var mark = network.mark
    network.hear(query(DNSQuestion(DNSName("_services._dns-sd._udp.local")!, DNSType.ptr)))
    network.run(.seconds(1))
    let types = network.responses(after: mark).flatMap(\.message.answers).map(\.data)
    #expect(Set(types) == [.pointer(hap), .pointer(DNSName("_matterc._udp.local")!)])
    mark = network.mark
    let instance = DNSName("AB._matterc._udp.local")!
    for (name, isThere) in [("_L3840", true), ("_s15", true), ("_L1", false)] {
      let subtype = DNSName("\(name)._sub._matterc._udp.local")!
      mark = network.mark
      network.hear(query(DNSQuestion(subtype, DNSType.ptr)))
      network.run(.seconds(3))
      let answers = network.responses(after: mark).flatMap(\.message.answers)
      #expect(answers == (isThere ? [DNSRecord(subtype, DNSType.ptr, ttl: 4500, .pointer(instance))] : []))
    }
    let announced = network.responses().flatMap(\.message.answers).filter { $0.data == .pointer(instance) }
    #expect(Set(announced.map(\.name.description)).count == 3)
  }

  @Test("[MD.22] An answer for a subtype does not delay the answer for another one; a repeated one waits")
  func subtypesApart() throws {
    let network = Network()
    network.add()
    var light = MDNSService(name: "AB", type: "_matterc._udp", port: 5540, text: [], host: "matter")
    light.subtypes = ["_L3840", "_S15", "_V65521"]
    network.establish(light)
    network.run(quiet)
    let both = ["_V65521", "_L3840"].map { DNSName("\($0)._sub._matterc._udp.local")! }
    var mark = network.mark
    network.hear(query(DNSQuestion(both[0], DNSType.ptr)))
    network.run(.ms(200))
    #expect(network.responses(after: mark).flatMap(\.message.answers).map(\.name) == [both[0]])
    mark = network.mark
    network.hear(query(DNSQuestion(both[1], DNSType.ptr)))
    network.run(.ms(150))
    #expect(network.responses(after: mark).flatMap(\.message.answers).map(\.name) == [both[1]])
    mark = network.mark
    network.hear(query(DNSQuestion(both[0], DNSType.ptr)))
    network.hear(query(DNSQuestion(both[1], DNSType.ptr)))
    network.run(.ms(150))
    #expect(network.responses(after: mark).isEmpty, "each was multicast less than a second ago")
    network.run(.seconds(2))
    #expect(Set(network.responses(after: mark).flatMap(\.message.answers).map(\.name)) == Set(both))
  }

  @Test("[MD.31] Names with dots, backslashes, spaces and non-ASCII characters are one label of bytes")
  func oddNames() throws {
    for name in ["a.b", "back\\slash", "Lämp \u{1F4A1}", "  ", String(repeating: "é", count: 31)] {
      let network = Network()
      network.add()
      network.establish(lamp(name))
      network.run(quiet)
      let mark = network.mark
      let full = hap.prefixed(by: Array(name.utf8))
      network.hear(query(DNSQuestion(full, DNSType.srv)))
      #expect(network.responses(after: mark).first?.message.answers.first?.name.labels == full.labels)
      #expect(network.registeredName(0) == name)
    }
  }
}
