import Foundation
import HAPTestSupport
import HAPWire
import Testing

@testable import MatterWire

/// The vectors are of connectedhomeip, and of its controller.
@Suite("Certificates of Matter") struct CertificateTests {
  private static var vectors: [[String: Any]] { try! vectorFile("matter").list("certificates") }

  /// A certificate with each kind of member.
  private static let full = MatterCertificate(
    serial: [1, 2, 3],
    issuer: DistinguishedName([
      .text(1, "Ünit", isPrintable: false), .text(4, "DE", isPrintable: true),
      .text(16, "example", isPrintable: false), .identifier(.root, 1),
    ]), notBefore: 0, notAfter: 0,
    subject: DistinguishedName([
      .identifier(.node, 0x1234), .identifier(.fabric, UInt64.max), .authenticatedTag(0xABCD_0001),
      .authenticatedTag(2), .text(15, "p", isPrintable: false),
    ]), publicKey: [4] + [UInt8](repeating: 7, count: 64),
    extensions: [
      .basicConstraints(isCA: true, pathLength: 200), .keyUsage([.digitalSignature, .keyCertSign]),
      .extendedKeyUsage([.clientAuthentication, .serverAuthentication, .timeStamping]),
      .subjectKeyIdentifier([UInt8](repeating: 1, count: 20)),
      .authorityKeyIdentifier([UInt8](repeating: 2, count: 20)),
      .other([0x30, 0x06, 0x06, 0x01, 0x2A, 0x04, 0x01, 0x05], isCritical: false),
    ], signature: [UInt8](repeating: 9, count: 64))

  @Test("The vectors are read, written, and converted to the same X.509")
  func vectors() throws {
    for vector in Self.vectors {
      let certificate = try MatterCertificate(decoding: vector.bytes("tlv"))
      #expect(certificate.encoded == vector.bytes("tlv"))
      #expect(certificate.x509 == vector.bytes("der"))
      // The signed part is the first member of the outer sequence, whose header is four bytes long.
      #expect(vector.bytes("der")[4...].starts(with: certificate.signedPart))
    }
  }

  @Test("The facts of the vectors")
  func facts() throws {
    let all = try Self.vectors.map { ($0.text("name"), try MatterCertificate(decoding: $0.bytes("tlv"))) }
    let certificates = Dictionary(uniqueKeysWithValues: all)
    let noc = try #require(certificates["CHIP NOC"])
    #expect(noc.subject.node == 1 && noc.subject.fabric == 1 && noc.subject.tags.isEmpty && !noc.isCA)
    #expect(noc.keyUsage == .digitalSignature)
    #expect(noc.extendedKeyUsage == [.clientAuthentication, .serverAuthentication])
    #expect(noc.publicKey.count == 65 && noc.signature.count == 64)
    let root = try #require(certificates["Root02"])
    #expect(root.isCA && root.basicConstraints?.pathLength == 1 && root.subject == root.issuer)
    #expect(root.subject.fabric == 0xFAB0_0000_0000_001D && root.subject.values(.root) == [0xCACA_CACA_0000_0002])
    #expect(root.keyUsage == [.keyCertSign, .cRLSign] && root.subjectKeyIdentifier == root.authorityKeyIdentifier)
    let icac = try #require(certificates["CHIP ICAC"])
    #expect(icac.isCA && icac.basicConstraints?.pathLength == nil && icac.subject.node == nil)
    #expect(Self.full.subject.tags == [0xABCD_0001, 2])
  }

  @Test("Each kind of member is written and read")
  func roundTrip() throws {
    #expect(try MatterCertificate(decoding: Self.full.encoded) == Self.full)
    #expect(Self.full.encoded.count <= MatterCertificate.byteLimit)
  }

