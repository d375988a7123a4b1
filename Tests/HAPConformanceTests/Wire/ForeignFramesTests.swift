import HAPCrypto
import HAPPairing
import HAPSuite
import Testing

@testable import HAPExpectation

@Suite("Frames with foreign keys or a wrong counter") struct ForeignFramesTests {
  private let keys = SessionKeys(pairVerify: SecretBytes([UInt8](repeating: 7, count: 32)))

  @Test("A frame under the keys of another connection doesn't advance that connection's counter") func foreignFrames() {
    let session = WireSession(keys)
    let first = session.seal([1, 2, 3], counts: false)
    #expect(first.frames.map(\.counter) == [0])
    #expect(session.sentCount == 0)
    // The same frame again, now with the session's own counter, which has not advanced.
    #expect(session.seal([1, 2, 3]).bytes == first.bytes)
    #expect(session.sentCount == 1)
  }

  @Test("A frame with a wrong counter doesn't advance the counter") func skippedCounter() {
    let session = WireSession(keys)
    var fault = FrameFault()
    fault.counterOffset = 1
    #expect(session.seal([1], fault: fault).frames.map(\.counter) == [1])
    #expect(session.sentCount == 0)
    #expect(session.seal([1], sizes: [1]).frames.map(\.counter) == [0])
  }
}
