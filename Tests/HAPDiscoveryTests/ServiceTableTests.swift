import HAPLoop
import Testing

@testable import HAPDiscovery

private let here = Link(interface: 2)
private let there = Link(interface: 3)
private let lamp = "Lamp._hap._tcp.local"

/// The data of an SRV record.
private func srv(_ host: String, port: UInt16) -> [UInt8] {
  [0, 0, 0, 0, UInt8(port >> 8), UInt8(port & 0xFF)] as [UInt8]
    + host.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
}

/// The data of a TXT record.
private func txt(_ strings: String...) -> [UInt8] { strings.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } }

/// A table for use inside expectations.
private final class Table {
  private var table = ServiceTable(type: "_hap._tcp")
  var questions: Set<Question> { table.questions }

  /// A table with a lamp at 10.0.0.1:80, received on one interface.
  static func withLamp() -> Table {
    let table = Table()
    table.take(instance: "Lamp", here, isThere: true)
    table.take(.location(lamp), here, srv("lamp.local", port: 80), isThere: true)
    table.take(.text(lamp), here, txt("sf=1"), isThere: true)
    table.take(.addressesV4("lamp.local"), here, [10, 0, 0, 1], isThere: true)
    return table
  }

  func take(instance name: String, _ link: Link, isThere: Bool) { table.take(instance: name, link, isThere: isThere) }

  func take(_ question: Question, _ link: Link, _ data: [UInt8], isThere: Bool) {
    table.take(question, link, data, isThere: isThere)
  }

  func clear() { table.clear() }
  func changes() -> [BrowserEvent] { table.changes() }

  /// The service of the last event.
  func found() -> DiscoveredService? {
    for event in changes().reversed() {
      if case .appeared(let service) = event { return service }
      if case .changed(let service) = event { return service }
    }
    return nil
  }
}

