import HAPCrypto

/// Pair Setup step by step, HAP R2 §5.6: each message can be sent, changed or left out.
extension MemoryController {
  /// The state after M2 and after M4.
  package struct Setup {
    package var salt: [UInt8] = []
    package var accessoryKey: [UInt8] = []
    package var client: SRPClient
    package var proof: SRPClientProof

    package var m3: PlainTLV { PlainTLV([(6, [3]), (3, client.publicKey), (4, proof.proof)]) }
  }

  package static var setupM1: PlainTLV { PlainTLV([(6, [1]), (0, [0])]) }

  /// Reads M2; `nil` if it is an error.
  package func readSetupM2(_ reply: AccessoryMessage?, code: String) -> Setup? {
    guard let tlv = reply?.tlv, tlv.state == 2, tlv.error == nil, let salt = tlv[2], let accessoryKey = tlv[3] else {
      return nil
    }
    while true {  // stacks differ if A or S starts with a zero byte, PS.10
      let client = SRPClient(code: code, privateKey: random.secret(32))
      guard let proof = client.agree(salt: salt, serverPublicKey: accessoryKey) else { return nil }
      if client.startsWithZero || proof.startsWithZero { continue }
      return Setup(salt: salt, accessoryKey: accessoryKey, client: client, proof: proof)
    }
  }

  package func m5(_ setup: Setup, breaksSignature: Bool = false) -> PlainTLV {
    let deviceX = HKDF.sha512(
      setup.proof.key, salt: "Pair-Setup-Controller-Sign-Salt", info: "Pair-Setup-Controller-Sign-Info")
    let signed = deviceX.withBytes(Array.init) + identity.identifier + identity.key.publicKey
    var signature = identity.key.sign(signed)
    if breaksSignature { signature[0] ^= 1 }
    let inner = PlainTLV([(1, identity.identifier), (3, identity.key.publicKey), (0x0A, signature)])
    return PlainTLV([(6, [5]), (5, ChaChaPoly.seal(inner.encoded, key: sealKey(setup), nonce: "PS-Msg05"))])
  }

  /// The sealed contents of M6; `nil` if it is an error or can't be opened.
  package func readM6(_ reply: AccessoryMessage?, _ setup: Setup) -> PlainTLV? {
    guard let tlv = reply?.tlv, tlv.state == 6, tlv.error == nil, let sealed = tlv[5] else { return nil }
    return ChaChaPoly.open(sealed, key: sealKey(setup), nonce: "PS-Msg06").flatMap(PlainTLV.init(decoding:))
  }

  private func sealKey(_ setup: Setup) -> SecretBytes {
    HKDF.sha512(setup.proof.key, salt: "Pair-Setup-Encrypt-Salt", info: "Pair-Setup-Encrypt-Info")
  }

  /// The complete procedure. Returns the error, or `nil`.
  package func pair(code: String) -> String? {
    let m2 = post("/pair-setup", Self.setupM1)
    guard let setup = readSetupM2(m2, code: code) else {
      return "M2: \(m2?.startLine ?? "no answer"), error \(m2?.tlv?.error ?? 0)"
    }
    let m4 = post("/pair-setup", setup.m3)
    guard let tlv = m4?.tlv, tlv.state == 4, tlv.error == nil, let proof2 = tlv[4], setup.proof.check(proof2: proof2)
    else { return "M4: \(m4?.startLine ?? "no answer"), error \(m4?.tlv?.error ?? 0)" }
    let m6 = post("/pair-setup", m5(setup))
    guard readM6(m6, setup) != nil else {
      return "M6: \(m6?.startLine ?? "no answer"), error \(m6?.tlv?.error ?? 0)"
    }
    return nil
  }
}

extension MemoryController {
  /// Uses the keys of a transient session: from now on all messages are sealed.
  package func secureTransiently(_ setup: Setup) {
    secure(
      send: HKDF.sha512(setup.proof.key, salt: "SplitSetupSalt", info: "ControllerEncrypt-Control"),
      receive: HKDF.sha512(setup.proof.key, salt: "SplitSetupSalt", info: "AccessoryEncrypt-Control"))
  }
}
