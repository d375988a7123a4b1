import HAPCrypto
import HAPDeviations
import HAPModel
import HAPPairing

/// The computations of Pair Setup with the changes of a fault and a defect.
struct AlteredSetupArithmetic: SetupArithmetic {
  private let leadsKey: Bool, keepsZeros: Bool
  private let refusedSecret: SetupChange.Secret?
  /// The verifier of the same code with a salt that begins with a zero byte; `nil`: the accessory's verifier is used.
  private let verifier: SRPVerifier?

  /// - Parameter code: the accessory's setup code. A new salt needs a new verifier, which is computed here: 1 ms.
  init(_ fault: SetupFault?, refusedSecret: SetupChange.Secret?, code: SetupCode, _ random: RandomSource) {
    leadsKey = fault?.leadsKey ?? false
    keepsZeros = leadsKey && fault?.keepsZeros ?? false
    self.refusedSecret = refusedSecret
    guard fault?.leadsSalt == true else {
      verifier = nil
      return
    }
    var salt = random.bytes(SRPVerifier.saltCount)
    salt[0] = 0
    verifier = SRPVerifier(code: code.text, salt: salt)
  }

  func key(_ verifier: SRPVerifier, seed: SecretBytes) -> SRPServer {
    firstKey(self.verifier ?? verifier, seed: seed, keepsZeros: keepsZeros) {
      $0.startsWithZero == leadsKey
    }
  }

  func secret(_ key: SRPServer, controllerKey: [UInt8]) -> SRPServerProof? {
    let secret = key.agree(with: controllerKey)
    guard let secret, refusedSecret == .zeroLed, secret.startsWithZero else { return secret }
    // With another public key, every proof of the controller is wrong.
    return key.agree(with: [2])
  }
}
