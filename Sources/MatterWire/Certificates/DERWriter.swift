/// Writes DER. ITU-T X.690 §8, §10.
package struct DERWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Returns what `write` has written.
  package static func bytes(_ write: (inout DERWriter) -> Void) -> [UInt8] {
    var writer = DERWriter()
    write(&writer)
    return writer.bytes
  }

  package mutating func append(_ tag: DERTag, _ content: some Collection<UInt8>) {
    bytes.append(tag.rawValue)
    let count = content.count
    if count < 0x80 {
      bytes.append(UInt8(count))
    } else {
      let width = (Int.bitWidth - count.leadingZeroBitCount + 7) / 8
      bytes.append(0x80 | UInt8(width))
      for index in (0..<width).reversed() { bytes.append(UInt8(truncatingIfNeeded: count >> (8 * index))) }
    }
    bytes.append(contentsOf: content)
  }

  /// Appends an element whose content is what `write` writes.
  package mutating func append(_ tag: DERTag, _ write: (inout DERWriter) -> Void) { append(tag, Self.bytes(write)) }

  /// Appends elements that are DER already.
  package mutating func append(encoded: [UInt8]) { bytes.append(contentsOf: encoded) }

  package mutating func append(_ identifier: ObjectIdentifier) { append(.objectIdentifier, identifier.content) }

  /// Appends an unsigned integer, big-endian, of which leading zeros are dropped.
  package mutating func append(unsigned number: some Collection<UInt8>) {
    let digits = number.drop { $0 == 0 }
    append(.integer, digits.first.map { $0 < 0x80 } ?? false ? Array(digits) : [0] + digits)
  }

  package mutating func append(number: UInt8) { append(unsigned: [number]) }

  package mutating func appendTrue() { append(.boolean, [0xFF]) }

  /// Appends a bit string of whole bytes.
  package mutating func append(bits: [UInt8]) { append(.bitString, [0] + bits) }
}

/// The first byte of an element of DER, for the tags that certificates use.
package struct DERTag: Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let boolean = DERTag(rawValue: 0x01)
  package static let integer = DERTag(rawValue: 0x02)
  package static let bitString = DERTag(rawValue: 0x03)
  package static let octetString = DERTag(rawValue: 0x04)
  package static let objectIdentifier = DERTag(rawValue: 0x06)
  package static let utf8String = DERTag(rawValue: 0x0C)
  package static let printableString = DERTag(rawValue: 0x13)
  package static let ia5String = DERTag(rawValue: 0x16)
  package static let utcTime = DERTag(rawValue: 0x17)
  package static let generalizedTime = DERTag(rawValue: 0x18)
  package static let sequence = DERTag(rawValue: 0x30)
  package static let set = DERTag(rawValue: 0x31)

  /// A context-specific tag, 0...30.
  package static func context(_ number: UInt8, isConstructed: Bool) -> DERTag {
    DERTag(rawValue: (isConstructed ? 0xA0 : 0x80) | number)
  }
}

/// An object identifier, as the content of its element.
package struct ObjectIdentifier: Hashable, Sendable {
  package let content: [UInt8]

  package init(content: [UInt8]) { self.content = content }

  /// 2.5.4.x: attributes of names. ITU-T X.520.
  package static func nameAttribute(_ number: UInt8) -> Self { Self(content: [0x55, 0x04, number]) }
  /// 2.5.29.x: extensions of certificates. RFC 5280 §4.2.1.
  package static func certificateExtension(_ number: UInt8) -> Self { Self(content: [0x55, 0x1D, number]) }
  /// 1.3.6.1.5.5.7.3.x: purposes of keys. RFC 5280 §4.2.1.12.
  package static func keyPurpose(_ number: UInt8) -> Self {
    Self(content: [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, number])
  }
  /// 1.3.6.1.4.1.37244.x.y: the arc of Matter.
  package static func matter(_ arc: UInt8, _ number: UInt8) -> Self {
    Self(content: [0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0xA2, 0x7C, arc, number])
  }
  /// 0.9.2342.19200300.100.1.25. RFC 4519 §2.4.
  package static let domainComponent = Self(
    content: [0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 0x01, 0x19])
  package static let commonName = nameAttribute(3)
  package static let organization = nameAttribute(10)
  /// 1.2.840.10045.2.1, of elliptic curves. RFC 5480 §2.1.1.
  package static let curveKey = Self(content: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01])
  /// 1.2.840.10045.3.1.7.
  package static let p256 = Self(content: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07])
  /// 1.2.840.10045.4.3.2. RFC 5758 §3.2.
  package static let ecdsaWithSHA256 = Self(content: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02])
  /// 2.16.840.1.101.3.4.2.1.
  package static let sha256 = Self(content: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01])
  /// 1.2.840.113549.1.7.1. RFC 5652 §4.
  package static let cmsData = Self(content: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01])
  /// 1.2.840.113549.1.7.2. RFC 5652 §5.1.
  package static let cmsSignedData = Self(content: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02])

  package static let basicConstraints = certificateExtension(19)
  package static let keyUsage = certificateExtension(15)
  package static let extendedKeyUsage = certificateExtension(37)
  package static let subjectKeyIdentifier = certificateExtension(14)
  package static let authorityKeyIdentifier = certificateExtension(35)
}

/// Parts that operational certificates, attestation certificates and signing requests have in common.
extension DERWriter {
  /// Appends the algorithm of all signatures. RFC 5758 §3.2.
  package mutating func appendSignatureAlgorithm() { append(.sequence) { $0.append(.ecdsaWithSHA256) } }

  /// Appends a SubjectPublicKeyInfo of P-256. RFC 5480 §2.
  package mutating func append(publicKey: [UInt8]) {
    append(.sequence) {
      $0.append(.sequence) {
        $0.append(.curveKey)
        $0.append(.p256)
      }
      $0.append(bits: publicKey)
    }
  }

  /// Returns r and s, 64 bytes, as the ECDSA-Sig-Value of RFC 3279 §2.2.3.
  package static func signatureValue(_ signature: [UInt8]) -> [UInt8] {
    bytes {
      $0.append(.sequence) {
        $0.append(unsigned: signature.prefix(32))
        $0.append(unsigned: signature.dropFirst(32))
      }
    }
  }

  /// Appends an attribute of a name, which is a set of its own.
  package mutating func append(_ identifier: ObjectIdentifier, _ tag: DERTag, _ text: String) {
    append(.set) {
      $0.append(.sequence) {
        $0.append(identifier)
        $0.append(tag, text.utf8)
      }
    }
  }

  /// Appends an extension of a certificate. RFC 5280 §4.1.2.9.
  package mutating func append(
    _ identifier: ObjectIdentifier, isCritical: Bool, _ write: (inout DERWriter) -> Void
  ) {
    append(.sequence) {
      $0.append(identifier)
      if isCritical { $0.appendTrue() }
      $0.append(.octetString, write)
    }
  }

  /// Appends the certificate or the request of which `signed` is the signed part, and `signature` r and s.
  package mutating func append(signed: [UInt8], signature: [UInt8]) {
    append(.sequence) {
      $0.append(encoded: signed)
      $0.appendSignatureAlgorithm()
      $0.append(bits: Self.signatureValue(signature))
    }
  }
}
