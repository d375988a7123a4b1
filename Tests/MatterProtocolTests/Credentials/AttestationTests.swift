import HAPCrypto
import HAPTestSupport
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("Device attestation") struct AttestationTests {
  private static var vectors: [String: Any] { try! vectorFile("matter").object("attestation") }
  /// One for each test, because tests run at the same time.
  private let random = RandomSource.seeded(1)
  private static let authority = AttestationAuthority(random: .seeded(2))
  private static let device = DeviceCredentials(
    vendor: 0xFFF1, product: 0x8001, authority: authority, random: .seeded(3))
  private static let challenge = SecretBytes([UInt8](repeating: 5, count: 16))
  private static let nonce = [UInt8](repeating: 6, count: 32)
  private static let declaration = CertificationDeclaration(vendor: 0xFFF1, products: [0x8000, 0x8001], deviceType: 22)

  // MARK: Vectors

  @Test("Declarations have the content and the form of the vectors")
  func declarations() throws {
    for vector in Self.vectors.list("certification_declaration_content") {
      let declaration = CertificationDeclaration(
        vendor: UInt16(vector["vendor"] as! Int), products: [UInt16(vector["product"] as! Int)],
        deviceType: UInt32(vector["device_type"] as! Int))
      #expect(declaration.content == vector.bytes("tlv"))
      for message in Self.vectors.list("certification_declaration") {
        let cms = message.bytes("cms")
        #expect(try CertificationDeclaration(verifying: cms) == declaration)
        // All but the signature, whose length is 70...72, and the four lengths of what contains it.
        let own = declaration.signed(random: random)
        #expect(own.dropFirst(3).prefix(12) == cms.dropFirst(3).prefix(12))
        let start = try #require(cms.indices.first { cms[$0...].starts(with: [2, 1, 3, 0x31]) })
        #expect(own[start..<start + 88] == cms[start..<start + 88])
        #expect(own[start + 92..<start + 142] == cms[start + 92..<start + 142])
        #expect(try CertificationDeclaration(verifying: own) == declaration)
      }
    }
  }

  @Test("Signing requests have the form of the vector")
  func requests() throws {
    for vector in Self.vectors.list("signing_request") {
      #expect(try SigningRequest.publicKey(of: vector.bytes("der")) == vector.bytes("public"))
      let key = try #require(CurveKey(SecretBytes(vector.bytes("key"))))
      let own = SigningRequest.make(key, random: random)
      // The signed part is the same.
      #expect(own[3..<3 + 114] == vector.bytes("der")[3..<3 + 114])
      #expect(try SigningRequest.publicKey(of: own) == key.publicKey)
    }
  }

  // MARK: Credentials

  @Test("The certificates are a chain, and have the vendor and the product in their subjects")
  func credentials() throws {
    let device = Self.device
    #expect(device.authority.isSigned(by: device.authority) && device.intermediate.isSigned(by: device.authority))
    #expect(device.device.isSigned(by: device.intermediate) && !device.device.isSigned(by: device.authority))
    #expect(device.authority.subject.vendor == nil && device.authority.subject.product == nil)
    #expect(device.intermediate.subject.vendor == 0xFFF1 && device.intermediate.subject.product == nil)
    #expect(device.device.subject.vendor == 0xFFF1 && device.device.subject.product == 0x8001)
    #expect(
      [device.authority, device.intermediate, device.device].map(\.role) == [.authority, .intermediate, .device])
    #expect(device.device.publicKey == device.key.publicKey)
    for certificate in [device.authority, device.intermediate, device.device] {
      #expect(certificate.encoded.count <= AttestationCertificate.byteLimit)
      #expect(try AttestationCertificate(decoding: certificate.encoded) == certificate)
    }
    let again = DeviceCredentials(vendor: 0xFFF1, product: 0x8001, authority: Self.authority, random: .seeded(3))
    #expect(again.device == device.device, "equal randomness gives equal certificates")
  }

  @Test("Credentials and authorities are stored and read")
  func storage() throws {
    let device = try #require(DeviceCredentials(encoded: Self.device.encoded))
    #expect(device.device == Self.device.device && device.intermediate == Self.device.intermediate)
    #expect(device.authority == Self.device.authority && device.key.scalar == Self.device.key.scalar)
    #expect(device.vendor == 0xFFF1 && device.product == 0x8001)
    let authority = try #require(AttestationAuthority(encoded: Self.authority.encoded))
    #expect(authority.certificate == Self.authority.certificate)
    let next = DeviceCredentials(vendor: 0xFFF2, product: 1, authority: authority, random: random)
    #expect(next.intermediate.isSigned(by: authority.certificate))
  }

  @Test("Stored credentials with a fault are refused")
  func wrongStorage() throws {
    for encoded in [Self.device.encoded, Self.authority.encoded] {
      let bytes = encoded.withBytes { Array($0) }
      for count in 0..<bytes.count {
        #expect(DeviceCredentials(encoded: SecretBytes(Array(bytes[..<count]))) == nil)
        #expect(AttestationAuthority(encoded: SecretBytes(Array(bytes[..<count]))) == nil)
      }
      #expect((DeviceCredentials(encoded: encoded) == nil) == (AttestationAuthority(encoded: encoded) != nil))
    }
    let bytes = Self.device.encoded.withBytes { Array($0) }
    var generator = SeededGenerator(seed: 1)
    for bit in 0..<8 * bytes.count where generator.next() % 16 == 0 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(DeviceCredentials(encoded: SecretBytes(changed)) == nil, "bit \(bit)")
    }
  }

  // MARK: Verification

  private static func verifier(
    authorities: [AttestationCertificate] = [authority.certificate], device: [UInt8] = device.device.encoded,
    intermediate: [UInt8] = device.intermediate.encoded, vendor: UInt16 = 0xFFF1, product: UInt16 = 0x8001,
    challenge: SecretBytes = challenge, time: UInt32? = nil
  ) throws(AttestationFailure) -> AttestationVerifier {
    try AttestationVerifier(
      authorities: authorities, device: device, intermediate: intermediate, vendor: vendor, product: product,
      challenge: challenge, time: time)
  }

  private func elements(_ declaration: CertificationDeclaration = declaration) -> [UInt8] {
    AttestationElements.attestation(
      declaration: declaration.signed(random: random), nonce: Self.nonce, seconds: 800_000_000)
  }

  private static func reason(_ body: () throws(AttestationFailure) -> Void) -> String {
    do throws(AttestationFailure) { try body() } catch { return error.reason }
    return "accepted"
  }

  @Test("The intermediate must be valid when the device's certificate begins, and that must not have ended")
  func validity() throws {
    typealias Period = AttestationCertificate.Period
    let begin = Period.usual.notBefore
    func reason(device: Period = .usual, intermediate: Period = .usual, at time: UInt32?) -> String {
      var stated = DeviceCredentials.Statements(vendor: 0xFFF1, product: 0x8001)
      (stated.devicePeriod, stated.intermediatePeriod) = (device, intermediate)
      let made = DeviceCredentials(
        vendor: 0xFFF1, product: 0x8001, statements: stated, authority: Self.authority, random: .seeded(9))
      return Self.reason { () throws(AttestationFailure) in
        _ = try Self.verifier(device: made.device.encoded, intermediate: made.intermediate.encoded, time: time)
      }
    }
    let day = Period(notBefore: begin, notAfter: begin + 86_400)
    for time in [nil, begin, begin + 86_400] { #expect(reason(device: day, at: time) == "accepted") }
    for time in [begin - 1, begin + 86_401] {
      #expect(reason(device: day, at: time) == "the certificate of the device is not valid now")
    }
    #expect(reason(intermediate: day, at: begin + 86_401) == "accepted", "it was valid at the time of issue")
    for wrong in [Period(notBefore: begin - 9, notAfter: begin - 1), Period(notBefore: begin + 1, notAfter: begin + 9)]
    {
      #expect(
        reason(intermediate: wrong, at: nil) == "a certificate was not valid when that of the device was issued")
    }
    #expect(reason(device: Period(notBefore: begin, notAfter: begin - 1), at: nil).contains("was not valid"))
    // Beyond 2050 the year has four digits.
    #expect(reason(device: Period(notBefore: begin, notAfter: 1_600_000_000), at: 1_600_000_000) == "accepted")
  }

  @Test("A device is verified")
  func verification() throws {
    let other = AttestationAuthority(random: .seeded(8))
    let verifier = try Self.verifier(authorities: [other.certificate, Self.authority.certificate])
    let elements = self.elements()
    #expect(elements.count <= 900)
    let signature = Self.device.sign(elements, challenge: Self.challenge, random: random)
    #expect(
      try verifier.verify(elements: elements, signature: signature, nonce: Self.nonce) == Self.declaration)
    let key = CurveKey(random: random)
    let request = AttestationElements.signingRequest(SigningRequest.make(key, random: random), nonce: Self.nonce)
    let proof = Self.device.sign(request, challenge: Self.challenge, random: random)
    #expect(
      try verifier.verifyRequest(elements: request, signature: proof, nonce: Self.nonce) == key.publicKey)
  }

  @Test("Another signature, nonce, challenge or product is refused")
  func wrongAttestations() throws {
    let verifier = try Self.verifier()
    func reason(
      _ elements: [UInt8], challenge: SecretBytes = Self.challenge, by device: DeviceCredentials = Self.device,
      nonce: [UInt8] = Self.nonce
    ) -> String {
      let signature = device.sign(elements, challenge: challenge, random: random)
      return Self.reason { () throws(AttestationFailure) in
        _ = try verifier.verify(elements: elements, signature: signature, nonce: nonce)
      }
    }
    let other = DeviceCredentials(vendor: 0xFFF1, product: 0x8001, authority: Self.authority, random: random)
    #expect(reason(elements()) == "accepted")
    #expect(reason(elements(), by: other).contains("device's signature"))
    let zero = SecretBytes([UInt8](repeating: 0, count: 16))
    #expect(reason(elements(), challenge: zero).contains("device's signature"))
    #expect(reason(elements(), nonce: [UInt8](repeating: 7, count: 32)).contains("nonce"))
    var declaration = Self.declaration
    declaration.vendor = 0xFFF2
    #expect(reason(elements(declaration)).contains("another vendor"))
    declaration = CertificationDeclaration(vendor: 0xFFF1, products: [0x8000], deviceType: 22)
    #expect(reason(elements(declaration)).contains("another vendor"))
    for malformed in [[], [0x15, 0x18], [0x18], AttestationElements.signingRequest([], nonce: Self.nonce)] as [[UInt8]]
    {
      #expect(reason(malformed).contains("malformed"))
    }
    let signature = Self.device.sign(elements(), challenge: Self.challenge, random: random)
    #expect(
      Self.reason { () throws(AttestationFailure) in
        _ = try verifier.verify(elements: elements() + [0], signature: signature, nonce: Self.nonce)
      }.contains("device's signature"))
  }

  /// A PAI and a DAC of vendors.
  private func chain(
    _ upper: UInt16, _ lower: UInt16, _ intermediateKey: CurveKey
  ) -> (AttestationCertificate, AttestationCertificate) {
    typealias Name = AttestationCertificate.Name
    // The randomness of the authority, whose first draw is its key.
    let authorityKey = CurveKey(random: .seeded(2))
    let intermediate = AttestationCertificate.make(
      .intermediate, Name("a", vendor: upper), publicKey: intermediateKey.publicKey, issuer: Self.authority.certificate,
      issuerKey: authorityKey, random: random)
    let certificate = AttestationCertificate.make(
      .device, Name("b", vendor: lower, product: 0x8001), publicKey: intermediateKey.publicKey, issuer: intermediate,
      issuerKey: intermediateKey, random: random)
    return (intermediate, certificate)
  }

  @Test("Certificates of another authority, vendor, product or role are refused")
  func wrongCertificates() throws {
    let device = Self.device
    func reason(_ make: () throws(AttestationFailure) -> AttestationVerifier) -> String {
      Self.reason { () throws(AttestationFailure) in _ = try make() }
    }
    let other = AttestationAuthority(random: .seeded(8))
    let foreign = DeviceCredentials(vendor: 0xFFF1, product: 0x8001, authority: other, random: .seeded(3))
    #expect(reason { () throws(AttestationFailure) in try Self.verifier(authorities: []) }.contains("not known"))
    #expect(
      reason { () throws(AttestationFailure) in try Self.verifier(authorities: [other.certificate]) }
        .contains("not known"))
    #expect(
      reason { () throws(AttestationFailure) in try Self.verifier(authorities: [device.intermediate]) }
        .contains("not known"))
    let second = DeviceCredentials(vendor: 0xFFF1, product: 0x8001, authority: Self.authority, random: .seeded(9))
    #expect(
      reason { () throws(AttestationFailure) in try Self.verifier(device: second.device.encoded) }
        .contains("signature"))
    #expect(
      reason { () throws(AttestationFailure) in try Self.verifier(intermediate: foreign.intermediate.encoded) }
        .contains("not known"))
    #expect(
      reason { () throws(AttestationFailure) in try Self.verifier(device: device.intermediate.encoded) }
        .contains("role"))
    #expect(
      reason { () throws(AttestationFailure) in try Self.verifier(intermediate: device.authority.encoded) }
        .contains("role"))
    // A certificate of vendor FFF1 below one of vendor FFF2, and the other way round.
    let intermediateKey = CurveKey(random: .seeded(20))
    for (upper, lower) in [(0xFFF2, 0xFFF1), (0xFFF1, 0xFFF2)] as [(UInt16, UInt16)] {
      let (intermediate, certificate) = chain(upper, lower, intermediateKey)
      #expect(
        reason { () throws(AttestationFailure) in
          try Self.verifier(device: certificate.encoded, intermediate: intermediate.encoded)
        }.contains("another vendor"))
    }
    #expect(reason { () throws(AttestationFailure) in try Self.verifier(vendor: 0xFFF2) }.contains("another vendor"))
    #expect(reason { () throws(AttestationFailure) in try Self.verifier(product: 1) }.contains("another vendor"))
  }

  @Test("Every truncation and every changed bit of a signed message is refused")
  func changedBits() {
    let messages: [(String, [UInt8], ([UInt8]) -> Bool)] = [
      (
        "declaration", Self.declaration.signed(random: random),
        { (try? CertificationDeclaration(verifying: $0)) != nil }
      ),
      (
        "request", SigningRequest.make(Self.device.key, random: random),
        { (try? SigningRequest.publicKey(of: $0)) != nil }
      ),
      ("certificate", Self.device.device.encoded, { (try? Self.verifier(device: $0)) != nil }),
      ("intermediate", Self.device.intermediate.encoded, { (try? Self.verifier(intermediate: $0)) != nil }),
    ]
    var generator = SeededGenerator(seed: 4)
    for (name, bytes, isAccepted) in messages {
      #expect(isAccepted(bytes), "\(name)")
      for count in 0..<bytes.count { #expect(!isAccepted(Array(bytes[..<count])), "\(name), \(count) bytes") }
      #expect(!isAccepted(bytes + [0]), "\(name)")
      for bit in 0..<8 * bytes.count where generator.next() % 4 == 0 {
        var changed = bytes
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(!isAccepted(changed), "\(name), bit \(bit)")
      }
    }
  }

  @Test("A certificate of more than 600 bytes is refused")
  func longCertificates() {
    #expect(
      Self.reason { () throws(AttestationFailure) in
        _ = try AttestationCertificate(decoding: [UInt8](repeating: 0x30, count: 601))
      }.contains("more than 600"))
  }
}
