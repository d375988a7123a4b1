import HAPWire

/// An operational certificate: X.509, carried as TLV. Its signature is over the DER of the TBSCertificate.
/// Matter 1.4 §6.5.
package struct MatterCertificate: Hashable, Sendable {
  /// The maximum length of the TLV.
  package static let byteLimit = 400
  package static let keyIdentifierByteCount = 20

  /// The content of an INTEGER of DER: 1...20 bytes.
  package var serial: [UInt8]
  package var issuer: DistinguishedName
  /// Seconds since 2000-01-01.
  package var notBefore: UInt32
  /// The same; 0: the certificate has no end.
  package var notAfter: UInt32
  package var subject: DistinguishedName
  /// A point of P-256: 65 bytes, of which the first is 4. Whether it is on the curve is not checked here.
  package var publicKey: [UInt8]
  package var extensions: [Extension]
  /// r and s: 64 bytes.
  package var signature: [UInt8]

  /// Extensions of X.509, RFC 5280 §4.2.1. All but `other` occur at most once.
  package enum Extension: Hashable, Sendable {
    /// - Parameter pathLength: the maximum number of intermediate certificates below; only of a CA.
    case basicConstraints(isCA: Bool, pathLength: UInt8?)
    case keyUsage(KeyUsage)
    case extendedKeyUsage([KeyPurpose])
    /// 20 bytes.
    case subjectKeyIdentifier([UInt8])
    /// 20 bytes.
    case authorityKeyIdentifier([UInt8])
    /// The DER of an extension without a form in TLV.
    case other([UInt8], isCritical: Bool)
  }

  package struct KeyUsage: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let digitalSignature = KeyUsage(rawValue: 1 << 0)
    package static let keyCertSign = KeyUsage(rawValue: 1 << 5)
    package static let cRLSign = KeyUsage(rawValue: 1 << 6)
    /// X.509 has 9 usages.
    static let all: ClosedRange<UInt64> = 1...0x1FF
  }

  package enum KeyPurpose: UInt8, Hashable, Sendable {
    case serverAuthentication = 1, clientAuthentication, codeSigning, emailProtection, timeStamping, ocspSigning

    /// The number in the object identifier.
    var number: UInt8 { rawValue <= 4 ? rawValue : rawValue + 3 }
  }

  package init(
    serial: [UInt8], issuer: DistinguishedName, notBefore: UInt32, notAfter: UInt32, subject: DistinguishedName,
    publicKey: [UInt8], extensions: [Extension], signature: [UInt8]
  ) {
    (self.serial, self.issuer, self.notBefore, self.notAfter) = (serial, issuer, notBefore, notAfter)
    (self.subject, self.publicKey, self.extensions) = (subject, publicKey, extensions)
    self.signature = signature
  }

  /// Whether the owner may sign certificates, by the basic constraints.
  package var isCA: Bool { basicConstraints?.isCA ?? false }

  package var basicConstraints: (isCA: Bool, pathLength: UInt8?)? {
    for case .basicConstraints(let isCA, let pathLength) in extensions { return (isCA, pathLength) }
    return nil
  }

  package var keyUsage: KeyUsage? {
    for case .keyUsage(let usage) in extensions { return usage }
    return nil
  }

  package var extendedKeyUsage: [KeyPurpose]? {
    for case .extendedKeyUsage(let purposes) in extensions { return purposes }
    return nil
  }

  package var subjectKeyIdentifier: [UInt8]? {
    for case .subjectKeyIdentifier(let identifier) in extensions { return identifier }
    return nil
  }

  package var authorityKeyIdentifier: [UInt8]? {
    for case .authorityKeyIdentifier(let identifier) in extensions { return identifier }
    return nil
  }
}

/// Writing as TLV.
extension MatterCertificate {
  package var encoded: [UInt8] {
    var buffer = ByteBuffer()
    buffer.openContainer(.anonymous, .structure)
    buffer.appendElement(.context(1), octets: serial)
    buffer.appendElement(.context(2), unsigned: 1)
    issuer.encode(3, into: &buffer)
    buffer.appendElement(.context(4), unsigned: UInt64(notBefore))
    buffer.appendElement(.context(5), unsigned: UInt64(notAfter))
    subject.encode(6, into: &buffer)
    buffer.appendElement(.context(7), unsigned: 1)
    buffer.appendElement(.context(8), unsigned: 1)
    buffer.appendElement(.context(9), octets: publicKey)
    buffer.openContainer(.context(10), .list)
    for member in extensions { member.encode(into: &buffer) }
    buffer.closeContainer()
    buffer.appendElement(.context(11), octets: signature)
    buffer.closeContainer()
    return buffer.bytes
  }
}

