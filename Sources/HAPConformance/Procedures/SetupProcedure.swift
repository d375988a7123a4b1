import HAPCrypto
import HAPProtocol
import HAPWire

/// A Pair Setup of a case: makes each right message, or one that is wrong on purpose, and checks what comes. HAP R2 §5.6.
///
/// It is a value that remembers what was said; which connection it goes over is the steps' business.
struct SetupProcedure {
  /// How M3 is to be made.
  struct Proof {
    /// A in place of the right one.
    var publicKey: [UInt8]?
    /// Whether A shall begin with a zero byte, which is left out.
    var isShort = false
    /// S in place of the right one.
    var secret: [UInt8]?
    /// Whether S goes into K with the zeros in front.
    var isPadded = false
    /// Whether S shall begin with a zero byte.
    var wantsZeroSecret = false
    /// Whether K shall begin with a zero byte.
    var wantsZeroKey = false
    /// Whether B goes into the proof without the zeros in front that it was received with.
    var stripsServerKey = false
  }

  private(set) var salt: [UInt8] = []
  /// B as received.
  private(set) var serverKey: [UInt8] = []
  private var clientKey: [UInt8] = []
  private var clientProof: [UInt8] = []
  /// K.
  private(set) var key: SecretBytes?
  /// What M6 proved.
  private(set) var accessory: PairedAccessory?

  static func start(method: UInt8 = 0, flags: [UInt8]? = nil) -> TLVDraft {
    var message = TLVDraft([.init(type: TLVType.state, value: [1]), .init(type: TLVType.method, value: [method])])
    if let flags { message.items.append(.init(type: TLVType.flags, value: flags)) }
    return message
  }

  /// M3. Slow (some ms, half a second where zeros are wanted).
  /// - Parameter random: draws the private key from which on one is looked for that does.
  mutating func proof(code: String, _ wish: Proof, random: RandomSource) throws(ProcedureError) -> TLVDraft {
    guard !salt.isEmpty || !serverKey.isEmpty else { throw ProcedureError("M3 needs an M2 first") }
    if let forged = wish.publicKey {
      clientKey = forged
      let secret = wish.secret ?? []
      key = SRPWorkbench.key(ofSecret: secret)
    } else {
      guard
        var candidates = SRPCandidates(
          code: code, salt: salt, serverPublicKey: serverKey, privateKey: random.bytes(32))
      else { throw ProcedureError("the accessory's public key is zero modulo N, or too long") }
      for attempt in 0... {
        if attempt == 20_000 { throw ProcedureError("no key of the wanted form was found") }
        let padded = candidates.next()
        if (padded[0] == 0) != wish.isShort { continue }
        let secret = candidates.secret(publicKey: padded)
        if (secret[0] == 0) != wish.wantsZeroSecret { continue }
        let made = SRPWorkbench.key(
          ofSecret: wish.secret ?? (wish.isPadded ? secret : Array(secret.drop { $0 == 0 })))
        // One stack loses zeros in front of K: a case that isn't about that draws anew.
        if wish.secret == nil, made.withBytes({ $0[0] == 0 }) != wish.wantsZeroKey { continue }
        clientKey = Array(padded.drop { $0 == 0 })
        key = made
        break
      }
    }
    guard let key else { preconditionFailure("a key was made above") }
    let hashedServerKey = wish.stripsServerKey ? Array(serverKey.drop { $0 == 0 }) : serverKey
    clientProof = SRPWorkbench.clientProof(salt: salt, clientKey: clientKey, serverKey: hashedServerKey, key: key)
    return TLVDraft([
      .init(type: TLVType.state, value: [3]), .init(type: TLVType.publicKey, value: clientKey),
      .init(type: TLVType.proof, value: clientProof),
    ])
  }

