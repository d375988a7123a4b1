import FuzzSupport
import HAPWire
import MDNS

/// A responder with a few services, a browser, and other hosts on their links. Each step is a packet of any content, a flood, a time step, an
/// interface that appears or disappears, or a call. All output is valid and bounded, and when the network is quiet again, both machines work
/// normally.
package func fuzzMDNS(_ bytes: UnsafeRawBufferPointer) {
  var program = ByteProgram(bytes)
  var network = FuzzedNetwork(seed: UInt64(program.byte()))
  var steps = 0
  while !program.isAtEnd, steps < 200 {
    network.step(&program)
    network.check()
    steps += 1
  }
  network.finish()
}

private struct FuzzedNetwork {
  private var responder: MDNSResponder
  private var browser: MDNSBrowser
  private var now = Duration.zero
  private var services: [(id: MDNSServiceID, type: String)] = []
  private var limits = MDNSBrowser.Limits()
  /// Packets that the other machine has not received yet.
  private var inFlight: [(packet: MDNSPacket, isOfResponder: Bool)] = []
  private var lastPackets: [MDNSPacket] = []
  private var found: [[UInt8]] = []
  private var sent: [MDNSPacket] = []
  private var outputCount = 0
  private var floods = 0

  private static let own = MDNSAddress(bytes: [10, 0, 0, 1])!
  private static let other = MDNSAddress(bytes: [10, 0, 0, 7])!
  private static let link = MDNSAddress(bytes: [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [7])!
  private static let types = ["_hap._tcp", "_matter._tcp", "_L3840._sub._matterc._udp", "_http._tcp"]
  private static let pauses: [Duration] = [
    .zero, .milliseconds(1), .milliseconds(20), .milliseconds(130), .milliseconds(250), .seconds(1), .seconds(10),
    .seconds(100), .seconds(3600),
  ]
  private static let names = [
    "_hap._tcp.local", "_matter._tcp.local", "_services._dns-sd._udp.local", "_L3840._sub._matterc._udp.local",
    "Lamp._hap._tcp.local", "LAMP\\032(2)._hap._tcp.local", "Fan._hap._tcp.local", "0011._matter._tcp.local",
    "lamp.local", "lamp-2.local", "Fan.local", "other.local", "a\\.b._hap._tcp.local", "", "local",
    "1.0.0.10.in-addr.arpa",
  ].map { DNSName($0) ?? DNSName([]) }
  private static let ttls: [UInt32] = [0, 1, 2, 10, 120, 4500, 86_400, .max]
  private static let recordTypes = [
    DNSType.ptr, DNSType.srv, DNSType.txt, DNSType.a, DNSType.aaaa, DNSType.nsec, DNSType.any, 65,
  ]

  init(seed: UInt64) {
    var configuration = MDNSBrowser.Configuration()
    limits.services = 40
    limits.records = 200
    limits.bytes = 60_000
    limits.unwantedRecords = 50
    configuration.limits = limits
    configuration.sharesPort = seed & 1 == 1
    browser = MDNSBrowser(configuration, random: MDNSRandom(seed: seed))
    responder = MDNSResponder(random: MDNSRandom(seed: seed))
    for index in [1, 2] as [UInt32] { set(interface: index, kind: index == 1 ? 0 : 2) }
    try? browser.browse("_hap._tcp", at: now)
    publish("Lamp", type: "_hap._tcp", host: "lamp")
    publish("Fan", type: "_hap._tcp", host: "Fan")
    publish("0011", type: "_matter._tcp", host: "lamp")
  }

  private mutating func publish(_ name: String, type: String, host: String, subtypes: [String] = []) {
    guard services.count < 8 else { return }
    let service = MDNSService(
      name: name, type: type, subtypes: subtypes, port: 80, text: [Array("sf=1".utf8)], host: host)
    guard let id = try? responder.publish(service, at: now) else { return }
    services.append((id, type))
  }

  private mutating func set(interface index: UInt32, kind: Int) {
    let assignments: [[MDNSInterface.Assignment]] = [
      [.init(Self.own, prefixLength: 24)], [.init(Self.own)],
      [.init(Self.own, prefixLength: 8), .init(Self.link, prefixLength: 64)], [.init(Self.link)], [],
    ]
    let interface = MDNSInterface(index: index, assignments[kind % 5], mtu: kind > 4 ? 600 : 1500)
    responder.setInterface(interface, at: now)
    browser.setInterface(interface, at: now)
  }

  // MARK: Steps

  mutating func step(_ program: inout ByteProgram) {
    switch program.number(below: 16) {
    case 0: receive(program.piece(), &program)
    case 1, 2: receive(message(&program, isResponse: true).encoded(), &program)
    case 3, 4: receive(message(&program, isResponse: false).encoded(), &program)
    case 5, 6, 7: advance(by: Self.pauses[program.number(below: Self.pauses.count)])
    case 8: deliver()
    case 9: set(interface: UInt32(1 + program.number(below: 3)), kind: program.number(below: 8))
    case 10:
      let index = UInt32(1 + program.number(below: 3))
      responder.removeInterface(index, at: now)
      browser.removeInterface(index, at: now)
    case 11: flood(&program)
    case 12: changeService(&program)
    case 13:
      let type = Self.types[program.number(below: Self.types.count)]
      if program.isSet() { try? browser.browse(type, at: now) } else { browser.stop(type, at: now) }
    case 14: browser.reconfirm(found.last ?? program.piece(), type: "_hap._tcp", at: now)
    default:
      // A packet that the network returns, or that another process of the machine also sends.
      guard let packet = lastPackets.last else { return }
      receive(packet.bytes, MDNSArrival(from: MDNSEndpoint(Self.own), interface: packet.interface))
    }
  }

  private mutating func receive(_ bytes: [UInt8], _ program: inout ByteProgram) {
    let choice = program.byte()
    let address = [Self.other, Self.own, Self.link, MDNSAddress(bytes: [192, 168, 9, 9])!][Int(choice & 3)]
    let source = MDNSEndpoint(address, port: choice & 4 == 0 ? 5353 : 40_000)
    receive(
      bytes, MDNSArrival(from: source, interface: UInt32(1 + choice >> 3 & 1), isUnicast: choice & 0x10 != 0))
  }

  private mutating func receive(_ bytes: [UInt8], _ arrival: MDNSArrival) {
    bytes.withUnsafeBytes { raw in
      responder.receive(raw, arrival, at: now)
      browser.receive(raw, arrival, at: now)
    }
  }

  /// Returns a well-formed message with names that occur here.
  private func message(_ program: inout ByteProgram, isResponse: Bool) -> DNSMessage {
    var message = DNSMessage(flags: isResponse ? 0x8400 : program.isSet() ? DNSMessage.truncated : 0)
    for _ in 0..<(isResponse ? 0 : 1 + program.number(below: 3)) {
      message.questions.append(
        DNSQuestion(
          name(&program), Self.recordTypes[program.number(below: 8)], wantsUnicast: program.isSet()))
    }
    for _ in 0..<program.number(below: 5) { message.answers.append(record(&program)) }
    for _ in 0..<max(0, program.number(below: 8) - 5) where !isResponse { message.authorities.append(record(&program)) }
    return message
  }

  private func name(_ program: inout ByteProgram) -> DNSName {
    let choice = Int(program.byte())
    let name = Self.names[choice % Self.names.count]
    return choice < 0xE0 ? name : name.prefixed(by: Array("x\(choice)".utf8))
  }

  private func record(_ program: inout ByteProgram) -> DNSRecord {
    let type = Self.recordTypes[program.number(below: 8)]
    let data: DNSRecord.Data
    switch type {
    case DNSType.ptr: data = .pointer(name(&program))
    case DNSType.srv: data = .service(priority: 0, weight: 0, port: UInt16(program.byte()), target: name(&program))
    case DNSType.txt: data = .text([program.take(program.number(below: 4))])
    case DNSType.a: data = .address([10, 0, 0, program.byte()])
    case DNSType.aaaa: data = .address([0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [program.byte()])
    case DNSType.nsec: data = .existing(next: name(&program), types: [DNSType.a])
    default: data = .raw(program.take(program.number(below: 20)))
    }
    let choice = program.byte()
    return DNSRecord(
      name(&program), type, ttl: Self.ttls[Int(choice & 7)], flushesCache: choice & 8 != 0, data)
  }

  /// Sends many packets at once that differ only in their names.
  private mutating func flood(_ program: inout ByteProgram) {
    guard floods < 4 else { return }
    floods += 1
    let pattern = message(&program, isResponse: program.isSet())
    let arrival = MDNSArrival(from: MDNSEndpoint(Self.other), interface: 1)
    for number in 0..<(2 * Int(program.byte())) {
      var message = pattern
      let label = Array("flood \(number)".utf8)
      for index in message.questions.indices where number & 1 == 1 {
        message.questions[index].name = pattern.questions[index].name.prefixed(by: label)
      }
      for (index, record) in pattern.answers.enumerated() {
        switch record.data {
        case .pointer: message.answers[index].data = .pointer(record.name.prefixed(by: label))
        default: message.answers[index].name = record.name.prefixed(by: label)
        }
      }
      receive(message.encoded(), arrival)
    }
  }

  private mutating func changeService(_ program: inout ByteProgram) {
    let choice = program.number(below: 8)
    guard choice > 1, !services.isEmpty else {
      let names = ["Lamp", "lamp", "Fan", "New"]
      return publish(
        names[program.number(below: 4)], type: Self.types[program.number(below: 2)],
        host: names[program.number(below: 4)], subtypes: choice == 0 ? ["_L3840"] : [])
    }
    let index = program.number(below: services.count)
    switch choice {
    case 2, 3: try? responder.update(services[index].id, text: [program.piece()], at: now)
    case 4: responder.reannounce(services[index].id, at: now)
    default: responder.withdraw(services.remove(at: index).id, goodbye: program.isSet(), at: now)
    }
  }

  // MARK: Time and packets

  /// Performs due work, in a bounded number of steps.
  private mutating func advance(by pause: Duration) {
    let end = now + pause
    for _ in 0..<100 {
      guard let next = [responder.nextDeadline, browser.nextDeadline].compactMap(\.self).min(), next < end else {
        break
      }
      now = max(now, next)
      responder.advance(to: now)
      browser.advance(to: now)
      collect()
    }
    now = end
    // Work must not be due endlessly at one time, because the driver's loop would never sleep.
    for _ in 0..<20 {
      responder.advance(to: now)
      browser.advance(to: now)
      collect()
      let due = [responder.nextDeadline, browser.nextDeadline].compactMap(\.self).min()
      if due.map({ $0 > now }) ?? true { return }
    }
    require(false, "work is due endlessly")
  }

  private mutating func collect() {
    for output in responder.takeOutputs() {
      outputCount += 1
      switch output {
      case .send(let packet):
        check(packet)
        sent.append(packet)
        if inFlight.count < 64 { inFlight.append((packet, true)) }
        lastPackets = [packet]
      case .report(.gaveUp(let id, _)): services.removeAll { $0.id == id }
      case .report: break
      }
    }
    for output in browser.takeOutputs() {
      outputCount += 1
      switch output {
      case .send(let packet):
        check(packet)
        if inFlight.count < 64 { inFlight.append((packet, false)) }
        lastPackets = [packet]
      case .report(.appeared(let service)), .report(.changed(let service)):
        require(service.port > 0 && !service.addresses.isEmpty && (1...63).contains(service.name.count))
        found = found.suffix(20) + [service.name]
      case .report(.gone): break
      }
    }
  }

  private func check(_ packet: MDNSPacket) {
    require(packet.bytes.count <= 9000, "a packet of \(packet.bytes.count) bytes")
    require((try? DNSMessage(decoding: packet.bytes)) != nil, "a packet cannot be read")
  }

  /// Delivers the packets between the machines.
  private mutating func deliver() {
    let packets = inFlight
    inFlight = []
    for (packet, isOfResponder) in packets {
      let arrival = MDNSArrival(from: MDNSEndpoint(Self.other), interface: packet.interface)
      packet.bytes.withUnsafeBytes { raw in
        if isOfResponder {
          browser.receive(raw, arrival, at: now)
        } else {
          responder.receive(raw, arrival, at: now)
        }
      }
    }
  }

  /// Checks the invariants after each step.
  mutating func check() {
    collect()
    // The largest inputs are floods of 510 packets, and 100 deadlines.
    require(outputCount <= 4000, "\(outputCount) outputs of a step")
    outputCount = 0
    sent = []
    let size = browser.size
    require(size.services <= limits.services && size.records <= limits.records, "the cache is too large")
    require(size.bytes <= limits.bytes + 10_000, "the cache has \(size.bytes) bytes")
    var names: Set<String> = []
    for service in services {
      guard let name = responder.name(of: service.id) else { continue }
      require(names.insert("\(name.lowercased()).\(service.type)").inserted, "the name \(name) is used twice")
    }
  }

  // MARK: The end

  /// After a quiet time, a query finds every service, and the browser finds a new service and then forgets all records.
  mutating func finish() {
    for index in [2, 3] as [UInt32] {
      responder.removeInterface(index, at: now)
      browser.removeInterface(index, at: now)
    }
    set(interface: 1, kind: 0)
    for _ in 0..<10 { advance(by: .seconds(12)) }
    for service in services {
      guard let name = responder.name(of: service.id), let type = DNSName(service.type + ".local") else { continue }
      let question = DNSQuestion(type.prefixed(by: Array(name.utf8)), DNSType.srv)
      sent = []
      let arrival = MDNSArrival(from: MDNSEndpoint(Self.other), interface: 1)
      DNSMessage(questions: [question]).encoded().withUnsafeBytes { responder.receive($0, arrival, at: now) }
      advance(by: .seconds(2))
      let isAnswered = sent.contains { packet in
        (try? DNSMessage(decoding: packet.bytes))?.answers.contains { question.isAnswered(by: $0) } ?? false
      }
      require(isAnswered, "no answer for \(name)")
    }
    advance(by: .seconds(100_000))
    require(browser.size.records == 0 && browser.size.services == 0, "records stay forever")
    for type in Self.types { browser.stop(type, at: now) }
    require(browser.size.names == 0, "names stay forever")
    findService()
  }

  private mutating func findService() {
    try? browser.browse("_hap._tcp", at: now)
    let type = Self.names[0]
    let instance = type.prefixed(by: Array("Last".utf8))
    let host = DNSName("last.local") ?? type
    let records = [
      DNSRecord(type, DNSType.ptr, ttl: 4500, .pointer(instance)),
      DNSRecord(instance, DNSType.srv, ttl: 120, .service(priority: 0, weight: 0, port: 80, target: host)),
      DNSRecord(instance, DNSType.txt, ttl: 4500, .text([[]])),
      DNSRecord(host, DNSType.a, ttl: 120, .address([10, 0, 0, 9])),
    ]
    let arrival = MDNSArrival(from: MDNSEndpoint(Self.other), interface: 1)
    browser.receive(DNSMessage(flags: 0x8400, answers: records).encoded(), arrival, at: now)
    found = []
    advance(by: .seconds(1))
    require(found == [Array("Last".utf8)], "a service is not found")
  }
}
