import HAPWire
import Testing

@testable import MDNS

@Suite struct BrowserCacheTests {
  /// Returns a browser that found a lamp at 10 s, when its search sends few questions.
  private func labWithLamp(_ lamp: Accessory = Accessory(), seed: UInt64 = 1) throws -> BrowserLab {
    let lab = try BrowserLab(seed: seed)
    lab.advance(to: .seconds(10))
    lab.respond(lamp.all)
    lab.advance(by: .milliseconds(10))
    #expect(lab.takeReports() == [.appeared(lamp.found())])
    _ = lab.takeSent()
    return lab
  }

  @Test(
    "[MB.19] Records of services are queried again at 80, 85, 90 and 95 % of their TTL, each up to 2 % later, and then expire"
  )
  func refresh() throws {
    let lamp = Accessory(hostTTL: 1000, otherTTL: 40_000)
    for seed in 1...10 as ClosedRange<UInt64> {
      let lab = try labWithLamp(lamp, seed: seed)
      lab.advance(to: .seconds(1009))
      let questions = lab.takeQuestions().filter { $0.question.name != BrowserLab.type }
      for (name, type) in [(lamp.instance, DNSType.srv), (lamp.hostName, DNSType.a)] {
        let shares = questions.filter { $0.question == DNSQuestion(name, type) }.map {
          ($0.at - .seconds(10)) / .seconds(1000)
        }
        #expect(shares.count == 4)
        for (share, least) in zip(shares, [0.8, 0.85, 0.9, 0.95]) { #expect((least...(least + 0.02)).contains(share)) }
      }
      #expect(questions.count == 8 && lab.takeReports().isEmpty)
      lab.advance(to: .milliseconds(1_010_010))
      #expect(lab.takeReports() == [lamp.gone])
    }
  }

  @Test("[MB.19] A record that is received again gets its full TTL, and is not queried")
  func renewed() throws {
    let lamp = Accessory()
    let lab = try labWithLamp(lamp)
    for _ in 0..<30 {
      lab.advance(by: .seconds(90))
      lab.respond([lamp.place] + lamp.addressRecords)
    }
    #expect(lab.takeQuestions().allSatisfy { $0.question.name == BrowserLab.type } && lab.takeReports().isEmpty)
  }

  @Test("[MB.20] The answer to a question for the SRV record contains the addresses, so they are not queried")
  func fewQuestions() throws {
    let lamp = Accessory()
    var asked = 0
    for seed in 1...20 as ClosedRange<UInt64> {
      let lab = try labWithLamp(lamp, seed: seed)
      lab.advance(to: .seconds(104))
      _ = lab.takeSent()
      let first = try #require(lab.browser.nextDeadline)
      lab.advance(to: first)
      #expect(lab.takeQuestions().map(\.question) == [DNSQuestion(lamp.instance, DNSType.srv)])
      lab.advance(by: .milliseconds(20))
      lab.respond([lamp.place], additional: lamp.addressRecords)
      lab.advance(by: .seconds(90))
      asked += lab.takeQuestions().filter { $0.question.name == lamp.hostName }.count
    }
    #expect(asked <= 3)
  }

  @Test("[MB.21] After a goodbye a record expires within a second, unless it is announced again before")
  func goodbye() throws {
    let lamp = Accessory()
    let lab = try labWithLamp(lamp)
    lab.respond([lamp.pointer.with(ttl: 0)])
    lab.advance(by: .milliseconds(990))
    #expect(lab.takeReports().isEmpty)
    lab.respond([lamp.pointer])
    lab.advance(by: .seconds(60))
    #expect(lab.takeReports().isEmpty)
    lab.respond([lamp.pointer.with(ttl: 0)])
    lab.advance(by: .seconds(1))
    #expect(lab.takeReports() == [lamp.gone])
    lab.respond([lamp.pointer.with(ttl: 0)])
    lab.advance(by: .seconds(2))
    #expect(lab.takeReports().isEmpty && lab.takeQuestions().allSatisfy { $0.question.name == BrowserLab.type })
    lab.respond([lamp.pointer])
    lab.advance(by: .milliseconds(20))
    #expect(lab.takeReports() == [.appeared(lamp.found())])
  }

  @Test("[MB.21] A record that is announced again after its goodbye is queried before it expires")
  func goodbyeTakenBack() throws {
    let lamp = Accessory()
    let lab = try labWithLamp(lamp)
    lab.respond([lamp.place.with(ttl: 0)])
    lab.respond([lamp.place])
    lab.advance(by: .seconds(99))
    #expect(lab.takeQuestions().contains { $0.question == DNSQuestion(lamp.instance, DNSType.srv) })
  }

  @Test(
    "[MB.22] The cache-flush bit removes other records of the name and type after a second, except those of the last second"
  )
  func flush() throws {
    var lamp = Accessory(addresses: [[10, 0, 0, 7], [10, 0, 0, 8]])
    let lab = try labWithLamp(lamp)
    let old = lamp.found()
    // Sent in two packets.
    lab.advance(by: .seconds(2))
    lamp.addresses = [[10, 0, 0, 9]]
    lab.respond(lamp.addressRecords)
    lab.advance(by: .milliseconds(500))
    lamp.addresses = [[10, 0, 0, 10]]
    lab.respond(lamp.addressRecords)
    lab.advance(by: .milliseconds(400))
    lamp.addresses = [[10, 0, 0, 7], [10, 0, 0, 8], [10, 0, 0, 9], [10, 0, 0, 10]]
    #expect(
      Set(lab.takeReports().last?.service?.addresses.map(\.address) ?? []) == Set(lamp.found().addresses.map(\.address))
    )
    lab.advance(by: .seconds(5))
    lamp.addresses = [[10, 0, 0, 9], [10, 0, 0, 10]]
    #expect(lab.takeReports().last?.service == lamp.found())
    // Without the bit no record is removed.
    lamp.flushesCache = false
    lamp.addresses = [[10, 0, 0, 7]]
    lab.respond(lamp.addressRecords)
    lab.advance(by: .seconds(5))
    #expect(lab.takeReports().last?.service?.addresses.count == 3 && old.addresses.count == 2)
  }

