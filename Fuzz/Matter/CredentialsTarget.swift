import FuzzSupport
import HAPCrypto
import HAPWire
import MatterProtocol
import MatterWire

package func fuzzCredentials(_ bytes: UnsafeRawBufferPointer) {
  var program = ByteProgram(bytes)
  switch program.number(below: 6) {
  case 0: fuzzCertificate(program.remainder())
  case 1: fuzzAttestation(program.remainder())
  case 2: fuzzMessage(Stage.sigma1, &program)
  case 3: fuzzMessage(Stage.sigma2, &program)
  case 4: fuzzMessage(Stage.sigma3, &program)
  default: fuzzMessage(Stage.resumption, &program)
  }
}

private func fuzzCertificate(_ bytes: [UInt8]) {
  do throws(CertificateError) {
    let certificate = try MatterCertificate(decoding: bytes)
    // Of two forms of an integer, the shorter one is written.
    require(certificate.encoded.count <= bytes.count, "the certificate was written in a longer form")
    require((try? MatterCertificate(decoding: certificate.encoded)) == certificate, "the certificate reads as another")
    var reader = DERReader(certificate.x509)
    require((try? reader.whole(.sequence)) == certificate.x509, "the certificate is no DER")
  } catch { require((0...bytes.count).contains(error.offset), "a place is out of range") }
  require((try? CertificateChain.verify(noc: bytes, icac: bytes, root: Stage.fabric.root)) == nil)
  if let chain = try? CertificateChain.verify(noc: bytes, icac: nil, root: Stage.fabric.root) {
    require(chain.noc.signedPart == Stage.device.signedPart, "a certificate without a signature is accepted")
  }
}

private func fuzzAttestation(_ bytes: [UInt8]) {
  if let certificate = try? AttestationCertificate(decoding: bytes) {
    require(certificate.encoded == bytes && bytes.count <= AttestationCertificate.byteLimit)
  }
  if let declaration = try? CertificationDeclaration(verifying: bytes) { require(!declaration.products.isEmpty) }
  if let key = try? SigningRequest.publicKey(of: bytes) { require(key.count == CurveKey.publicKeyByteCount) }
  if let stored = DeviceCredentials(encoded: SecretBytes(bytes)) {
    require(DeviceCredentials(encoded: stored.encoded)?.device == stored.device)
  }
}

/// An end of CASE that waits for a message, and that message.
private struct Stage {
  let end: any Handshake
  let message: HandshakeMessage
  /// The members that a message must have unchanged, or it is refused.
  let protected: [UInt8]

  static let random = RandomSource.seeded(1)
  static let authority = CertificateAuthority(fabric: 1, hasIntermediate: false, random: random)
  static let key = CurveKey(random: random)
  static let device = authority.issue(node: 2, publicKey: key.publicKey, random: random)
  /// Both ends are the same node, which makes no difference to CASE.
  static let fabric = FabricCredentials(
    index: 1, root: authority.root, noc: device.encoded, icac: nil, key: key, epochKeys: [random.secret(16)], fabric: 1,
    node: 2)
  static let resumable = ResumableSession(
    resumption: EstablishedSession.Resumption(
      id: [UInt8](repeating: 3, count: 16), sharedSecret: SecretBytes([UInt8](repeating: 4, count: 32))), fabric: 1,
    node: 2, tags: [])
  static let responder = CASEResponder(
    fabrics: [fabric], resumptions: [resumable.resumption.id: resumable], localSession: 5, random: .seeded(2))

  static let sigma1 = Stage(end: responder, message: initiator().request, protected: [1, 3])
  static let sigma2 = Stage(end: initiator(), message: answer(sigma1), protected: [1, 3, 4])
  static let sigma3 = Stage(end: answered(sigma1), message: answer(sigma2), protected: [1])
  static let resumption = Stage(
    end: initiator(resumable),
    message: answer(Stage(end: responder, message: initiator(resumable).request, protected: [])), protected: [1, 2])

  private static func initiator(_ resumable: ResumableSession? = nil) -> CASEInitiator {
    CASEInitiator(fabric: fabric, peer: 2, resumable: resumable, localSession: 6, random: .seeded(3))
  }

  private static func answer(_ stage: Stage) -> HandshakeMessage {
    var end = stage.end
    guard case .send(let message) = end.receive(stage.message) else { fatalError("the genuine message is refused") }
    return message
  }

  private static func answered(_ stage: Stage) -> any Handshake {
    var end = stage.end
    _ = end.receive(stage.message)
    return end
  }
}

/// Passes a changed message to an end: bytes alone, or changes of the genuine message.
private func fuzzMessage(_ stage: Stage, _ program: inout ByteProgram) {
  var message = stage.message
  if program.isSet() {
    message.payload = program.remainder()
  } else {
    while !program.isAtEnd {
      let place = Int(program.integer() % UInt64(message.payload.count + 1))
      let end = min(message.payload.count, place + program.number(below: 4))
      message.payload.replaceSubrange(place..<end, with: program.take(program.number(below: 8)))
    }
  }
  var end = stage.end
  switch end.receive(message) {
  case .send, .establish:
    guard let members = try? Element(decoding: message.payload),
      let genuine = try? Element(decoding: stage.message.payload)
    else { fatalError("a message that is no TLV is accepted") }
    for tag in stage.protected { require(members[tag] == genuine[tag], "a changed message is accepted") }
  case .fail(let failure, let answer): require(!failure.reason.isEmpty && answer?.opcode == .statusReport)
  }
}
