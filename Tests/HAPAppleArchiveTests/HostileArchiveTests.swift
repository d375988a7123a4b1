import HAPModel
import Testing

@testable import HAPAppleArchive

/// Files that are no archives, or malformed ones: they are either refused or read, without any other effect.
@Suite("Hostile archives") struct HostileArchiveTests {
  /// Accepts a refusal; if the archive is read, its accessories must form a valid database.
  private func take(_ bytes: [UInt8]) {
    guard let archive = try? AppleArchive(bytes) else { return }
    #expect(throws: Never.self) { try AttributeDatabase(archive.accessories) }
    #expect(archive.accessories.first?.aid == 1)
    #expect(archive.remarks.count <= 1001)
  }

  private func error(_ bytes: [UInt8]) -> AppleArchiveError? {
    do throws(AppleArchiveError) {
      _ = try AppleArchive(bytes)
      return nil
    } catch { return error }
  }

  /// A small bridge with at least one object of each kind.
  private func sample() -> [UInt8] {
    var writer = ArchiveWriter()
    let on = writer.characteristic(
      0x25, format: 1, permissions: 12, properties: 7, iid: 9, value: .bool(true), more: ["HAK.later": .real(0.5)])
    let bulb = writer.accessory([writer.information("Grüße"), writer.service(0x43, iid: 8, [on])], iid: 2)
    let identifier = writer.object("HAKIdentifier", ["HAK.data": .data([1, 2, 3, 4, 5, 6])])
    return writer.file(
      writer.accessory(
        [writer.information("Bridge")],
        more: [
          "HAK.identifier": identifier, "HAK.password": .string("031-45-154"),
          "HAK.bridgedAccessories": writer.array([bulb]),
        ]))
  }