  @Test("[MB.22] A goodbye with the bit for one of two addresses keeps the other") func flushingGoodbye() throws {
    var lamp = Accessory(addresses: [[10, 0, 0, 7], [10, 0, 0, 8]])
    let lab = try labWithLamp(lamp)
    lab.advance(by: .seconds(2))
    lamp.addresses = [[10, 0, 0, 7]]
    var goodbye = lamp.addressRecords
    for index in goodbye.indices { goodbye[index].ttl = 0 }
    lab.respond(goodbye)
    lab.advance(by: .seconds(2))
    lamp.addresses = [[10, 0, 0, 8]]
    #expect(lab.takeReports() == [.changed(lamp.found())])
  }

  @Test("[MB.22] Another SRV record with the bit replaces the old one at once")
  func moved() throws {
    var lamp = Accessory()
    let lab = try labWithLamp(lamp)
    lab.advance(by: .seconds(2))
    lamp.port = 81
    lab.respond([lamp.place])
    lab.advance(by: .milliseconds(10))
    #expect(lab.takeReports() == [.changed(lamp.found())])
    lab.advance(by: .seconds(2))
    #expect(lab.takeReports().isEmpty && lab.browser.cache.count == 5)
    // The service still has a location, so its PTR record is not in doubt.
    lab.advance(by: .seconds(20))
    #expect(lab.takeReports().isEmpty)
  }

  @Test("[MB.12] A value that changes and changes back within a second is reported at once", arguments: [0, 2])
  func changedBack(_ age: Int) throws {
    let old = Accessory()
    let lab = try labWithLamp(old)
    lab.advance(by: .seconds(age))
    var new = old
    new.port = 81
    new.text = ["sf=0"]
    for lamp in [new, old, new, old] {
      lab.respond([lamp.place, lamp.textRecord])
      lab.advance(by: .milliseconds(100))
      #expect(lab.takeReports() == [.changed(lamp.found())])
    }
    // The second announcement removes the other value.
    lab.advance(by: .seconds(1))
    lab.respond([old.place, old.textRecord])
    lab.advance(by: .seconds(20))
    #expect(lab.takeReports().isEmpty && lab.browser.cache.count == 5)
  }

