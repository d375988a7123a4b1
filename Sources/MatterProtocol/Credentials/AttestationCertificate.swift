import HAPCrypto
import HAPWire
import MatterWire

/// Why the proof of a device's origin is refused.
package struct AttestationFailure: Error, Hashable {
  /// A phrase.
  package var reason: String

  package init(_ reason: String) { self.reason = reason }
}

/// A certificate of device attestation: X.509 as DER. Matter 1.4 §6.2.2.
package struct AttestationCertificate: Hashable, Sendable {
  /// The maximum length of the DER.
  package static let byteLimit = 600

  package enum Role: Hashable, Sendable {
    /// Product attestation authority (PAA): a root.
    case authority
    /// Product attestation intermediate (PAI).
    case intermediate
    /// Device attestation certificate (DAC).
    case device

    var isCA: Bool { self != .device }
    /// RFC 5280 §4.2.1.9, as Matter 1.4 §6.2.2.3 and §6.2.2.4 limit it.
    var pathLength: UInt8? { [.authority: 1, .intermediate: 0][self] }
    var keyUsage: MatterCertificate.KeyUsage { isCA ? [.keyCertSign, .cRLSign] : .digitalSignature }
  }

  /// A subject or an issuer.
  package struct Name: Hashable, Sendable {
    package let encoded: [UInt8]
    package let vendor: UInt16?
    package let product: UInt16?
  }

  package let encoded: [UInt8]
  package let issuer: Name
  package let subject: Name
  package let publicKey: [UInt8]
  package let subjectKeyIdentifier: [UInt8]
  package let authorityKeyIdentifier: [UInt8]?
  package let validity: CertificateValidity
  /// From the basic constraints and the key usage.
  package let role: Role
  /// The place of the TBSCertificate in `encoded`.
  private let signedPlace: Range<Int>
  private let signature: [UInt8]

  /// Whether the owner of another certificate has signed this one.
  func isSigned(by other: AttestationCertificate) -> Bool {
    issuer.encoded == other.subject.encoded && authorityKeyIdentifier == other.subjectKeyIdentifier
      && CurveKey.isValid(signature, of: Array(encoded[signedPlace]), by: other.publicKey)
  }
}

/// Making.
extension AttestationCertificate {
  /// The time in which a certificate is valid, in seconds since 2000-01-01.
  package struct Period: Hashable, Sendable {
    package var notBefore: UInt32
    /// `CertificateTime.noEnd`: there is no end.
    package var notAfter: UInt32

    package init(notBefore: UInt32, notAfter: UInt32) { (self.notBefore, self.notAfter) = (notBefore, notAfter) }

    /// From 2024-01-01, without an end.
    package static let usual = Period(notBefore: 757_382_400, notAfter: CertificateTime.noEnd)
  }

  /// Makes a certificate of `publicKey`.
  /// - Parameters:
  ///   - issuer: the certificate of the owner of `issuerKey`; nil: this one, which signs itself.
  static func make(
    _ role: Role, _ name: Name, publicKey: [UInt8], issuer: AttestationCertificate?, issuerKey: CurveKey,
    period: Period = .usual, random: RandomSource
  ) -> AttestationCertificate {
    let serial = MatterCertificate.serial(random)
    let signedPart = DERWriter.bytes {
      $0.append(.sequence) {
        $0.append(.context(0, isConstructed: true)) { $0.append(number: 2) }  // version 3
        $0.append(.integer, serial)
        $0.appendSignatureAlgorithm()
        $0.append(encoded: (issuer?.subject ?? name).encoded)
        $0.appendValidity(period.notBefore, period.notAfter)
        $0.append(encoded: name.encoded)
        $0.append(publicKey: publicKey)
        $0.append(.context(3, isConstructed: true)) {
          $0.append(.sequence) {
            $0.append(isCA: role.isCA, pathLength: role.pathLength)
            $0.append(role.keyUsage)
            $0.append(subjectKeyIdentifier: MatterCertificate.keyIdentifier(of: publicKey))
            $0.append(authorityKeyIdentifier: MatterCertificate.keyIdentifier(of: issuerKey.publicKey))
          }
        }
      }
    }
    let signature = issuerKey.sign(signedPart, random: random)
    do throws(AttestationFailure) {
      return try AttestationCertificate(
        decoding: DERWriter.bytes { $0.append(signed: signedPart, signature: signature) })
    } catch { preconditionFailure("an own certificate is malformed: \(error.reason)") }
  }
}

extension AttestationCertificate.Name {
  private static let vendorIdentifier = ObjectIdentifier.matter(2, 1)
  private static let productIdentifier = ObjectIdentifier.matter(2, 2)

  package init(_ commonName: String, vendor: UInt16? = nil, product: UInt16? = nil) {
    encoded = DERWriter.bytes {
      $0.append(.sequence) {
        $0.append(.commonName, .utf8String, commonName)
        for (identifier, number) in [(Self.vendorIdentifier, vendor), (Self.productIdentifier, product)] {
          if let number { $0.append(identifier, .utf8String, Self.digits(number)) }
        }
      }
    }
    (self.vendor, self.product) = (vendor, product)
  }

