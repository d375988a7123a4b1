import HAPCrypto
import HAPWire
import MatterModel
import MatterWire

/// A session of CASE that can be resumed: both ends keep it after the session. Matter 1.4 §4.14.2.6.
package struct ResumableSession: Sendable {
  package var resumption: EstablishedSession.Resumption
  package var fabric: FabricIndex
  /// The peer, with the CASE authenticated tags of its certificate.
  package var node: NodeID
  package var tags: [UInt32]

  package init(resumption: EstablishedSession.Resumption, fabric: FabricIndex, node: NodeID, tags: [UInt32]) {
    (self.resumption, self.fabric, self.node, self.tags) = (resumption, fabric, node, tags)
  }

  /// - Returns: nil for a session of PASE.
  package init?(_ session: EstablishedSession) {
    guard let resumption = session.resumption, case .node(let node, let fabric, let tags) = session.subject else {
      return nil
    }
    self.init(resumption: resumption, fabric: fabric, node: node, tags: tags)
  }
}

/// The parts of CASE that both ends share. Matter 1.4 §4.14.2.
enum CASE {
  static let randomByteCount = 32
  static let destinationByteCount = SHA256.byteCount
  static let resumptionIDByteCount = 16
  static let certificateByteCounts = 1...MatterCertificate.byteLimit
  /// The tag of a cipher over an empty text proves the knowledge of a secret.
  static let proofByteCount = CCMCipher.tagByteCount
  /// The limit is above the length of two certificates, a signature and an identifier.
  static let sealedByteCounts = CCMCipher.tagByteCount...1200

  /// A key of a handshake with the nonce of its only message.
  struct MessageKey {
    let key: SecretBytes
    let nonce: [UInt8]

    func seal(_ text: [UInt8]) -> [UInt8] { CCMCipher(key: key, .sealing).seal(text, nonce: nonce) }

    func open(_ sealed: [UInt8]) -> [UInt8]? { CCMCipher(key: key, .opening).open(sealed, nonce: nonce) }

    private init(_ secret: SecretBytes, salt: [UInt8], info: String, nonce: String) {
      key = HKDF.sha256(secret, salt: salt, info: info, count: 16)
      self.nonce = Array(nonce.utf8)
    }

    /// S2K.
    static func sigma2(
      _ secret: SecretBytes, operationalKey: SecretBytes, random: [UInt8], publicKey: [UInt8], sigma1: [UInt8]
    ) -> MessageKey {
      let salt = operationalKey.withBytes { Array($0) } + random + publicKey + SHA256.hash(sigma1)
      return MessageKey(secret, salt: salt, info: "Sigma2", nonce: "NCASE_Sigma2N")
    }

    /// S3K.
    /// - Parameter messages: Sigma1 and Sigma2.
    static func sigma3(_ secret: SecretBytes, operationalKey: SecretBytes, messages: [UInt8]) -> MessageKey {
      let salt = operationalKey.withBytes { Array($0) } + SHA256.hash(messages)
      return MessageKey(secret, salt: salt, info: "Sigma3", nonce: "NCASE_Sigma3N")
    }

    /// S1RK: of the initiator's proof that it knows the secret of `resumption`.
    static func sigma1Resumption(_ resumption: EstablishedSession.Resumption, random: [UInt8]) -> MessageKey {
      MessageKey(
        resumption.sharedSecret, salt: random + resumption.id, info: "Sigma1_Resume", nonce: "NCASE_SigmaS1")
    }

    /// S2RK: of the responder's proof.
    /// - Parameter resumption: with the new identifier.
    static func sigma2Resumption(_ resumption: EstablishedSession.Resumption, random: [UInt8]) -> MessageKey {
      MessageKey(
        resumption.sharedSecret, salt: random + resumption.id, info: "Sigma2_Resume", nonce: "NCASE_SigmaS2")
    }

    var proof: [UInt8] { seal([]) }

    func isProof(_ proof: [UInt8]) -> Bool { open(proof) == [] }
  }