  @Test("[MB.12] A value without the cache-flush bit that is withdrawn and announced again is the newest")
  func cameAgain() throws {
    let old = Accessory(flushesCache: false)
    let lab = try labWithLamp(old)
    let new = Accessory(port: 81, flushesCache: false)
    lab.respond([new.place])
    lab.advance(by: .milliseconds(100))
    // A repeated record is not a new value.
    lab.respond([old.place])
    lab.advance(by: .milliseconds(100))
    #expect(lab.takeReports() == [.changed(new.found())])
    lab.respond([old.place.with(ttl: 0)])
    lab.respond([old.place])
    lab.advance(by: .milliseconds(100))
    #expect(lab.takeReports() == [.changed(old.found())])
  }

  @Test("[MB.23] The cache-flush bit of a PTR record removes no other instance")
  func sharedRecord() throws {
    let lamp = Accessory()
    let lab = try labWithLamp(lamp)
    lab.advance(by: .seconds(2))
    var pointer = Accessory(name: "Fan").pointer
    pointer.flushesCache = true
    lab.respond([pointer])
    lab.advance(by: .seconds(20))
    #expect(lab.takeReports().isEmpty)
  }

  @Test(
    "[MB.24] After a failed connection, SRV and addresses are queried twice and expire after ten seconds; PTR ten seconds later"
  )
  func reconfirm() throws {
    let lamp = Accessory()
    let lab = try labWithLamp(lamp)
    lab.advance(by: .seconds(10))
    _ = lab.takeSent()
    let start = lab.now
    lab.browser.reconfirm(Array("Lamp".utf8), type: "_hap._tcp", at: start)
    lab.advance(to: start + .milliseconds(9999))
    let questions = lab.takeQuestions().filter { $0.question.name != BrowserLab.type }
    #expect(questions.count == 4 && lab.takeReports().isEmpty)
    #expect(questions.filter { $0.question == DNSQuestion(lamp.instance, DNSType.srv) }.count == 2)
    lab.advance(to: start + .milliseconds(10_010))
    #expect(lab.takeReports() == [lamp.gone])
    #expect(lab.takeQuestions().contains { $0.question == DNSQuestion(lamp.type, DNSType.ptr) })
    #expect(lab.browser.services.count == 1)
    lab.advance(to: start + .seconds(21))
    #expect(lab.browser.services.count == 0)
  }

  @Test("[MB.24] Confirmed records are kept, and their TTL is not shortened")
  func confirmed() throws {
    let lamp = Accessory()
    let lab = try labWithLamp(lamp)
    lab.browser.reconfirm(Array("Lamp".utf8), type: "_hap._tcp", at: lab.now)
    lab.browser.reconfirm(Array("Fan".utf8), type: "_hap._tcp", at: lab.now)
    lab.browser.reconfirm([], type: "_hap._tcp", at: lab.now)
    lab.advance(by: .milliseconds(100))
    lab.respond([lamp.place] + lamp.addressRecords)
    lab.advance(by: .seconds(60))
    #expect(lab.takeReports().isEmpty)
  }

  @Test("[MB.25] A record that two questions of others, a second apart, do not return within ten seconds expires")
  func observedFailure() throws {
    let lamp = Accessory()
    let question = DNSQuestion(lamp.instance, DNSType.srv)
    let lab = try labWithLamp(lamp)
    lab.advance(by: .seconds(5))
    lab.query([question])
    lab.advance(by: .milliseconds(900))
    lab.query([question])
    lab.advance(by: .seconds(20))
    #expect(lab.takeReports().isEmpty)
    lab.query([question])
    lab.advance(by: .milliseconds(9990))
    #expect(lab.takeReports().isEmpty)
    lab.advance(by: .milliseconds(30))
    #expect(lab.takeReports() == [lamp.gone])
  }

  @Test(
    "[MB.26] Questions that were answered, that included the answer, or that were not multicast don't count as failures"
  )
  func noFailure() throws {
    let lamp = Accessory()
    let question = DNSQuestion(lamp.instance, DNSType.srv)
    let cases: [(BrowserLab) -> Void] = [
      { lab in
        lab.query([question])
        lab.respond([lamp.place])
      },
      { $0.query([question], knowing: [lamp.place]) },
      { $0.query([DNSQuestion(lamp.instance, DNSType.srv, wantsUnicast: true)]) },
      { $0.query([question], flags: DNSMessage.truncated) }, { $0.query([question], isUnicast: true) },
      { $0.query([DNSQuestion(lamp.instance, DNSType.any)]) },
      { $0.receive(DNSMessage(questions: [question]), from: MDNSEndpoint(BrowserLab.neighbour.address, port: 4000)) },
    ]
    for (number, send) in cases.enumerated() {
      let lab = try labWithLamp(lamp)
      for _ in 0..<4 {
        lab.advance(by: .seconds(3))
        send(lab)
      }
      lab.advance(by: .seconds(11))
      #expect(lab.takeReports().isEmpty, "case \(number)")
    }
  }