  /// Four upper-case hexadecimal digits.
  private static func digits(_ number: UInt16) -> String {
    let text = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - text.count) + text
  }

  /// Reads a name: sets of attributes.
  init(_ reader: inout DERReader) throws(DERError) {
    encoded = try reader.whole(.sequence)
    var outer = DERReader(encoded)
    var sets = try outer.reader(.sequence)
    var (vendor, product) = (nil as UInt16?, nil as UInt16?)
    while !sets.isAtEnd {
      var set = try sets.reader(.set)
      while !set.isAtEnd {
        let begin = set.offset
        var attribute = try set.reader(.sequence)
        let identifier = try attribute.identifier()
        guard let tag = attribute.nextTag else { throw DERError(.truncated, at: begin) }
        let value = try attribute.content(tag)
        try attribute.finish()
        guard identifier == Self.vendorIdentifier || identifier == Self.productIdentifier else { continue }
        let isVendor = identifier == Self.vendorIdentifier
        guard (isVendor ? vendor : product) == nil, let number = Self.number(value) else {
          throw DERError(.unexpectedValue, at: begin)
        }
        if isVendor { vendor = number } else { product = number }
      }
    }
    (self.vendor, self.product) = (vendor, product)
  }

  private static func number(_ digits: [UInt8]) -> UInt16? {
    guard let text = String(validating: digits, as: UTF8.self), let number = UInt16(text, radix: 16) else { return nil }
    return Self.digits(number) == text ? number : nil
  }
}

/// Reading.
extension AttestationCertificate {
  package init(decoding bytes: [UInt8]) throws(AttestationFailure) {
    guard bytes.count <= Self.byteLimit else {
      throw AttestationFailure("the certificate has \(bytes.count) bytes, more than \(Self.byteLimit)")
    }
    do throws(DERError) { self = try Self.decode(bytes) } catch {
      throw AttestationFailure("the certificate is malformed: \(error)")
    }
  }

  private static func decode(_ bytes: [UInt8]) throws(DERError) -> AttestationCertificate {
    var outer = DERReader(bytes)
    var certificate = try outer.reader(.sequence)
    try outer.finish()
    let begin = certificate.offset
    var reader = try certificate.reader(.sequence)
    let signedPlace = begin..<certificate.offset
    try certificate.expectSignatureAlgorithm()
    let signature = try DERReader.signature(certificate.bits())
    try certificate.finish()

    var version = try reader.reader(.context(0, isConstructed: true))
    try version.expect(.integer, [2])
    try version.finish()
    _ = try reader.content(.integer)
    try reader.expectSignatureAlgorithm()
    let issuer = try Name(&reader)
    let validity = try reader.validity()
    let subject = try Name(&reader)
    let publicKey = try reader.publicKey()
    var wrapper = try reader.reader(.context(3, isConstructed: true))
    let extensions = try Extensions(&wrapper)
    try wrapper.finish()
    try reader.finish()
    return AttestationCertificate(
      encoded: bytes, issuer: issuer, subject: subject, publicKey: publicKey,
      subjectKeyIdentifier: extensions.subjectKeyIdentifier,
      authorityKeyIdentifier: extensions.authorityKeyIdentifier, validity: validity, role: extensions.role,
      signedPlace: signedPlace, signature: signature)
  }

  private struct Extensions {
    let subjectKeyIdentifier: [UInt8]
    let authorityKeyIdentifier: [UInt8]?
    let role: Role

    init(_ wrapper: inout DERReader) throws(DERError) {
      var reader = try wrapper.reader(.sequence)
      var values: [ObjectIdentifier: [UInt8]] = [:]
      let known: Set<ObjectIdentifier> = [
        .basicConstraints, .keyUsage, .subjectKeyIdentifier, .authorityKeyIdentifier,
      ]
      let begin = reader.offset
      while !reader.isAtEnd {
        let begin = reader.offset
        let (identifier, isCritical, value) = try reader.certificateExtension()
        guard !isCritical || known.contains(identifier), values.updateValue(value, forKey: identifier) == nil else {
          throw DERError(.unexpectedValue, at: begin)
        }
      }
      let (constraints, usage) = (values[.basicConstraints], values[.keyUsage])
      let roles: [Role] = [.authority, .intermediate, .device]
      guard let role = roles.first(where: { $0.constraints.contains(constraints) && $0.usages.contains(usage) }),
        let subjectKey = values[.subjectKeyIdentifier]
      else { throw DERError(.unexpectedValue, at: begin) }
      var subjectReader = DERReader(subjectKey)
      self.role = role
      subjectKeyIdentifier = try subjectReader.content(.octetString)
      guard let authorityKey = values[.authorityKeyIdentifier] else {
        authorityKeyIdentifier = nil
        return
      }
      var authorityReader = DERReader(authorityKey)
      var members = try authorityReader.reader(.sequence)
      authorityKeyIdentifier = try members.content(.context(0, isConstructed: false))
    }
  }
}

extension AttestationCertificate.Role {
  /// The value of the extension that a writer gives.
  private static func value(_ write: (inout DERWriter) -> Void) -> [UInt8] {
    var reader = DERReader(DERWriter.bytes(write))
    guard let value = try? reader.certificateExtension().value else { preconditionFailure("an own extension") }
    return value
  }

  /// The values of the basic constraints that a certificate can have: an authority needs no path length.
  fileprivate var constraints: Set<[UInt8]?> {
    let lengths = self == .authority ? [pathLength, nil] : [pathLength]
    return Set(lengths.map { length in Self.value { $0.append(isCA: isCA, pathLength: length) } })
  }

  /// The values of the key usage that a certificate can have: an authority may also sign other messages.
  fileprivate var usages: Set<[UInt8]?> {
    Set([keyUsage, keyUsage.union(.digitalSignature)].map { usage in Self.value { $0.append(usage) } })
  }
}
