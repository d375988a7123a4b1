import HAPCrypto
import HAPLoop
import HAPModel
import HAPTestSupport
import Testing

@testable import HAPTransport

@Suite struct SessionNewsQueueTests {
  private func value(_ number: Int) -> SessionNews { .unreadable(.unasked(number)) }
  private func state(_ number: Int) -> SessionNews { .lost(.unasked(number), nextTry: .seconds(number)) }

  private func numbers(_ queue: inout SessionNewsQueue) -> [Int] {
    var result: [Int] = []
    while let news = queue.next() {
      switch news {
      case .unreadable(.unasked(let number)), .lost(.unasked(let number), _): result.append(number)
      default: break
      }
    }
    return result
  }

  @Test("News keep their order; the latest states are kept, and values above the limit are refused")
  func bounds() {
    var queue = SessionNewsQueue()
    _ = queue.append(values: value(-1), byteCount: 1)
    for number in 0..<SessionNewsQueue.stateRoom + 5 { queue.append(state: state(number)) }
    _ = queue.append(values: value(-2), byteCount: 1)
    #expect(numbers(&queue) == [-1] + Array(5..<SessionNewsQueue.stateRoom + 5) + [-2])

    for number in 0..<SessionNewsQueue.valueRoom { _ = queue.append(values: value(number), byteCount: 1) }
    let tooMany = queue.append(values: value(0), byteCount: 1)
    #expect(!tooMany && queue.isFull)
    queue.append(state: state(7))
    #expect(numbers(&queue).count == SessionNewsQueue.valueRoom + 1)
    #expect(!queue.isFull)

    _ = queue.append(values: value(0), byteCount: SessionNewsQueue.byteRoom)
    let tooLong = queue.append(values: value(1), byteCount: 0)
    #expect(!tooLong)
    #expect(numbers(&queue) == [0])
    let again = queue.append(values: value(1), byteCount: 1)
    #expect(again)
  }

  @Test("Delays are up to a quarter shorter than without jitter, and equal for equal seeds")
  func jitter() {
    func delays(_ seed: UInt64) -> [Duration] {
      var backOff = BackOff()
      let random = RandomSource.seeded(seed)
      return (0..<8).map { _ in backOff.delay(jitteredBy: random) }
    }
    for (delay, longest) in zip(delays(1), [1, 2, 4, 8, 16, 32, 60, 60].map { Duration.seconds($0) }) {
      #expect(delay <= longest && delay >= longest * 3 / 4)
    }
    #expect(delays(1) == delays(1) && delays(1) != delays(2))
  }
}
