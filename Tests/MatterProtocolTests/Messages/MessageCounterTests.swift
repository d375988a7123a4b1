import HAPCrypto
import HAPTestSupport
import Testing

@testable import MatterProtocol

@Suite("Message counters") struct MessageCounterTests {
  @Test("A counter begins at 1...2^28, and ends at its maximum")
  func outgoing() {
    for (byte, first) in [(0, 1), (255, 1 << 28)] as [(UInt8, UInt32)] {
      var counter = OutgoingCounter(constant(byte))
      #expect([counter.next(), counter.next()] == [first, first + 1])
    }
    var last = OutgoingCounter(first: .max - 1)
    #expect([last.next(), last.next(), last.next(), last.next()] == [.max - 1, .max, nil, nil])
  }

  @Test("The window of a secured session knows 32 counters below the maximum; older ones are duplicates")
  func sealed() {
    var window = ReceptionWindow(isSealed: true)
    for counter in [0, 1, 100, UInt32.max] { #expect(!window.isDuplicate(counter)) }
    window.insert(100)
    #expect(window.isDuplicate(100))
    for counter in 68..<100 as Range<UInt32> { #expect(!window.isDuplicate(counter)) }
    for counter in [0, 66, 67] as [UInt32] { #expect(window.isDuplicate(counter)) }
    window.insert(68)
    window.insert(99)
    #expect(window.isDuplicate(68) && window.isDuplicate(99) && !window.isDuplicate(98) && !window.isDuplicate(101))
    window.insert(101)
    #expect(window.isDuplicate(68) && window.isDuplicate(99) && window.isDuplicate(100) && !window.isDuplicate(98))
    window.insert(133)
    #expect(window.isDuplicate(101) && !window.isDuplicate(102) && window.isDuplicate(100))
    window.insert(.max)
    #expect(window.isDuplicate(133) && window.isDuplicate(0) && !window.isDuplicate(.max - 32))
  }

  @Test("Unsecured counters far from the maximum are new, and wrap around")
  func unsecured() {
    var window = ReceptionWindow(isSealed: false)
    window.insert(100)
    #expect(window.isDuplicate(100) && !window.isDuplicate(68) && !window.isDuplicate(67))
    window.insert(67)
    #expect(window.isDuplicate(67) && !window.isDuplicate(100), "the peer has restarted")
    window.insert(.max)
    #expect(window.isDuplicate(.max) && !window.isDuplicate(0))
    window.insert(2)
    #expect(window.isDuplicate(.max) && window.isDuplicate(2) && !window.isDuplicate(0) && !window.isDuplicate(1))
  }

  @Test("Both windows agree with a set of all counters", arguments: [true, false])
  func model(_ isSealed: Bool) {
    var generator = SeededGenerator(seed: 7)
    var window = ReceptionWindow(isSealed: isSealed)
    var (maximum, seen): (UInt32, Set<UInt32>) = (1000, [])
    window.insert(maximum)
    seen.insert(maximum)
    for _ in 0..<20_000 {
      let counter = maximum &+ UInt32(generator.next() % 80) &- 40
      let isOld = counter < maximum && maximum - counter > 32
      #expect(window.isDuplicate(counter) == (isOld ? isSealed : seen.contains(counter)))
      guard !window.isDuplicate(counter) else { continue }
      window.insert(counter)
      if isOld { (maximum, seen) = (counter, []) }
      maximum = max(maximum, counter)
      seen.insert(counter)
    }
  }
}
