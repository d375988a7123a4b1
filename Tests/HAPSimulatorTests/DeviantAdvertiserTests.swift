import HAPDeviations
import HAPDiscovery
import HAPLoop
import HAPWire
import Testing
import WorldTestSupport

@Suite("Advertisers that deviate from RFC 6762, in a simulated world")
struct DeviantAdvertiserTests {
  @Test("A service starts with three probes and two announcements, at the times of RFC 6762")
  func start() async throws {
    try await withTestHost { host in
      let neighbour = try Neighbour(host)
      let station = try DeviantStation(host)
      let events = try station.publish(oddRecord("Start"))
      #expect(await events.upToOutcome() == [.established("Start")])
      let first = try #require(await neighbour.first { $0.points(to: "Start") })
      let mark = try neighbour.packets().firstIndex { $0.points(to: "Start") && $0.time == first.time } ?? 0
      // The same packet is sent over IPv6 as well.
      let second = await neighbour.first(after: mark) {
        $0.points(to: "Start") && $0.time - first.time > .milliseconds(500)
      }
      #expect((Duration.milliseconds(700)...(.seconds(5))).contains(try #require(second).time - first.time))
      let probes = try neighbour.packets().filter { packet in
        packet.message.isProbe && packet.message.questions.contains { $0.name == instance("Start") }
      }
      let times = probes.map(\.time).reduce(into: [Duration]()) { times, time in
        if times.last.map({ time - $0 > .milliseconds(100) }) ?? true { times.append(time) }
      }
      #expect(times.count == 3)
      for (one, next) in zip(times, times.dropFirst() + [first.time]) { #expect(next - one >= .milliseconds(249)) }
      #expect(Set(probes[0].message.questions.map(\.name)) == [instance("Start"), oddHost])
      #expect(Set(probes[0].message.authorities.map(\.type)).isSuperset(of: [DNSType.srv, DNSType.txt, DNSType.a]))
      #expect(probes[0].message.authorities.allSatisfy { !$0.flushesCache })
      for record in first.message.answers { #expect(record.flushesCache == (record.type != DNSType.ptr), "\(record)") }
      try station.close()
      try neighbour.close()
    }
  }

  #if os(Linux)
    @Test("A browser finds the service with all records, observes its changes and its end")
    func found() async throws {
      try await withTestHost { host in
        let lookout = try host.makeLoop("lookout")
        let (told, continuation) = AsyncStream.makeStream(of: BrowserEvent.self)
        nonisolated(unsafe) var browser: ServiceBrowser?
        try lookout.performAndWait {
          browser = try BackEnd.browse(.embedded, on: lookout, interfaces: [host.interface]) {
            continuation.yield($0)
          }.browser
        }
        var stream = told.makeAsyncIterator()
        let station = try DeviantStation(host)
        _ = try station.publish(oddRecord("Found Ä"))
        guard case .appeared(let service) = await stream.next() else { throw Missing() }
        #expect(service.name == "Found Ä" && service.host == "odd-host.local" && service.port == 1234)
        #expect(service.txt == [Array("c#=1".utf8), Array("sf=1".utf8)])
        #expect(service.addresses.contains(SocketAddress(host: .loopbackV4, port: 1234)))
        try station.with { $0.update(txt: [("sf", "0")]) }
        while case .changed(let changed)? = await stream.next(), changed.txt != [Array("sf=0".utf8)] {}
        try station.with { $0.withdraw() }
        while let event = await stream.next() { if event == .gone(name: "Found Ä") { break } }
        _ = try station.publish(oddRecord("Back"))
        while let event = await stream.next() { if case .appeared(let back) = event, back.name == "Back" { break } }
        try station.close()
        try lookout.performAndWait { browser?.close() }
        lookout.stop()
      }
    }

    @Test("If another responder has the name, the service takes the next one")
    func twins() async throws {
      try await withTestHost { host in
        let other = try host.makeLoop("other")
        let (told, continuation) = AsyncStream.makeStream(of: AdvertisementEvent.self)
        nonisolated(unsafe) var responder: EmbeddedResponder?
        try other.performAndWait {
          responder = try EmbeddedResponder(other, interfaces: [host.interface])
          responder?.makeAdvertiser().publish(
            ServiceRecord(name: "Twin", port: 9, txt: [], host: "twin-host")
          ) { continuation.yield($0) }
        }
        #expect(await told.upToOutcome() == [.established("Twin")])
        let station = try DeviantStation(host)
        let events = try station.publish(oddRecord("Twin"))
        #expect(await events.upToOutcome() == [.renamed(from: "Twin", to: "Twin (2)"), .established("Twin (2)")])
        try station.close()
        try other.performAndWait { responder?.close() }
        other.stop()
      }
    }
  #endif

  @Test(
    "After a conflict, an established name is probed again and kept; if another responder holds it, the next name is used"
  )
  func conflict() async throws {
    try await withTestHost { host in
      let neighbour = try Neighbour(host)
      let station = try DeviantStation(host)
      let events = try station.publish(oddRecord("Claimed"))
      #expect(await events.upToOutcome() == [.established("Claimed")])
      // Sent once: the name is free during the new probing.
      let mark = try neighbour.send(DNSMessage(flags: 0x8400, answers: [otherService("Claimed")]))
      #expect(await neighbour.first(after: mark) { $0.message.isProbe } != nil)
      #expect(await neighbour.first(after: mark) { $0.points(to: "Claimed") } != nil)
      // Another record, because the responder defends a name without probing if a second conflict comes within seconds.
      #expect(try await station.publish(oddRecord("Taken")).upToOutcome() == [.established("Taken")])
      try neighbour.hold([otherService("Taken")])
      let second = try station.publish(oddRecord("Taken"))
      #expect(await second.upToOutcome() == [.renamed(from: "Taken", to: "Taken (2)"), .established("Taken (2)")])
      // This record conflicts only with the host's name.
      try neighbour.hold([DNSRecord(oddHost, DNSType.a, ttl: 120, flushesCache: true, .address([127, 0, 0, 77]))])
      let moved = DNSName("odd-host-2.local")!
      let found = await neighbour.first { packet in
        packet.answers(instance("Taken (2)"), DNSType.srv).contains {
          $0.data == .service(priority: 0, weight: 0, port: 1234, target: moved)
        }
      }
      #expect(found?.answers(moved, DNSType.a).first?.data == .address([127, 0, 0, 1]))
      try neighbour.hold([otherService("Own")])
      var fixed = oddRecord("Own")
      fixed.isRenamed = false
      #expect(try await station.publish(fixed).upToOutcome() == [.failed("the name Own is taken")])
      try station.close()
      try neighbour.close()
    }
  }

  @Test("The responder with the lexicographically lower probe waits for a second; the other continues")
  func probesAtOnce() async throws {
    try await withTestHost { host in
      let neighbour = try Neighbour(host)
      let station = try DeviantStation(host)
      for (port, isLost) in [(9 as UInt16, false), (60_000, true)] {
        try await neighbour.settle()
        let mark = try neighbour.mark
        let events = try station.publish(oddRecord("Both"))
        let first = try #require(await neighbour.first(after: mark) { $0.message.isProbe })
        let claim = DNSRecord(
          instance("Both"), DNSType.srv, ttl: 120, .service(priority: 0, weight: 0, port: port, target: oddHost))
        let text = try #require(first.message.authorities.first { $0.type == DNSType.txt })
        try neighbour.send(
          DNSMessage(questions: [DNSQuestion(instance("Both"), DNSType.any)], authorities: [claim, text]))
        #expect(await events.upToOutcome() == [.established("Both")])
        let up = try #require(await neighbour.first(after: mark) { $0.points(to: "Both") })
        #expect((up.time - first.time >= .milliseconds(1700)) == isLost, "\(up.time - first.time)")
        try station.with { $0.withdraw() }
      }
      try station.close()
      try neighbour.close()
    }
  }

  @Test("An answer has the requested records and those needed next; a missing record is denied")
  func questions() async throws {
    try await withTestHost { host in
      let neighbour = try Neighbour(host)
      let station = try DeviantStation(host)
      #expect(try await station.publish(oddRecord("Asked")).upToOutcome() == [.established("Asked")])
      func answer(_ name: DNSName, _ type: UInt16) async throws -> DNSMessage? {
        try await neighbour.settle()
        let mark = try neighbour.send(DNSMessage(questions: [DNSQuestion(name, type, wantsUnicast: true)]))
        return await neighbour.first(after: mark) { packet in
          packet.isDirect && packet.message.isResponse && packet.message.answers.contains { $0.name == name }
        }?.message
      }
      let pointer = try #require(try await answer(hapType, DNSType.ptr))
      #expect(
        pointer.answers.map(\.data) == [.pointer(instance("Asked"))] && pointer.flags & DNSMessage.authoritative != 0)
      #expect(Set(pointer.additionals.map(\.type)).isSuperset(of: [DNSType.srv, DNSType.txt, DNSType.a]))
      let service = try #require(try await answer(instance("asked"), DNSType.srv))
      #expect(service.answers.map(\.type) == [DNSType.srv] && service.additionals.contains { $0.type == DNSType.a })
      #expect(try await answer(instance("Asked"), DNSType.txt)?.answers.map(\.type) == [DNSType.txt])
      #expect(try await answer(instance("Asked"), DNSType.any)?.answers.map(\.type) == [DNSType.srv, DNSType.txt])
      #expect(try await answer(oddHost, DNSType.a)?.answers.map(\.data) == [.address([127, 0, 0, 1])])
      // There was no multicast denial yet, so this one is multicast.
      let types = DNSName("_services._dns-sd._udp.local")!
      let mark = try neighbour.send(
        DNSMessage(questions: [
          DNSQuestion(types, DNSType.ptr, wantsUnicast: true),
          DNSQuestion(instance("Asked"), DNSType.a, wantsUnicast: true),
        ]))
      let list = await neighbour.first(after: mark) { $0.tells(types, DNSType.ptr) }
      #expect(list?.message.answers.map(\.data) == [.pointer(hapType)])
      let denial = await neighbour.first(after: mark) { $0.tells(instance("Asked"), DNSType.nsec) }
      #expect(denial?.isDirect == false)
      let recordTypes: [UInt16] = [DNSType.txt, DNSType.srv]
      #expect(denial?.message.answers.map(\.data) == [.existing(next: instance("Asked"), types: recordTypes)])
      try station.close()
      try neighbour.close()
    }
  }

  @Test("An answer to a port other than 5353 has the question, its ID, and records with a short TTL")
  func legacy() async throws {
    try await withTestHost { host in
      let neighbour = try Neighbour(host)
      let station = try DeviantStation(host)
      #expect(try await station.publish(oddRecord("Legacy")).upToOutcome() == [.established("Legacy")])
      let question = DNSQuestion(instance("Legacy"), DNSType.srv)
      let mark = try neighbour.sendFromElsewhere(DNSMessage(id: 4711, questions: [question]))
      let reply = try #require(
        await neighbour.first(after: mark) { $0.isDirect && $0.tells(instance("Legacy"), DNSType.srv) })
      #expect(reply.message.id == 4711 && reply.message.questions == [question])
      #expect(reply.message.records.allSatisfy { $0.ttl <= 10 && !$0.flushesCache })
      try station.close()
      try neighbour.close()
    }
  }

