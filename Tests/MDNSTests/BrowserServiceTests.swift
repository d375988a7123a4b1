import HAPWire
import Testing

@testable import MDNS

@Suite struct BrowserServiceTests {
  @Test("[MB.11] A service appears when SRV, TXT and an address are known, with one report 10 ms after its packet")
  func appears() throws {
    let lamp = Accessory(addresses: [
      [0xFE, 0x80] + Array(repeating: 0, count: 13) + [1], [10, 0, 0, 9], [10, 0, 0, 8],
    ])
    var expected = lamp.found()
    expected.addresses = [
      .init(MDNSAddress(bytes: [10, 0, 0, 8])!), .init(MDNSAddress(bytes: [10, 0, 0, 9])!),
      .init(MDNSAddress(bytes: lamp.addresses[0])!, scope: 1),
    ]
    for records in [lamp.all, lamp.all.reversed()] {
      let lab = try BrowserLab()
      lab.advance(to: .seconds(1))
      lab.respond(records)
      lab.advance(by: .milliseconds(9))
      #expect(lab.takeReports().isEmpty)
      lab.advance(by: .milliseconds(1))
      #expect(lab.takeReports() == [.appeared(expected)])
      lab.respond(records)
      lab.advance(by: .seconds(1))
      #expect(lab.takeReports().isEmpty)
    }
    for missing in [0, 1, 2] {
      var records = Accessory().all
      records.remove(at: missing)
      let lab = try BrowserLab()
      lab.respond(records)
      lab.advance(by: .seconds(1))
      #expect(lab.takeReports().isEmpty)
    }
  }

  @Test("[MB.11] Each change of its records is reported; port 0 counts as missing")
  func changes() throws {
    let lab = try BrowserLab()
    var lamp = Accessory()
    lab.respond(lamp.all)
    lab.advance(to: .seconds(2))
    lamp.text = ["sf=0", ""]
    lab.respond([lamp.textRecord])
    lab.advance(by: .milliseconds(20))
    lamp.text = ["sf=0"]
    var now = lamp.found()
    #expect(lab.takeReports() == [.appeared(Accessory().found()), .changed(now)])
    lamp.port = 81
    lab.respond([lamp.place])
    lab.advance(by: .milliseconds(20))
    now.port = 81
    #expect(lab.takeReports() == [.changed(now)])
    lamp.port = 0
    lab.respond([lamp.place])
    lab.advance(by: .milliseconds(20))
    #expect(lab.takeReports() == [lamp.gone])
  }

  @Test("[MB.12] The newest record of all interfaces is used; when it expires, the previous one is used")
  func severalInterfaces() throws {
    let lab = try BrowserLab(interfaces: [1, 2])
    let here = Accessory()
    let there = Accessory(port: 81, addresses: [[10, 0, 1, 7]])
    lab.respond(here.all, on: 1)
    lab.advance(by: .milliseconds(20))
    lab.respond(there.all, on: 2)
    lab.advance(by: .milliseconds(20))
    // A repeated record is not a new value.
    lab.respond(here.all, on: 1)
    lab.advance(by: .milliseconds(20))
    var both = there.found(on: 2)
    both.addresses = here.found().addresses + both.addresses
    #expect(lab.takeReports() == [.appeared(here.found()), .changed(both)])
    lab.respond(there.all.map { $0.with(ttl: 0) }, on: 2)
    lab.advance(by: .milliseconds(1020))
    #expect(lab.takeReports() == [.changed(here.found())])
  }

  @Test("[MB.12] A change that two interfaces announce twice within a second is reported once")
  func announcedTwice() throws {
    let lab = try BrowserLab(interfaces: [1, 2])
    var lamp = Accessory()
    for interface in [1, 2] as [UInt32] { lab.respond(lamp.all, on: interface) }
    lab.advance(by: .seconds(2))
    lamp.port = 81
    for interface in [1, 2] as [UInt32] { lab.respond([lamp.place], on: interface) }
    lab.advance(by: .milliseconds(300))
    for interface in [1, 2] as [UInt32] {
      lab.respond([lamp.place], on: interface)
      lab.advance(by: .milliseconds(200))
    }
    #expect(lab.takeReports() == [.appeared(Accessory().found(on: 2)), .changed(lamp.found(on: 2))])
  }