extension MatterCertificate.Extension {
  fileprivate func encode(into buffer: inout ByteBuffer) {
    switch self {
    case .basicConstraints(let isCA, let pathLength):
      buffer.openContainer(.context(1), .structure)
      buffer.appendElement(.context(1), bool: isCA)
      if let pathLength { buffer.appendElement(.context(2), unsigned: UInt64(pathLength)) }
      buffer.closeContainer()
    case .keyUsage(let usage): buffer.appendElement(.context(2), unsigned: UInt64(usage.rawValue))
    case .extendedKeyUsage(let purposes):
      buffer.openContainer(.context(3), .array)
      for purpose in purposes { buffer.appendElement(.anonymous, unsigned: UInt64(purpose.rawValue)) }
      buffer.closeContainer()
    case .subjectKeyIdentifier(let identifier): buffer.appendElement(.context(4), octets: identifier)
    case .authorityKeyIdentifier(let identifier): buffer.appendElement(.context(5), octets: identifier)
    case .other(let encoded, _): buffer.appendElement(.context(6), octets: encoded)
    }
  }
}

/// Writing as X.509. RFC 5280 §4.1.
extension MatterCertificate {
  /// The DER of the TBSCertificate, which is signed.
  package var signedPart: [UInt8] {
    DERWriter.bytes {
      $0.append(.sequence) {
        $0.append(.context(0, isConstructed: true)) { $0.append(number: 2) }  // version 3
        $0.append(.integer, serial)
        $0.appendSignatureAlgorithm()
        issuer.encode(into: &$0)
        $0.appendValidity(notBefore, notAfter)
        subject.encode(into: &$0)
        $0.append(publicKey: publicKey)
        $0.append(.context(3, isConstructed: true)) {
          $0.append(.sequence) { for member in extensions { member.encode(into: &$0) } }
        }
      }
    }
  }

  /// The DER of the whole certificate.
  package var x509: [UInt8] { DERWriter.bytes { $0.append(signed: signedPart, signature: signature) } }
}

extension MatterCertificate.Extension {
  fileprivate func encode(into writer: inout DERWriter) {
    switch self {
    case .basicConstraints(let isCA, let pathLength): writer.append(isCA: isCA, pathLength: pathLength)
    case .keyUsage(let usage): writer.append(usage)
    case .extendedKeyUsage(let purposes):
      writer.append(.extendedKeyUsage, isCritical: true) {
        $0.append(.sequence) { for purpose in purposes { $0.append(.keyPurpose(purpose.number)) } }
      }
    case .subjectKeyIdentifier(let identifier): writer.append(subjectKeyIdentifier: identifier)
    case .authorityKeyIdentifier(let identifier): writer.append(authorityKeyIdentifier: identifier)
    case .other(let encoded, _): writer.append(encoded: encoded)
    }
  }
}

/// Extensions that attestation certificates have, too.
extension DERWriter {
  package mutating func append(isCA: Bool, pathLength: UInt8?) {
    append(.basicConstraints, isCritical: true) {
      $0.append(.sequence) {
        if isCA { $0.appendTrue() }
        if let pathLength { $0.append(number: pathLength) }
      }
    }
  }

  /// Appends a BIT STRING without trailing zeros: the first usage is the first bit. X.690 §11.2.2.
  package mutating func append(_ usage: MatterCertificate.KeyUsage) {
    let bits = usage.rawValue
    var content: [UInt8] = []
    var unused: UInt8 = 0
    for index in 0..<UInt16.bitWidth - bits.leadingZeroBitCount {
      if index % 8 == 0 { (content, unused) = (content + [0], 8) }
      unused -= 1
      if bits >> UInt16(index) & 1 == 1 { content[index / 8] |= 1 << unused }
    }
    append(.keyUsage, isCritical: true) { $0.append(.bitString, [unused] + content) }
  }

  package mutating func append(subjectKeyIdentifier identifier: [UInt8]) {
    append(.subjectKeyIdentifier, isCritical: false) { $0.append(.octetString, identifier) }
  }

  package mutating func append(authorityKeyIdentifier identifier: [UInt8]) {
    append(.authorityKeyIdentifier, isCritical: false) {
      $0.append(.sequence) { $0.append(.context(0, isConstructed: false), identifier) }
    }
  }
}