  @Test("A second instance has the same port, TXT record and host, and ends with the first")
  func second() async throws {
    try await withTestHost { host in
      let neighbour = try Neighbour(host)
      let station = try DeviantStation(host)
      #expect(try await station.publish(oddRecord("One"), also: "Two").upToOutcome() == [.established("One")])
      let packet = try #require(await neighbour.first { $0.points(to: "One") && $0.points(to: "Two") })
      for type in [DNSType.srv, DNSType.txt] {
        #expect(packet.answers(instance("One"), type).map(\.data) == packet.answers(instance("Two"), type).map(\.data))
        #expect(packet.answers(instance("Two"), type).count == 1)
      }
      let mark = try neighbour.mark
      try station.with { $0.withdraw() }
      for label in ["One", "Two"] {
        let goodbye = await neighbour.first(after: mark) { packet in
          packet.answers(hapType, DNSType.ptr).contains { $0.isGoodbye && $0.data == .pointer(instance(label)) }
        }
        #expect(goodbye != nil)
      }
      let long = String(repeating: "x", count: 64)
      let refused = [AdvertisementEvent.failed(RecordError.malformedName(long).description)]
      #expect(try await station.publish(oddRecord("One"), also: long).upToOutcome() == refused)
      #expect(try await station.publish(oddRecord(long)).upToOutcome() == refused)
      try station.close()
      try neighbour.close()
    }
  }