  @Test(
    "[MB.13] Missing SRV and TXT records are queried in one packet after 20 to 120 ms, then again after 1 s, 2 s, 4 s, …"
  )
  func lookup() throws {
    let lab = try BrowserLab()
    lab.advance(to: .milliseconds(200))
    _ = lab.takeSent()
    let lamps = [Accessory(), Accessory(name: "Fan")]
    for lamp in lamps { lab.respond([lamp.pointer]) }
    let start = lab.now
    lab.advance(to: start + .milliseconds(120))
    let first = lab.takeSent()
    try #require(first.count == 1)
    #expect(first[0].at - start >= .milliseconds(20))
    let expected = lamps.flatMap { [DNSQuestion($0.instance, DNSType.srv), DNSQuestion($0.instance, DNSType.txt)] }
    #expect(first[0].message.questions == expected)
    lab.advance(to: start + .seconds(10))
    let again = lab.takeQuestions().filter { $0.question == expected[0] }.map { $0.at - first[0].at }
    #expect(again == [.seconds(1), .seconds(3), .seconds(7)])
    lab.respond([lamps[0].textRecord])
    lab.advance(to: start + .seconds(20))
    #expect(lab.takeQuestions().map(\.question).filter { $0.name == lamps[0].instance } == [expected[0]])
  }

  @Test(
    "[MB.14] Nothing is queried for a service whose records arrived with it, or shortly before or after")
  func noQuestions() throws {
    let lamp = Accessory()
    let packets: [[[DNSRecord]]] = [
      [lamp.all], [[lamp.denial] + lamp.addressRecords, [lamp.pointer, lamp.place, lamp.textRecord]],
      [[lamp.pointer], [lamp.place, lamp.textRecord], lamp.addressRecords + [lamp.denial]],
      [[lamp.place, lamp.textRecord, lamp.denial] + lamp.addressRecords, [lamp.pointer]],
    ]
    for records in packets {
      let lab = try BrowserLab(usesV6: true, sharesPort: true)
      lab.advance(to: .seconds(8))
      _ = lab.takeSent()
      for part in records {
        lab.respond(part)
        lab.advance(by: .milliseconds(5))
      }
      lab.advance(by: .seconds(5))
      #expect(lab.takeReports() == [.appeared(lamp.found())])
      #expect(lab.takeSent().flatMap(\.message.questions).allSatisfy { $0.name == BrowserLab.type })
    }
  }

  @Test("[MB.14] Records that arrived before their service are queried again before they expire, as all others")
  func keptRecords() throws {
    let lamp = Accessory()
    for first in [
      [lamp.place, lamp.textRecord], [lamp.place, lamp.textRecord] + lamp.addressRecords, lamp.addressRecords,
    ] {
      let lab = try BrowserLab()
      lab.respond(first)
      lab.respond(lamp.all.filter { !first.contains($0) })
      lab.advance(to: .seconds(99))
      let questions = lab.takeQuestions().map(\.question)
      #expect(questions.contains(DNSQuestion(lamp.instance, DNSType.srv)))
      #expect(questions.contains(DNSQuestion(lamp.hostName, DNSType.a)))
    }
  }

  @Test(
    "[MB.15] Addresses of the interface's families are queried, except denied ones; three times if the host has the other family"
  )
  func addresses() throws {
    let lamp = Accessory()
    let withoutAddress = [lamp.pointer, lamp.place, lamp.textRecord]
    func questions(_ records: [DNSRecord], usesV6: Bool) throws -> [UInt16: Int] {
      let lab = try BrowserLab(usesV6: usesV6)
      lab.respond(records)
      // One copy of each packet goes to each family's group.
      lab.advance(to: .seconds(100))
      let questions = lab.takeSent().filter { $0.packet.destination == .multicast(isV4: true) }
        .flatMap(\.message.questions).filter { $0.name == lamp.hostName }
      return Dictionary(grouping: questions, by: \.type).mapValues(\.count)
    }
    #expect(try questions(withoutAddress, usesV6: false) == [DNSType.a: 7])
    #expect(try questions(withoutAddress, usesV6: true) == [DNSType.a: 7, DNSType.aaaa: 7])
    #expect(try questions(withoutAddress + lamp.addressRecords, usesV6: true)[DNSType.aaaa] == 3)
    #expect(try questions(withoutAddress + lamp.addressRecords + [lamp.denial], usesV6: true)[DNSType.aaaa] == nil)
    #expect(try questions(withoutAddress + [lamp.denial], usesV6: true)[DNSType.aaaa] == nil)
  }

  @Test("[MB.16] Names are the same in any case of ASCII letters; the name is reported as in the PTR record")
  func letterCase() throws {
    let lab = try BrowserLab()
    let lamp = Accessory(name: "LAMP \u{e9} a.b\\c", host: "LamP")
    let lower = Accessory(name: "lamp \u{e9} a.b\\c", host: "lamp")
    let mixed = Accessory(name: lower.name, host: "LAmp")
    lab.respond([lamp.pointer, mixed.place, lower.textRecord])
    lab.respond(lamp.addressRecords)
    lab.advance(by: .seconds(1))
    var expected = lower.found()
    expected.name = Array(lamp.name.utf8)
    #expect(lab.takeReports() == [.appeared(expected)])
    lab.respond([lower.pointer.with(ttl: 0)])
    lab.advance(by: .seconds(1))
    #expect(lab.takeReports() == [lamp.gone])
  }