  @Test("[MB.26] An answer resets the count of unanswered questions")
  func answered() throws {
    let lamp = Accessory()
    let lab = try labWithLamp(lamp)
    for _ in 0..<2 {
      lab.advance(by: .seconds(3))
      lab.query([DNSQuestion(lamp.instance, DNSType.srv)])
      if lab.now < .seconds(15) { lab.respond([lamp.place]) }
    }
    lab.advance(by: .seconds(20))
    #expect(lab.takeReports().isEmpty)
  }

  @Test("[MB.6] Another host's question for a record replaces the browser's next one")
  func refreshSuppressed() throws {
    let lamp = Accessory(hostTTL: 1000)
    let question = DNSQuestion(lamp.instance, DNSType.srv)
    let lab = try labWithLamp(lamp)
    lab.advance(to: .seconds(700))
    _ = lab.takeSent()
    let due = try #require(lab.browser.nextDeadline)
    lab.advance(to: due - .milliseconds(900))
    lab.query([question])
    lab.advance(to: due + .seconds(10))
    #expect(!lab.takeQuestions().contains { $0.question == question })
    lab.advance(by: .seconds(50))
    #expect(lab.takeQuestions().contains { $0.question == question })
  }

  @Test("[MB.6] Another host's recent lookup replaces the browser's lookup, but not twice in a row")
  func lookupSuppressed() throws {
    let lamp = Accessory()
    let question = DNSQuestion(lamp.instance, DNSType.srv)
    let lab = try BrowserLab()
    lab.advance(to: .seconds(10))
    _ = lab.takeSent()
    lab.respond([lamp.pointer])
    lab.query([question])
    lab.advance(by: .milliseconds(200))
    #expect(lab.takeQuestions().map(\.question) == [DNSQuestion(lamp.instance, DNSType.txt)])
    lab.query([question])
    lab.advance(by: .seconds(1))
    #expect(lab.takeQuestions().map(\.question).contains(question))
    // The next question is at about 3 s.
    lab.advance(by: .milliseconds(1500))
    lab.query([question])
    lab.advance(by: .seconds(1))
    #expect(lab.takeQuestions().map(\.question) == [DNSQuestion(lamp.instance, DNSType.txt)])
  }

  @Test("[MB.27] A TTL above a day is limited to a day", arguments: [false, true])
  func longTTL(_ isRenewed: Bool) throws {
    let lamp = Accessory(hostTTL: .max, otherTTL: .max)
    let lab = try labWithLamp(lamp)
    if isRenewed { lab.respond(lamp.all) }
    lab.advance(to: .seconds(86_405))
    #expect(lab.takeReports().isEmpty)
    lab.advance(to: .seconds(86_415))
    #expect(lab.takeReports() == [lamp.gone] && lab.browser.cache.count == 0)
  }

  @Test("[MB.28] In more than an hour, an accessory that answers is never lost, and few questions are sent")
  func hour() throws {
    let lamp = Accessory()
    let lab = try labWithLamp(lamp)
    var questions = 0
    while lab.now < .seconds(4700) {
      lab.advance(to: max(lab.now, lab.browser.nextDeadline ?? .seconds(4700)))
      let asked = lab.takeQuestions().map(\.question)
      questions += asked.count
      let answers = lamp.all.filter { record in asked.contains { $0.isAnswered(by: record) } }
      lab.advance(by: .milliseconds(20))
      if answers.isEmpty { continue }
      lab.respond(answers, additional: answers.contains(lamp.place) ? lamp.addressRecords + [lamp.denial] : [])
    }
    #expect(lab.takeReports().isEmpty)
    // SRV is queried every 96 s, an address sometimes, the type at 15 s, 31 s, … and the TXT record once.
    #expect((45...90).contains(questions))
    // The accessory loses power.
    lab.advance(by: .seconds(5000))
    #expect(lab.takeReports() == [lamp.gone])
  }
}

extension MDNSBrowserReport {
  fileprivate var service: MDNSFoundService? {
    switch self {
    case .appeared(let service), .changed(let service): service
    case .gone: nil
    }
  }
}
