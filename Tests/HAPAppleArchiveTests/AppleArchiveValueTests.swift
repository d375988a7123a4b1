import HAPAppleArchive
import HAPModel
import Testing

/// Reads one characteristic of an archive.
protocol CharacteristicReading {}

extension CharacteristicReading {
  var fadeRate: TypeID { TypeID("7E536242-341C-4862-BE90-272CE15BD633")! }

  /// An archive of one accessory with one service of one characteristic, valid except for the arguments.
  func characteristic(
    _ type: TypeID = 0x25, format: UInt64 = 1, permissions: UInt64 = 12, properties: UInt64 = 7,
    value: ArchiveWriter.Node? = nil, more: [String: ArchiveWriter.Node] = [:]
  ) throws -> (Characteristic?, remarks: [String]) {
    var writer = ArchiveWriter()
    let characteristic = writer.characteristic(
      type, format: format, permissions: permissions, properties: properties, iid: 9, value: value, more: more)
    let service = writer.service(0x43, iid: 8, [characteristic])
    let archive = try AppleArchive(writer.file(writer.accessory([service])))
    let place = "accessory.HAK.services[0].HAK.characteristics[0]"
    return (
      archive.accessories[0].services[0].characteristics.first,
      archive.remarks.map { String($0.description.trimmingPrefix(place)) }
    )
  }
}

@Suite("Types and values in Apple's archives") struct AppleArchiveValueTests: CharacteristicReading {
  @Test(
    "A type is read in each of its forms",
    arguments: [
      .string("00000043-0000-1000-8000-0026BB765291"), .string("43"), .data(TypeID(apple: 0x43).bytes),
      .object(["HAK.data": .data(TypeID(apple: 0x43).bytes)]), .object(["HAK.uuid": .string("43")]),
      .object(["HAK.uuid": .object(["NS.uuidbytes": .data(TypeID(apple: 0x43).bytes)])]),
    ] as [ArchiveWriter.Node])
  func types(_ form: ArchiveWriter.Node) throws {
    var writer = ArchiveWriter()
    let service = writer.service(0x49, iid: 8, [], more: ["HAK.uuid": writer.add(form)])
    let archive = try AppleArchive(writer.file(writer.accessory([service])))
    #expect(archive.accessories[0].services.map(\.type) == [0x43])
    #expect(archive.remarks == [])
  }