  @Test("The DER of each kind of member is as X.509 writes it")
  func encodings() {
    let text = Self.full.x509.map { String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
    for part in [
      "310e300c06035504030c05c39c6e6974",  // commonName, UTF-8
      "310b3009060355040613024445",  // countryName, printable
      "310a300806035504410c0170",  // pseudonym
      "31173015060a0992268993f22c64011916076578616d706c65",
      "060a2b0601040182a27c01010c1030303030303030303030303031323334",
      "060a2b0601040182a27c01050c1046464646464646464646464646464646",
      "060a2b0601040182a27c01060c084142434430303031", "060a2b0601040182a27c01060c083030303030303032",
      "0603551d130101ff040930070101ff020200c8", "0603551d0f0101ff040403020284",
      "0603551d250101ff0420301e06082b0601050507030206082b0601050507030106082b06010505070308",
      "170d3030303130313030303030305a180f39393939313233313233353935395a", "300606012a040105",
    ] { #expect(text.contains(part), "\(part)") }
  }

  @Test("A key usage is a bit string without trailing zeros")
  func keyUsages() {
    for (usage, expected) in [
      (1, [3, 2, 7, 0x80]), (0x60, [3, 2, 1, 0x06]), (0x80, [3, 2, 0, 1]),
      (0x100, [3, 3, 7, 0, 0x80]),
      (0x1FF, [3, 3, 7, 0xFF, 0x80]),
    ] as [(UInt16, [UInt8])] {
      let bytes = DERWriter.bytes { $0.append(MatterCertificate.KeyUsage(rawValue: usage)) }
      #expect(Array(bytes.suffix(expected.count)) == expected)
    }
  }

  @Test("Times are those of the calendar")
  func times() {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "yyyyMMddHHmmss'Z'"
    var generator = SeededGenerator(seed: 1)
    var seconds = stride(from: 0 as UInt64, to: 1 << 32, by: 86400 * 13).map(UInt32.init)
    seconds += (0..<1000).map { _ in UInt32(truncatingIfNeeded: generator.next()) } + [.max]
    // The leap days of 2000, 2004 and 2096, and the days of 2100 next to the one that is none.
    for day in [59, 60, 1520, 1521, 35_123, 35_124, 36_583, 36_584, 36_585] as [UInt32] {
      seconds += [day * 86400 - 1, day * 86400]
    }
    for seconds in seconds {
      let date = Date(timeIntervalSince1970: 946_684_800 + Double(seconds))
      #expect(CertificateTime.digits(seconds) == formatter.string(from: date))
    }
    // 2049-12-31 23:59:59, and the second after it.
    let border: UInt32 = 18_263 * 86400
    let validity = DERWriter.bytes { $0.appendValidity(border - 1, border) }
    #expect(
      validity == [0x30, 32, 0x17, 13] + Array("491231235959Z".utf8) + [0x18, 15] + Array("20500101000000Z".utf8))
  }

  @Test("Every truncation is refused, with a place in the bytes")
  func truncations() throws {
    for bytes in Self.vectors.map({ $0.bytes("tlv") }) + [Self.full.encoded] {
      for count in 0..<bytes.count {
        let error = #expect(throws: CertificateError.self) {
          try MatterCertificate(decoding: Array(bytes[..<count]))
        }
        #expect(try #require(error).offset <= count)
      }
    }
  }

