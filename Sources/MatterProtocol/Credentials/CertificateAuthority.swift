import HAPCrypto
import MatterModel
import MatterWire

extension MatterCertificate {
  /// Returns the certificate with a signature of its issuer.
  package func signed(by key: CurveKey, random: RandomSource) -> MatterCertificate {
    var certificate = self
    certificate.signature = key.sign(signedPart, random: random)
    return certificate
  }

  /// Returns the key identifier that the own certificates have: 160 bits of the hash of the key. RFC 7093 §2.
  package static func keyIdentifier(of publicKey: [UInt8]) -> [UInt8] {
    Array(SHA256.hash(publicKey).prefix(keyIdentifierByteCount))
  }

  /// Returns a serial number of 8 bytes: positive, so the first bit is 0; the second bit keeps it in the shortest form.
  static func serial(_ random: RandomSource) -> [UInt8] {
    var serial = random.bytes(8)
    serial[0] = serial[0] & 0x3F | 0x40
    return serial
  }
}

/// The authority of a fabric, which makes the certificates of its nodes. For the own commissioner, and for tests.
package struct CertificateAuthority: Sendable {
  /// The beginning of the validity of all certificates: 2021-01-01.
  private static let notBefore: UInt32 = 662_774_400

  package let fabric: FabricID
  package let root: MatterCertificate
  package let rootKey: CurveKey
  /// The intermediate certificate; nil: the root signs the certificates of nodes.
  package let intermediate: MatterCertificate?
  /// The key that signs the certificates of nodes.
  package let issuingKey: CurveKey

  package init(fabric: FabricID, hasIntermediate: Bool = true, random: RandomSource) {
    self.fabric = fabric
    let rootKey = CurveKey(random: random)
    let rootName = DistinguishedName([.identifier(.root, 1)])
    let root = Self.certificate(
      rootName, rootKey.publicKey, issuer: rootName, issuerKey: rootKey, Self.authorityExtensions, random)
    (self.root, self.rootKey) = (root, rootKey)
    guard hasIntermediate else {
      (intermediate, issuingKey) = (nil, rootKey)
      return
    }
    issuingKey = CurveKey(random: random)
    intermediate = Self.certificate(
      DistinguishedName([.identifier(.intermediate, 2), .identifier(.fabric, fabric)]), issuingKey.publicKey,
      issuer: rootName, issuerKey: rootKey, Self.authorityExtensions, random)
  }

  /// Makes the certificate of a node.
  package func issue(
    node: NodeID, tags: [UInt32] = [], publicKey: [UInt8], random: RandomSource
  ) -> MatterCertificate {
    let subject = DistinguishedName(
      [.identifier(.node, node), .identifier(.fabric, fabric)] + tags.map { .authenticatedTag($0) })
    return Self.certificate(
      subject, publicKey, issuer: (intermediate ?? root).subject, issuerKey: issuingKey,
      [
        .basicConstraints(isCA: false, pathLength: nil), .keyUsage(.digitalSignature),
        .extendedKeyUsage([.clientAuthentication, .serverAuthentication]),
      ], random)
  }

  private static let authorityExtensions: [MatterCertificate.Extension] = [
    .basicConstraints(isCA: true, pathLength: nil), .keyUsage([.keyCertSign, .cRLSign]),
  ]

  private static func certificate(
    _ subject: DistinguishedName, _ publicKey: [UInt8], issuer: DistinguishedName, issuerKey: CurveKey,
    _ extensions: [MatterCertificate.Extension], _ random: RandomSource
  ) -> MatterCertificate {
    let identifiers: [MatterCertificate.Extension] = [
      .subjectKeyIdentifier(MatterCertificate.keyIdentifier(of: publicKey)),
      .authorityKeyIdentifier(MatterCertificate.keyIdentifier(of: issuerKey.publicKey)),
    ]
    return MatterCertificate(
      serial: MatterCertificate.serial(random), issuer: issuer, notBefore: notBefore, notAfter: CertificateTime.noEnd,
      subject: subject,
      publicKey: publicKey, extensions: extensions + identifiers, signature: []
    ).signed(by: issuerKey, random: random)
  }
}
