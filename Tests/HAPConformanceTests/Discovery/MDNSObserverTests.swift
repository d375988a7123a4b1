#if os(Linux)
  import HAPDiscovery
  import HAPLoop
  import HAPTestSupport
  import HAPWire
  import Testing
  import WorldTestSupport

  @testable import HAPTarget

  @Suite("The observer of multicast DNS, in a simulated world") struct MDNSObserverTests {
    @Test("An instance is found by name, identifier and address, with the contents of all its records")
    func found() async throws {
      try await withObserver { host, observer in
        let station = try Station(host)
        try station.publish("Found Ä", host: "found-1")
        let targets: [ServiceTarget] = [
          .name("found Ä"), .id("aa:bb:cc:dd:ee:ff"),
          .address(SocketAddress(host: .loopbackV4, port: 51826)), .address(SocketAddress(host: .loopbackV4, port: 0)),
        ]
        for target in targets {
          let found = try #require(
            try await observer.find(target, within: .seconds(20), after: MDNSObserver.start), "\(target)")
          #expect(found.name == hap("Found Ä") && found.label == Array("Found Ä".utf8))
          #expect(found.host == DNSName("found-1.local") && found.port == 51826)
          #expect(found.textStrings == Station.strings(sf: 1))
          #expect(found.socketAddresses.contains(SocketAddress(host: .loopbackV4, port: 51826)))
          #expect(found.service?.record.flushesCache == true && (found.service?.record.ttl ?? 0) > 0)
          #expect(found.text?.source.port == 5353)
        }
        let none = try await observer.find(.name("Other"), within: .milliseconds(100), after: MDNSObserver.start)
        #expect(none == nil)
        try station.close()
      }
    }

    @Test("The probe, announcement, change and goodbye of a service are observed, in this order")
    func life() async throws {
      try await withObserver { host, observer in
        let station = try Station(host)
        let name = hap("Life")
        let begin = await observer.mark
        let events = try station.publish("Life", host: "life-1")
        let probe = try #require(await observer.first(after: begin, within: .seconds(10)) { $0.isProbe(for: name) })
        #expect(probe.isMulticast == true && probe.hopLimit == 255 && probe.source.port == 5353 && !probe.isOwn)
        let announced = try #require(
          await observer.first(after: begin, within: .seconds(10)) {
            $0.announcedText(of: name) == Station.strings(sf: 1)
          })
        #expect(announced.number > probe.number && announced.time > probe.time)
        #expect(await events.established() == "Life")
        let changing = await observer.mark
        try station.update(sf: 0)
        let changed = try #require(
          await observer.first(after: changing, within: .seconds(5)) {
            $0.announcedText(of: name) == Station.strings(sf: 0)
          })
        #expect(changed.number > announced.number)
        #expect(await observer.services().first { $0.name == name }?.textStrings == Station.strings(sf: 0))
        let leaving = await observer.mark
        #expect(await !observer.packets(after: begin).contains { $0.isGoodbye(of: name) })
        try station.withdraw()
        let goodbye = await observer.first(after: leaving, within: .seconds(5)) { $0.isGoodbye(of: name) }
        #expect(goodbye != nil)
        #expect(await observer.services().contains { $0.name == name } == false)
        try station.close()
      }
    }

    @Test("A name that is claimed during probing is not taken: the service gets the next name")
    func claimed() async throws {
      try await withObserver { host, observer in
        let station = try Station(host)
        let claim = try await observer.claim(hap("Claimed"))
        let begin = await observer.mark
        let events = try station.publish("Claimed", host: "claimed-1")
        #expect(await events.established() == "Claimed (2)")
        let found = try await observer.find(.id("AA:BB:CC:DD:EE:FF"), within: .seconds(10), after: begin)
        #expect(found?.name == hap("Claimed (2)"))
        #expect(await observer.packets(after: begin).contains { $0.isOwn && $0.message.isResponse })
        await observer.release(claim)
        await observer.release(claim)
        let last = await observer.packets().last { $0.isOwn }
        #expect(last?.message.answers.allSatisfy(\.isGoodbye) == true)
        try station.close()
      }
    }

    @Test("An established service whose name is claimed re-establishes itself under the next name")
    func claimedLater() async throws {
      try await withObserver { host, observer in
        let station = try Station(host)
        let events = try station.publish("Late", host: "late-1")
        #expect(await events.established() == "Late")
        let begin = await observer.mark
        let claim = try await observer.claim(hap("Late"))
        let again = await observer.first(after: begin, within: .seconds(15)) {
          $0.announcedText(of: hap("Late (2)")) != nil
        }
        #expect(again != nil)
        await observer.release(claim)
        try station.close()
      }
    }

    @Test(
      "Questions from port 5353, for unicast, from an ephemeral port and to one address get correct answers")
    func ways() async throws {
      try await withObserver { host, observer in
        let station = try Station(host)
        try await observer.askInEachWay(station)
        try station.close()
      }
    }

    @Test("A known answer is not answered again")
    func knownAnswers() async throws {
      try await withObserver { host, observer in
        let station = try Station(host)
        let events = try station.publish("Known", host: "known-1")
        #expect(await events.established() == "Known")
        let question = DNSQuestion(MDNSObserver.hapType, DNSType.ptr)
        let pointer = DNSRecord(MDNSObserver.hapType, DNSType.ptr, ttl: 4500, .pointer(hap("Known")))
        func answer(_ mark: MDNSObserver.Mark) async -> ObservedPacket? {
          await observer.first(after: mark, within: .milliseconds(1500)) {
            $0.records(MDNSObserver.hapType, DNSType.ptr).contains { $0.data == pointer.data }
          }
        }
        // Wait until no announcement has arrived for more than a second.
        var mark = MDNSObserver.start
        while let announcement = await answer(mark) {
          mark = MDNSObserver.Mark(place: PacketLog.Mark(number: announcement.number))
        }
        #expect(mark != MDNSObserver.start)
        let knowing = try await observer.query([question], knownAnswers: [pointer])
        #expect(await answer(knowing) == nil)
        let ignorant = try await observer.query([question])
        #expect(await answer(ignorant) != nil)
        try station.close()
      }
    }

    @Test("Malformed messages are skipped, a valid one among them is received, and foreign names are ignored")
    func garbage() async throws {
      try await withObserver { host, observer in
        let begin = await observer.mark
        try await observer.loop.performOnIt { loop in
          let noise = try UDPSocket(loop, host: .anyV4, port: 0) { _ in }
          try noise.multicast(on: host.interfaceIndex, source: .loopbackV4)
          func send(_ bytes: [UInt8]) throws {
            try noise.send(bytes, to: SocketAddress(host: MDNSSockets.groups[0], port: 5353))
          }
          var random = SeededGenerator(seed: 1)
          for size in 0..<100 { try send((0..<size).map { _ in .random(in: 0x80...0xFF, using: &random) }) }
          try send(DNSMessage(questions: [DNSQuestion(DNSName("_ipp._tcp.local")!, DNSType.ptr)]).encoded())
          try send(DNSMessage(flags: 0x8405, questions: [DNSQuestion(MDNSObserver.hapType, DNSType.ptr)]).encoded())
          try send(DNSMessage(questions: [DNSQuestion(MDNSObserver.hapType, DNSType.ptr)]).encoded() + [0])
          noise.close()
        }
        let heard = try #require(await observer.first(after: begin, within: .seconds(5)) { _ in true })
        #expect(heard.message.questions.map(\.name) == [MDNSObserver.hapType] && heard.message.trailing == [0])
        #expect(await observer.packets().count == 1)
      }
    }

    @Test("A wait ends at its timeout, with its task or with the observer")
    func waiting() async throws {
      try await withObserver { host, observer in
        let mark = await observer.mark
        #expect(await observer.first(after: mark, within: .milliseconds(20)) { _ in true } == nil)
        #expect(await observer.first(after: mark, within: .zero) { _ in true } == nil)
        let task = Task { await observer.first(after: mark, within: .seconds(3600)) { _ in false } }
        let search = Task { try await observer.find(.name("Nobody"), within: .seconds(3600)) }
        task.cancel()
        search.cancel()
        #expect(await task.value == nil)
        let searched = try await search.value
        #expect(searched == nil)
        let waiting = Task { await observer.first(after: mark, within: .seconds(3600)) { _ in false } }
        let searching = Task { try? await observer.browse(within: .seconds(3600)) }
        _ = await observer.first(after: mark, within: .seconds(5)) { $0.isOwn && !$0.message.isResponse }
        await observer.close()
        #expect(await waiting.value == nil)
        #expect(await searching.value?.isEmpty ?? true)
        #expect(await observer.absence != nil)
        await #expect(throws: LoopError.self) { try await observer.query([]) }
      }
    }

    @Test("If multicast is not possible, the reason is returned", arguments: ["nowhere0"])
    func absent(_ interface: String) async throws {
      try await withTestHost { host in
        let loop = try host.makeLoop("observer")
        let observer = MDNSObserver(on: loop, interfaces: [interface])
        #expect(await observer.open()?.contains("nowhere0") == true)
        #expect(await observer.absence?.contains("nowhere0") == true)
        await #expect(throws: LoopError.self) { try await observer.browse(within: .seconds(1)) }
        await observer.close()
        loop.stop()
      }
    }

    @Test("Loopback is used only when it is named") func noInterface() async throws {
      try await withTestHost { host in
        let loop = try host.makeLoop("observer")
        let observer = MDNSObserver(on: loop)
        #expect(await observer.open() == "no network interface is up that can multicast")
        await observer.close()
        loop.stop()
      }
    }
  }
#endif
