import HAPCrypto
import HAPProtocol
import HAPWire

/// A Pair Verify of a case: makes each right message, or one that is wrong on purpose, and checks what comes. HAP R2 §5.7.
struct VerifyProcedure {
  private(set) var ephemeral: AgreementKey?
  /// The accessory's key of M2.
  private(set) var accessoryKey: [UInt8] = []
  private var secret: SecretBytes?
  /// What M2 said of itself.
  private(set) var identifier: [UInt8] = []

  mutating func start(random: RandomSource, publicKey: [UInt8]?) -> TLVDraft {
    let key = AgreementKey(privateKey: random.secret(32))
    ephemeral = key
    secret = nil
    return TLVDraft([
      .init(type: TLVType.state, value: [1]), .init(type: TLVType.publicKey, value: publicKey ?? key.publicKey),
    ])
  }

  /// What is sealed in M3.
  /// - Parameters:
  ///   - keys: a procedure whose ephemeral keys are signed; this one's as a rule.
  ///   - isSwapped: whether the ephemeral keys are signed in the wrong order.
  func finish(
    _ controller: TestController, signedBy other: SigningKey?, over keys: VerifyProcedure?, isSwapped: Bool = false
  ) throws(ProcedureError) -> TLVDraft {
    let source = keys ?? self
    guard let ephemeral = source.ephemeral else { throw ProcedureError("M3 needs an M1 first") }
    let credentials = controller.credentials
    let (first, last) =
      isSwapped ? (source.accessoryKey, ephemeral.publicKey) : (ephemeral.publicKey, source.accessoryKey)
    let signed = first + credentials.identifier + last
    return TLVDraft([
      .init(type: TLVType.identifier, value: credentials.identifier),
      .init(type: TLVType.signature, value: (other ?? credentials.key).sign(signed)),
    ])
  }

  /// M3 around what is sealed. Without an M2 the key is drawn: nobody can have it.
  func sealedFinish(_ inner: [UInt8], nonce: String, wrongKey: SecretBytes?, random: RandomSource) -> TLVDraft {
    let key = wrongKey ?? secret.map(PairingKeys.pairVerify) ?? random.secret(32)
    return TLVDraft([
      .init(type: TLVType.state, value: [3]),
      .init(type: TLVType.encryptedData, value: ChaChaPoly.seal(inner, key: key, nonce: nonce)),
    ])
  }

  /// The session behind M4.
  var sessionKeys: SessionKeys? { secret.map { SessionKeys(pairVerify: $0) } }

  /// Takes M2 or M4 and says what is wrong with it; nil: nothing.
  /// - Parameter accessory: as it proved itself in Pair Setup; nil: its signature can't be checked.
  mutating func take(_ step: String, _ message: TLV, from accessory: PairedAccessory?) -> String? {
    if let error = message.byte(TLVType.error) {
      return "Error \(error)" + (PairingError(rawValue: error).map { " (\($0))" } ?? "")
    }
    let number = UInt8(step.dropFirst()) ?? 0
    guard message.state == number else {
      return "State is \(message.state.map { "\($0)" } ?? "missing"), not \(number)"
    }
    if message.isAmbiguous { return "an item occurs twice" }
    if number == 4 { return nil }
    guard let ephemeral else { return "no M1 was sent" }
    guard let key = message[TLVType.publicKey], key.count == 32 else {
      return "PublicKey is \(message[TLVType.publicKey].map { "\($0.count) bytes" } ?? "missing"), not 32 bytes"
    }
    guard let shared = ephemeral.sharedSecret(with: key) else {
      return "PublicKey leads to a secret that everybody knows"
    }
    guard let sealed = message[TLVType.encryptedData] else { return "EncryptedData is missing" }
    guard let plain = ChaChaPoly.open(sealed, key: PairingKeys.pairVerify(shared), nonce: "PV-Msg02") else {
      return "EncryptedData doesn't authenticate"
    }
    guard let inner = try? TLV(decoding: plain), !inner.isAmbiguous else { return "what is sealed is no TLV8 message" }
    guard let identifier = inner[TLVType.identifier] else { return "Identifier is missing" }
    guard let signature = inner[TLVType.signature], signature.count == 64 else { return "Signature isn't 64 bytes" }
    accessoryKey = key
    secret = shared
    self.identifier = identifier
    if let accessory {
      guard identifier == accessory.identifier else { return "Identifier isn't that of M6" }
      guard isValidSignature(signature, of: key + identifier + ephemeral.publicKey, by: accessory.publicKey) else {
        return "the signature doesn't hold"
      }
    }
    return nil
  }
}
