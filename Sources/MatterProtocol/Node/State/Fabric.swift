import HAPCrypto
import MatterModel
import MatterWire

/// A fabric that a node belongs to, with everything that its administrators have configured. Matter 1.4 §11.18.4.5.
package struct Fabric: Equatable, Sendable {
  package let index: FabricIndex
  /// The certificates in TLV, at most 400 bytes each.
  package let root: [UInt8]
  package private(set) var noc: [UInt8]
  package private(set) var icac: [UInt8]?
  /// The private key of `noc`.
  package private(set) var key: CurveKey
  /// The administrator's vendor.
  package let vendor: UInt16
  package let rootCertificate: MatterCertificate
  package let id: FabricID
  package private(set) var node: NodeID
  /// The name of the fabric in mDNS: 8 bytes.
  package let compressedID: [UInt8]
  /// The keys of group key set 0, of which the identity protection keys are derived: 1...3.
  package internal(set) var epochKeys: [EpochKey]
  /// At most 32 bytes. Texts that are not empty are unique in the table.
  package internal(set) var label: String
  /// Not empty.
  package internal(set) var access: [AccessEntry]
  package internal(set) var groupKeyMap: [GroupKeyEntry]

  /// A key of group key set 0. Matter 1.4 §11.2.5.4.
  package struct EpochKey: Equatable, Sendable {
    /// 16 bytes.
    package var key: SecretBytes
    /// In microseconds since 2000.
    package var start: UInt64
  }

  /// Matter 1.4 §11.2.5.3.
  package struct GroupKeyEntry: Hashable, Sendable {
    package var group: UInt16
    /// Not 0.
    package var keySet: UInt16
  }

  static let certificateByteCount = 1...400
  static let mostLabelBytes = 32
  static let mostEpochKeys = 3
  static let mostGroupKeyEntries = 4
  static let indices: ClosedRange<FabricIndex> = 1...254

  /// - Parameter chain: the certificates after verification, with the public key of `key`.
  init(
    index: FabricIndex, chain: CertificateChain, root: [UInt8], noc: [UInt8], icac: [UInt8]?, key: CurveKey,
    epochKeys: [EpochKey], vendor: UInt16, access: [AccessEntry]
  ) {
    (self.index, self.root, self.noc, self.icac, self.key) = (index, root, noc, icac, key)
    (rootCertificate, id, node, self.vendor) = (chain.root, chain.fabric, chain.node, vendor)
    compressedID = FabricDerivation.compressedID(rootKey: chain.root.publicKey, fabric: chain.fabric)
    (self.epochKeys, label, self.access, groupKeyMap) = (epochKeys, "", access, [])
  }

  /// Changes the operational credentials.
  /// - Parameter chain: the certificates after verification, of the same fabric.
  mutating func update(chain: CertificateChain, noc: [UInt8], icac: [UInt8]?, key: CurveKey) {
    precondition(chain.fabric == id, "the certificates are of another fabric")
    (self.noc, self.icac, self.key, node) = (noc, icac, key, chain.node)
  }

  /// What CASE needs of the fabric.
  package var credentials: FabricCredentials {
    FabricCredentials(
      index: index, root: rootCertificate, noc: noc, icac: icac, key: key, epochKeys: epochKeys.map(\.key),
      fabric: id, node: node)
  }

  package static func == (a: Fabric, b: Fabric) -> Bool {
    a.index == b.index && a.root == b.root && a.noc == b.noc && a.icac == b.icac && a.key.scalar == b.key.scalar
      && a.epochKeys == b.epochKeys && a.vendor == b.vendor && a.label == b.label && a.access == b.access
      && a.groupKeyMap == b.groupKeyMap
  }
}
