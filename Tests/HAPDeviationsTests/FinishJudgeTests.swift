import HAPCrypto
import HAPModel
import HAPWire
import Testing

@testable import HAPDeviations

@Suite("Controllers that send M3 of Pair Verify") struct FinishJudgeTests {
  private let key = RandomSource.seeded(1).secret(32)

  private func pairing(_ byte: UInt8) -> Pairing {
    Pairing(identifier: [byte], publicKey: [UInt8](repeating: byte, count: 32), isAdmin: false)
  }

  /// The verdict on an M3 with an identifier.
  /// - Parameters:
  ///   - pairings: the pairings at M1.
  ///   - last: the pairings at M3.
  private func verdict(
    of identifier: UInt8, _ judge: inout FinishJudge, _ pairings: [Pairing], then last: [Pairing]
  ) -> MessageCondition.FinishVerdict {
    let start = TLV([.init(type: TLVType.publicKey, value: [1])])
    judge.start(start, on: 1, pairings)
    judge.startResponse(start, on: 1)
    let inner = TLV([
      .init(type: TLVType.identifier, value: [identifier]),
      .init(type: TLVType.signature, value: [UInt8](repeating: 0, count: 64)),
    ])
    let sealed = ChaChaPoly.seal(inner.encoded(), key: key, nonce: "PV-Msg03")
    return judge.judge(TLV([.init(type: TLVType.encryptedData, value: sealed)]), on: 1, key: key, last).verdict
  }

  @Test("A controller is a stranger, was removed after M1, or was removed before it") func verdicts() {
    var judge = FinishJudge()
    let (admin, guest) = (pairing(1), pairing(2))
    #expect(verdict(of: 2, &judge, [admin], then: [admin]) == .stranger)
    #expect(verdict(of: 2, &judge, [admin, guest], then: [admin]) == .removed)
    #expect(verdict(of: 2, &judge, [admin], then: [admin]) == .former)
    #expect(verdict(of: 3, &judge, [admin], then: [admin]) == .stranger)
  }

  @Test("The identifiers of 64 pairings are kept") func bound() {
    var judge = FinishJudge()
    _ = verdict(of: 0, &judge, [pairing(0)], then: [])
    _ = verdict(of: 0, &judge, (1...64).map { pairing($0) }, then: [])
    #expect(verdict(of: 0, &judge, [], then: []) == .stranger)
    #expect(verdict(of: 64, &judge, [], then: []) == .former)
  }
}
