import HAPWire
import MDNS
import Testing

@Suite struct ProbingTests {
  @Test("[MD.1] The first probe is sent 0 to 250 ms after publishing, at a random time")
  func firstDelay() {
    var delays: Set<Duration> = []
    for seed in 1...40 {
      let network = Network()
      network.add(seed: UInt64(seed))
      let start = network.now
      network.publish(lamp())
      network.run(.seconds(1))
      let delay = network.probes()[0].time - start
      #expect((.zero...(.ms(250))).contains(delay))
      delays.insert(delay)
    }
    #expect(delays.count > 30)
    #expect(delays.max()! > .ms(150) && delays.min()! < .ms(100))
  }

  @Test("[MD.2] Three probes are sent 250 ms apart, and the first announcement 250 ms after them")
  func probes() {
    let network = Network()
    network.add()
    network.publish(lamp())
    network.run(.seconds(5))
    let times = network.probes().map(\.time)
    #expect(times.count == 3)
    #expect(times[1] - times[0] == .ms(250) && times[2] - times[1] == .ms(250))
    #expect(network.responses()[0].time - times[2] == .ms(250))
  }

  @Test("[MD.3] A probe asks for ANY of each name, and has the proposed records in its authority section")
  func probeContents() {
    let network = Network()
    network.add(v6: true)
    network.publish(lamp())
    network.run(.seconds(1))
    let probe = network.probes()[0].message
    #expect(Set(probe.questions.map(\.name)) == [lampName, lampHost])
    #expect(probe.questions.allSatisfy { $0.type == DNSType.any && $0.wantsUnicast })
    #expect(Set(probe.authorities.map(\.type)) == [DNSType.srv, DNSType.txt, DNSType.a, DNSType.aaaa])
    #expect(probe.authorities.allSatisfy { !$0.flushesCache && $0.ttl > 0 })
    #expect(probe.answers.isEmpty && probe.additionals.isEmpty && probe.id == 0)
  }

  @Test("[MD.4] Probes request multicast answers if other processes share port 5353")
  func sharedPort() {
    var configuration = MDNSResponder.Configuration()
    configuration.sharesPort = true
    let network = Network()
    network.add(configuration)
    network.publish(lamp())
    network.run(.seconds(1))
    #expect(!network.probes().isEmpty)
    #expect(network.probes().allSatisfy { !$0.message.questions.contains(where: \.wantsUnicast) })
  }

