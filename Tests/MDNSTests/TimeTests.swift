import HAPWire
import MDNS
import Testing

/// The cache of a browser, with RFC 6762's rules for the lifetime of records.
private struct Cache {
  private var records: [DNSRecord: Duration] = [:]

  mutating func hear(_ message: DNSMessage, at now: Duration) {
    for record in message.records {
      var key = record
      key.ttl = 0
      if record.flushesCache {
        for old in records.keys where old.name == record.name && old.type == record.type && old.data != record.data {
          records[old] = min(records[old]!, now + .seconds(1))
        }
      }
      records[key] = now + .seconds(max(1, Int64(record.ttl)))
    }
  }

  func has(_ type: UInt16, _ name: DNSName, at now: Duration) -> Bool {
    records.contains { $0.key.type == type && $0.key.name == name && $0.value > now }
  }

  func timeLeft(_ type: UInt16, _ name: DNSName, at now: Duration) -> Duration? {
    records.filter { $0.key.type == type && $0.key.name == name && $0.value > now }.map { $0.value - now }.max()
  }
}

@Suite struct TimeTests {
  @Test(
    "[MD.49] In two hours, a browser that queries each record at 80 % of its TTL loses none; without questions nothing is sent"
  )
  func hours() {
    let network = Network()
    network.add()
    network.establish(lamp())
    var cache = Cache()
    var heard = 0
    let wanted: [(UInt16, DNSName, Duration)] = [
      (DNSType.ptr, hap, .seconds(4500)), (DNSType.srv, lampName, .seconds(120)),
      (DNSType.txt, lampName, .seconds(4500)),
      (DNSType.a, lampHost, .seconds(120)),
    ]
    let start = network.now
    var questions = 0
    while network.now - start < .seconds(7200) {
      for sent in network.sent[heard...] where sent.message.isResponse { cache.hear(sent.message, at: sent.time) }
      heard = network.mark
      for (type, name, ttl) in wanted {
        #expect(cache.has(type, name, at: network.now), "\(type) after \(network.now - start)")
        guard let left = cache.timeLeft(type, name, at: network.now), left <= ttl / 5 else { continue }
        network.hear(query(DNSQuestion(name, type)))
        questions += 1
      }
      network.run(.seconds(1))
    }
    // SRV and A, which arrive together, are queried every 96 s, and the others every hour.
    #expect((70...160).contains(questions))
    let mark = network.mark
    network.run(.seconds(7200))
    #expect(network.mark == mark && network.stations[0].responder.nextDeadline == nil)
  }

  @Test("[MD.49] Times long after the origin, and simultaneous inputs, are handled like all others")
  func lateOrigin() throws {
    for origin in [Duration.zero, .seconds(86400 * 365 * 50), .seconds(-86400)] {
      var responder = MDNSResponder(random: MDNSRandom(seed: 3))
      responder.setInterface(Network.interface(0), at: origin)
      let id = try responder.publish(lamp(), at: origin)
      var packets = 0
      while let next = responder.nextDeadline, next < origin + .seconds(5) {
        responder.advance(to: next)
        for case .send in responder.takeOutputs() { packets += 1 }
      }
      #expect(packets == 5 && responder.name(of: id) == "Lamp")
    }
  }

  @Test("[MD.50] Ten thousand services are announced within 15 s, and all are withdrawn with goodbyes")
  func many() throws {
    var responder = MDNSResponder(random: MDNSRandom(seed: 3))
    var now = Duration.seconds(1)
    responder.setInterface(Network.interface(0), at: now)
    var ids: [MDNSServiceID] = []
    for index in 0..<10_000 {
      ids.append(try responder.publish(lamp("Lamp \(index)", host: "lamp-\(index)x"), at: now))
    }
    var registered = 0
    let start = now
    func run() -> Int {
      var goodbyes = 0
      while true {
        for output in responder.takeOutputs() {
          switch output {
          case .report(.registered): registered += 1
          case .report: Issue.record("\(output)")
          case .send(let packet):
            guard registered == ids.count else { continue }
            let message = try? DNSMessage(decoding: packet.bytes)
            goodbyes += message?.answers.filter { $0.isGoodbye && $0.type == DNSType.srv }.count ?? 0
          }
        }
        guard let next = responder.nextDeadline else { return goodbyes }
        now = max(now, next)
        responder.advance(to: now)
      }
    }
    #expect(run() == 0)
    #expect(registered == 10_000)
    #expect(now - start < .seconds(15))
    for id in ids { responder.withdraw(id, at: now) }
    #expect(responder.isSayingGoodbye)
    let end = now
    #expect(run() == 10_000 && !responder.isSayingGoodbye)
    #expect(now - end < .seconds(3))
  }

  @Test("[MD.51] With a single question, a browser finds 2000 services, all of them with SRV, TXT and addresses")
  func browsing() {
    let network = Network()
    network.add()
    for index in 0..<2000 { network.publish(lamp("Lamp \(index)", host: "lamp-\(index)x")) }
    network.run(.seconds(60))
    for wantsUnicast in [false, true] {
      let mark = network.mark
      network.hear(query(DNSQuestion(hap, DNSType.ptr, wantsUnicast: wantsUnicast)))
      network.run(.seconds(5))
      let sent = network.responses(after: mark)
      #expect(sent.allSatisfy { $0.isMulticast != wantsUnicast })
      #expect(Set(sent.flatMap { $0.message.answers(DNSType.ptr) }.map(\.data)).count == 2000)
      #expect(Set(sent.flatMap { $0.message.additionals(DNSType.srv) }.map(\.name)).count == 2000)
      #expect(Set(sent.flatMap { $0.message.additionals(DNSType.txt) }.map(\.name)).count == 2000)
      #expect(Set(sent.flatMap { $0.message.additionals(DNSType.a) }.map(\.name)).count == 2000)
      network.run(.seconds(10))
    }
    // A browser whose known answers, in many packets, contain all services gets no answer.
    let all = (0..<2000).map { pointer(to: hap.prefixed(by: Array("Lamp \($0)".utf8))) }
    let mark = network.mark
    for start in stride(from: 0, to: 2000, by: 40) {
      var message = DNSMessage(answers: Array(all[start..<(start + 40)]))
      if start == 0 { message.questions = [DNSQuestion(hap, DNSType.ptr)] }
      if start < 1960 { message.flags |= DNSMessage.truncated }
      network.hear(message)
      network.run(.ms(2))
    }
    network.run(.seconds(5))
    #expect(network.mark == mark)
  }
}