  @Test("A truncated archive is refused, wherever it is cut")
  func truncated() {
    let whole = sample()
    #expect(error(whole) == nil)
    for length in 0..<whole.count { #expect(error(Array(whole[..<length])) != nil, "\(length) of \(whole.count)") }
  }

  @Test("An archive with any byte changed is read or refused")
  func flipped() {
    let whole = sample()
    for place in whole.indices {
      var bytes = whole
      bytes[place] ^= place % 2 == 0 ? 0x01 : 0xFF
      take(bytes)
    }
  }

  @Test("Any byte in the trailer is accepted or refused without a trap")
  func trailer() {
    let whole = sample()
    for place in (whole.count - 26)..<whole.count {
      for byte in UInt8.min...UInt8.max {
        var bytes = whole
        bytes[place] = byte
        take(bytes)
      }
    }
  }

  @Test("Reading an archive with circular references ends")
  func cycles() throws {
    // Circular references in the object table itself.
    var writer = ArchiveWriter()
    writer.objects += [.uid(2), .uid(1), .uid(3)]
    for place in 1...3 { #expect(error(writer.bytes(top: ["root": .uid(place)])) == .noAccessory) }
    // An accessory that refers to itself as its service, list, type, password and transport.
    writer = ArchiveWriter()
    let own = Dictionary(
      uniqueKeysWithValues: [
        "HAK.services", "HAK.uuid", "HAK.password", "HAK.identifier", "HAK.bridgedAccessories", "HAK.transports",
        "HAK.primary", "HAK.category", "HAK.characteristics", "NS.string", "NS.mantissa", "$class",
      ].map { ($0, ArchiveWriter.Node.uid(1)) })
    writer.objects.append(.object(own))
    take(writer.bytes(top: ["root": .uid(1)]))
    // A list that contains itself and its accessory.
    writer = ArchiveWriter()
    writer.objects.append(.object(["NS.objects": .list([.uid(1), .uid(2), .uid(2)])]))
    writer.objects.append(
      .object(["HAK.services": .uid(1), "HAK.bridgedAccessories": .uid(1), "HAK.uuid": .string("43")]))
    let archive = try AppleArchive(writer.bytes(top: ["root": .uid(2)]))
    #expect(archive.accessories == [Accessory(aid: 1, services: [])])
    #expect(archive.remarks.count { $0.message.contains("already read") } == 4, "\(archive.remarks)")
  }

  @Test("References out of range are treated as missing objects", arguments: [4, 1000, Int(UInt32.max)])
  func outOfRange(_ place: Int) {
    var writer = ArchiveWriter()
    writer.objects += [
      .object(["HAK.services": .uid(place), "HAK.password": .uid(place), "HAK.primary": .uid(place)]), .uid(place),
      .object(["HAK.services": .list([.uid(place)]), "$class": .uid(place)]),
    ]
    for root in 1...3 { take(writer.bytes(top: ["root": .uid(root)])) }
    take(writer.bytes(top: ["root": .uid(place)]))
  }

  /// A binary property list of the given encoded objects, with references of two bytes.
  private func binary(_ objects: [[UInt8]], count: UInt64? = nil) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += (0..<4).reversed().map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) }
      bytes += object
    }
    func eight(_ number: UInt64) -> [UInt8] { (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    let table = UInt64(bytes.count)
    return bytes + offsets + [0, 0, 0, 0, 0, 0, 4, 2] + eight(count ?? UInt64(objects.count)) + eight(0) + eight(table)
  }

  /// An array of references.
  private func array(_ references: [Int]) -> [UInt8] {
    precondition(references.count < 15)
    return [0xA0 | UInt8(references.count)] + references.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
  }

  @Test("Lists that are nested too deeply are refused before they are traversed")
  func deep() {
    let nested = (0..<60_000).map { array([$0 + 1]) } + [array([])]
    #expect(error(binary(nested)) == .tooLarge)
    #expect(error(binary((0..<62).map { array([$0 + 1]) } + [array([])])) == .notKeyed)
    #expect(error(binary([array([0])])) == .damaged("an object contains itself"))
    #expect(error(binary([array([1]), array([0])])) == .damaged("an object contains itself"))
  }

  @Test("Lists that expand exponentially are refused before they are expanded")
  func bomb() {
    let doubling = (0..<40).map { array(Array(repeating: $0 + 1, count: 14)) } + [array([])]
    #expect(error(binary(doubling)) == .tooLarge)
    // Text counts, too: one megabyte for each reference to it.
    let text: [UInt8] = [0x5F, 0x12, 0, 0x10, 0, 0] + Array(repeating: 0x61, count: 1 << 20)
    let copies = (0..<14).map { _ in array(Array(repeating: 15, count: 14)) }
    #expect(error(binary([array(Array(1...14))] + copies + [text])) == .tooLarge)
  }

  @Test("Lengths beyond the end of the file are refused", arguments: [0x4F, 0x5F, 0x6F, 0xAF, 0xCF, 0xDF] as [UInt8])
  func lengths(_ kind: UInt8) {
    for length in [
      [0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x13, 0x40, 0, 0, 0, 0, 0, 0, 0], [0x12, 0xFF, 0xFF, 0xFF, 0xFF], [0x11, 1, 0], [0x1F], [0x14], [0x50], [],
    ] as [[UInt8]] {
      let object = [kind] + length
      // Alone, and twice in a list: the claimed lengths are added up.
      guard case .damaged? = error(binary([object])), case .damaged? = error(binary([array([1, 1]), object])) else {
        Issue.record("\(kind) with \(length)")
        continue
      }
    }
  }

  @Test("A text that contains a zero is refused", arguments: [[0x52, 0x61, 0], [0x62, 0, 0x61, 0, 0]] as [[UInt8]])
  func zeros(_ text: [UInt8]) {
    #expect(error(binary([[0xD1, 0, 1, 0, 2], text, array([])])) == .damaged("a text contains a zero character"))
    #expect(error(binary([[0xD1, 0, 1, 0, 2], [0x62, 0x61, 0, 0, 0x61], array([])])) == .notKeyed)
  }

  @Test("Object counts beyond the end of the file are refused")
  func counts() {
    for count in [0, 2, 1000] {
      #expect(error(binary([array([])], count: UInt64(count))) == .damaged("it ends too early"))
    }
    for count in [1 << 32, 1 << 62] { #expect(error(binary([array([])], count: UInt64(count))) == .tooLarge) }
    #expect(error(binary([array([])], count: .max)) == .damaged("its trailer is invalid"))
    #expect(error(Array("bplist00".utf8) + Array(repeating: 0, count: PropertyListBounds.mostBytes)) == .tooLarge)
  }

  @Test("A list that all services share is traversed only once")
  func shared() throws {
    var writer = ArchiveWriter()
    // Twenty thousand services that share one list of twenty thousand characteristics.
    let characteristics = (0..<20_000).map { _ in writer.add(.object(["HAK.format": .integer(1)])) }
    let list = writer.add(.object(["NS.objects": .list(characteristics)]))
    let services = (0..<20_000).map { _ in
      writer.add(.object(["HAK.uuid": .string("43"), "HAK.characteristics": list]))
    }
    let root = writer.add(.object(["HAK.services": .list(services)]))
    let archive = try AppleArchive(writer.bytes(top: ["root": root]))
    #expect(archive.accessories[0].services.count == 20_000)
    #expect(archive.remarks.count == 1001)
    #expect(archive.remarks.last?.message == "further remarks are not shown")
  }

  @Test("Files that are no binary property lists get their own error")
  func others() {
    #expect(error([]) == .notAnArchive)
    #expect(error(Array("{\"format\":\"hasaccessory/1\"}".utf8)) == .notAnArchive)
    #expect(error(Array("bplist01".utf8) + Array(repeating: 0, count: 40)) == .notAnArchive)
    #expect(error(ArchiveWriter.bytes(.object(["a": .integer(1)]), asXML: true)) == .xml)
    #expect(error(ArchiveWriter.bytes(.object(["a": .integer(1)]))) == .notKeyed)
    #expect(error(ArchiveWriter().bytes(top: [:])) == .noAccessory)
    #expect(!AppleArchive.isArchive(Array("{}".utf8)))
    for error in [.notAnArchive, .xml, .tooLarge, .damaged("x"), .notKeyed, .noAccessory] as [AppleArchiveError] {
      #expect(!error.description.isEmpty)
    }
  }

  @Test("Each kind of value in a property list is read")
  func propertyList() throws {
    let bytes = ArchiveWriter.bytes(
      .object([
        "a": .list([.bool(true), .integer(300), .integer(.max), .real(-0.5), .string("ü😀"), .string("")]),
        "b": .data([]), "c": .data([1, 2]), "d": .date, "e": .uid(70_000), "f": .list([]), "g": .object([:]),
      ]))
    #expect(
      try PropertyList(binary: bytes)
        == .dictionary([
          "a": .array([.bool(true), .integer(300), .integer(-1), .real(-0.5), .string("ü😀"), .string("")]),
          "b": .data([]), "c": .data([1, 2]), "d": .date, "e": .uid(70_000), "f": .array([]), "g": .dictionary([:]),
        ]))
  }
}