  @Test("[MD.5] A name is changed if another host answers for it during probing")
  func lostProbe() {
    let network = Network()
    network.add()
    let id = network.publish(lamp())
    network.run(.ms(300))
    network.hear(response(otherService()))
    network.run(.seconds(5))
    #expect(
      network.reports() == [
        .renamed(id, from: "Lamp", to: "Lamp (2)"), .registered(id, name: "Lamp (2)", host: "lamp"),
      ])
    let name = hap.prefixed(by: Array("Lamp (2)".utf8))
    #expect(network.probes().filter { $0.message.questions.contains { $0.name == name } }.count == 3)
    #expect(network.responses().allSatisfy { !$0.message.answers.contains { $0.name == lampName } })
  }

  @Test("[MD.5] A host name is changed if another host answers for it, and the service refers to the new one")
  func lostHost() {
    let network = Network()
    network.add()
    let id = network.publish(lamp())
    network.run(.ms(300))
    network.hear(response(DNSRecord(lampHost, DNSType.a, ttl: 120, flushesCache: true, .address([10, 0, 0, 77]))))
    network.run(.seconds(5))
    #expect(
      network.reports() == [
        .hostRenamed(id, from: "lamp", to: "lamp-2"), .registered(id, name: "Lamp", host: "lamp-2"),
      ])
    let name = DNSName("lamp-2.local")!
    #expect(network.probes().filter { $0.message.questions.contains { $0.name == name } }.count == 3)
    let services = network.responses().flatMap { $0.message.answers(DNSType.srv) }
    #expect(!services.isEmpty)
    for record in services {
      #expect(record.data == .service(priority: 0, weight: 0, port: 51826, target: DNSName("lamp-2.local")!))
    }
  }

  @Test("[MD.6] An answer with the same data is no conflict")
  func sameData() {
    let network = Network()
    network.add()
    let id = network.publish(lamp())
    network.run(.ms(300))
    network.hear(
      response(
        DNSRecord(
          lampName, DNSType.srv, ttl: 120, .service(priority: 0, weight: 0, port: 51826, target: lampHost)),
        DNSRecord(lampHost, DNSType.a, ttl: 120, .address([10, 0, 0, 1]))))
    network.run(.seconds(5))
    #expect(network.reports() == [.registered(id, name: "Lamp", host: "lamp")])
  }

  @Test(
    "[MD.7] Of two hosts that probe one name, the later data keeps it; the other one waits a second and probes again",
    arguments: [true, false])
  func tieBreak(_ isOurs: Bool) {
    let network = Network()
    network.add()
    let id = network.publish(lamp())
    network.run(.ms(300))
    let probesBefore = network.probes().count
    let at = network.now
    let later = otherService(port: 60000)
    let earlier = DNSRecord(lampName, DNSType.txt, ttl: 4500, .text([[0x61]]))
    let theirs = DNSMessage(
      questions: [DNSQuestion(lampName, DNSType.any, wantsUnicast: true)], authorities: [isOurs ? earlier : later])
    network.hear(theirs)
    network.run(.seconds(5))
    let times = network.probes().dropFirst(probesBefore).map(\.time).filter { time in
      network.probes().contains { $0.time == time && $0.message.questions.contains { $0.name == lampName } }
    }
    if isOurs {
      #expect(times.count == 3 - probesBefore)
    } else {
      #expect(times.count == 3)
      #expect(times[0] - at == .seconds(1))
    }
    #expect(network.reports() == [.registered(id, name: "Lamp", host: "lamp")])
  }

  @Test(
    "[MD.7] All records of a name are compared in order; if one list is the beginning of the other, the longer one is later",
    arguments: [
      // TXT (16) precedes SRV (33).
      (51826, ["zz"], true), (51826, ["a"], false), (1, ["zz"], true), (60000, ["b"], true), (60000, ["a"], false),
      (1, ["b"], false), (nil, ["b"], false), (nil, ["b", ""], true),
    ] as [(UInt16?, [String], Bool)])
  func tieBreakOfLists(_ port: UInt16?, _ text: [String], _ isLost: Bool) {
    let network = Network()
    network.add()
    network.publish(lamp(text: ["b"]))
    network.run(.ms(300))
    let at = network.now
    var records = [DNSRecord(lampName, DNSType.txt, ttl: 4500, .text(text.map { Array($0.utf8) }))]
    if let port {
      records.append(
        DNSRecord(lampName, DNSType.srv, ttl: 120, .service(priority: 0, weight: 0, port: port, target: lampHost)))
    }
    network.hear(DNSMessage(questions: [DNSQuestion(lampName, DNSType.any)], authorities: records.reversed()))
    network.run(.ms(900))
    let later = network.probes().filter { $0.time > at && $0.message.questions.contains { $0.name == lampName } }
    #expect(later.isEmpty == isLost)
  }

  @Test("[MD.8] After 15 conflicts within ten seconds each attempt waits five seconds")
  func conflictLimit() {
    let network = Network()
    network.add()
    network.publish(lamp())
    let start = network.now
    while network.now - start < .seconds(120), network.registeredName(0) == nil {
      network.run(.ms(50))
      // Another host has each probed name.
      for probe in network.probes().suffix(1) where probe.time > network.now - .ms(60) {
        for question in probe.message.questions where question.name.isWithin(hap) {
          network.hear(response(otherService(question.name)))
        }
      }
    }
    let renames = network.stations[0].reports.filter { if case .renamed = $0.report { true } else { false } }.map(
      \.time)
    #expect(renames.count >= 20)
    for (index, time) in renames.enumerated() where index >= 15 {
      let inWindow = renames.filter { $0 < time && time - $0 < .seconds(10) }.count
      #expect(inWindow < 15 || time - renames[index - 1] >= .seconds(5))
      #expect(time - renames[index - 1] >= .seconds(5), "rename \(index)")
    }
    // The accessory stays reachable although another host objects to each name.
    #expect(network.registeredName(0) != nil)
    #expect(network.now - start < .seconds(90))
  }
}
