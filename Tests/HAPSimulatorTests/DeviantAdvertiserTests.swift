import HAPDefects
import HAPDiscovery
import HAPLoop
import HAPWire
import Testing

@testable import HAPSimulator

private let hap = DNSName("_hap._tcp.local")!
private let host = DNSName("odd-host.local")!

private func name(_ label: String) -> DNSName { hap.prefixed(by: Array(label.utf8)) }

private func record(_ name: String, sf: Int = 1) -> ServiceRecord {
  ServiceRecord(name: name, port: 1234, txt: [("c#", "1"), ("sf", "\(sf)")], host: "odd-host")
}

/// The other's claim to a name of ours.
private func otherService(_ label: String) -> DNSRecord {
  DNSRecord(
    name(label), DNSType.srv, ttl: 120, flushesCache: true, .service(priority: 0, weight: 0, port: 9, target: name("x"))
  )
}

/// A responder on a loop of its own, and what it tells.
private final class Station: @unchecked Sendable {
  let loop = EventLoop(name: "odd")
  // Of the loop's thread.
  private var responder: DeviantAdvertiser!

  init() throws {
    loop.start()
    try loop.performAndWait {
      self.responder = DeviantAdvertiser(self.loop, on: InterfaceChoice([testInterface ?? ""]))
    }
  }

  func publish(
    _ record: ServiceRecord, also: String? = nil, _ manner: ResponderManner = ResponderManner()
  ) throws -> AsyncStream<AdvertisementEvent> {
    let (stream, continuation) = AsyncStream.makeStream(of: AdvertisementEvent.self)
    try loop.performAndWait {
      self.responder.manner = manner
      self.responder.also = also
      self.responder.publish(record) { continuation.yield($0) }
    }
    return stream
  }

  func with(_ body: @escaping @Sendable (DeviantAdvertiser) -> Void) throws {
    try loop.performAndWait { body(self.responder) }
  }

  /// Checks that nothing is left.
  func close() throws {
    try loop.performAndWait {
      self.responder.close()
      self.responder.close()
      self.responder = nil
    }
    loop.stop()
    #expect(loop.openHandleCount == 0)
  }
}

extension AsyncStream<AdvertisementEvent> {
  /// The events up to the first that is `established` or `failed`.
  fileprivate func upToOutcome() async -> [AdvertisementEvent] {
    var seen: [AdvertisementEvent] = []
    for await event in self {
      seen.append(event)
      switch event {
      case .established, .failed: return seen
      default: break
      }
    }
    return seen
  }
}

extension Neighbour.Packet {
  func answers(_ name: DNSName, _ type: UInt16) -> [DNSRecord] {
    message.isResponse ? message.answers.filter { $0.name == name && $0.type == type } : []
  }
  func tells(_ name: DNSName, _ type: UInt16) -> Bool { answers(name, type).contains { !$0.isGoodbye } }
  /// That the service is there.
  func points(to label: String) -> Bool {
    answers(hap, DNSType.ptr).contains { $0.data == .pointer(name(label)) && !$0.isGoodbye }
  }
}

