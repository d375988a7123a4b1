import HAPWire
import MDNS
import Testing

private func established() -> (Network, MDNSServiceID) {
  let network = Network()
  network.add()
  let id = network.establish(lamp())
  network.run(.seconds(10))
  return (network, id)
}

private let probeOfLamp = DNSMessage(
  questions: [DNSQuestion(lampName, DNSType.any, wantsUnicast: true)], authorities: [otherService(port: 65535)])

@Suite struct ConflictTests {
  @Test("[MD.32] A verified name with a conflict is probed again; without an objection it is kept")
  func reprobe() throws {
    let (network, id) = established()
    let mark = network.mark
    let start = network.now
    network.hear(response(otherService()))
    #expect(network.reports().last == .conflict(id, name: "Lamp"))
    network.hear(query(DNSQuestion(lampName, DNSType.srv)))
    network.run(.seconds(5))
    let probes = network.sent[mark...].filter(\.message.isProbe)
    let first = try #require(probes.first).time
    #expect((Duration.ms(20)...Duration.ms(250)).contains(first - start))
    #expect(probes.map { $0.time - first } == [.zero, .ms(250), .ms(500)])
    let announced = network.responses(after: mark)
    #expect(announced.first.map { $0.time - first } == .ms(750))
    #expect(announced.count == 2 && network.stations[0].responder.name(of: id) == "Lamp")
  }

  @Test("[MD.32] Conflicting responses that arrive together cause a single new probing, and no other name")
  func twoAtOnce() {
    let (network, id) = established()
    let mark = network.mark
    for port: UInt16 in [1, 2] { network.hear(response(otherService(port: port))) }
    network.run(.seconds(5))
    #expect(network.stations[0].responder.name(of: id) == "Lamp")
    #expect(network.reports() == [.registered(id, name: "Lamp", host: "lamp"), .conflict(id, name: "Lamp")])
    #expect(network.sent[mark...].filter(\.message.isProbe).count == 3 && network.responses(after: mark).count == 2)
  }