  @Test("Malformed packets and a flood of questions don't stop the responder")
  func hostile() async throws {
    try await withTestHost { host in
      let neighbour = try Neighbour(host)
      let station = try DeviantStation(host)
      #expect(try await station.publish(oddRecord("Calm")).upToOutcome() == [.established("Calm")])
      let question = DNSMessage(
        questions: [DNSQuestion(instance("Calm"), DNSType.any), DNSQuestion(hapType, DNSType.ptr)],
        answers: [DNSRecord(hapType, DNSType.ptr, ttl: 1, .pointer(instance("Other")))],
        authorities: [DNSRecord(instance("Calm"), DNSType.txt, ttl: 0, .text([]))])
      let bytes = question.encoded()
      for count in 0..<bytes.count { try neighbour.send(raw: Array(bytes[..<count])) }
      try await neighbour.settle()
      for index in bytes.indices {
        for value in [0, 0xC0, 0xFF] as [UInt8] {
          var wrong = bytes
          wrong[index] = value
          // Cleared, because a response could be a conflicting record.
          wrong[2] &= 0x7F
          try neighbour.send(raw: wrong)
        }
        try await neighbour.settle()
      }
      // Each announces that more known answers follow.
      for _ in 0..<200 {
        try neighbour.send(DNSMessage(flags: DNSMessage.truncated, questions: [DNSQuestion(hapType, DNSType.ptr)]))
      }
      try await neighbour.settle()
      let many = DNSMessage(
        questions: Array(repeating: DNSQuestion(hapType, DNSType.ptr, wantsUnicast: true), count: 3000))
      try neighbour.send(many)
      try await neighbour.settle()
      let mark = try neighbour.send(
        DNSMessage(questions: [DNSQuestion(instance("Calm"), DNSType.srv, wantsUnicast: true)]))
      // The answer may be multicast, if the flood has used up this second's unicast answers.
      let answer = await neighbour.first(after: mark) { $0.tells(instance("Calm"), DNSType.srv) }
      #expect(answer != nil)
      try station.close()
      try neighbour.close()
    }
  }
}

private struct Missing: Error {}
