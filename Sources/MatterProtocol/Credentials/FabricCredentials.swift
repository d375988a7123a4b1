import HAPCrypto
import MatterModel
import MatterWire

/// Values that the members of a fabric derive from its root key and its identity protection key.
package enum FabricDerivation {
  package static let epochKeyByteCount = 16

  /// Returns the name of a fabric in mDNS, and the salt of its keys: 8 bytes. Matter 1.4 §4.3.2.2.
  package static func compressedID(rootKey: [UInt8], fabric: FabricID) -> [UInt8] {
    let key = SecretBytes(Array(rootKey.dropFirst()))
    let salt = withUnsafeBytes(of: fabric.bigEndian, Array.init)
    return HKDF.sha256(key, salt: salt, info: "CompressedFabric", count: 8).withBytes { Array($0) }
  }

  /// Returns the operational key of an epoch key: 16 bytes. Matter 1.4 §4.17.2.
  package static func operationalKey(_ epochKey: SecretBytes, compressedID: [UInt8]) -> SecretBytes {
    HKDF.sha256(epochKey, salt: compressedID, info: "GroupKey v1.0", count: 16)
  }

  /// Returns the identifier of a node in Sigma1, which hides the node: 32 bytes. Matter 1.4 §4.14.2.4.1.
  /// - Parameter key: the operational identity protection key.
  package static func destinationID(
    key: SecretBytes, random: [UInt8], rootKey: [UInt8], fabric: FabricID, node: NodeID
  ) -> [UInt8] {
    let identifiers = [fabric, node].flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) }
    return SHA256.hmac(random + rootKey + identifiers, key: key)
  }
}

/// The membership of a node in a fabric: all that CASE needs.
package struct FabricCredentials: Sendable {
  package let index: FabricIndex
  package let root: MatterCertificate
  /// The TLV of the node's certificate.
  package let noc: [UInt8]
  /// The TLV of the intermediate certificate; nil: the root has signed the node's certificate.
  package let icac: [UInt8]?
  /// The private key of `noc`.
  package let key: CurveKey
  package let fabric: FabricID
  package let node: NodeID
  /// The name of the fabric in mDNS: 8 bytes.
  package let compressedID: [UInt8]
  /// The identity protection keys that epoch keys gave.
  let operationalKeys: [SecretBytes]

  /// - Parameters:
  ///   - epochKeys: of the key set 0, 1...3 keys of 16 bytes, or it traps. An initiator uses the first.
  ///   - fabric: of `noc`.
  ///   - node: of `noc`.
  package init(
    index: FabricIndex, root: MatterCertificate, noc: [UInt8], icac: [UInt8]?, key: CurveKey,
    epochKeys: [SecretBytes], fabric: FabricID, node: NodeID
  ) {
    precondition((1...3).contains(epochKeys.count), "a key set has 1...3 epoch keys")
    (self.index, self.root, self.noc, self.icac, self.key) = (index, root, noc, icac, key)
    (self.fabric, self.node) = (fabric, node)
    let compressedID = FabricDerivation.compressedID(rootKey: root.publicKey, fabric: fabric)
    self.compressedID = compressedID
    operationalKeys = epochKeys.map { FabricDerivation.operationalKey($0, compressedID: compressedID) }
  }

  /// - Parameter chain: a chain that was verified, with the public key of `key`.
  package init(index: FabricIndex, chain: CertificateChain, key: CurveKey, epochKeys: [SecretBytes]) {
    self.init(
      index: index, root: chain.root, noc: chain.noc.encoded, icac: chain.icac?.encoded, key: key,
      epochKeys: epochKeys, fabric: chain.fabric, node: chain.node)
  }

  /// Returns the operational key with which an initiator has made a destination identifier of this node.
  func operationalKey(ofDestination identifier: [UInt8], random: [UInt8]) -> SecretBytes? {
    operationalKeys.first { destinationID(of: node, key: $0, random: random) == identifier }
  }

  func destinationID(of node: NodeID, key: SecretBytes, random: [UInt8]) -> [UInt8] {
    FabricDerivation.destinationID(
      key: key, random: random, rootKey: root.publicKey, fabric: fabric, node: node)
  }
}
