import HAPWire
import Testing

@testable import MDNS

private let typeQuestion = DNSQuestion(BrowserLab.type, DNSType.ptr)

@Suite struct BrowserSearchTests {
  @Test("[MB.1] A search sends a question after 20 to 120 ms, then after 1 s, 2 s, 4 s, … and finally once an hour")
  func schedule() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let lab = try BrowserLab(seed: seed)
      lab.advance(to: .seconds(30_000))
      let times = lab.takeSent().map(\.at)
      let first = try #require(times.first)
      #expect((.milliseconds(20)...(.milliseconds(120))).contains(first))
      let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
      let expected = (0..<12).map { Duration.seconds(1 << $0) } + Array(repeating: .seconds(3600), count: 20)
      #expect(pauses == Array(expected.prefix(pauses.count)) && pauses.count > 14)
    }
    #expect(Set(try (1...20).map { try firstQuestion(seed: $0) }).count > 15)
  }

  private func firstQuestion(seed: UInt64) throws -> Duration {
    let lab = try BrowserLab(seed: seed)
    lab.advance(to: .milliseconds(120))
    return try #require(lab.takeSent().first).at
  }

  @Test("[MB.2] Only the first question requests a unicast answer; with a shared port, none does")
  func unicast() throws {
    for sharesPort in [false, true] {
      let lab = try BrowserLab(sharesPort: sharesPort)
      lab.advance(to: .seconds(10))
      let questions = lab.takeQuestions().map(\.question)
      #expect(questions.map(\.wantsUnicast) == [!sharesPort, false, false, false])
      #expect(questions.allSatisfy { $0.name == BrowserLab.type && $0.type == DNSType.ptr })
    }
  }

  @Test("[MB.3] Queries are sent to the groups of the interface's address families")
  func families() throws {
    let lab = try BrowserLab(usesV6: true)
    lab.advance(to: .milliseconds(120))
    let sent = lab.takeSent()
    #expect(sent.map(\.packet.destination) == [.multicast(isV4: true), .multicast(isV4: false)])
    #expect(sent.allSatisfy { $0.packet.interface == 1 && $0.message.flags == 0 && $0.message.id == 0 })
  }

  @Test(
    "[MB.4] Records with half of their TTL left are sent with the question, without the cache-flush bit; older ones are not"
  )
  func knownAnswers() throws {
    let lab = try BrowserLab()
    lab.advance(to: .seconds(2))
    var lamp = Accessory()
    var fan = Accessory(name: "Fan", host: "fan")
    (lamp.otherTTL, fan.otherTTL) = (12, 8)
    lab.respond(lamp.all)
    lab.respond(fan.all)
    _ = lab.takeSent()
    // The questions are at about 3 s and 7 s.
    lab.advance(to: .seconds(8))
    let queries = lab.takeSent().filter { $0.message.questions.contains(typeQuestion) }
    try #require(queries.count >= 2)
    let first = queries[0].message.answers
    #expect(Set(first.map(\.data)) == [lamp.pointer.data, fan.pointer.data])
    let left = try #require(first.first { $0.data == lamp.pointer.data }?.ttl)
    let age = queries[0].at - .seconds(2)
    #expect((.seconds(11) - age...(.seconds(12) - age)).contains(.seconds(left)) && !first[0].flushesCache)
    #expect(queries[1].message.answers.map(\.data) == [lamp.pointer.data])
  }

  @Test("[MB.5] Known answers that don't fit follow in packets without a question, with TC in all but the last")
  func truncated() throws {
    let lab = try BrowserLab()
    lab.advance(to: .milliseconds(500))
    let all = (0..<200).map { Accessory(name: "Accessory \($0)", host: "host") }
    for lamp in all { lab.respond(lamp.all) }
    _ = lab.takeSent()
    lab.advance(to: .milliseconds(1500))
    let query = lab.takeSent()
    #expect(query.count > 3)
    #expect(query.map(\.message.questions) == [[typeQuestion]] + Array(repeating: [], count: query.count - 1))
    #expect(query.map(\.message.isTruncated) == Array(repeating: true, count: query.count - 1) + [false])
    #expect(Set(query.flatMap { $0.message.answers.map(\.data) }) == Set(all.map(\.pointer.data)))
    #expect(
      query.allSatisfy { $0.packet.bytes.count <= 1472 } && query.dropLast().allSatisfy { $0.packet.bytes.count > 1350 }
    )
  }

  @Test("[MB.6] Another host's recent question replaces the browser's question, but not twice in a row")
  func suppressed() throws {
    let lab = try BrowserLab()
    lab.advance(to: .milliseconds(200))
    let first = try #require(lab.takeSent().first).at
    lab.advance(to: first + .milliseconds(500))
    lab.query([typeQuestion])
    lab.advance(to: first + .milliseconds(2400))
    #expect(lab.takeSent().isEmpty)
    // Sent at 0.5 s, so the next is at 2.5 s.
    lab.query([typeQuestion])
    lab.advance(to: first + .milliseconds(2600))
    #expect(lab.takeSent().map(\.at) == [first + .milliseconds(2500)])
  }

  @Test(
    "[MB.7] Another host's question with other known answers, or a QU, truncated, unicast or early one, replaces none"
  )
  func notSuppressed() throws {
    let lamp = Accessory()
    let cases: [(BrowserLab) -> Void] = [
      { $0.query([typeQuestion], knowing: [lamp.pointer]) },
      { $0.query([DNSQuestion(BrowserLab.type, DNSType.ptr, wantsUnicast: true)]) },
      { $0.query([typeQuestion], flags: DNSMessage.truncated) },
      { $0.query([typeQuestion], isUnicast: true) },
      { $0.query([DNSQuestion(BrowserLab.type, DNSType.any)]) },
      { $0.query([DNSQuestion(DNSName("_http._tcp.local")!, DNSType.ptr)]) },
      {
        $0.receive(DNSMessage(questions: [typeQuestion]), from: MDNSEndpoint(BrowserLab.neighbour.address, port: 5354))
      },
    ]
    for (number, send) in cases.enumerated() {
      let lab = try BrowserLab()
      lab.advance(to: .milliseconds(200))
      let first = try #require(lab.takeSent().first).at
      lab.advance(to: first + .milliseconds(500))
      send(lab)
      lab.advance(to: first + .milliseconds(1100))
      #expect(lab.takeSent().map(\.at) == [first + .seconds(1)], "case \(number)")
    }
    let lab = try BrowserLab()
    lab.advance(to: .milliseconds(1200))
    let last = try #require(lab.takeSent().last).at
    lab.advance(to: last + .milliseconds(900))
    lab.query([typeQuestion])
    lab.advance(to: last + .milliseconds(2100))
    #expect(lab.takeSent().map(\.at) == [last + .seconds(2)])
  }

  @Test("[MB.6] Another host's question with the same known answers replaces the browser's question")
  func sameKnownAnswers() throws {
    let lab = try BrowserLab()
    lab.advance(to: .milliseconds(200))
    let first = try #require(lab.takeSent().first).at
    let lamp = Accessory()
    lab.respond(lamp.all)
    lab.advance(to: first + .milliseconds(500))
    lab.query([typeQuestion], knowing: [lamp.pointer.with(ttl: 4000)])
    lab.advance(to: first + .milliseconds(2400))
    #expect(lab.takeSent().isEmpty)
  }

  @Test("[MB.8] A subtype is searched by its own name, and finds instances of the type")
  func subtype() throws {
    let lab = try BrowserLab(type: "_L3840._sub._hap._tcp")
    lab.advance(to: .milliseconds(120))
    let name = DNSName("_L3840._sub._hap._tcp.local")!
    #expect(lab.takeQuestions().map(\.question.name) == [name])
    let lamp = Accessory()
    lab.respond([DNSRecord(name, DNSType.ptr, ttl: 4500, .pointer(lamp.instance))] + lamp.all.dropFirst())
    lab.advance(by: .seconds(1))
    var expected = lamp.found()
    expected.type = "_L3840._sub._hap._tcp"
    #expect(lab.takeReports() == [.appeared(expected)])
  }

  @Test(
    "[MB.9] Searches for several types share one packet; a stopped one is not queried, nor are its services"
  )
  func severalTypes() throws {
    let lab = try BrowserLab(sharesPort: true)
    try lab.browser.browse("_matter._tcp", at: .zero)
    lab.advance(to: .milliseconds(200))
    #expect(Set(lab.takeQuestions().map(\.question.name)) == [BrowserLab.type, DNSName("_matter._tcp.local")!])
    let lamp = Accessory()
    lab.respond(lamp.all)
    lab.advance(by: .milliseconds(100))
    #expect(lab.takeReports() == [.appeared(lamp.found())])
    lab.browser.stop("_hap._tcp", at: lab.now)
    lab.respond([lamp.place.with(ttl: 0)])
    lab.advance(by: .seconds(5000))
    #expect(lab.takeReports().isEmpty)
    #expect(lab.takeQuestions().allSatisfy { $0.question.name == DNSName("_matter._tcp.local")! })
    #expect(lab.browser.cache.count == 0 && lab.browser.cache.names.count == 1)
    #expect(throws: MDNSServiceError.malformedType("_hap")) { try lab.browser.browse("_hap", at: lab.now) }
  }

  @Test(
    "[MB.10] A new interface, and one with changed addresses, is searched again; the records of a removed one are dropped"
  )
  func interfaces() throws {
    let lab = try BrowserLab(interfaces: [1])
    lab.advance(to: .seconds(20))
    _ = lab.takeSent()
    let start = lab.now
    lab.add(interface: 2)
    lab.advance(by: .milliseconds(120))
    let sent = lab.takeSent()
    #expect(sent.map(\.packet.interface) == [2] && sent[0].at >= start + .milliseconds(20))
    #expect(sent[0].message.questions[0].wantsUnicast)
    let lamp = Accessory()
    lab.respond(lamp.all, on: 1)
    lab.respond(lamp.all, on: 2)
    lab.advance(by: .milliseconds(50))
    #expect(lab.takeReports() == [.appeared(lamp.found(on: 2))])
    lab.browser.removeInterface(2, at: lab.now)
    lab.advance(by: .milliseconds(50))
    #expect(lab.takeReports() == [.changed(lamp.found(on: 1))])
    lab.browser.removeInterface(1, at: lab.now)
    lab.take()
    #expect(lab.takeReports() == [lamp.gone])
    _ = lab.takeSent()
    lab.advance(by: .seconds(4000))
    #expect(lab.takeSent().isEmpty && lab.browser.nextDeadline == nil)
    lab.add(interface: 1)
    lab.add(interface: 1)
    lab.advance(by: .milliseconds(120))
    #expect(lab.takeSent().count == 1)
    lab.add(interface: 1, usesV6: true)
    lab.advance(by: .milliseconds(120))
    #expect(lab.takeSent().count == 2)
  }
}
