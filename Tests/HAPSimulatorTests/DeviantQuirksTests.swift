@testable import HAPFrontEnds
import HAPDeviations
import HAPDiscovery
import HAPLoop
import HAPWire
import Testing
import WorldTestSupport
@testable import HAPHost

extension DeviantAdvertiserTests {
  // MARK: Deviations

  /// The observable behaviour of a responder from its start to its end.
  struct Quirks: Equatable, Sendable {
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
    let manner: ResponderQuirk
    let quirks: Quirks

    init(_ name: String, _ fault: (inout ResponderQuirk, inout Quirks) -> Void) {
      testDescription = name
      var manner = ResponderQuirk()
      var quirks = Quirks()
      fault(&manner, &quirks)
      self.manner = manner
      self.quirks = quirks
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
        // A record that wasn't announced has no goodbye.
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

  @Test("Each deviation changes exactly its part of the behaviour", arguments: Fault.all)
  func manners(_ fault: Fault) async throws {
    try await withTestHost { host in
      let neighbour = try Neighbour(host)
      let station = try DeviantStation(host)
      var seen = Quirks()
      let events = try station.publish(oddRecord("Odd"), fault.manner)
      #expect(await events.upToOutcome() == [.established("Odd")])
      // Until one second after the second announcement, when a record may be multicast again.
      seen.announces = await neighbour.first(within: .milliseconds(500)) { $0.points(to: "Odd") } != nil
      _ = await neighbour.first(within: .milliseconds(2100)) { _ in false }

      func audience(_ packet: Neighbour.Packet?) -> Quirks.Audience {
        packet.map { $0.isDirect ? .asker : .all } ?? .nobody
      }
      func pointer(_ wantsUnicast: Bool, knownFor ttl: UInt32? = nil) async throws -> Neighbour.Packet? {
        let known = ttl.map { [DNSRecord(hapType, DNSType.ptr, ttl: $0, .pointer(instance("Odd")))] } ?? []
        let question = DNSQuestion(hapType, DNSType.ptr, wantsUnicast: wantsUnicast)
        let mark = try neighbour.send(DNSMessage(questions: [question], answers: known))
        return await neighbour.first(after: mark, within: .milliseconds(700)) { $0.points(to: "Odd") }
      }
      seen.toldToUnicast = audience(try await pointer(true))
      _ = await neighbour.first(within: .milliseconds(1100)) { _ in false }
      seen.tellsWhatIsKnown = try await pointer(false, knownFor: 4500) != nil
      _ = await neighbour.first(within: .milliseconds(1100)) { _ in false }
      // A known answer with less than half of its TTL left is sent again.
      let told = try await pointer(false, knownFor: 2000)
      seen.toldToAll = audience(told)
      seen.flushesCaches = told?.message.additionals.allSatisfy(\.flushesCache) == true

      var mark = try neighbour.mark
      try station.with { $0.update(txt: [("sf", "0")]) }
      let change = await neighbour.first(after: mark, within: .seconds(1)) { $0.tells(instance("Odd"), DNSType.txt) }
      seen.announcesChanges = change != nil
      if let change { #expect(change.message.records.allSatisfy { $0.flushesCache == seen.flushesCaches }) }

      mark = try neighbour.send(DNSMessage(flags: 0x8400, answers: [otherService("Odd")]))
      seen.yields = await neighbour.first(after: mark, within: .seconds(1)) { $0.message.isProbe } != nil
      if seen.yields { _ = await neighbour.first(after: mark, within: .seconds(5)) { $0.points(to: "Odd") } }

      mark = try neighbour.mark
      try station.with { $0.withdraw() }
      seen.saysGoodbye =
        await neighbour.first(after: mark, within: .seconds(1)) {
          $0.answers(hapType, DNSType.ptr).contains(where: \.isGoodbye)
        } != nil
      #expect(seen == fault.quirks)
      try station.close()
      try neighbour.close()
    }
  }

  // MARK: Altered records

  private final class NoAdvertiser: Advertiser {
    var publications = 0
    func publish(_ record: ServiceRecord, events: @escaping (AdvertisementEvent) -> Void) { publications += 1 }
    func update(txt: TextRecord) {}
    func withdraw() {}
    func close() {}
  }

  @Test("If a record change names a deviation, the responder deviates while the change applies")
  func altered() async throws {
    try await withTestHost { host in
      let neighbour = try Neighbour(host)
      let loop = try host.makeLoop("altered")
      let (told, continuation) = AsyncStream.makeStream(of: AdvertisementEvent.self)
      nonisolated(unsafe) var advertiser: AlteredAdvertiser?
      nonisolated(unsafe) let base = NoAdvertiser()
      try loop.performAndWait {
        var change = RecordChange()
        change.isPaired = true
        change.responder = ResponderQuirk()
        change.responder?.flushesCaches = false
        var second = RecordChange()
        second.also = "Left Behind"
        let new = AlteredAdvertiser(base, [change, second], on: loop, at: [ListeningPlace(.loopbackV4)]) { nil }
        new.publish(oddRecord("Altered")) { continuation.yield($0) }
        advertiser = new
      }
      #expect(await told.upToOutcome() == [.established("Altered")])
      let packet = await neighbour.first { $0.points(to: "Altered") && $0.points(to: "Left Behind") }
      #expect(packet?.answers(instance("Altered"), DNSType.txt).first?.flushesCache == true)
      try await neighbour.settle()
      let mark = try neighbour.mark
      try loop.performAndWait { advertiser?.update(txt: [("sf", "0")]) }
      let update = await neighbour.first(after: mark) { $0.tells(instance("Altered"), DNSType.txt) }
      #expect(update?.answers(instance("Altered"), DNSType.txt).first?.flushesCache == false)
      try loop.performAndWait { advertiser?.close() }
      let goodbye = await neighbour.first(after: mark) { $0.answers(hapType, DNSType.ptr).contains(where: \.isGoodbye) }
      #expect(goodbye != nil && base.publications == 0)
      loop.stop()
      try neighbour.close()
    }
  }
}
