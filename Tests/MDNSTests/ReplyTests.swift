import HAPWire
import Testing

@testable import MDNS

private let stranger = Network.stranger
private let legacy = MDNSEndpoint(stranger.address, port: 40000)

@Suite struct ReplyTests {
  /// Returns a network with one station and many services, whose records were multicast a while ago.
  private func crowd(_ count: Int, text: [String] = [], subtypes: [String] = []) -> Network {
    let network = Network()
    network.add()
    for index in 0..<count {
      var service = lamp("Lamp \(index)", host: "lamp-\(index)-x", text: text)
      service.subtypes = subtypes
      network.publish(service)
    }
    network.run(.seconds(20))
    return network
  }

  private func name(_ index: Int) -> DNSName { hap.prefixed(by: Array("Lamp \(index)".utf8)) }

  @Test(
    "[MD.52] A query with several questions is answered after 20 to 120 ms, by multicast or unicast, at random",
    arguments: [(false, 5353), (true, 5353), (false, 40000)] as [(Bool, UInt16)])
  func severalQuestions(_ wantsUnicast: Bool, _ port: UInt16) throws {
    let source = MDNSEndpoint(stranger.address, port: port)
    let questions = [(lampName, DNSType.srv), (DNSName("other.local")!, DNSType.a)].map {
      DNSQuestion($0, $1, wantsUnicast: wantsUnicast)
    }
    var delays: Set<Duration> = []
    for seed in 1...20 {
      let network = Network()
      network.add(seed: UInt64(seed))
      network.establish(lamp())
      network.run(quiet)
      let mark = network.mark
      let start = network.now
      network.hear(DNSMessage(questions: questions), from: source)
      network.run(.seconds(1))
      let sent = network.responses(after: mark)
      #expect(sent.count == 1)
      let first = try #require(sent.first)
      #expect(first.isMulticast == (!wantsUnicast && port == 5353))
      #expect(first.message.answers.map(\.type) == [DNSType.srv] && !first.message.additionals.isEmpty)
      #expect((.ms(20)...(.ms(120))).contains(first.time - start))
      delays.insert(first.time - start)
    }
    #expect(delays.count > 15)
  }

  @Test("[MD.52] A probe for several names is answered at once")
  func severalProbes() {
    let network = announced()
    let mark = network.mark
    let names = [lampName, lampHost].map { DNSQuestion($0, DNSType.any, wantsUnicast: true) }
    // The first answer is multicast, and the second one is sent to the prober.
    for count in 1...2 {
      network.hear(DNSMessage(questions: names, authorities: [otherService()]))
      #expect(network.responses(after: mark).count == count)
    }
  }

  @Test("[MD.52] A service that is withdrawn before its answer is sent is not in the answer")
  func goneBeforeAnswer() {
    let network = Network()
    network.add()
    let id = network.establish(lamp())
    network.run(quiet)
    let question = DNSQuestion(lampName, DNSType.srv, wantsUnicast: true)
    network.hear(query(question, DNSQuestion(lampHost, DNSType.a, wantsUnicast: true)))
    network.stations[0].responder.withdraw(id, goodbye: false, at: network.now)
    let mark = network.mark
    network.run(.seconds(5))
    #expect(network.mark == mark)
  }

  @Test("[MD.48] A source that got 100 packets within a second gets no further answer, even if it sent few queries")
  func budget() {
    let network = crowd(60, text: (0..<5).map { _ in String(repeating: "t", count: 220) })
    let questions = (0..<60).map { DNSQuestion(name($0), DNSType.txt, wantsUnicast: true) }
    let mark = network.mark
    for _ in 0..<30 { network.hear(DNSMessage(questions: questions)) }
    network.run(.ms(200))
    func replies() -> Int { network.sent[mark...].count { $0.packet.destination == .unicast(stranger) } }
    #expect((100..<160).contains(replies()), "\(replies()) packets")
    // The queries accepted before are answered by multicast.
    network.run(.seconds(2))
    let toAll = network.sent[mark...].filter { $0.packet.destination != .unicast(stranger) }
    #expect(Set(toAll.flatMap { $0.message.answers(DNSType.txt) }.map(\.name)).count == 60)
    for _ in 0..<30 { network.hear(DNSMessage(questions: questions)) }
    network.run(.ms(200))
    // Another source gets its answer, and this one gets answers again a second later.
    let other = MDNSEndpoint(MDNSAddress(bytes: [10, 0, 0, 33])!)
    network.hear(query(DNSQuestion(name(3), DNSType.txt, wantsUnicast: true)), from: other)
    #expect(network.sent.last?.packet.destination == .unicast(other))
    network.run(.seconds(2))
    network.hear(query(DNSQuestion(name(3), DNSType.txt, wantsUnicast: true)))
    #expect(network.sent.last?.packet.destination == .unicast(stranger))
  }

