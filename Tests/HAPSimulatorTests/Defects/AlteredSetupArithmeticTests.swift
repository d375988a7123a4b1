import HAPCrypto
import HAPDeviations
import HAPModel
import HAPPairing
import Testing

@testable import HAPFrontEnds

/// Checked: these tests fail if the arithmetic accepts every secret, and if it keeps the leading zeros of B.
@Suite("Altered numbers of Pair Setup") struct AlteredSetupArithmeticTests {
  private let code: SetupCode
  private let verifier: SRPVerifier
  private let random = RandomSource.seeded(5)

  init() throws {
    code = try SetupCode("518-08-582")
    verifier = SRPVerifier(code: code.text, salt: Array(repeating: 7, count: SRPVerifier.saltCount))
  }

  @Test("With the right code, only a secret with a leading zero is refused") func secrets() throws {
    let arithmetic = AlteredSetupArithmetic(nil, refusedSecret: .zeroLed, code: code, random)
    let key = arithmetic.key(verifier, seed: random.secret(32))
    #expect(!key.startsWithZero && key.salt == verifier.salt)
    var seen: Set<Bool> = []
    while seen.count < 2 {
      let client = SRPClient(code: code.text, privateKey: random.secret(32))
      let proof = try #require(client.agree(salt: key.salt, serverPublicKey: key.publicKey))
      guard !client.startsWithZero, seen.insert(proof.startsWithZero).inserted else { continue }
      let secret = try #require(arithmetic.secret(key, controllerKey: client.publicKey))
      #expect((secret.verify(proof.proof, forms: .either) == nil) == proof.startsWithZero)
    }
  }

  @Test("A fault gives B and the salt a leading zero, padded or stripped", arguments: ["padded", "stripped"])
  func fault(form: String) throws {
    let fault = try #require(try FaultLibrary.builtIn.choice("leading-zeros:form=\(form)").setup)
    let arithmetic = AlteredSetupArithmetic(fault, refusedSecret: nil, code: code, random)
    let key = arithmetic.key(verifier, seed: random.secret(32))
    #expect(key.salt[0] == 0 && key.startsWithZero)
    #expect((key.publicKey.count == 384) == (form == "padded"))
  }
}