  @Test("A changed bit gives an error, or a certificate that is written and read as such")
  func changedBits() throws {
    for bytes in Self.vectors.map({ $0.bytes("tlv") }) + [Self.full.encoded] {
      for bit in 0..<8 * bytes.count {
        var changed = bytes
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        do throws(CertificateError) {
          let certificate = try MatterCertificate(decoding: changed)
          #expect(try MatterCertificate(decoding: certificate.encoded) == certificate)
          #expect(!certificate.x509.isEmpty)
        } catch { #expect((0...changed.count).contains(error.offset)) }
      }
    }
  }

  /// The members of the full certificate, of which a test changes one.
  private static func changed(_ change: (inout [Element]) -> Void) -> [UInt8] {
    guard case .container(let kind, var members) = try! Element(decoding: full.encoded).value else { return [] }
    change(&members)
    return Element(.anonymous, .container(kind, members)).encoded
  }

  private static func replaced(_ number: UInt8, _ value: Element.Value) -> [UInt8] {
    changed { members in
      for index in members.indices where members[index].tag == .context(number) { members[index].value = value }
    }
  }

  /// The certificate with other extensions.
  private static func extended(_ members: [(UInt8, Element.Value)]) -> [UInt8] {
    replaced(10, .container(.list, members.map { Element(.context($0.0), $0.1) }))
  }

  private static func named(_ tag: UInt8, _ value: Element.Value) -> [UInt8] {
    replaced(6, .container(.list, [Element(.context(tag), value)]))
  }

  static let wrongs: [(String, [UInt8])] = [
    ("no serial number", replaced(1, .octets([]))),
    ("serial number of 21", replaced(1, .octets([UInt8](repeating: 1, count: 21)))),
    ("another signature algorithm", replaced(2, .unsigned(2))),
    ("a time of 33 bits", replaced(4, .unsigned(1 << 32))), ("a negative time", replaced(5, .signed(-1))),
    ("another key algorithm", replaced(7, .unsigned(2))), ("another curve", replaced(8, .unsigned(0))),
    ("a short key", replaced(9, .octets([UInt8](repeating: 4, count: 64)))),
    ("a compressed key", replaced(9, .octets([UInt8](repeating: 2, count: 65)))),
    ("a long signature", replaced(11, .octets([UInt8](repeating: 2, count: 65)))),
    ("a name that is a structure", replaced(3, .container(.structure, []))),
    ("a missing member", changed { $0.remove(at: 4) }),
    ("two members in another order", changed { $0.swapAt(3, 4) }),
    ("an unknown member", changed { $0.append(Element(.context(12), .null)) }),
    ("a member twice", changed { $0.insert($0[0], at: 0) }),
    ("bytes at the end", full.encoded + [0]),
    ("an unknown attribute 0", named(0, .text("a"))), ("an unknown attribute 23", named(23, .unsigned(1))),
    ("a printable domain component", named(0x90, .text("a"))),
    ("a printable identifier", named(0x91, .unsigned(1))),
    ("a text that is a number", named(1, .unsigned(1))), ("an identifier that is a text", named(17, .text("1"))),
    ("a CASE tag of 33 bits", named(22, .unsigned(1 << 32))),
    ("other characters in a printable text", named(0x81, .text("a@b"))),
    ("other characters in a domain component", named(16, .text("ü"))),
    ("an extension twice", extended([(2, .unsigned(1)), (2, .unsigned(1))])),
    ("an unknown extension", extended([(7, .unsigned(1))])), ("no key usage", extended([(2, .unsigned(0))])),
    ("an unknown key usage", extended([(2, .unsigned(0x200))])),
    ("no purposes", extended([(3, .container(.array, []))])),
    ("an unknown purpose", extended([(3, .container(.array, [Element(.anonymous, .unsigned(7))]))])),
    ("a short key identifier", extended([(4, .octets([UInt8](repeating: 0, count: 19)))])),
    ("a long key identifier", extended([(5, .octets([UInt8](repeating: 0, count: 21)))])),
    ("basic constraints without a flag", extended([(1, .container(.structure, []))])),
    (
      "a path length without a CA",
      extended([(1, .container(.structure, [Element(.context(1), .bool(false)), Element(.context(2), .unsigned(0))]))])
    ),
    (
      "a path length of 256",
      extended([(1, .container(.structure, [Element(.context(1), .bool(true)), Element(.context(2), .unsigned(256))]))])
    ),
    ("an extension that is not DER", extended([(6, .octets([0x30, 2, 6]))])),
    ("an extension with bytes after it", extended([(6, .octets([0x30, 6, 6, 1, 42, 4, 1, 5, 0]))])),
  ]

  @Test("Malformed certificates are refused", arguments: CertificateTests.wrongs.indices)
  func malformed(_ index: Int) {
    let (name, bytes) = Self.wrongs[index]
    #expect(bytes.count <= MatterCertificate.byteLimit, "\(name)")
    let error = #expect(throws: CertificateError.self, "\(name)") { try MatterCertificate(decoding: bytes) }
    #expect(error?.description.isEmpty == false)
  }

  @Test("A certificate of more than 400 bytes is refused, one of 400 is read")
  func long() throws {
    var certificate = Self.full
    let room = MatterCertificate.byteLimit - certificate.encoded.count
    certificate.subject.attributes.append(.text(2, String(repeating: "a", count: room - 3), isPrintable: false))
    #expect(certificate.encoded.count == 400)
    #expect(try MatterCertificate(decoding: certificate.encoded) == certificate)
    certificate.serial.append(4)
    #expect(throws: CertificateError("the certificate has 401 bytes, more than 400", at: 0)) {
      try MatterCertificate(decoding: certificate.encoded)
    }
  }
}

