import HAPCrypto
import HAPTestSupport
import HAPWire
import MatterWire
import Testing

@testable import MatterProtocol

/// The vectors are of matter.js, and computed by the tools of this project.
@Suite("Vectors of CASE") struct CASEVectorTests {
  private static var file: [String: Any] { try! vectorFile("matter") }

  private static func secret(_ vector: [String: Any], _ name: String) -> SecretBytes { SecretBytes(vector.bytes(name)) }

  @Test("Sigma2 is sealed and opened")
  func sigma2() throws {
    for vector in Self.file.object("case").list("sigma2") {
      let key = CASE.MessageKey.sigma2(
        Self.secret(vector, "shared_secret"), operationalKey: Self.secret(vector, "ipk"),
        random: vector.bytes("responder_random"), publicKey: vector.bytes("responder_public"),
        sigma1: vector.bytes("sigma1"))
      #expect(key.key == Self.secret(vector, "S2K"))
      #expect(key.seal(vector.bytes("tbe")) == vector.bytes("encrypted2"))
      #expect(key.open(vector.bytes("encrypted2")) == vector.bytes("tbe"))
      let credentials = try CASE.Credentials(HandshakeFields(HandshakeMessage(.sigma2, vector.bytes("tbe"))))
      #expect(credentials.noc == vector.bytes("noc") && credentials.signature == vector.bytes("signature"))
      let signed = CASE.Credentials.signedPart(
        vector.bytes("noc"), nil, vector.bytes("responder_public"), vector.bytes("initiator_public"))
      #expect(signed == vector.bytes("tbs"))
      let noc = try MatterCertificate(decoding: vector.bytes("noc"))
      #expect(CurveKey.isValid(vector.bytes("signature"), of: signed, by: noc.publicKey))
    }
  }

  @Test("Sigma3 is opened, and gives the keys of the session")
  func sigma3() throws {
    for vector in Self.file.object("case").list("sigma3") {
      let (secret, ipk) = (Self.secret(vector, "shared_secret"), Self.secret(vector, "ipk"))
      let messages = vector.bytes("sigma1") + vector.bytes("sigma2")
      let key = CASE.MessageKey.sigma3(secret, operationalKey: ipk, messages: messages)
      #expect(key.key == Self.secret(vector, "S3K"))
      let sealed = try HandshakeFields(HandshakeMessage(.sigma3, vector.bytes("sigma3")))
        .octets(1, count: CASE.sealedByteCounts)
      #expect(key.open(sealed) == vector.bytes("tbe"))
      let credentials = try CASE.Credentials(HandshakeFields(HandshakeMessage(.sigma3, vector.bytes("tbe"))))
      let signed = CASE.Credentials.signedPart(
        credentials.noc, credentials.icac, vector.bytes("initiator_public"), vector.bytes("responder_public"))
      #expect(signed == vector.bytes("tbs"))
      let noc = try MatterCertificate(decoding: credentials.noc)
      #expect(CurveKey.isValid(credentials.signature, of: signed, by: noc.publicKey))
      let keys = CASE.keys(secret, operationalKey: ipk, messages: messages + vector.bytes("sigma3"))
      #expect(keys.ofInitiator == Self.secret(vector, "i2r") && keys.ofResponder == Self.secret(vector, "r2i"))
      #expect(keys.attestationChallenge == Self.secret(vector, "attestation_challenge"))
    }
  }

  @Test("A resumption has the proofs and the keys of the vectors")
  func resumption() {
    for vector in Self.file.object("case").list("resumption") {
      let random = vector.bytes("initiator_random")
      func resumption(_ name: String) -> EstablishedSession.Resumption {
        EstablishedSession.Resumption(
          id: vector.bytes(name), sharedSecret: Self.secret(vector, "shared_secret"))
      }
      let (old, new) = (resumption("resumption_id"), resumption("new_resumption_id"))
      let first = CASE.MessageKey.sigma1Resumption(old, random: random)
      #expect(first.key == Self.secret(vector, "S1RK") && first.proof == vector.bytes("initiator_resume_mic"))
      let second = CASE.MessageKey.sigma2Resumption(new, random: random)
      #expect(second.key == Self.secret(vector, "S2RK") && second.proof == vector.bytes("sigma2_resume_mic"))
      let keys = CASE.keys(resuming: old, random: random)
      #expect(keys.ofInitiator == Self.secret(vector, "i2r") && keys.ofResponder == Self.secret(vector, "r2i"))
      #expect(keys.attestationChallenge == Self.secret(vector, "attestation_challenge"))
    }
  }

  @Test("Fabrics have the identifiers and the keys of the vectors")
  func fabrics() {
    for vector in Self.file.list("compressed_fabric_id") {
      let fabric = vector.bytes("fabric_id").reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      let id = FabricDerivation.compressedID(rootKey: vector.bytes("root_public"), fabric: fabric)
      #expect(id == vector.bytes("compressed"))
    }
    for vector in Self.file.list("group_keys") {
      let key = FabricDerivation.operationalKey(
        Self.secret(vector, "epoch_key"), compressedID: vector.bytes("compressed_fabric_id"))
      #expect(key == Self.secret(vector, "operational_key"))
    }
    for vector in Self.file.object("case").list("destination_id") {
      func number(_ name: String) -> UInt64 { vector.bytes(name).reduce(0) { $0 << 8 | UInt64($1) } }
      let id = FabricDerivation.destinationID(
        key: Self.secret(vector, "ipk"), random: vector.bytes("initiator_random"),
        rootKey: vector.bytes("root_public"), fabric: number("fabric_id"), node: number("node_id"))
      #expect(id == vector.bytes("destination_id"))
    }
  }
}
