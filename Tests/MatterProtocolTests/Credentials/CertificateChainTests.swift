import HAPCrypto
import HAPTestSupport
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

/// A fault of the certificates of a node, in a fabric with an intermediate certificate.
enum ChainFault: String, CaseIterable, CustomTestStringConvertible {
  case nodeEndsBeforeItBegins, intermediateEndsBeforeItBegins, nodeIsAuthority, intermediateIsNoAuthority
  case nodeWithoutConstraints, intermediateWithoutConstraints
  case nodeMayNotSign, nodeWithoutUsage, intermediateMayNotSign, nodeIsNoClient, nodeWithoutPurposes
  case intermediateOfOtherFabric, nodeOfOtherFabric, nodeWithoutFabric, nodeWithTwoFabrics, fabricZero
  case nodeWithoutNode, nodeWithTwoNodes, groupNode, intermediateWithNode, intermediateWithoutIdentifier
  case intermediateWithTwoFabrics, intermediateWithTags, fourTags, tagTwice, tagVersionZero, nodeWithRootIdentifier
  case nodeOfOtherIssuer, nodeOfOtherKeyIdentifier, intermediateOfOtherIssuer, nodeWithoutKeyIdentifier
  case intermediateWithoutKeyIdentifier, criticalExtension, nodeSignature, intermediateSignature
  case intermediateIsMissing, intermediateIsNode, nodeIsTooLong, otherRoot

  var testDescription: String { rawValue }

  var kind: CertificateChainFailure.Kind {
    switch self {
    case .nodeWithoutNode, .nodeWithTwoNodes, .groupNode: .nodeIdentifier
    default: .certificate
    }
  }

  /// A part of the reason.
  var reason: String {
    switch self {
    case .nodeEndsBeforeItBegins, .intermediateEndsBeforeItBegins: "ends before"
    case .nodeIsAuthority, .nodeWithoutConstraints, .intermediateIsNoAuthority, .intermediateWithoutConstraints,
      .intermediateIsNode:
      "of a CA"
    case .nodeMayNotSign, .nodeWithoutUsage, .intermediateMayNotSign: "may not sign"
    case .nodeIsNoClient, .nodeWithoutPurposes: "both ends"
    case .intermediateOfOtherFabric, .nodeOfOtherFabric: "another fabric"
    case .nodeWithoutFabric, .nodeWithTwoFabrics, .fabricZero: "one fabric identifier"
    case .nodeWithoutNode, .nodeWithTwoNodes, .groupNode: "one operational node identifier"
    case .intermediateWithNode, .intermediateWithTags, .nodeWithRootIdentifier: "identifier of another kind"
    case .intermediateWithoutIdentifier: "one identifier of its kind"
    case .intermediateWithTwoFabrics: "several fabric identifiers"
    case .fourTags, .tagTwice, .tagVersionZero: "tags"
    case .nodeOfOtherIssuer, .nodeOfOtherKeyIdentifier, .intermediateOfOtherIssuer, .intermediateIsMissing,
      .otherRoot:
      "another issuer"
    case .nodeWithoutKeyIdentifier, .intermediateWithoutKeyIdentifier: "no key identifiers"
    case .criticalExtension: "critical extension"
    case .nodeSignature, .intermediateSignature: "signature"
    case .nodeIsTooLong: "more than 400"
    }
  }

  func credentials(of fabric: TestFabric) -> FabricCredentials {
    var credentials: FabricCredentials
    if rawValue.hasPrefix("intermediate") {
      credentials = fabric.credentials(5, icac: changeIntermediate)
    } else if self == .otherRoot {
      // Its certificates have the same names.
      credentials = TestFabric(fabric.authority.fabric, seed: 77).credentials(5)
    } else {
      credentials = fabric.credentials(5, noc: changeNode)
    }
    var (noc, icac) = (credentials.noc, credentials.icac)
    switch self {
    case .nodeSignature: noc[noc.count - 2] ^= 1
    case .intermediateSignature: icac![icac!.count - 2] ^= 1
    case .intermediateIsMissing: icac = nil
    case .intermediateIsNode: icac = noc
    default: break
    }
    return FabricCredentials(
      index: 1, root: fabric.authority.root, noc: noc, icac: icac, key: credentials.key,
      epochKeys: fabric.epochKeys, fabric: fabric.authority.fabric, node: 5)
  }