  @Test(
    "[MB.17] Responses from another port, by unicast from another network, or with an operation or response code, are ignored"
  )
  func ignored() throws {
    let lamp = Accessory()
    let response = DNSMessage(flags: 0x8400, answers: lamp.all)
    var withCode = response
    withCode.flags |= 3
    var withOperation = response
    withOperation.flags |= 0x0800
    let far = MDNSEndpoint(MDNSAddress(bytes: [10, 0, 9, 7])!)
    let cases: [(Bool, (BrowserLab) -> Void)] = [
      (true, { $0.receive(response) }), (true, { $0.receive(response, isUnicast: true) }),
      (true, { $0.receive(response, from: far) }), (false, { $0.receive(response, from: far, isUnicast: true) }),
      (false, { $0.receive(response, from: MDNSEndpoint(far.address, port: 5354)) }),
      (false, { $0.receive(response, on: 7) }), (false, { $0.receive(withCode) }),
      (false, { $0.receive(withOperation) }),
      (false, { $0.receive(Array(response.encoded().dropLast())) }),
      (false, { $0.receive(DNSMessage(answers: lamp.all)) }),
    ]
    for (number, (isTaken, send)) in cases.enumerated() {
      let lab = try BrowserLab()
      send(lab)
      lab.advance(by: .milliseconds(20))
      #expect(lab.takeReports() == (isTaken ? [.appeared(lamp.found())] : []), "case \(number)")
    }
  }

  @Test("[MB.18] Only the record whose name or data is malformed is ignored")
  func malformed() throws {
    let lamp = Accessory()
    let bad: [DNSRecord] = [
      DNSRecord(lamp.type, DNSType.ptr, ttl: 120, .raw([0xC0])),
      DNSRecord(lamp.type, DNSType.ptr, ttl: 120, .raw([3, 65, 66])),
      DNSRecord(lamp.type, DNSType.ptr, ttl: 120, .raw([0])),
      DNSRecord(lamp.type, DNSType.ptr, ttl: 120, .pointer(lamp.hostName)),
      DNSRecord(lamp.instance, DNSType.srv, ttl: 120, .raw([0, 0, 0, 0, 0, 80])),
      DNSRecord(lamp.instance, DNSType.srv, ttl: 120, .raw([0, 0, 0, 0, 0, 80, 0])),
      DNSRecord(lamp.instance, DNSType.srv, ttl: 120, .raw([0, 0, 0, 0, 0, 80, 0xC0, 0xFF])),
      DNSRecord(lamp.instance, DNSType.txt, ttl: 120, .raw([5, 65])),
      DNSRecord(lamp.instance, DNSType.txt, ttl: 120, .raw(Array(repeating: 0, count: 4097))),
      DNSRecord(lamp.hostName, DNSType.a, ttl: 120, .raw([1, 2, 3])),
      DNSRecord(lamp.hostName, DNSType.a, ttl: 120, .raw([224, 0, 0, 1])),
      DNSRecord(lamp.hostName, DNSType.a, ttl: 120, .raw([0, 0, 0, 0])),
      DNSRecord(lamp.hostName, DNSType.aaaa, ttl: 120, .raw([0xFF] + Array(repeating: 1, count: 15))),
      DNSRecord(lamp.hostName, DNSType.nsec, ttl: 120, .raw([0, 0, 33])),
    ]
    for record in bad {
      let lab = try BrowserLab()
      lab.respond([record])
      lab.respond([record] + lamp.all)
      lab.advance(by: .milliseconds(20))
      #expect(lab.takeReports() == [.appeared(lamp.found())], "\(record)")
      let late = try BrowserLab()
      late.respond(lamp.all)
      late.advance(by: .milliseconds(20))
      late.respond([record])
      late.advance(by: .seconds(2))
      #expect(late.takeReports() == [.appeared(lamp.found())] && late.browser.services.count == 1, "\(record)")
    }
    // A name that refers to itself, and one that refers forward.
    for pointer in [[0xC0, 12], [0xC0, 40]] as [[UInt8]] {
      var writer = DNSWriter()
      writer.appendHead(id: 0, flags: 0x8400, counts: [0, 1, 0, 0])
      writer.appendRaw(pointer + [0, 12, 0, 1, 0, 0, 0, 120, 0, 2, 0xC0, 12])
      let lab = try BrowserLab()
      lab.receive(writer.bytes)
      lab.respond(lamp.all)
      lab.advance(by: .milliseconds(20))
      #expect(lab.takeReports() == [.appeared(lamp.found())])
    }
  }
}