@Suite struct ServiceTableTests {
  @Test("A service appears when location, text and an address are known, in any order, and each is asked for")
  func appears() throws {
    let expected = DiscoveredService(
      name: "Lamp", host: "lamp.local", port: 80, addresses: [SocketAddress(host: try IPAddress("10.0.0.1"), port: 80)],
      interface: 2, txt: [Array("sf=1".utf8)])
    let table = Table()
    #expect(table.questions.isEmpty)
    table.take(instance: "Lamp", here, isThere: true)
    #expect(table.questions == [.location(lamp), .text(lamp)])
    table.take(.text(lamp), here, txt("sf=1"), isThere: true)
    #expect(table.changes().isEmpty)
    table.take(.location(lamp), here, srv("Lamp.local", port: 80), isThere: true)
    #expect(
      table.questions == [.location(lamp), .text(lamp), .addressesV4("lamp.local"), .addressesV6("lamp.local")])
    #expect(table.changes().isEmpty)
    table.take(.addressesV4("lamp.local"), here, [10, 0, 0, 1], isThere: true)
    #expect(table.changes() == [.appeared(expected)])
    #expect(table.changes().isEmpty)
  }

  @Test("The last received text counts, on any interface; when it expires, the one before counts again")
  func lastCounts() {
    let table = Table.withLamp()
    _ = table.changes()
    table.take(instance: "Lamp", there, isThere: true)
    table.take(.text(lamp), there, txt("sf=0"), isThere: true)
    #expect(table.found()?.txt == [Array("sf=0".utf8)])
    table.take(.text(lamp), there, txt("sf=0"), isThere: false)
    #expect(table.found()?.txt == [Array("sf=1".utf8)])
    // A change on one interface: the new text arrives before the old one expires.
    table.take(.text(lamp), here, txt("sf=4"), isThere: true)
    table.take(.text(lamp), here, txt("sf=1"), isThere: false)
    #expect(table.found()?.txt == [Array("sf=4".utf8)])
  }

  @Test("A record received twice must expire twice, and a service must disappear on each interface")
  func countedOnce() {
    let table = Table.withLamp()
    table.take(instance: "Lamp", here, isThere: true)
    table.take(instance: "Lamp", there, isThere: true)
    _ = table.changes()
    table.take(instance: "Lamp", here, isThere: false)
    table.take(instance: "Lamp", there, isThere: false)
    table.take(instance: "Lamp", there, isThere: false)
    #expect(table.changes().isEmpty)
    table.take(instance: "Lamp", here, isThere: false)
    #expect(table.changes() == [.gone(name: "Lamp")] && table.questions.isEmpty)
    table.take(.text(lamp), here, txt("sf=0"), isThere: true)
    #expect(table.changes().isEmpty)
  }

  @Test(
    "Addresses are reported IPv4 first, link-local ones last with their interface; invalid ones are left out"
  )
  func addresses() throws {
    let table = Table.withLamp()
    let linkLocal: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
    let global: [UInt8] = [0x20, 0x01] + [UInt8](repeating: 0, count: 13) + [1]
    let host = "lamp.local"
    table.take(.addressesV6(host), here, linkLocal, isThere: true)
    table.take(.addressesV6(host), there, linkLocal, isThere: true)
    table.take(.addressesV6(host), here, global, isThere: true)
    table.take(.addressesV4(host), there, [209, 0, 0, 2], isThere: true)
    table.take(.addressesV4(host), there, [10, 0, 0, 1], isThere: true)
    for wrong in [[0, 0, 0, 0], [224, 0, 0, 251], [], [1, 2, 3], linkLocal] as [[UInt8]] {
      table.take(.addressesV4(host), here, wrong, isThere: true)
    }
    for wrong in [[UInt8](repeating: 0, count: 16), [0xFF] + global.dropFirst(), [10, 0, 0, 3]] as [[UInt8]] {
      table.take(.addressesV6(host), here, wrong, isThere: true)
    }
    let found = try #require(table.found()).addresses.map(\.host)
    #expect(found.map(\.bytes) == [[10, 0, 0, 1], [209, 0, 0, 2], global, linkLocal, linkLocal])
    #expect(found.map(\.scope) == [0, 0, 0, 2, 3])
  }

  @Test("The addresses of a new host are asked for, and those of the old one are forgotten")
  func moved() throws {
    let table = Table.withLamp()
    _ = table.changes()
    table.take(.location(lamp), here, srv("other.local", port: 81), isThere: true)
    #expect(table.changes() == [.gone(name: "Lamp")])
    #expect(table.questions.contains(.addressesV4("other.local")))
    #expect(!table.questions.contains(.addressesV4("lamp.local")))
    table.take(.addressesV4("lamp.local"), here, [10, 0, 0, 1], isThere: true)
    #expect(table.changes().isEmpty)
    table.take(.addressesV4("other.local"), here, [10, 0, 0, 9], isThere: true)
    #expect(table.found()?.addresses == [SocketAddress(host: try IPAddress("10.0.0.9"), port: 81)])
  }

  @Test("A malformed location is ignored, and one with port 0 counts as missing")
  func wrongPlaces() {
    let table = Table.withLamp()
    _ = table.changes()
    for wrong in [
      [], [0, 0, 0, 0, 0, 80], srv("", port: 80), srv("a", port: 80).dropLast(), srv("a", port: 80) + [0],
      [0, 0, 0, 0, 0, 80, 0xC0, 12], [0, 0, 0, 0, 0, 80, 64] + [UInt8](repeating: 65, count: 64) + [0],
      [0, 0, 0, 0, 0, 80] + [UInt8](repeating: 1, count: 300) + [0],
    ] as [[UInt8]] {
      table.take(.location(lamp), here, wrong, isThere: true)
      #expect(table.changes().isEmpty, "\(wrong)")
    }
    table.take(.location(lamp), here, srv("lamp.local", port: 0), isThere: true)
    #expect(table.changes() == [.gone(name: "Lamp")])
  }

  @Test("Unrequested records and malformed names change nothing")
  func unasked() {
    let table = Table()
    table.take(.text(lamp), here, txt("sf=1"), isThere: true)
    table.take(.location(lamp), here, srv("lamp.local", port: 80), isThere: true)
    table.take(.addressesV4("lamp.local"), here, [10, 0, 0, 1], isThere: true)
    table.take(instance: "Lamp", here, isThere: false)
    table.take(instance: "", here, isThere: true)
    table.take(instance: String(repeating: "n", count: 64), here, isThere: true)
    #expect(table.changes().isEmpty && table.questions.isEmpty)
  }

  @Test("Records above the limits are dropped, and a removal makes room for a new one")
  func limits() throws {
    let table = Table.withLamp()
    for number in 0..<2000 {
      table.take(instance: "Many \(number)", Link(interface: UInt32(number)), isThere: true)
      table.take(instance: "Lamp", Link(interface: UInt32(number)), isThere: true)
      table.take(.text(lamp), here, txt("n=\(number)"), isThere: true)
      table.take(.location(lamp), here, srv("lamp.local", port: UInt16(number + 1)), isThere: true)
      table.take(
        .addressesV4("lamp.local"), here, [10, 1, UInt8(number >> 8), UInt8(number & 0xFF)], isThere: true)
    }
    #expect(table.questions.count == 2 * ServiceTable.mostServices + 2)
    let found = try #require(table.found())
    #expect(found.addresses.count == ServiceTable.mostAddresses && found.port == 2000)
    #expect(found.txt == [Array("n=1999".utf8)])
    // The oldest entries were dropped, so their end causes no event.
    for number in 0..<1999 { table.take(.text(lamp), here, txt("n=\(number)"), isThere: false) }
    #expect(table.changes().isEmpty)
    table.take(.text(lamp), here, txt("n=1999"), isThere: false)
    #expect(table.changes() == [.gone(name: "Lamp")])

    table.take(
      .text(lamp), here, Array(repeating: txt(String(repeating: "x", count: 255)), count: 200).flatMap { $0 },
      isThere: true)
    let long = try #require(table.found())
    #expect(long.txt.joined().count <= ServiceTable.mostText && long.txt.allSatisfy { $0.count == 255 })
    table.take(instance: "One more", here, isThere: true)
    #expect(!table.questions.contains(.text("One\\032more._hap._tcp.local")))
    table.take(instance: "Many 0", Link(interface: 0), isThere: false)
    table.take(instance: "One more", here, isThere: true)
    #expect(table.questions.contains(.text("One\\032more._hap._tcp.local")))
  }

  @Test("Clearing the table reports all services as gone; they reappear when they are received again")
  func cleared() {
    let table = Table.withLamp()
    _ = table.changes()
    table.clear()
    #expect(table.questions.isEmpty && table.changes() == [.gone(name: "Lamp")])
    table.take(instance: "Lamp", here, isThere: true)
    #expect(table.questions.count == 2)
  }

  @Test("Strings of a TXT record are any bytes; a truncated one is left out")
  func strings() {
    #expect(TextRecord.strings(of: [0]) == [])
    #expect(TextRecord.strings(of: []) == [])
    #expect(TextRecord.strings(of: [2, 0xFF, 0, 0, 1, 65]) == [[0xFF, 0], [65]])
    #expect(TextRecord.strings(of: [1, 65, 9, 66]) == [[65]])
    #expect(TextRecord.strings(of: [255]) == [])
  }
}

@Suite struct DomainNameTests {
  @Test("A name is read from the wire in lower case, and only if the bytes are exactly one name")
  func wireForm() {
    #expect(DomainName.text(ofWireForm: [4, 76, 97, 77, 112, 5, 108, 111, 99, 97, 108, 0]) == "lamp.local")
    #expect(DomainName.text(ofWireForm: [3, 97, 46, 98, 0]) == "a\\.b")
    for wrong in [[], [0], [1, 65], [2, 65, 0], [1, 65, 0, 0], [0xC0, 4], [64, 65, 0]] as [ArraySlice<UInt8>] {
      #expect(DomainName.text(ofWireForm: wrong) == nil)
    }
  }
}