  @Test("[MD.32] A verified name is lost if another host objects to the probes after a conflict")
  func lostLater() {
    let (network, id) = established()
    network.hear(response(otherService()))
    network.run(.ms(300))
    network.hear(response(otherService()))
    network.run(.seconds(5))
    #expect(
      network.reports().suffix(3) == [
        .conflict(id, name: "Lamp"), .renamed(id, from: "Lamp", to: "Lamp (2)"),
        .registered(id, name: "Lamp (2)", host: "lamp"),
      ])
    // The PTR record of the old name belongs to the other host now, so no goodbye is sent.
    #expect(!network.sent.contains { $0.message.records.contains { $0.isGoodbye } })
  }

  @Test("[MD.33] A goodbye or the same data of another host is no conflict")
  func noConflict() {
    let (network, _) = established()
    let count = network.reports().count
    network.hear(response(otherService(ttl: 0)))
    network.hear(
      response(
        DNSRecord(
          lampName, DNSType.srv, ttl: 120, flushesCache: true,
          .service(priority: 0, weight: 0, port: 51826, target: DNSName("LAMP.local")!))))
    network.run(.seconds(5))
    #expect(network.reports().count == count)
  }

  @Test("[MD.34] A service that may not be renamed fails if its name is taken", arguments: [true, false])
  func givesUp(_ isLocal: Bool) {
    let network = Network()
    network.add()
    if isLocal { network.establish(lamp()) }
    let id = network.publish(lamp(host: "second", mayRename: false))
    if !isLocal {
      network.run(.ms(300))
      network.hear(response(otherService()))
    }
    network.run(.seconds(5))
    #expect(network.reports().last == .gaveUp(id, name: "Lamp"))
    #expect(network.stations[0].responder.name(of: id) == nil)
    #expect(network.responses().allSatisfy { !$0.message.answers.contains { $0.name == DNSName("second.local")! } })
  }

  @Test("[MD.35] If two services of one responder have one name, the second is renamed at once")
  func local() {
    let network = Network()
    network.add()
    let first = network.publish(lamp())
    let second = network.publish(lamp("LAMP", host: "other"))
    network.run(.seconds(5))
    #expect(network.stations[0].responder.name(of: first) == "Lamp")
    #expect(network.stations[0].responder.name(of: second) == "LAMP (2)")
    #expect(network.reports().filter { if case .registered = $0 { true } else { false } }.count == 2)
  }

  @Test("[MD.35] Equal names that are published together are renamed once each, including hosts")
  func manyEqual() {
    let network = Network()
    network.add()
    let ids = (0..<200).map { index in
      network.publish(lamp(addresses: [MDNSAddress(bytes: [10, 1, 0, UInt8(index)])!]))
    }
    network.run(.seconds(10))
    let responder = network.stations[0].responder
    #expect(ids.compactMap { responder.name(of: $0) } == ["Lamp"] + (2...200).map { "Lamp (\($0))" })
    #expect(ids.compactMap { responder.host(of: $0) } == ["lamp"] + (2...200).map { "lamp-\($0)" })
    #expect(network.reports().count { if case .renamed = $0 { true } else { false } } == 199)
    #expect(network.reports().count { if case .registered = $0 { true } else { false } } == 200)
  }

  @Test(
    "[MD.36] A verified name is defended against a probe at once, by multicast every 250 ms, and by unicast in between")
  func defence() {
    let (network, _) = established()
    let mark = network.mark
    for _ in 0..<5 {
      network.hear(probeOfLamp)
      network.run(.ms(100))
    }
    let sent = network.responses(after: mark)
    #expect(sent.map(\.isMulticast) == [true, false, false, true, false])
    for one in sent { #expect(Set(one.message.answers.map(\.type)) == [DNSType.srv, DNSType.txt]) }
    network.run(.seconds(5))
    #expect(network.stations[0].responder.name(of: network.stations[0].reports[0].report.id) == "Lamp")
  }

  /// Returns whether the service answers a question for its TXT record now.
  private func isReachable(_ network: Network, _ id: MDNSServiceID) -> Bool {
    let mark = network.mark
    let name = hap.prefixed(by: Array((network.stations[0].responder.name(of: id) ?? "").utf8))
    network.hear(query(DNSQuestion(name, DNSType.txt)), from: MDNSEndpoint(Network.stranger.address, port: 40001))
    return network.responses(after: mark).contains { !$0.isMulticast }
  }

  @Test("[MD.37] False conflicts once a second cause one new probing in ten seconds, and no other name")
  func spoofed() {
    let (network, id) = established()
    var reachable = 0
    for round in 0..<1200 {
      if round % 20 == 0 { network.hear(response(otherService())) }
      network.run(.ms(50))
      if isReachable(network, id) { reachable += 1 }
    }
    #expect(network.stations[0].responder.name(of: id) == "Lamp")
    #expect(reachable > 1080, "the service answered \(reachable) of 1200 questions")
  }

  @Test("[MD.37] If each new name has a false conflict, a name is kept after at most 24 changes")
  func spoofedNames() {
    let (network, id) = established()
    var reachable = 0
    for round in 0..<4800 {
      let name = hap.prefixed(by: Array((network.stations[0].responder.name(of: id) ?? "").utf8))
      network.hear(response(otherService(name)))
      network.run(.ms(50))
      if round >= 2400, isReachable(network, id) { reachable += 1 }
    }
    let renames = network.reports().filter { if case .renamed = $0 { true } else { false } }
    #expect(renames.count <= 24)
    #expect(reachable == 2400)
  }

  @Test("[MD.37] False probes with later data don't prevent the verification of a name")
  func spoofedProbes() {
    let network = Network()
    network.add()
    network.publish(lamp())
    for _ in 0..<2400 where network.registeredName(0) == nil {
      network.hear(probeOfLamp)
      network.run(.ms(50))
    }
    #expect(network.registeredName(0) != nil)
  }

  @Test(
    "[MD.38] Our record is sent again if another host sends it with less than half of its TTL, or as a goodbye",
    arguments: [0, 59, 60, 119] as [UInt32])
  func rescue(_ ttl: UInt32) {
    let (network, _) = established()
    let mark = network.mark
    network.hear(
      response(
        DNSRecord(
          lampName, DNSType.srv, ttl: ttl, .service(priority: 0, weight: 0, port: 51826, target: lampHost))))
    network.run(.seconds(2))
    let sent = network.responses(after: mark)
    #expect(sent.count == (ttl < 60 ? 1 : 0))
    #expect(sent.allSatisfy { $0.message.answers.map(\.type) == [DNSType.srv] })
    let second = network.mark
    network.hear(response(pointer(ttl: 0)))
    network.run(.seconds(2))
    #expect(network.responses(after: second).flatMap(\.message.answers).contains(pointer()))
  }

  @Test(
    "[MD.39] Two to five responders with one name on a network with packet loss get different names, and answer questions for them",
    arguments: 1...24)
  func property(_ seed: UInt64) throws {
    var random = MDNSRandom(seed: seed)
    let network = Network()
    let count = Int.random(in: 2...5, using: &random)
    for _ in 0..<count { network.add(seed: seed &* 100) }
    var ids: [MDNSServiceID] = []
    for station in 0..<count {
      ids.append(network.publish(lamp(port: UInt16(1000 + station)), on: station))
      network.run(.milliseconds(Int.random(in: 0...400, using: &random)))
    }
    // A fifth of all packets is lost for half a minute.
    network.path = { _, _ in
      Int.random(in: 0..<5, using: &random) == 0 ? nil : .microseconds(Int.random(in: 100...5000, using: &random))
    }
    network.run(.seconds(30))
    network.path = { _, _ in .ms(1) }
    // Hosts that missed each other's probes detect the conflict by an answer.
    for _ in 0..<12 {
      for station in 0..<count {
        network.hear(query(DNSQuestion(hap, DNSType.ptr), DNSQuestion(lampHost, DNSType.any)), on: station)
        for id in ids {
          guard let name = network.stations[station].responder.name(of: id) else { continue }
          network.hear(query(DNSQuestion(hap.prefixed(by: Array(name.utf8)), DNSType.any)), on: station)
        }
      }
      network.run(.seconds(12))
    }
    let names = (0..<count).map { network.stations[$0].responder.name(of: ids[$0]) ?? "" }
    let hosts = (0..<count).map { network.stations[$0].responder.host(of: ids[$0]) ?? "" }
    #expect(Set(names).count == count, "\(names)")
    #expect(Set(hosts).count == count, "\(hosts)")
    for station in 0..<count {
      let mark = network.mark
      let name = hap.prefixed(by: Array(names[station].utf8))
      for other in 0..<count { network.hear(query(DNSQuestion(name, DNSType.srv)), on: other) }
      network.run(.seconds(3))
      let answers = network.sent[mark...].flatMap { $0.message.answers(DNSType.srv) }.filter { $0.name == name }
      #expect(!answers.isEmpty)
      #expect(
        answers.allSatisfy { if case .service(_, _, let port, _) = $0.data { port == 1000 + station } else { false } })
    }
  }
}

extension MDNSReport {
  var id: MDNSServiceID {
    switch self {
    case .registered(let id, _, _), .renamed(let id, _, _), .hostRenamed(let id, _, _), .conflict(let id, _),
      .gaveUp(let id, _), .heard(let id):
      id
    }
  }
}