  @Test("[MD.48] An answer with all services is sent completely, and the rate limit includes its packets")
  func budgetOfList() {
    let network = crowd(600, text: [String(repeating: "t", count: 250)])
    let mark = network.mark
    network.hear(query(DNSQuestion(hap, DNSType.ptr, wantsUnicast: true)))
    for _ in 0..<500 where network.mark - mark < 100 { network.run(.ms(1)) }
    // The answer isn't complete, although the packets of this second are used up.
    network.hear(query(DNSQuestion(hap, DNSType.ptr, wantsUnicast: true)))
    network.run(.ms(300))
    let sent = network.sent[mark...]
    #expect(sent.count > 110 && sent.flatMap { $0.message.answers(DNSType.ptr) }.count == 600)
    let later = network.mark
    network.hear(query(DNSQuestion(name(1), DNSType.srv)), from: legacy)
    #expect(network.mark == later)
    network.run(.seconds(2))
    network.hear(query(DNSQuestion(name(1), DNSType.srv)), from: legacy)
    #expect(network.mark > later)
  }

  @Test("[MD.28] The answer repeats its questions, but only as many as leave space for answers")
  func repeatedQuestions() throws {
    let network = crowd(40)
    let foreign = DNSQuestion(DNSName("other.local")!, DNSType.a)
    let own = DNSQuestion(name(1), DNSType.srv)
    var mark = network.mark
    network.hear(query(foreign, own, foreign, own), from: legacy)
    network.run(.ms(200))
    var sent = try #require(network.responses(after: mark).first)
    #expect(sent.message.questions == [own] && sent.message.answers.map(\.name) == [name(1)])
    for questions in [
      (0..<40).map { DNSQuestion(name($0), DNSType.srv) }, Array(repeating: foreign, count: 900) + [own],
    ] {
      network.run(quiet)
      mark = network.mark
      network.hear(DNSMessage(questions: questions), from: legacy)
      network.run(.ms(200))
      sent = try #require(network.responses(after: mark).first)
      #expect(network.responses(after: mark).count == 1)
      #expect(sent.packet.bytes.count <= 1440 && (1...20).contains(sent.message.questions.count))
      #expect(sent.message.answers.map(\.name) == sent.message.questions.map(\.name))
    }
  }

  @Test("[MD.51] A source that asks twice for all services gets each once; another source gets its own answer")
  func sameQuestionTwice() {
    let network = crowd(100)
    let mark = network.mark
    let other = MDNSEndpoint(MDNSAddress(bytes: [10, 0, 0, 33])!)
    for source in [stranger, stranger, other, stranger] {
      network.hear(query(DNSQuestion(hap, DNSType.ptr, wantsUnicast: true)), from: source)
      network.run(.ms(1))
    }
    network.run(.seconds(5))
    for source in [stranger, other] {
      let mine = network.sent[mark...].filter { $0.packet.destination == .unicast(source) }
      #expect(mine.flatMap { $0.message.answers(DNSType.ptr) }.count == 100)
    }
    #expect(network.sent[mark...].allSatisfy { !$0.isMulticast })
  }

  @Test(
    "[MD.51] A question for a subtype is answered with all its services, a few packets at a time",
    arguments: [true, false])
  func subtypePace(_ wantsUnicast: Bool) {
    let network = crowd(500, subtypes: ["_lamp"])
    let subtype = DNSName("_lamp._sub._hap._tcp.local")!
    let mark = network.mark
    network.hear(query(DNSQuestion(subtype, DNSType.ptr, wantsUnicast: wantsUnicast)))
    network.run(.seconds(3))
    let sent = network.sent[mark...]
    for time in sent.map(\.time) {
      // At most two ticks start in 10 ms. The unicast answer may be sent in addition.
      let most = wantsUnicast ? 36 : 20
      #expect(sent.count { $0.time >= time && $0.time < time + .ms(10) } <= most)
    }
    let found = sent.flatMap { $0.message.answers(DNSType.ptr) }.map(\.data)
    #expect(found.count == 500 && Set(found.map { "\($0)" }).count == 500)
  }

  // MARK: Subtypes

  private static let matter = DNSName("_matterc._udp.local")!

  /// Returns a network with one station and nodes that need a packet each, whose records were multicast a while ago.
  private func nodes(
    _ count: Int, _ configuration: MDNSResponder.Configuration = MDNSResponder.Configuration()
  ) -> Network {
    let network = Network()
    network.add(configuration)
    for index in 0..<count {
      network.publish(
        MDNSService(
          name: "Node \(index)", type: "_matterc._udp", subtypes: ["_L\(index)", "_S\(index & 15)", "_V65521"],
          port: 5540, text: [], host: "node-\(index)"))
    }
    network.run(.seconds(20))
    return network
  }

