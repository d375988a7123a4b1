import HAPCrypto
import MatterModel
import MatterProtocol

/// A fabric with its authority and its first controller, which administers the nodes.
package struct ControllerFabric: Sendable {
  package let authority: CertificateAuthority
  /// The membership of the controller.
  package let credentials: FabricCredentials
  /// The identity protection key, 16 bytes.
  package let epochKey: SecretBytes
  /// The controller's vendor.
  package let vendor: UInt16

  /// Makes the keys and certificates of a fabric.
  /// - Parameter node: of the controller.
  package init(_ fabric: FabricID, node: NodeID, vendor: UInt16 = 0xFFF1, random: RandomSource) {
    let authority = CertificateAuthority(fabric: fabric, random: random)
    let key = CurveKey(random: random)
    let epochKey = SecretBytes(random.bytes(FabricDerivation.epochKeyByteCount))
    (self.authority, self.epochKey, self.vendor) = (authority, epochKey, vendor)
    credentials = FabricCredentials(
      index: 1, root: authority.root,
      noc: authority.issue(node: node, publicKey: key.publicKey, random: random).encoded,
      icac: authority.intermediate?.encoded, key: key, epochKeys: [epochKey], fabric: fabric, node: node)
  }
}
