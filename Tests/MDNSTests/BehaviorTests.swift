import HAPWire
import MDNS
import Testing

@Suite struct BehaviorTests {
  private func established(_ change: (inout MDNSBehavior) -> Void) -> Network {
    let network = Network()
    network.add()
    var behavior = MDNSBehavior()
    change(&behavior)
    network.establish(lamp(), behavior)
    network.run(.seconds(5))
    return network
  }

  @Test("A service that doesn't probe is announced at once")
  func noProbes() {
    let network = established { $0.probes = false }
    #expect(network.probes().isEmpty && network.responses().count == 2)
  }

  @Test("A service that isn't announced answers only by unicast")
  func noAnnouncements() {
    let network = established { $0.announces = false }
    #expect(network.probes().count == 3 && network.responses().isEmpty && network.reports().count == 1)
    for question in [
      DNSQuestion(hap, DNSType.ptr), DNSQuestion(lampName, DNSType.srv), DNSQuestion(lampHost, DNSType.a),
    ] {
      let mark = network.mark
      network.hear(query(question))
      network.run(.seconds(1))
      #expect(network.sent[mark...].map(\.packet.destination) == [.unicast(Network.stranger)])
    }
  }

  @Test("A service without goodbyes ends silently")
  func noGoodbye() {
    let network = established { $0.saysGoodbye = false }
    let mark = network.mark
    network.stations[0].responder.withdraw(network.reports()[0].id, at: network.now)
    network.run(.seconds(5))
    #expect(network.mark == mark)
  }

  @Test("A service that doesn't yield keeps its name through conflicts and probes")
  func keepsNames() {
    let network = Network()
    network.add()
    var behavior = MDNSBehavior()
    behavior.yieldsNames = false
    network.publish(lamp(), behavior)
    network.run(.ms(300))
    network.hear(response(otherService()))
    network.hear(
      DNSMessage(questions: [DNSQuestion(lampName, DNSType.any)], authorities: [otherService(port: 65535)]))
    network.run(.seconds(1))
    network.hear(response(otherService()))
    network.run(.seconds(5))
    #expect(network.reports().count == 1 && network.registeredName(0) == "Lamp" && network.probes().count == 3)
  }

  @Test("Known answers, QU questions, cache-flush bits and TTLs can deviate separately")
  func answers() {
    let known = query(DNSQuestion(hap, DNSType.ptr), known: [pointer()])
    var network = established { $0.suppressesKnownAnswers = false }
    var mark = network.mark
    network.hear(known)
    network.run(.seconds(1))
    #expect(network.mark == mark + 1)
    let request = query(DNSQuestion(lampName, DNSType.srv, wantsUnicast: true))
    network = established { $0.answersUnicast = false }
    mark = network.mark
    network.hear(request)
    #expect(network.responses(after: mark).map(\.isMulticast) == [true])
    network = established { $0.hearsUnicast = false }
    mark = network.mark
    network.hear(request)
    network.hear(query(DNSQuestion(hap, DNSType.ptr, wantsUnicast: true)))
    network.run(.seconds(1))
    #expect(network.mark == mark)
    network = established { $0.flushesCaches = false }
    #expect(network.responses().allSatisfy { $0.message.records.allSatisfy { !$0.flushesCache } })
    network = established {
      $0.hostTTL = 7
      $0.otherTTL = 8
    }
    let ttls = network.responses().flatMap(\.message.records).map {
      ($0.type == DNSType.ptr || $0.type == DNSType.txt, $0.ttl)
    }
    #expect(ttls.allSatisfy { $0.1 == ($0.0 ? 8 : 7) || $0.1 == 4500 })
  }

  @Test("A service that repeats its announcements does so at its interval until the behavior changes")
  func storm() {
    let network = established { $0.repeats = .ms(100) }
    let id = network.reports()[0].id
    let mark = network.mark
    network.run(.seconds(5))
    #expect((49...51).contains(network.mark - mark))
    network.stations[0].responder.setBehavior(id, MDNSBehavior(), at: network.now)
    network.run(.seconds(5))
    let later = network.mark
    network.run(.seconds(60))
    #expect(network.mark == later)
    var behavior = MDNSBehavior()
    behavior.repeats = .seconds(2)
    network.stations[0].responder.setBehavior(id, behavior, at: network.now)
    network.run(.seconds(20))
    #expect((9...11).contains(network.mark - later))
  }
}