  /// The keys of a session after a whole handshake.
  /// - Parameter messages: Sigma1, Sigma2 and Sigma3.
  static func keys(_ secret: SecretBytes, operationalKey: SecretBytes, messages: [UInt8]) -> SessionKeys {
    SessionKeys(secret, salt: operationalKey.withBytes { Array($0) } + SHA256.hash(messages))
  }

  /// The keys of a session after a resumption.
  /// - Parameter resumption: with the old identifier.
  static func keys(resuming resumption: EstablishedSession.Resumption, random: [UInt8]) -> SessionKeys {
    SessionKeys(resumption.sharedSecret, salt: random + resumption.id, info: "SessionResumptionKeys")
  }

  /// The certificates of one end with its proof: the members of TBEData2 and TBEData3.
  struct Credentials {
    let noc: [UInt8]
    let icac: [UInt8]?
    let signature: [UInt8]

    /// The proof of the own end.
    init(_ fabric: FabricCredentials, ownKey: [UInt8], peerKey: [UInt8], random: RandomSource) {
      (noc, icac) = (fabric.noc, fabric.icac)
      signature = fabric.key.sign(
        Self.signedPart(noc, icac, ownKey, peerKey), random: random)
    }

    /// Reads the members of the peer.
    init(_ fields: HandshakeFields) throws(HandshakeFailure) {
      noc = try fields.octets(1, count: CASE.certificateByteCounts)
      icac = try fields.octets(ifPresent: 2, count: CASE.certificateByteCounts)
      signature = try fields.octets(3, count: CurveKey.signatureByteCount)
    }

    func encode(into buffer: inout ByteBuffer) {
      buffer.appendElement(.context(1), octets: noc)
      if let icac { buffer.appendElement(.context(2), octets: icac) }
      buffer.appendElement(.context(3), octets: signature)
    }

    /// TBSData2 and TBSData3: the ephemeral key of the signer comes first.
    static func signedPart(
      _ noc: [UInt8], _ icac: [UInt8]?, _ signerKey: [UInt8], _ otherKey: [UInt8]
    ) -> [UInt8] {
      var buffer = ByteBuffer()
      buffer.openContainer(.anonymous, .structure)
      buffer.appendElement(.context(1), octets: noc)
      if let icac { buffer.appendElement(.context(2), octets: icac) }
      buffer.appendElement(.context(3), octets: signerKey)
      buffer.appendElement(.context(4), octets: otherKey)
      buffer.closeContainer()
      return buffer.bytes
    }

    /// Verifies that the peer is a node of `fabric`.
    func verify(_ fabric: FabricCredentials, ownKey: [UInt8], peerKey: [UInt8]) throws(HandshakeFailure)
      -> CertificateChain
    {
      let chain: CertificateChain
      do throws(CertificateChainFailure) {
        chain = try CertificateChain.verify(noc: noc, icac: icac, root: fabric.root)
      } catch { throw HandshakeFailure(error.reason) }
      guard chain.fabric == fabric.fabric else { throw HandshakeFailure("the peer is a node of another fabric") }
      guard
        CurveKey.isValid(
          signature, of: Self.signedPart(noc, icac, peerKey, ownKey), by: chain.noc.publicKey)
      else { throw HandshakeFailure("the peer's signature is wrong") }
      return chain
    }
  }

  /// The result of both kinds of handshakes.
  static func session(
    _ peer: ResumableSession, keys: SessionKeys, isInitiator: Bool, localSession: UInt16, localNode: NodeID,
    peerSession: UInt16, peerParameters: SessionParameters
  ) -> EstablishedSession {
    EstablishedSession(
      subject: .node(peer.node, fabric: peer.fabric, tags: peer.tags), localSession: localSession,
      peerSession: peerSession, inboundKey: isInitiator ? keys.ofResponder : keys.ofInitiator,
      outboundKey: isInitiator ? keys.ofInitiator : keys.ofResponder,
      attestationChallenge: keys.attestationChallenge, localNode: localNode, peerNode: peer.node,
      peerParameters: peerParameters, resumption: peer.resumption)
  }
}
