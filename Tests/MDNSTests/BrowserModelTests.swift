import HAPWire
import Testing

@testable import MDNS

@Suite struct BrowserModelTests {
  /// Returns the services that a browser with these records has reported, by instance.
  private func expected(_ browser: MDNSBrowser) -> [[UInt8]: MDNSFoundService] {
    let cache = browser.cache
    let records = [1, 2].flatMap { cache.all(onInterface: $0) }.map { cache[$0] }
    func newest(_ name: NameID, _ type: UInt16) -> CachedRecord? {
      records.filter { $0.name == name && $0.type == type }.max { $0.sequence < $1.sequence }
    }
    var found: [[UInt8]: MDNSFoundService] = [:]
    for pointer in records where pointer.type == DNSType.ptr {
      guard let place = newest(pointer.target, DNSType.srv), let text = newest(pointer.target, DNSType.txt) else {
        continue
      }
      let addresses = Set(records.filter { $0.name == place.target && $0.type == DNSType.a }.map(\.data))
      let port = Int(place.data[4]) << 8 | Int(place.data[5])
      if addresses.isEmpty || port == 0 { continue }
      let name = Array(cache.names[pointer.target].wire.dropFirst().prefix(2))
      let host = String(decoding: cache.names[place.target].wire.dropFirst().prefix(2), as: UTF8.self)
      found[name] = MDNSFoundService(
        name: name, type: "_hap._tcp", host: "\(host).local", port: UInt16(port),
        addresses: addresses.sorted { $0[3] < $1[3] }.compactMap { MDNSAddress(bytes: $0).map { .init($0) } },
        interface: place.interface, text: [Array(text.data.dropFirst())])
    }
    return found
  }

  /// Applies reports to the previous state. A report must not repeat another, or refer to an unknown service.
  private func apply(_ reports: [MDNSBrowserReport], to told: inout [[UInt8]: MDNSFoundService]) {
    for report in reports {
      switch report {
      case .appeared(let service): #expect(told.updateValue(service, forKey: service.name) == nil)
      case .changed(let service):
        let before = told.updateValue(service, forKey: service.name)
        #expect(before != nil && before != service)
      case .gone(let name, _): #expect(told.removeValue(forKey: name) != nil)
      }
    }
  }

  /// Performs a random input: a packet, a failed connection, or an interface that appears or disappears.
  private func step(_ lab: BrowserLab, _ random: inout MDNSRandom) {
    func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    var lamp = Accessory(name: "L\(number(4))", host: "h\(number(3))", port: UInt16(number(3)))
    lamp.text = ["x=\(number(2))"]
    lamp.addresses = [[10, 0, 0, UInt8(1 + number(3))]]
    lamp.flushesCache = number(3) > 0
    lamp.hostTTL = UInt32(1 + number(30))
    lamp.otherTTL = UInt32(1 + number(60))
    let interface = UInt32(1 + number(2))
    var records = lamp.all.shuffled(using: &random)
    switch number(20) {
    case 0: lab.browser.reconfirm(Array(lamp.name.utf8), type: "_hap._tcp", at: lab.now)
    case 1: lab.browser.removeInterface(interface, at: lab.now)
    case 2, 3: lab.add(interface: interface)
    case 4: lab.query([DNSQuestion(lamp.instance, DNSType.srv), DNSQuestion(lamp.type, DNSType.ptr)])
    case 5...8:
      records.removeLast(number(records.count))
      for index in records.indices { records[index].ttl = 0 }
      lab.respond(records, on: interface)
    default:
      records.removeLast(number(records.count))
      lab.respond(records, on: interface)
    }
    lab.take()
  }

  @Test(
    "[MB.11] For any input, each report is a change, and all reports together match the records",
    arguments: 1...8 as ClosedRange<UInt64>)
  func reports(_ seed: UInt64) throws {
    var random = MDNSRandom(seed: seed)
    var limits = MDNSBrowser.Limits()
    // Half of the browsers have limits that require eviction.
    if seed % 2 == 0 { (limits.services, limits.records, limits.unwantedRecords) = (3, 16, 4) }
    let lab = try BrowserLab(interfaces: [1, 2], seed: seed, limits: limits)
    var told: [[UInt8]: MDNSFoundService] = [:]
    var compared = 0
    for _ in 0..<1000 {
      step(lab, &random)
      lab.advance(by: .milliseconds([0, 5, 30, 300, 2000].randomElement(using: &random)!))
      apply(lab.takeReports(), to: &told)
      guard lab.browser.settleDue == nil else { continue }
      #expect(told == expected(lab.browser))
      compared += told.isEmpty ? 0 : 1
    }
    #expect(compared > 100)
  }
}