  private static func replace(
    _ certificate: inout MatterCertificate, _ new: MatterCertificate.Extension?,
    where condition: (MatterCertificate.Extension) -> Bool
  ) {
    certificate.extensions = certificate.extensions.compactMap { condition($0) ? new : $0 }
  }

  private static func isConstraints(_ member: MatterCertificate.Extension) -> Bool {
    if case .basicConstraints = member { true } else { false }
  }

  private static func isUsage(_ member: MatterCertificate.Extension) -> Bool {
    if case .keyUsage = member { true } else { false }
  }

  private static func isPurposes(_ member: MatterCertificate.Extension) -> Bool {
    if case .extendedKeyUsage = member { true } else { false }
  }

  private func changeIntermediate(_ certificate: inout MatterCertificate) {
    switch self {
    case .intermediateEndsBeforeItBegins: certificate.notAfter = certificate.notBefore - 1
    case .intermediateIsNoAuthority:
      Self.replace(&certificate, .basicConstraints(isCA: false, pathLength: nil), where: Self.isConstraints)
    case .intermediateWithoutConstraints: Self.replace(&certificate, nil, where: Self.isConstraints)
    case .intermediateMayNotSign: Self.replace(&certificate, .keyUsage(.digitalSignature), where: Self.isUsage)
    case .intermediateOfOtherFabric: certificate.subject.attributes[1] = .identifier(.fabric, 1)
    case .intermediateWithNode: certificate.subject.attributes.append(.identifier(.node, 1))
    case .intermediateWithoutIdentifier: certificate.subject.attributes.remove(at: 0)
    case .intermediateWithTwoFabrics: certificate.subject.attributes.append(certificate.subject.attributes[1])
    case .intermediateWithTags: certificate.subject.attributes.append(.authenticatedTag(1))
    case .intermediateOfOtherIssuer: certificate.issuer = DistinguishedName([.identifier(.root, 7)])
    case .intermediateWithoutKeyIdentifier:
      Self.replace(&certificate, nil) { if case .authorityKeyIdentifier = $0 { true } else { false } }
    default: break
    }
  }

  private func changeNode(_ certificate: inout MatterCertificate) {
    switch self {
    case .nodeEndsBeforeItBegins: certificate.notAfter = certificate.notBefore - 1
    case .nodeIsAuthority:
      Self.replace(&certificate, .basicConstraints(isCA: true, pathLength: nil), where: Self.isConstraints)
    case .nodeWithoutConstraints: Self.replace(&certificate, nil, where: Self.isConstraints)
    case .nodeMayNotSign: Self.replace(&certificate, .keyUsage([.keyCertSign, .cRLSign]), where: Self.isUsage)
    case .nodeWithoutUsage: Self.replace(&certificate, nil, where: Self.isUsage)
    case .nodeIsNoClient:
      Self.replace(&certificate, .extendedKeyUsage([.serverAuthentication]), where: Self.isPurposes)
    case .nodeWithoutPurposes: Self.replace(&certificate, nil, where: Self.isPurposes)
    case .nodeOfOtherIssuer: certificate.issuer = DistinguishedName([.identifier(.intermediate, 7)])
    case .nodeOfOtherKeyIdentifier:
      Self.replace(&certificate, .authorityKeyIdentifier([UInt8](repeating: 1, count: 20))) {
        if case .authorityKeyIdentifier = $0 { true } else { false }
      }
    case .nodeWithoutKeyIdentifier:
      Self.replace(&certificate, nil) { if case .subjectKeyIdentifier = $0 { true } else { false } }
    case .criticalExtension:
      certificate.extensions.append(
        .other([0x30, 9, 6, 1, 42, 1, 1, 0xFF, 4, 1, 5], isCritical: true))
    case .nodeIsTooLong:
      certificate.subject.attributes.append(.text(1, String(repeating: "a", count: 180), isPrintable: false))
    default: changeName(&certificate.subject.attributes)
    }
  }