  @Test(
    "A service without a valid type is left out",
    arguments: [.data([1, 2, 3]), .string("light"), .integer(67), .list([]), .object([:]), .uid(0), .uid(99_999)]
      as [ArchiveWriter.Node])
  func noType(_ form: ArchiveWriter.Node) throws {
    var writer = ArchiveWriter()
    let service = writer.service(0x49, iid: 8, [], more: ["HAK.uuid": writer.add(form)])
    let archive = try AppleArchive(writer.file(writer.accessory([service])))
    #expect(archive.accessories == [Accessory(aid: 1, services: [])])
    #expect(
      archive.remarks.map(\.description) == [
        "accessory.HAK.services[0].HAK.uuid: the type is missing or not a UUID; this is left out"
      ])
  }

  @Test(
    "The format number selects the format",
    arguments: zip(
      [1, 2, 3, 4, 5, 6, 7, 8, 10, 11], [.bool, .int, .uint8, .uint16, .uint32, .uint64, .float, .string, .tlv8, .data])
      as Zip2Sequence<[UInt64], [Format]>)
  func formats(_ number: UInt64, _ format: Format) throws {
    let (read, remarks) = try characteristic(fadeRate, format: number)
    #expect(read?.format == format)
    #expect(remarks == [])
  }

  @Test(
    "A format that HAP lacks is replaced with the catalogue's; without one, the characteristic is left out",
    arguments: [0, 9, 12, 13, 14, 1 << 63])
  func noFormat(_ number: UInt64) throws {
    let (own, remarks) = try characteristic(fadeRate, format: number)
    #expect(own == nil)
    #expect(remarks.count == 1 && remarks[0].hasSuffix("is not a HAP format; this is left out"), "\(remarks)")
    let (apples, others) = try characteristic(0x25, format: number)
    #expect(apples?.format == .bool)
    #expect(others.count == 1 && others[0].hasSuffix("is not a HAP format; On has bool"), "\(others)")
  }

  @Test("A format that differs from Apple's is kept, but without Apple's limits")
  func otherFormat() throws {
    let (read, remarks) = try characteristic(0x8, format: 7, value: .real(140.5))
    #expect(read?.format == .float)
    #expect(read?.value == 140.5)
    #expect(read?.constraints == Constraints())
    #expect(remarks == [".HAK.format: Brightness has int in Apple's definition, but float here"])
  }

  @Test(
    "The property bits select the permissions",
    arguments: [
      (1, 4, [.pairedRead]), (2, 8, [.pairedWrite]), (3, 12, [.pairedRead, .pairedWrite]),
      (5, 4, [.pairedRead, .events]), (9, 4, [.pairedRead, .events]),
    ] as [(UInt64, UInt64, Permissions)])
  func permissions(_ properties: UInt64, _ access: UInt64, _ perms: Permissions) throws {
    let (read, remarks) = try characteristic(fadeRate, permissions: access, properties: properties)
    #expect(read?.perms == perms)
    #expect(remarks == [])
  }

  @Test("Without properties, the permissions count; without both, the catalogue's permissions count")
  func permissionsAlone() throws {
    let nothing = ["HAK.properties": ArchiveWriter.null]
    #expect(try characteristic(fadeRate, permissions: 5, more: nothing).0?.perms == .pairedRead)
    #expect(try characteristic(fadeRate, permissions: 10, more: nothing).0?.perms == .pairedWrite)
    #expect(try characteristic(0x25, permissions: 12, more: nothing).0?.perms == [.pairedRead, .pairedWrite, .events])
    let (own, remarks) = try characteristic(fadeRate, permissions: 0, more: nothing)
    #expect(own?.perms == .pairedRead)
    #expect(remarks == [": there are no permissions; it gets read access"])
    #expect(try characteristic(0x25, permissions: 0, properties: 0).0?.perms == [.pairedRead, .pairedWrite, .events])
  }

  @Test("Permissions that the Apple type lacks, and unknown bits, are dropped")
  func permissionsBeyond() throws {
    #expect(try characteristic(0x20, format: 8, properties: 13).0?.perms == .pairedRead)
    let (read, remarks) = try characteristic(fadeRate, properties: 0x21)
    #expect(read?.perms == .pairedRead)
    #expect(remarks == [".HAK.properties: 33 has unknown bits"])
  }

  @Test(
    "A value that doesn't fit the format is left out",
    arguments: [
      (1, .integer(1), true), (1, .integer(2), nil), (1, .string("1"), nil),
      (2, .integer(UInt64(bitPattern: -5)), -5), (2, .integer(1 << 40), nil), (2, .real(7), 7), (2, .real(7.5), nil),
      (3, .integer(255), 255), (3, .integer(256), nil), (3, .bool(true), 1), (4, .integer(65536), nil),
      (5, .integer(4_294_967_295), 4_294_967_295), (6, .integer(.max), .integer(Int128(UInt64.max))),
      (7, .integer(3), 3.0), (7, .real(.infinity), nil), (7, .real(.nan), nil), (8, .string("Grüße"), "Grüße"),
      (8, .data([1]), nil), (10, .data([1, 0]), .data([1, 0])), (11, .object(["NS.data": .data([9])]), .data([9])),
      (11, .string("AQ=="), nil), (1, .date, nil), (3, .list([]), nil), (3, .object([:]), nil), (3, .uid(99_999), nil),
    ] as [(UInt64, ArchiveWriter.Node, Value?)])
  func values(_ format: UInt64, _ written: ArchiveWriter.Node, _ value: Value?) throws {
    let (read, remarks) = try characteristic(fadeRate, format: format, value: written)
    #expect(read?.value == value ?? .null)
    #expect(remarks.count == (value == nil ? 1 : 0), "\(remarks)")
  }

  @Test(
    "An NSDecimalNumber is read as its exact number",
    arguments: [
      ([4, 0], 1, 0, false, 2, 4), ([4, 0], 2, 0, false, 2, 1024), ([0, 0, 1, 0], 1, 0, true, 2, -65536),
      ([25, 0], 1, -1, false, 7, 2.5), ([25, 0], 1, 1, false, 2, 250), ([], 1, 0, false, 2, 0),
      ([7], 1, 0, false, 2, 0),
    ] as [([UInt8], UInt64, Int64, Bool, UInt64, Value)])
  func decimals(mantissa: [UInt8], order: UInt64, exponent: Int64, negative: Bool, format: UInt64, value: Value) throws
  {
    let (read, remarks) = try characteristic(
      fadeRate, format: format,
      value: .object([
        "NS.mantissa": .data(mantissa), "NS.mantissa.bo": .integer(order), "NS.negative": .bool(negative),
        "NS.exponent": .integer(UInt64(bitPattern: exponent)),
      ]))
    #expect(read?.value == value)
    #expect(remarks == [])
  }

  @Test("A value beyond Apple's limits is left out, and so is the value of an unreadable characteristic")
  func limits() throws {
    let (brightness, remarks) = try characteristic(0x8, format: 2, value: .integer(101))
    #expect(brightness?.value == .null)
    #expect(remarks == [".HAK.value: 101 is outside the characteristic's limits; it is left out"])
    let (identify, others) = try characteristic(0x14, permissions: 8, properties: 2, value: .bool(true))
    #expect(identify?.value == .null)
    #expect(others == [".HAK.value: the characteristic isn't readable; the value is left out"])
    #expect(try characteristic(0x73, format: 3, properties: 5, value: .integer(0)).0?.value == .null)
  }

  @Test("A long string of a custom characteristic gets a sufficient maxLen, up to 256")
  func longText() throws {
    let (long, remarks) = try characteristic(fadeRate, format: 8, value: .string(String(repeating: "a", count: 100)))
    #expect(long?.value.stringValue?.count == 100)
    #expect(long?.constraints.maxLen == 256)
    #expect(remarks == [".HAK.value: the text has 100 bytes; it gets a maxLen of 256"])
    let (longer, others) = try characteristic(fadeRate, format: 8, value: .string(String(repeating: "a", count: 257)))
    #expect(longer?.value == .null)
    #expect(
      others.count == 1 && others[0].contains("\"\(String(repeating: "a", count: 40))…\" is outside"), "\(others)")
  }
}
