import HAPWire
import Testing

@testable import MDNS

@Suite struct BrowserLimitTests {
  private func limits(_ change: (inout MDNSBrowser.Limits) -> Void) -> MDNSBrowser.Limits {
    var limits = MDNSBrowser.Limits()
    change(&limits)
    return limits
  }

  @Test(
    "[MB.29] With too many instances, the oldest unresolved one is evicted; resolved ones are kept"
  )
  func services() throws {
    let lab = try BrowserLab(limits: limits { $0.services = 10 })
    let lamps = (0..<5).map { Accessory(name: "Lamp \($0)") }
    for lamp in lamps { lab.respond(lamp.all) }
    lab.advance(by: .milliseconds(20))
    #expect(lab.takeReports() == lamps.map { .appeared($0.found()) })
    for number in 0..<1000 { lab.respond([Accessory(name: "Flood \(number)").pointer]) }
    let late = Accessory(name: "Late")
    lab.respond(late.all)
    lab.advance(by: .milliseconds(20))
    #expect(lab.takeReports() == [.appeared(late.found())] && lab.browser.services.count == 10)
    for number in 0..<1000 { lab.respond(Accessory(name: "Whole \(number)", host: "whole-\(number)").all) }
    lab.advance(by: .milliseconds(20))
    let new = lab.takeReports()
    #expect(new.count == 4 && !new.contains { if case .gone = $0 { true } else { false } })
    #expect(lab.browser.services.count == 10)
    // The services are renewed although the cache is full.
    for _ in 0..<10 {
      lab.advance(by: .seconds(60))
      for lamp in lamps + [late] { lab.respond(lamp.all) }
    }
    let gone = lab.takeReports()
    for lamp in lamps { #expect(!gone.contains(lamp.gone)) }
  }

  @Test("[MB.30] Records that no service needs are evicted for others, and are limited in number")
  func unwanted() throws {
    let lab = try BrowserLab(limits: limits { $0.unwantedRecords = 100 })
    let lamp = Accessory()
    lab.respond(lamp.addressRecords)
    for number in 0..<99 { lab.respond(Accessory(host: "flood-\(number)").addressRecords) }
    lab.respond([lamp.pointer, lamp.place, lamp.textRecord])
    lab.advance(by: .milliseconds(20))
    #expect(lab.takeReports() == [.appeared(lamp.found())])
    for number in 0..<1000 {
      lab.respond(Accessory(name: "Flood", host: "flood-\(number)").all.filter { $0.type != DNSType.ptr })
    }
    #expect(lab.browser.cache.unwantedCount == 100)
    lab.advance(by: .seconds(60))
    #expect(lab.takeReports().isEmpty)
  }

  @Test(
    "[MB.30] The number and size of records are limited; those of resolved services are kept",
    arguments: [true, false])
  func records(_ ofCount: Bool) throws {
    let lab = try BrowserLab(limits: limits { if ofCount { $0.records = 100 } else { $0.bytes = 30_000 } })
    let lamps = (0..<10).map { Accessory(name: "Lamp \($0)") }
    for lamp in lamps { lab.respond(lamp.all) }
    lab.advance(by: .milliseconds(20))
    #expect(lab.takeReports().count == 10)
    for number in 0..<3000 {
      let flood = Accessory(
        name: "Flood \(number)", host: "flood-\(number)", text: [String(repeating: "x", count: 250)])
      lab.respond(number % 3 == 0 ? [flood.pointer] : number % 3 == 1 ? flood.all : Array(flood.all.dropFirst()))
      #expect(lab.browser.cache.count <= 100 || !ofCount)
      #expect(lab.browser.cache.totalBytes <= 30_000 || ofCount)
    }
    for lamp in lamps { lab.respond(lamp.all) }
    lab.advance(by: .seconds(60))
    let reports = lab.takeReports()
    for lamp in lamps { #expect(!reports.contains(lamp.gone)) }
  }

  @Test("[MB.30] The size of a TXT record with many short strings includes its memory in a report")
  func strings() throws {
    let lab = try BrowserLab(limits: limits { $0.bytes = 1_000_000 })
    for number in 0..<100 {
      lab.respond(Accessory(name: "Lamp \(number)", text: Array(repeating: "x", count: 2000)).all)
      lab.advance(by: .milliseconds(50))
    }
    #expect(lab.takeReports().count == 8)
  }

  @Test("[MB.31] Only the first 64 records of a name, type and interface are kept")
  func recordsOfName() throws {
    var lamp = Accessory(flushesCache: false)
    let lab = try BrowserLab()
    lab.respond(lamp.all)
    lamp.addresses = (0..<200).map { [10, 0, 0, UInt8($0)] }
    for part in lamp.addressRecords { lab.respond([part]) }
    lab.advance(by: .milliseconds(20))
    guard case .appeared(let found)? = lab.takeReports().last else {
      Issue.record("nothing found")
      return
    }
    #expect(found.addresses.count == 64 && found.addresses.contains(.init(MDNSAddress(bytes: [10, 0, 0, 7])!)))
  }

  @Test(
    "[MB.32] Names are looked up with at most 50 packets at once and 100 per second, records of known services first")
  func rate() throws {
    let lab = try BrowserLab()
    lab.advance(to: .seconds(10))
    var lamp = Accessory()
    lamp.hostTTL = 100
    lab.respond(lamp.all)
    // The questions are due at 90 s.
    lab.advance(to: .milliseconds(89_000))
    _ = lab.takeSent()
    for number in 0..<15_000 { lab.respond([Accessory(name: "An instance of a flood \(number)").pointer]) }
    lab.advance(by: .milliseconds(150))
    let burst = lab.takeSent().filter { !$0.message.questions.isEmpty }
    #expect((45...65).contains(burst.count))
    lab.advance(by: .seconds(1))
    #expect((90...110).contains(lab.takeSent().filter { !$0.message.questions.isEmpty }.count))
    lab.advance(to: .milliseconds(92_000))
    #expect(lab.takeQuestions().contains { $0.question == DNSQuestion(lamp.instance, DNSType.srv) })
  }

  @Test("[MB.32] Records to be queried again wait in a list no longer than the cache limit")
  func refreshes() throws {
    let lab = try BrowserLab(limits: limits { $0.records = 100 })
    let lamp = Accessory()
    lab.respond(lamp.all)
    let ids = lab.browser.cache.all(onInterface: 1).filter { lab.browser.cache[$0].type != DNSType.ptr }
    for number in 0..<1000 { lab.browser.ask(for: lab.browser.cache[ids[number % ids.count]]) }
    #expect(lab.browser.links[0].refreshes.count == 100)
  }

  @Test("[MB.33] The known answers of a large network are sent at ten packets per second on average")
  func knownAnswerRate() throws {
    let lab = try BrowserLab()
    lab.advance(to: .milliseconds(200))
    for number in 0..<2000 { lab.respond(Accessory(name: "Accessory number \(number)", host: "host").all) }
    _ = lab.takeSent()
    lab.advance(to: .milliseconds(1200))
    let first = lab.takeSent()
    #expect(first.count > 40)
    lab.advance(by: .milliseconds(first.count * 100 - 1000))
    #expect(lab.takeSent().isEmpty)
    lab.advance(by: .milliseconds(1500))
    #expect(lab.takeSent().count == first.count)
  }

  @Test(
    "[MB.34] Packets of random bytes, and valid packets with random changes, leave no name or lookup without a record"
  )
  func randomPackets() throws {
    var random = MDNSRandom(seed: 7)
    let lab = try BrowserLab(usesV6: true)
    let lamps = (0..<8).map { Accessory(name: "L\($0)", host: "h\($0 / 2)", hostTTL: 20, otherTTL: 60) }
    for _ in 0..<4000 {
      var records = lamps.randomElement(using: &random)!.all.shuffled(using: &random)
      records.removeLast(Int.random(in: 0..<records.count, using: &random))
      if Bool.random(using: &random) { records[0].ttl = 0 }
      var bytes = DNSMessage(flags: Bool.random(using: &random) ? 0x8400 : 0, answers: records).encoded()
      for _ in 0..<Int.random(in: 0..<3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      lab.receive(bytes)
      lab.advance(by: .milliseconds(Int.random(in: 0..<700, using: &random)))
    }
    lab.advance(by: .seconds(90_000))
    #expect(lab.browser.cache.count == 0 && lab.browser.services.count == 0)
    #expect(lab.browser.cache.names.count == 1 && lab.browser.cache.byteCount == 0)
    #expect(lab.browser.lookups.deadlines.first == nil && lab.browser.cache.unwantedCount == 0)
  }

  @Test("[MB.34] A service that names itself as its host leaves no state when it is gone", arguments: [false, true])
  func ownHost(_ placeFirst: Bool) throws {
    let lamp = Accessory(hostTTL: placeFirst ? 5 : 50, otherTTL: 20)
    var place = lamp.place
    place.data = .service(priority: 0, weight: 0, port: 80, target: lamp.instance)
    let lab = try BrowserLab()
    lab.respond([lamp.pointer, place])
    lab.advance(by: .seconds(100))
    #expect(lab.browser.size == (services: 0, records: 0, names: 1, bytes: lab.browser.size.bytes))
  }

  @Test("[MB.35] After a report on many services, the next is delayed by 50 µs for each")
  func reportRate() throws {
    let lab = try BrowserLab()
    var lamps = (0..<1000).map { Accessory(name: "Lamp \($0)") }
    for lamp in lamps { lab.respond(lamp.all) }
    lab.advance(by: .milliseconds(10))
    #expect(lab.takeReports().count == 1000)
    lamps[0].addresses = [[10, 0, 0, 8]]
    lab.respond(lamps[0].addressRecords)
    lab.advance(by: .milliseconds(49))
    #expect(lab.takeReports().isEmpty)
    lab.advance(by: .milliseconds(1))
    #expect(lab.takeReports().count == 1000)
  }
  @Test("[MB.35] After a report on a host with thousands of SRV records, the next is delayed by 5 µs for each")
  func placeRate() throws {
    let lab = try BrowserLab()
    respondPlaces(0..<7999, lab) { [Accessory(name: "Flood \($0)").place] }
    var lamp = Accessory()
    lab.respond(lamp.all)
    lab.advance(by: .milliseconds(10))
    #expect(lab.takeReports() == [.appeared(lamp.found())])
    lamp.addresses = [[10, 0, 0, 8]]
    lab.respond(lamp.addressRecords)
    lab.advance(by: .milliseconds(39))
    #expect(lab.takeReports().isEmpty)
    lab.advance(by: .milliseconds(1))
    #expect(lab.takeReports().count == 1)
  }

  /// Sends responses, each with the records of 50 numbers.
  private func respondPlaces(_ numbers: Range<Int>, _ lab: BrowserLab, _ records: (Int) -> [DNSRecord]) {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 50) {
      lab.respond((start..<min(start + 50, numbers.upperBound)).flatMap(records))
    }
  }

  @Test(
    "[MB.36] The work for an instance or a type doesn't depend on the number of records that name it"
  )
  func lists() throws {
    let lab = try BrowserLab()
    let lamp = Accessory()
    lab.respond(lamp.all)
    respondPlaces(0..<1000, lab) { number in
      let flood = Accessory(name: "Flood \(number)")
      let places = [lamp.instance, lamp.type].map { target in
        DNSRecord(flood.instance, DNSType.srv, ttl: 120, .service(priority: 0, weight: 0, port: 80, target: target))
      }
      return [flood.pointer] + places
    }
    var name = NameBuffer()
    func entry(_ of: DNSName) throws -> NameID {
      name.set(of.labels.flatMap { [UInt8($0.count)] + $0 })
      return try #require(lab.browser.cache.names.find(name))
    }
    var seen = 0
    #expect(try lab.browser.cache.pointers(to: entry(lamp.instance)) { _ in (seen += 1) == () }.count == 1)
    #expect(seen == 1)
    #expect(try lab.browser.cache.places(on: entry(lamp.instance)).count == 1000)
    seen = 0
    #expect(try lab.browser.cache.all(of: entry(lamp.type)) { _ in (seen += 1) == () }.isEmpty && seen == 0)
    #expect(try lab.browser.cache.all(of: entry(lamp.type), type: DNSType.ptr).count == 1001)
  }

  @Test("[MB.36] Records that expire together are removed in parts, one immediately after the other")
  func expiry() throws {
    let lab = try BrowserLab()
    respondPlaces(0..<5000, lab) { [Accessory(name: "Flood \($0)").place] }
    let end = lab.now + .seconds(120)
    lab.browser.advance(to: end)
    #expect(lab.browser.cache.count == 3000)
    #expect(lab.browser.nextDeadline.map { $0 <= end } == true)
    lab.advance(to: end)
    #expect(lab.browser.cache.count == 0)
  }

  @Test("[MB.36] The addresses of a host are collected once per report, whatever its number of services")
  func sharedAddresses() throws {
    let lab = try BrowserLab()
    for number in 0..<20 { lab.respond(Accessory(name: "Lamp \(number)").all) }
    lab.advance(by: .milliseconds(10))
    let lists = lab.takeReports().map { report in
      guard case .appeared(let service) = report else { return 0 }
      return service.addresses.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
    }
    #expect(lists.count == 20 && Set(lists).count == 1 && lists[0] != 0)
  }
}