  private func changeName(_ attributes: inout [DistinguishedName.Attribute]) {
    switch self {
    case .nodeOfOtherFabric: attributes[1] = .identifier(.fabric, 1)
    case .nodeWithoutFabric: attributes.remove(at: 1)
    case .nodeWithTwoFabrics: attributes.append(attributes[1])
    case .fabricZero: attributes[1] = .identifier(.fabric, 0)
    case .nodeWithoutNode: attributes.remove(at: 0)
    case .nodeWithTwoNodes: attributes.append(.identifier(.node, 5))
    case .groupNode: attributes[0] = .identifier(.node, 0xFFFF_FFFF_FFFF_0001)
    case .fourTags: attributes += (1...4).map { .authenticatedTag($0 << 16 | 1) }
    case .tagTwice: attributes += [.authenticatedTag(0x0001_0001), .authenticatedTag(0x0001_0002)]
    case .tagVersionZero: attributes.append(.authenticatedTag(0x0001_0000))
    case .nodeWithRootIdentifier: attributes.append(.identifier(.root, 1))
    default: break
    }
  }
}

@Suite("Chains of certificates") struct CertificateChainTests {
  private static let fabric = TestFabric()

  @Test("The chains of the vectors are right")
  func vectors() throws {
    let all = try vectorFile("matter").list("certificates").map { ($0.text("name"), $0.bytes("tlv")) }
    let vectors = Dictionary(uniqueKeysWithValues: all)
    for name in ["Root01", "Root02", "CHIP RCAC"] { _ = try CertificateChain.verifyRoot(#require(vectors[name])) }
    let root = try MatterCertificate(decoding: #require(vectors["CHIP RCAC"]))
    let (noc, icac) = (try #require(vectors["CHIP NOC"]), try #require(vectors["CHIP ICAC"]))
    let chain = try CertificateChain.verify(noc: noc, icac: icac, root: root)
    #expect(chain.node == 1 && chain.fabric == 1 && chain.tags == [])
    let other = try MatterCertificate(decoding: #require(vectors["Root01"]))
    #expect(throws: CertificateChainFailure.self) { try CertificateChain.verify(noc: noc, icac: icac, root: other) }
    #expect(throws: CertificateChainFailure.self) { try CertificateChain.verify(noc: noc, icac: nil, root: root) }
    for name in ["CHIP NOC", "CHIP ICAC"] {
      #expect(throws: CertificateChainFailure.self) { try CertificateChain.verifyRoot(#require(vectors[name])) }
    }
  }

  @Test(
    "A chain gives the identity of its node, with and without an intermediate certificate", arguments: [true, false])
  func identity(_ hasIntermediate: Bool) throws {
    let fabric = TestFabric(7, hasIntermediate: hasIntermediate)
    let own = fabric.credentials(0xFFFF_FFEF_FFFF_FFFF, tags: [0x0001_0001, 0xFFFF_FFFF, 0x0002_0001])
    let chain = try CertificateChain.verify(
      noc: own.noc, icac: own.icac, root: fabric.authority.root, publicKey: own.key.publicKey)
    #expect(chain.node == 0xFFFF_FFEF_FFFF_FFFF && chain.fabric == 7)
    #expect(chain.tags == [0x0001_0001, 0xFFFF_FFFF, 0x0002_0001])
    #expect((chain.icac != nil) == hasIntermediate)
    let again = FabricCredentials(index: 1, chain: chain, key: own.key, epochKeys: fabric.epochKeys)
    #expect(again.noc == own.noc && again.icac == own.icac && again.compressedID == own.compressedID)
  }

  @Test("Each fault of a chain is refused with its kind", arguments: ChainFault.allCases)
  func faults(_ fault: ChainFault) {
    let own = fault.credentials(of: Self.fabric)
    do {
      _ = try CertificateChain.verify(noc: own.noc, icac: own.icac, root: Self.fabric.authority.root)
      Issue.record("the chain was accepted")
    } catch {
      #expect(error.kind == fault.kind)
      // Not for another reason, which would make the test worthless.
      #expect(error.reason.contains(fault.reason), "\(error.reason)")
    }
  }

  @Test("A NOC of another key than the requested one is refused as such")
  func otherKey() {
    let own = Self.fabric.credentials(5)
    let error = #expect(throws: CertificateChainFailure.self) {
      try CertificateChain.verify(
        noc: own.noc, icac: own.icac, root: Self.fabric.authority.root,
        publicKey: Self.fabric.authority.rootKey.publicKey)
    }
    #expect(error?.kind == .publicKey)
  }

  @Test("A root with a fault is refused")
  func roots() {
    let authority = Self.fabric.authority
    let random = RandomSource.seeded(4)
    func isAccepted(by key: CurveKey, _ change: (inout MatterCertificate) -> Void) -> Bool {
      var root = authority.root
      change(&root)
      return (try? CertificateChain.verifyRoot(root.signed(by: key, random: random).encoded)) != nil
    }
    let key = authority.rootKey
    #expect(isAccepted(by: key) { _ in })
    #expect(isAccepted(by: key) { $0.extensions[0] = .basicConstraints(isCA: true, pathLength: 0) })
    #expect(!isAccepted(by: CurveKey(random: random)) { _ in })
    #expect(!isAccepted(by: key) { $0.extensions[0] = .basicConstraints(isCA: false, pathLength: nil) })
    #expect(!isAccepted(by: key) { $0.extensions[1] = .keyUsage(.cRLSign) })
    #expect(!isAccepted(by: key) { $0.issuer = DistinguishedName([.identifier(.root, 2)]) })
    #expect(!isAccepted(by: key) { $0.subject = DistinguishedName([]) })
    #expect(!isAccepted(by: key) { $0.notAfter = 1 })
    #expect(!isAccepted(by: key) { $0.extensions[2] = .subjectKeyIdentifier([UInt8](repeating: 1, count: 20)) })
    #expect((try? CertificateChain.verifyRoot([])) == nil)
  }

  @Test("A path length of the root limits the chain")
  func pathLengths() throws {
    let random = RandomSource.seeded(4)
    for (hasIntermediate, pathLength, isAccepted) in [
      (true, 0, false), (true, 1, true), (false, 0, true), (true, 255, true),
    ] as [(Bool, UInt8, Bool)] {
      let fabric = TestFabric(hasIntermediate: hasIntermediate)
      var root = fabric.authority.root
      root.extensions[0] = .basicConstraints(isCA: true, pathLength: pathLength)
      root = root.signed(by: fabric.authority.rootKey, random: random)
      let own = fabric.credentials(5)
      let chain = try? CertificateChain.verify(noc: own.noc, icac: own.icac, root: root)
      #expect((chain != nil) == isAccepted)
    }
  }

  @Test("A root that names a fabric signs only nodes of it")
  func rootOfFabric() {
    let fabric = TestFabric(5, hasIntermediate: false)
    for (named, isAccepted) in [(5, true), (6, false)] as [(FabricID, Bool)] {
      var root = fabric.authority.root
      root.subject.attributes.append(.identifier(.fabric, named))
      root.issuer = root.subject
      root = root.signed(by: fabric.authority.rootKey, random: .seeded(4))
      let own = fabric.credentials(9, noc: { $0.issuer = root.subject })
      let chain = try? CertificateChain.verify(noc: own.noc, icac: nil, root: root)
      #expect((chain != nil) == isAccepted)
    }
  }

  @Test("Every changed bit of a NOC is found")
  func changedBits() {
    let own = Self.fabric.credentials(5)
    var generator = SeededGenerator(seed: 2)
    for bit in 0..<8 * own.noc.count where generator.next() % 4 == 0 {
      var noc = own.noc
      noc[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect((try? CertificateChain.verify(noc: noc, icac: own.icac, root: Self.fabric.authority.root)) == nil)
    }
  }
}