@Suite("DER") struct DERTests {
  @Test("Lengths have the shortest form")
  func lengths() throws {
    for (count, header) in [(0, [4, 0]), (127, [4, 127]), (128, [4, 0x81, 128]), (256, [4, 0x82, 1, 0])]
      as [(Int, [UInt8])]
    {
      let content = [UInt8](repeating: 1, count: count)
      let bytes = DERWriter.bytes { $0.append(.octetString, content) }
      #expect(bytes == header + content)
      var reader = DERReader(bytes)
      #expect(try reader.content(.octetString) == content && reader.isAtEnd)
    }
    for wrong in [
      [4, 0x80], [4, 0x81, 127] + [UInt8](repeating: 0, count: 127),
      [4, 0x82, 0, 128] + [UInt8](repeating: 0, count: 128),
      [4, 0x85, 0, 0, 0, 0, 0], [4, 0xFF], [4, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [4], [], [4, 1], [5, 0], [4, 0x82, 1],
    ] as [[UInt8]] {
      #expect(throws: DERError.self) {
        var reader = DERReader(wrong)
        _ = try reader.content(.octetString)
      }
    }
  }

  @Test("Unsigned integers are written and read in the shortest form")
  func integers() throws {
    for (number, content) in [
      ([], [0]), ([0], [0]), ([0, 0, 1], [1]), ([0x7F], [0x7F]), ([0x80], [0, 0x80]), ([1, 0], [1, 0]),
    ] as [([UInt8], [UInt8])] {
      let bytes = DERWriter.bytes { $0.append(unsigned: number) }
      #expect(bytes == [2, UInt8(content.count)] + content)
      var reader = DERReader(bytes)
      #expect(try reader.unsigned(4) == [UInt8](repeating: 0, count: 4 - number.count) + number)
    }
    for wrong in [[2, 0], [2, 1, 0x80], [2, 2, 0, 1], [2, 5, 1, 0, 0, 0, 0]] as [[UInt8]] {
      #expect(throws: DERError.self) {
        var reader = DERReader(wrong)
        _ = try reader.unsigned(4)
      }
    }
  }

  @Test("A signature is converted both ways")
  func signatures() throws {
    var generator = SeededGenerator(seed: 3)
    for round in 0..<200 {
      var signature = generator.bytes(64)
      if round % 3 == 0 { signature[0] = 0 }
      if round % 5 == 0 { signature[32] = 0 }
      let value = DERWriter.signatureValue(signature)
      #expect(try DERReader.signature(value) == signature)
      for count in value.indices { #expect(throws: DERError.self) { try DERReader.signature(Array(value[..<count])) } }
      #expect(throws: DERError.self) { try DERReader.signature(value + [0]) }
    }
  }
}