  private func subtype(_ label: String) -> DNSName { DNSName("\(label)._sub._matterc._udp.local")! }

  private func found(
    _ name: DNSName, in network: Network, after mark: Int
  ) -> [(time: Duration, data: DNSRecord.Data)] {
    network.responses(after: mark).flatMap { sent in
      sent.message.answers.filter { $0.name == name }.map { (sent.time, $0.data) }
    }
  }

  @Test("[MD.51] While a thousand services with a packet each are sent, a question for one of them is answered at once")
  func oneOfSubtype() throws {
    let network = nodes(1000)
    let mark = network.mark
    let (start, all) = (network.now, subtype("_V65521"))
    network.hear(query(DNSQuestion(all, DNSType.ptr)))
    network.run(.ms(150))
    for index in [0, 400, 999] {
      let (name, asked) = (subtype("_L\(index)"), network.now)
      network.hear(query(DNSQuestion(name, DNSType.ptr)))
      network.run(.ms(150))
      let answers = found(name, in: network, after: mark)
      #expect(answers.count == 1 && answers[0].time - asked < .ms(140), "node \(index)")
    }
    let early = found(all, in: network, after: mark)
    #expect(!early.isEmpty && early.count < 1000, "the others are still being sent")
    network.run(.seconds(3))
    let others = found(all, in: network, after: mark)
    #expect(others.count == 1000 && others.allSatisfy { $0.time - start < .seconds(2) })
  }

  @Test(
    "[MD.51] The rate counts no services that send nothing: with a known answer, or with a record just multicast",
    arguments: [true, false])
  func silentServices(_ areKnown: Bool) {
    var configuration = MDNSResponder.Configuration()
    configuration.packetsPerTick = 1
    let network = nodes(60, configuration)
    let all = subtype("_V65521")
    let others = (0..<50).map { index in
      DNSRecord(all, DNSType.ptr, ttl: 4500, .pointer(Self.matter.prefixed(by: Array("Node \(index)".utf8))))
    }
    if !areKnown { network.hear(DNSMessage(flags: 0x8400, answers: others)) }
    let (mark, asked) = (network.mark, network.now)
    network.hear(DNSMessage(questions: [DNSQuestion(all, DNSType.ptr)], answers: areKnown ? others : []))
    network.run(.ms(400))
    let answers = found(all, in: network, after: mark)
    #expect(answers.count == 10)
    // The first answer has a delay of at most 120 ms, and each other one follows after 10 ms.
    #expect(answers.allSatisfy { $0.time - asked < .ms(240) })
    network.run(.seconds(3))
    #expect(found(all, in: network, after: mark).count == (areKnown ? 10 : 60))
  }

  @Test(
    "[MD.22] Three subtypes are asked for in turn: only its own last answer delays an answer", arguments: [400, 250])
  func subtypesInTurn(_ pause: Int) throws {
    let network = nodes(1)
    let names = ["_L0", "_S0", "_V65521"].map { subtype($0) }
    let mark = network.mark
    var questions: [(name: DNSName, time: Duration)] = []
    for count in 0..<15 {
      let name = names[count % names.count]
      questions.append((name, network.now))
      network.hear(query(DNSQuestion(name, DNSType.ptr)))
      network.run(.ms(pause))
    }
    network.run(.seconds(2))
    for name in names {
      let times = found(name, in: network, after: mark).map(\.time)
      for (one, next) in zip(times, times.dropFirst()) { #expect(next - one >= .seconds(1)) }
      for question in questions where question.name == name {
        let last = times.last { $0 < question.time } ?? .zero
        let answered = times.first { $0 >= question.time }
        let next = try #require(answered)
        #expect(next <= max(question.time + .ms(140), last + .ms(1010)))
      }
    }
  }

  @Test("[MD.22] Each subtype has a time of its own; a service without subtypes allocates no times")
  func subtypeTimes() {
    var state = ClaimState()
    state.noteSent([.pointer, .srv, .text, .serviceDenial], at: 1)
    #expect(state.subtypesSent.capacity == 0)
    state.noteSent(.subtype(1), at: 2)
    #expect(state.subtypesSent == [Time.past, 2])
    state.noteSent(.subtypes(16), at: 3)
    state.noteSent(.subtype(4), at: 5)
    #expect(state.sent(.subtype(4)) == 5 && state.sent(.subtype(15)) == 3 && state.sent([.subtype(4), .text]) == 5)
    #expect(state.notSent(.allSubtypes, since: 3) == Records.allSubtypes.subtracting(.subtype(4)))
    #expect(state.earliest([.subtype(4), .subtype(5)]) == 3 && state.earliest([.subtype(4), .pointer]) == 1)
  }
}
