import HAPCrypto
import MatterModel
import MatterWire

/// Why a chain of certificates is refused. The kinds are those of the status of AddNOC. Matter 1.4 §11.18.4.10.
package struct CertificateChainFailure: Error, Hashable {
  package enum Kind: UInt8, Hashable, Sendable {
    /// The certificate is of another key than the node's.
    case publicKey = 1
    /// The certificate has no operational node identifier.
    case nodeIdentifier = 2
    /// Any other fault of a certificate.
    case certificate = 3
  }

  package var kind: Kind
  /// A phrase.
  package var reason: String

  package init(_ kind: Kind, _ reason: String) { (self.kind, self.reason) = (kind, reason) }

  init(_ reason: String) { self.init(.certificate, reason) }
}

/// The certificates of a node, from its own to the root, after verification. Matter 1.4 §6.5.10, §6.4.5.
///
/// Validity times are compared only with each other, because a simulated clock can have any time.
package struct CertificateChain: Sendable {
  package let noc: MatterCertificate
  package let icac: MatterCertificate?
  package let root: MatterCertificate
  package let node: NodeID
  package let fabric: FabricID
  /// The CASE authenticated tags: at most three.
  package let tags: [UInt32]

  package static let mostTags = 3

  /// Verifies that `root`, which is trusted, has signed the certificates of a node.
  ///
  /// - Parameters:
  ///   - noc: TLV, as is `icac`.
  ///   - publicKey: the key that the node's certificate must have; nil: any.
  package static func verify(
    noc: [UInt8], icac: [UInt8]?, root: MatterCertificate, publicKey: [UInt8]? = nil
  ) throws(CertificateChainFailure) -> CertificateChain {
    let noc = try decode(noc, "NOC")
    let icac: MatterCertificate? = if let icac { try decode(icac, "ICAC") } else { nil }
    try checkAuthority(root, "RCAC", .root, pathLength: icac == nil ? 0 : 1)
    if let icac {
      try checkAuthority(icac, "ICAC", .intermediate, pathLength: 0)
      try check(icac, "ICAC", isSignedBy: root)
    }
    try checkNode(noc)
    try check(noc, "NOC", isSignedBy: icac ?? root)
    let (node, fabric, tags) = try identity(noc.subject)
    for authority in [icac, root].compactMap({ $0 }) {
      guard authority.subject.fabric.map({ $0 == fabric }) ?? true else {
        throw CertificateChainFailure("the NOC is of another fabric than a certificate above it")
      }
    }
    guard publicKey == nil || publicKey == noc.publicKey else {
      throw CertificateChainFailure(.publicKey, "the NOC is of another key than the one that was requested")
    }
    return CertificateChain(noc: noc, icac: icac, root: root, node: node, fabric: fabric, tags: tags)
  }

  /// Verifies a root certificate, which signs itself.
  /// - Parameter root: TLV.
  package static func verifyRoot(_ root: [UInt8]) throws(CertificateChainFailure) -> MatterCertificate {
    let root = try decode(root, "RCAC")
    try checkAuthority(root, "RCAC", .root, pathLength: 0)
    try check(root, "RCAC", isSignedBy: root)
    return root
  }

  // MARK: Parts

  private static func decode(_ bytes: [UInt8], _ name: String) throws(CertificateChainFailure) -> MatterCertificate {
    do throws(CertificateError) { return try MatterCertificate(decoding: bytes) } catch {
      throw CertificateChainFailure("\(name): \(error)")
    }
  }

  private static func require(_ condition: Bool, _ reason: String) throws(CertificateChainFailure) {
    if !condition { throw CertificateChainFailure(reason) }
  }

  /// Checks the rules for all certificates.
  private static func checkCommon(_ certificate: MatterCertificate, _ name: String) throws(CertificateChainFailure) {
    try require(
      certificate.notAfter == CertificateTime.noEnd || certificate.notBefore <= certificate.notAfter,
      "the \(name) ends before it begins")
    try require(
      certificate.subjectKeyIdentifier != nil && certificate.authorityKeyIdentifier != nil,
      "the \(name) has no key identifiers")
    for case .other(_, isCritical: true) in certificate.extensions {
      throw CertificateChainFailure("the \(name) has a critical extension that is not known")
    }
  }

  /// Checks the rules for certificates that sign others. Matter 1.4 §6.5.11.
  /// - Parameter pathLength: the number of intermediate certificates below.
  private static func checkAuthority(
    _ certificate: MatterCertificate, _ name: String, _ identifier: DistinguishedName.Identifier, pathLength: UInt8
  ) throws(CertificateChainFailure) {
    try checkCommon(certificate, name)
    try require(certificate.isCA, "the \(name) is not a certificate of a CA")
    try require(
      pathLength <= certificate.basicConstraints?.pathLength ?? .max, "the path length of the \(name) is exceeded")
    try require(
      certificate.keyUsage?.contains(.keyCertSign) ?? false, "the key of the \(name) may not sign certificates")
    let subject = certificate.subject
    try require(subject.values(identifier).count == 1, "the \(name) does not have one identifier of its kind")
    let foreign = DistinguishedName.Identifier.allCases.filter { $0 != identifier && $0 != .fabric }
    try require(
      foreign.allSatisfy { subject.values($0).isEmpty } && subject.tags.isEmpty,
      "the \(name) has an identifier of another kind")
    try require(subject.values(.fabric).count <= 1, "the \(name) has several fabric identifiers")
  }

  /// Checks the rules for certificates of nodes. Matter 1.4 §6.5.11, §6.5.6.3.
  private static func checkNode(_ certificate: MatterCertificate) throws(CertificateChainFailure) {
    try checkCommon(certificate, "NOC")
    try require(certificate.basicConstraints?.isCA == false, "the NOC is a certificate of a CA")
    try require(certificate.keyUsage?.contains(.digitalSignature) ?? false, "the key of the NOC may not sign")
    let purposes = certificate.extendedKeyUsage ?? []
    try require(
      purposes.contains(.serverAuthentication) && purposes.contains(.clientAuthentication),
      "the NOC is not for both ends of a session")
    for identifier in [.intermediate, .root, .firmwareSigner] as [DistinguishedName.Identifier] {
      try require(certificate.subject.values(identifier).isEmpty, "the NOC has an identifier of another kind")
    }
  }

  private static func identity(
    _ subject: DistinguishedName
  ) throws(CertificateChainFailure) -> (NodeID, FabricID, [UInt32]) {
    guard subject.values(.node).count == 1, let node = subject.node, NodeSubject.isOperational(node) else {
      throw CertificateChainFailure(.nodeIdentifier, "the NOC does not have one operational node identifier")
    }
    guard subject.values(.fabric).count == 1, let fabric = subject.fabric, fabric != 0 else {
      throw CertificateChainFailure("the NOC does not have one fabric identifier")
    }
    let tags = subject.tags
    // The version 0 is reserved. Matter 1.4 §6.6.2.1.2.
    try require(
      tags.count <= mostTags && Set(tags.map { $0 >> 16 }).count == tags.count && tags.allSatisfy { $0 & 0xFFFF > 0 },
      "the CASE authenticated tags of the NOC are wrong")
    return (node, fabric, tags)
  }

  private static func check(
    _ certificate: MatterCertificate, _ name: String, isSignedBy issuer: MatterCertificate
  ) throws(CertificateChainFailure) {
    try require(
      certificate.issuer == issuer.subject && certificate.authorityKeyIdentifier == issuer.subjectKeyIdentifier,
      "the \(name) has another issuer")
    try require(
      CurveKey.isValid(certificate.signature, of: certificate.signedPart, by: issuer.publicKey),
      "the signature of the \(name) is wrong")
  }
}