@Suite(.enabled(if: testInterface != nil), .serialized, .timeLimit(.minutes(2))) struct DeviantAdvertiserTests {
  @Test("Three probes and two announcements come before anything else, with the times that RFC 6762 gives them")
  func start() async throws {
    let neighbour = try Neighbour()
    let station = try Station()
    let events = try station.publish(record("Start"))
    #expect(await events.upToOutcome() == [.established("Start")])
    let first = try #require(await neighbour.first { $0.points(to: "Start") })
    let mark = try neighbour.packets().firstIndex { $0.points(to: "Start") && $0.time == first.time } ?? 0
    // The same once more, over IPv6, comes with it.
    let second = await neighbour.first(after: mark) {
      $0.points(to: "Start") && $0.time - first.time > .milliseconds(500)
    }
    #expect((Duration.milliseconds(700)...(.seconds(5))).contains(try #require(second).time - first.time))
    let probes = try neighbour.packets().filter { packet in
      packet.message.isProbe && packet.message.questions.contains { $0.name == name("Start") }
    }
    let times = probes.map(\.time).reduce(into: [Duration]()) { times, time in
      if times.last.map({ time - $0 > .milliseconds(100) }) ?? true { times.append(time) }
    }
    #expect(times.count == 3)
    // 250 ms, as far as a neighbour can tell that is told late itself.
    for (one, next) in zip(times, times.dropFirst() + [first.time]) { #expect(next - one >= .milliseconds(170)) }
    #expect(Set(probes[0].message.questions.map(\.name)) == [name("Start"), host])
    #expect(Set(probes[0].message.authorities.map(\.type)).isSuperset(of: [DNSType.srv, DNSType.txt, DNSType.a]))
    #expect(probes[0].message.authorities.allSatisfy { !$0.flushesCache })
    for record in first.message.answers { #expect(record.flushesCache == (record.type != DNSType.ptr), "\(record)") }
    try station.close()
    try neighbour.close()
  }

  #if os(Linux)
    @Test("Another responder's browser finds it with all that it says, follows its changes, and sees it go")
    func found() async throws {
      let lookout = EventLoop(name: "lookout")
      lookout.start()
      let (told, continuation) = AsyncStream.makeStream(of: BrowserEvent.self)
      nonisolated(unsafe) var browser: ServiceBrowser?
      try lookout.performAndWait {
        browser = try BackEnd.browse(.embedded, on: lookout, interfaces: [testInterface ?? ""]) {
          continuation.yield($0)
        }.browser
      }
      var stream = told.makeAsyncIterator()
      let station = try Station()
      _ = try station.publish(record("Found Ä"))
      guard case .appeared(let service) = await stream.next() else { throw Missing() }
      #expect(service.name == "Found Ä" && service.host == "odd-host.local" && service.port == 1234)
      #expect(service.txt == [Array("c#=1".utf8), Array("sf=1".utf8)])
      #expect(service.addresses.contains(SocketAddress(host: .loopbackV4, port: 1234)))
      try station.with { $0.update(txt: [("sf", "0")]) }
      while case .changed(let changed)? = await stream.next(), changed.txt != [Array("sf=0".utf8)] {}
      try station.with { $0.withdraw() }
      while let event = await stream.next() { if event == .gone(name: "Found Ä") { break } }
      _ = try station.publish(record("Back"))
      while let event = await stream.next() { if case .appeared(let back) = event, back.name == "Back" { break } }
      try station.close()
      try lookout.performAndWait { browser?.close() }
      lookout.stop()
    }

    @Test("Of it and another responder with the same name both are found: it has taken the next")
    func twins() async throws {
      let other = EventLoop(name: "other")
      other.start()
      let (told, continuation) = AsyncStream.makeStream(of: AdvertisementEvent.self)
      nonisolated(unsafe) var responder: EmbeddedResponder?
      try other.performAndWait {
        responder = try EmbeddedResponder(other, interfaces: [testInterface ?? ""])
        responder?.makeAdvertiser().publish(
          ServiceRecord(name: "Twin", port: 9, txt: [], host: "twin-host")
        ) { continuation.yield($0) }
      }
      #expect(await told.upToOutcome() == [.established("Twin")])
      let station = try Station()
      let events = try station.publish(record("Twin"))
      #expect(await events.upToOutcome() == [.renamed(from: "Twin", to: "Twin (2)"), .established("Twin (2)")])
      try station.close()
      try other.performAndWait { responder?.close() }
      other.stop()
    }
  #endif

  @Test(
    "A name that is lost while it is up is probed for again, and given up for the next; one that isn't defended stays")
  func conflict() async throws {
    let neighbour = try Neighbour()
    let station = try Station()
    let events = try station.publish(record("Claimed"))
    #expect(await events.upToOutcome() == [.established("Claimed")])
    // Said once, and then by nobody.
    let mark = try neighbour.send(DNSMessage(flags: 0x8400, answers: [otherService("Claimed")]))
    #expect(await neighbour.first(after: mark) { $0.message.isProbe } != nil)
    #expect(await neighbour.first(after: mark) { $0.points(to: "Claimed") } != nil)
    // Another record, because a second conflict within seconds is defended and not probed for.
    #expect(try await station.publish(record("Taken")).upToOutcome() == [.established("Taken")])
    try neighbour.hold([otherService("Taken")])
    let second = try station.publish(record("Taken"))
    #expect(await second.upToOutcome() == [.renamed(from: "Taken", to: "Taken (2)"), .established("Taken (2)")])
    // The host's name is nobody's to see.
    try neighbour.hold([DNSRecord(host, DNSType.a, ttl: 120, flushesCache: true, .address([127, 0, 0, 77]))])
    let moved = DNSName("odd-host-2.local")!
    let found = await neighbour.first { packet in
      packet.answers(name("Taken (2)"), DNSType.srv).contains {
        $0.data == .service(priority: 0, weight: 0, port: 1234, target: moved)
      }
    }
    #expect(found?.answers(moved, DNSType.a).first?.data == .address([127, 0, 0, 1]))
    try neighbour.hold([otherService("Own")])
    var fixed = record("Own")
    fixed.isRenamed = false
    #expect(try await station.publish(fixed).upToOutcome() == [.failed("the name Own is taken")])
    try station.close()
    try neighbour.close()
  }

  @Test("Whose probe comes first in order waits for a second; whose comes last goes on")
  func probesAtOnce() async throws {
    let neighbour = try Neighbour()
    let station = try Station()
    for (port, isLost) in [(9 as UInt16, false), (60_000, true)] {
      let mark = try neighbour.mark
      let events = try station.publish(record("Both"))
      let first = try #require(await neighbour.first(after: mark) { $0.message.isProbe })
      let claim = DNSRecord(
        name("Both"), DNSType.srv, ttl: 120, .service(priority: 0, weight: 0, port: port, target: host))
      let text = try #require(first.message.authorities.first { $0.type == DNSType.txt })
      try neighbour.send(
        DNSMessage(questions: [DNSQuestion(name("Both"), DNSType.any)], authorities: [claim, text]))
      #expect(await events.upToOutcome() == [.established("Both")])
      let up = try #require(await neighbour.first(after: mark) { $0.points(to: "Both") })
      #expect((up.time - first.time >= .milliseconds(1700)) == isLost, "\(up.time - first.time)")
      try station.with { $0.withdraw() }
    }
    try station.close()
    try neighbour.close()
  }

  @Test("Questions get what they ask for, what comes next with it, and what isn't there as a denial")
  func questions() async throws {
    let neighbour = try Neighbour()
    let station = try Station()
    #expect(try await station.publish(record("Asked")).upToOutcome() == [.established("Asked")])
    func answer(_ name: DNSName, _ type: UInt16) async throws -> DNSMessage? {
      let mark = try neighbour.send(DNSMessage(questions: [DNSQuestion(name, type, wantsUnicast: true)]))
      return await neighbour.first(after: mark) { packet in
        packet.isDirect && packet.message.isResponse && packet.message.answers.contains { $0.name == name }
      }?.message
    }
    let pointer = try #require(try await answer(hap, DNSType.ptr))
    #expect(pointer.answers.map(\.data) == [.pointer(name("Asked"))] && pointer.flags & DNSMessage.authoritative != 0)
    #expect(Set(pointer.additionals.map(\.type)).isSuperset(of: [DNSType.srv, DNSType.txt, DNSType.a]))
    let service = try #require(try await answer(name("asked"), DNSType.srv))
    #expect(service.answers.map(\.type) == [DNSType.srv] && service.additionals.contains { $0.type == DNSType.a })
    #expect(try await answer(name("Asked"), DNSType.txt)?.answers.map(\.type) == [DNSType.txt])
    #expect(try await answer(name("Asked"), DNSType.any)?.answers.map(\.type) == [DNSType.srv, DNSType.txt])
    #expect(try await answer(host, DNSType.a)?.answers.map(\.data) == [.address([127, 0, 0, 1])])
    // No denial was sent by multicast yet, so this one is.
    let types = DNSName("_services._dns-sd._udp.local")!
    let mark = try neighbour.send(
      DNSMessage(questions: [
        DNSQuestion(types, DNSType.ptr, wantsUnicast: true), DNSQuestion(name("Asked"), DNSType.a, wantsUnicast: true),
      ]))
    let list = await neighbour.first(after: mark) { $0.tells(types, DNSType.ptr) }
    #expect(list?.message.answers.map(\.data) == [.pointer(hap)])
    let denial = await neighbour.first(after: mark) { $0.tells(name("Asked"), DNSType.nsec) }
    #expect(denial?.isDirect == false)
    let recordTypes: [UInt16] = [DNSType.txt, DNSType.srv]
    #expect(denial?.message.answers.map(\.data) == [.existing(next: name("Asked"), types: recordTypes)])
    try station.close()
    try neighbour.close()
  }

  @Test("Who asks from another port gets the question back, its number, and records for a short time")
  func legacy() async throws {
    let neighbour = try Neighbour()
    let station = try Station()
    #expect(try await station.publish(record("Legacy")).upToOutcome() == [.established("Legacy")])
    let question = DNSQuestion(name("Legacy"), DNSType.srv)
    let mark = try neighbour.sendFromElsewhere(DNSMessage(id: 4711, questions: [question]))
    let reply = try #require(
      await neighbour.first(after: mark) { $0.isDirect && $0.tells(name("Legacy"), DNSType.srv) })
    #expect(reply.message.id == 4711 && reply.message.questions == [question])
    #expect(reply.message.records.allSatisfy { $0.ttl <= 10 && !$0.flushesCache })
    try station.close()
    try neighbour.close()
  }

  @Test("A second instance has the same port, TXT record and host, and goes with the first")
  func second() async throws {
    let neighbour = try Neighbour()
    let station = try Station()
    #expect(try await station.publish(record("One"), also: "Two").upToOutcome() == [.established("One")])
    let packet = try #require(await neighbour.first { $0.points(to: "One") && $0.points(to: "Two") })
    for type in [DNSType.srv, DNSType.txt] {
      #expect(packet.answers(name("One"), type).map(\.data) == packet.answers(name("Two"), type).map(\.data))
      #expect(packet.answers(name("Two"), type).count == 1)
    }
    let mark = try neighbour.mark
    try station.with { $0.withdraw() }
    for instance in ["One", "Two"] {
      let goodbye = await neighbour.first(after: mark) { packet in
        packet.answers(hap, DNSType.ptr).contains { $0.isGoodbye && $0.data == .pointer(name(instance)) }
      }
      #expect(goodbye != nil)
    }
    let long = String(repeating: "x", count: 64)
    let refused = [AdvertisementEvent.failed(RecordError.malformedName(long).description)]
    #expect(try await station.publish(record("One"), also: long).upToOutcome() == refused)
    #expect(try await station.publish(record(long)).upToOutcome() == refused)
    try station.close()
    try neighbour.close()
  }

  @Test("Nothing that comes from the network troubles it")
  func hostile() async throws {
    let neighbour = try Neighbour()
    let station = try Station()
    #expect(try await station.publish(record("Calm")).upToOutcome() == [.established("Calm")])
    let question = DNSMessage(
      questions: [DNSQuestion(name("Calm"), DNSType.any), DNSQuestion(hap, DNSType.ptr)],
      answers: [DNSRecord(hap, DNSType.ptr, ttl: 1, .pointer(name("Other")))],
      authorities: [DNSRecord(name("Calm"), DNSType.txt, ttl: 0, .text([]))])
    let bytes = question.encoded()
    for count in 0..<bytes.count { try neighbour.send(raw: Array(bytes[..<count])) }
    for index in bytes.indices {
      for value in [0, 0xC0, 0xFF] as [UInt8] {
        var wrong = bytes
        wrong[index] = value
        // No record of somebody else's that ours would be in conflict with.
        wrong[2] &= 0x7F
        try neighbour.send(raw: wrong)
      }
    }
    // Each says that more is to come.
    for _ in 0..<200 {
      try neighbour.send(DNSMessage(flags: DNSMessage.truncated, questions: [DNSQuestion(hap, DNSType.ptr)]))
    }
    let many = DNSMessage(questions: Array(repeating: DNSQuestion(hap, DNSType.ptr, wantsUnicast: true), count: 3000))
    try neighbour.send(many)
    let mark = try neighbour.send(DNSMessage(questions: [DNSQuestion(name("Calm"), DNSType.srv, wantsUnicast: true)]))
    // By multicast, where the flood has used up the unicast answers of this second.
    let answer = await neighbour.first(after: mark) { $0.tells(name("Calm"), DNSType.srv) }
    #expect(answer != nil)
    try station.close()
    try neighbour.close()
  }

  // MARK: Manners

  /// What is seen of a responder from its start to its end.
  struct Conduct: Equatable, Sendable {
    enum Audience: Sendable { case asker, all, nobody }
    var announces = true
    var announcesChanges = true
    var flushesCaches = true
    var toldToUnicast = Audience.asker
    var toldToAll = Audience.all
    var tellsWhatIsKnown = false
    var saysGoodbye = true
    var yields = true
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let manner: ResponderManner
    let conduct: Conduct

    init(_ name: String, _ fault: (inout ResponderManner, inout Conduct) -> Void) {
      testDescription = name
      var manner = ResponderManner()
      var conduct = Conduct()
      fault(&manner, &conduct)
      self.manner = manner
      self.conduct = conduct
    }

    static let all = [
      Fault("none") { _, _ in },
      Fault("passesOverKnownAnswers") {
        $0.passesOverKnownAnswers = true
        $1.tellsWhatIsKnown = true
      },
      Fault("answersUnicast") {
        $0.answersUnicast = false
        $1.toldToUnicast = .all
      },
      Fault("hearsUnicast") {
        $0.hearsUnicast = false
        $1.toldToUnicast = .nobody
      },
      Fault("flushesCaches") {
        $0.flushesCaches = false
        $1.flushesCaches = false
      },
      Fault("announces") {
        $0.announces = false
        $1.announces = false
        $1.announcesChanges = false
        // What wasn't announced isn't taken back.
        $1.saysGoodbye = false
        $1.toldToAll = .asker
      },
      Fault("saysGoodbye") {
        $0.saysGoodbye = false
        $1.saysGoodbye = false
      },
      Fault("yieldsNames") {
        $0.yieldsNames = false
        $1.yields = false
      },
    ]
  }

  @Test("Each manner shows exactly its fault", arguments: Fault.all)
  func manners(_ fault: Fault) async throws {
    let neighbour = try Neighbour()
    let station = try Station()
    var seen = Conduct()
    let events = try station.publish(record("Odd"), fault.manner)
    #expect(await events.upToOutcome() == [.established("Odd")])
    // Until the second announcement is over, and a second has passed since: then all may be told again.
    seen.announces = await neighbour.first(within: .milliseconds(500)) { $0.points(to: "Odd") } != nil
    _ = await neighbour.first(within: .milliseconds(2100)) { _ in false }

    func audience(_ packet: Neighbour.Packet?) -> Conduct.Audience {
      packet.map { $0.isDirect ? .asker : .all } ?? .nobody
    }
    func pointer(_ wantsUnicast: Bool, knownFor ttl: UInt32? = nil) async throws -> Neighbour.Packet? {
      let known = ttl.map { [DNSRecord(hap, DNSType.ptr, ttl: $0, .pointer(name("Odd")))] } ?? []
      let question = DNSQuestion(hap, DNSType.ptr, wantsUnicast: wantsUnicast)
      let mark = try neighbour.send(DNSMessage(questions: [question], answers: known))
      return await neighbour.first(after: mark, within: .milliseconds(700)) { $0.points(to: "Odd") }
    }
    seen.toldToUnicast = audience(try await pointer(true))
    _ = await neighbour.first(within: .milliseconds(1100)) { _ in false }
    seen.tellsWhatIsKnown = try await pointer(false, knownFor: 4500) != nil
    _ = await neighbour.first(within: .milliseconds(1100)) { _ in false }
    // Known for less than half of its time, it is told.
    let told = try await pointer(false, knownFor: 2000)
    seen.toldToAll = audience(told)
    seen.flushesCaches = told?.message.additionals.allSatisfy(\.flushesCache) == true

    var mark = try neighbour.mark
    try station.with { $0.update(txt: [("sf", "0")]) }
    let change = await neighbour.first(after: mark, within: .seconds(1)) { $0.tells(name("Odd"), DNSType.txt) }
    seen.announcesChanges = change != nil
    if let change { #expect(change.message.records.allSatisfy { $0.flushesCache == seen.flushesCaches }) }

    mark = try neighbour.send(DNSMessage(flags: 0x8400, answers: [otherService("Odd")]))
    seen.yields = await neighbour.first(after: mark, within: .seconds(1)) { $0.message.isProbe } != nil
    if seen.yields { _ = await neighbour.first(after: mark, within: .seconds(5)) { $0.points(to: "Odd") } }

    mark = try neighbour.mark
    try station.with { $0.withdraw() }
    seen.saysGoodbye =
      await neighbour.first(after: mark, within: .seconds(1)) {
        $0.answers(hap, DNSType.ptr).contains(where: \.isGoodbye)
      } != nil
    #expect(seen == fault.conduct)
    try station.close()
    try neighbour.close()
  }

  // MARK: In place of the other

  private final class NoAdvertiser: Advertiser {
    var publications = 0
    func publish(_ record: ServiceRecord, events: @escaping (AdvertisementEvent) -> Void) { publications += 1 }
    func update(txt: TextRecord) {}
    func withdraw() {}
    func close() {}
  }

  @Test("A change about responders has the record told by this one, with its fault while the change fits")
  func altered() async throws {
    let neighbour = try Neighbour()
    let loop = EventLoop(name: "altered")
    loop.start()
    let (told, continuation) = AsyncStream.makeStream(of: AdvertisementEvent.self)
    nonisolated(unsafe) var advertiser: AlteredAdvertiser?
    nonisolated(unsafe) let base = NoAdvertiser()
    try loop.performAndWait {
      var change = RecordChange()
      change.isPaired = true
      change.responder = ResponderManner()
      change.responder?.flushesCaches = false
      var second = RecordChange()
      second.also = "Left Behind"
      let new = AlteredAdvertiser(base, [change, second], on: loop, at: [ListeningPlace(.loopbackV4)]) { nil }
      new.publish(record("Altered")) { continuation.yield($0) }
      advertiser = new
    }
    #expect(await told.upToOutcome() == [.established("Altered")])
    let packet = await neighbour.first { $0.points(to: "Altered") && $0.points(to: "Left Behind") }
    #expect(packet?.answers(name("Altered"), DNSType.txt).first?.flushesCache == true)
    let mark = try neighbour.mark
    try loop.performAndWait { advertiser?.update(txt: [("sf", "0")]) }
    let update = await neighbour.first(after: mark) { $0.tells(name("Altered"), DNSType.txt) }
    #expect(update?.answers(name("Altered"), DNSType.txt).first?.flushesCache == false)
    try loop.performAndWait { advertiser?.close() }
    let goodbye = await neighbour.first(after: mark) { $0.answers(hap, DNSType.ptr).contains(where: \.isGoodbye) }
    #expect(goodbye != nil && base.publications == 0)
    loop.stop()
    try neighbour.close()
  }
}

private struct Missing: Error {}
