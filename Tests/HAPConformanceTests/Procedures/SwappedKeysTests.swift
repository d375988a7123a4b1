import HAPCrypto
import HAPPairing
import HAPSuite
import HAPWire
import Testing

@testable import HAPExpectation

@Suite("Swapped ephemeral keys") struct SwappedKeysTests {
  private let random = RandomSource.seeded(11)

  /// M2 of an accessory, built by the test.
  private func second(to ours: [UInt8], ephemeral: AgreementKey, identity: SigningKey) -> TLV? {
    guard let secret = ephemeral.sharedSecret(with: ours) else { return nil }
    let identifier = Array("AA:BB:CC:DD:EE:FF".utf8)
    let inner = TLVDraft([
      .init(type: TLVType.identifier, value: identifier),
      .init(type: TLVType.signature, value: identity.sign(ephemeral.publicKey + identifier + ours)),
    ])
    let sealed = ChaChaPoly.seal(inner.encoded(), key: PairingKeys.pairVerify(secret), nonce: "PV-Msg02")
    let message = TLVDraft([
      .init(type: TLVType.state, value: [2]), .init(type: TLVType.publicKey, value: ephemeral.publicKey),
      .init(type: TLVType.encryptedData, value: sealed),
    ])
    return try? TLV(decoding: message.encoded())
  }

  @Test("M3 is signed over both ephemeral keys in order, and over swapped keys only on request")
  func order() throws {
    var verify = VerifyProcedure()
    _ = verify.start(random: random, publicKey: nil)
    let ours = try #require(verify.ephemeral).publicKey
    let theirs = AgreementKey(privateKey: random.secret(32))
    let identity = SigningKey(seed: random.secret(32))
    let message = try #require(second(to: ours, ephemeral: theirs, identity: identity))
    #expect(verify.take("M2", message, from: nil) == nil)
    let controller = TestController(name: "guest", random: random)
    let credentials = controller.credentials
    for isSwapped in [false, true] {
      let inner = try verify.finish(controller, signedBy: nil, over: nil, isSwapped: isSwapped)
      let signature = try #require(inner.items.first { $0.type == TLVType.signature }).value
      let (first, last) = isSwapped ? (theirs.publicKey, ours) : (ours, theirs.publicKey)
      #expect(isValidSignature(signature, of: first + credentials.identifier + last, by: credentials.key.publicKey))
      #expect(!isValidSignature(signature, of: last + credentials.identifier + first, by: credentials.key.publicKey))
    }
  }
}