  /// What is sealed in M5.
  func exchange(_ controller: TestController, signedBy other: SigningKey?) throws(ProcedureError) -> TLVDraft {
    guard let key else { throw ProcedureError("M5 needs an M3 first") }
    let credentials = controller.credentials
    let signed = PairingKeys.controllerSigned(key) + credentials.identifier + credentials.key.publicKey
    return TLVDraft([
      .init(type: TLVType.identifier, value: credentials.identifier),
      .init(type: TLVType.publicKey, value: credentials.key.publicKey),
      .init(type: TLVType.signature, value: (other ?? credentials.key).sign(signed)),
    ])
  }

  /// M5 around what is sealed.
  func sealedExchange(_ inner: [UInt8], nonce: String, wrongKey: SecretBytes?) throws(ProcedureError) -> TLVDraft {
    guard let key else { throw ProcedureError("M5 needs an M3 first") }
    let sealed = ChaChaPoly.seal(inner, key: wrongKey ?? PairingKeys.pairSetup(key), nonce: nonce)
    return TLVDraft([.init(type: TLVType.state, value: [5]), .init(type: TLVType.encryptedData, value: sealed)])
  }

  /// Takes M2, M4 or M6 and says what is wrong with it; nil: nothing.
  mutating func take(_ step: String, _ message: TLV) -> String? {
    if let error = message.byte(TLVType.error) {
      return "Error \(error)" + (PairingError(rawValue: error).map { " (\($0))" } ?? "")
    }
    let number = UInt8(step.dropFirst()) ?? 0
    guard message.state == number else {
      return "State is \(message.state.map { "\($0)" } ?? "missing"), not \(number)"
    }
    if message.isAmbiguous { return "an item occurs twice" }
    switch number {
    case 2:
      guard let salt = message[TLVType.salt], salt.count == 16 else {
        return "Salt is \(message[TLVType.salt].map { "\($0.count) bytes" } ?? "missing"), not 16 bytes"
      }
      guard let serverKey = message[TLVType.publicKey], (1...384).contains(serverKey.count) else {
        return "PublicKey is \(message[TLVType.publicKey].map { "\($0.count) bytes" } ?? "missing"), not 1 to 384 bytes"
      }
      self.salt = salt
      self.serverKey = serverKey
      return nil
    case 4:
      guard let key else { return "no M3 was sent" }
      guard let proof = message[TLVType.proof], proof.count == 64 else {
        return "Proof is \(message[TLVType.proof].map { "\($0.count) bytes" } ?? "missing"), not 64 bytes"
      }
      return SRPWorkbench.isServerProof(proof, clientKey: clientKey, clientProof: clientProof, key: key)
        ? nil : "the accessory's proof doesn't hold"
    default: return exchangeResponse(message)
    }
  }

  private mutating func exchangeResponse(_ message: TLV) -> String? {
    guard let key else { return "no M3 was sent" }
    guard let sealed = message[TLVType.encryptedData] else { return "EncryptedData is missing" }
    guard let plain = ChaChaPoly.open(sealed, key: PairingKeys.pairSetup(key), nonce: "PS-Msg06") else {
      return "EncryptedData doesn't authenticate"
    }
    guard let inner = try? TLV(decoding: plain), !inner.isAmbiguous else { return "what is sealed is no TLV8 message" }
    guard let identifier = inner[TLVType.identifier], !identifier.isEmpty else { return "Identifier is missing" }
    guard let publicKey = inner[TLVType.publicKey], publicKey.count == 32 else { return "PublicKey isn't 32 bytes" }
    guard let signature = inner[TLVType.signature], signature.count == 64 else { return "Signature isn't 64 bytes" }
    let signed = PairingKeys.accessorySigned(key) + identifier + publicKey
    guard isValidSignature(signature, of: signed, by: publicKey) else { return "the signature doesn't hold" }
    accessory = PairedAccessory(identifier: identifier, publicKey: publicKey)
    return nil
  }
}

/// A message can't be made from what went before.
struct ProcedureError: Error, Equatable {
  var message: String
  init(_ message: String) { self.message = message }
}
