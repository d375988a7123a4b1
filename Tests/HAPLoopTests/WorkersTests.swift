import Testing

@testable import HAPLoop

@Suite struct SeveralThreadsWorkAtOnce {
  private struct Failure: Error {}

  @Test("Each worker has a number, and the results are in order") func results() throws {
    #expect(try Workers.perform(4) { $0 * 10 } == [0, 10, 20, 30])
    #expect(try Workers.perform(1) { $0 } == [0])
    #expect(Workers.cores >= 1)
  }

  @Test("An error of a worker is thrown after all have ended") func failure() {
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
