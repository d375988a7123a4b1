import Testing

@testable import HAPLoop

@Suite struct SeveralThreadsWorkAtOnce {
  private struct Failure: Error {}

  @Test("Each has its number, and the results come in their order") func results() throws {
    #expect(try Workers.perform(4) { $0 * 10 } == [0, 10, 20, 30])
    #expect(try Workers.perform(1) { $0 } == [0])
    #expect(Workers.cores >= 1)
  }

  @Test("What one of them throws is thrown when all have ended") func failure() {
    let ended = Guarded(0)
    #expect(throws: Failure.self) {
      try Workers.perform(3) { number in
        defer { ended.withLock { $0 += 1 } }
        if number == 1 { throw Failure() }
      }
    }
    #expect(ended.withLock { $0 } == 3)
  }
}
