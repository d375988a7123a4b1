import Testing

@testable import HAPLoop

@Suite struct EventLoopSleepTests {
  private static let century = Duration.seconds(100 * 366 * 86_400)

  /// Runs `body` with a started loop.
  private func withLoop<T>(_ body: (EventLoop) async throws -> T) async rethrows -> T {
    let loop = EventLoop(name: "sleep")
    loop.start()
    defer { loop.stop() }
    return try await body(loop)
  }

  @Test("A sleep is never shorter than requested", arguments: [-5, 0, 1, 7]) func neverEarly(_ milliseconds: Int)
    async throws
  {
    let elapsed = try await withLoop { loop in
      let start = loop.readClock()
      try await loop.sleep(for: .milliseconds(milliseconds))
      return loop.readClock() - start
    }
    #expect(elapsed >= UInt64(max(milliseconds, 0)) * 1_000_000)
  }

  @Test("A sleep of a cancelled task throws CancellationError, and leaves no timer") func cancelled() async {
    let left = await withLoop { loop in
      let before = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await loop.sleep(for: Self.century)
      }
      await #expect(throws: CancellationError.self) { try await before.value }
      let during = Task { try await loop.sleep(for: Self.century) }
      // By now, the sleep has started its timer.
      while try! loop.performAndWait({ loop.openHandleCount }) == 0 { await Task.yield() }
      during.cancel()
      await #expect(throws: CancellationError.self) { try await during.value }
      await #expect(throws: CancellationError.self) { try await before.value }
      await withCheckedContinuation { continuation in
        loop.schedule { loop.schedule { continuation.resume() } }
      }
      return try! loop.performAndWait { loop.openHandleCount }
    }
    #expect(left == 0)
  }

  @Test("A sleep on a loop that ends, or has ended, throws an error with that reason") func ended() async {
    let loop = EventLoop(name: "sleep")
    loop.start()
    let during = Task { try await loop.sleep(for: Self.century) }
    while try! loop.performAndWait({ loop.openHandleCount }) == 0 { await Task.yield() }
    loop.stop()
    let error = LoopError(.cancelled, "the event loop sleep has ended")
    await #expect(throws: error) { try await during.value }
    await #expect(throws: error) { try await loop.sleep(for: .zero) }
  }
}

@Suite struct EventLoopTaskTests {
  private actor Counter {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private var count = 0

    init(_ loop: EventLoop) { self.loop = loop }

    /// The closure needs no `await` to access the actor's state.
    func countInTask() async -> Int {
      await loop.startTask {
        self.count += 1
        self.loop.preconditionOnLoop()
        return self.count
      }.value
    }
  }

  @Test("A task returns the value or the error of its work, and can be cancelled") func outcomes() async throws {
    let loop = EventLoop(name: "task")
    loop.start()
    #expect(await loop.startTask { 7 }.value == 7)
    let failing = loop.startTask { throw LoopError(.timedOut, "late") }
    await #expect(throws: LoopError(.timedOut, "late")) { try await failing.value }
    let cancelled = loop.startTask {
      while !Task.isCancelled { await Task.yield() }
      return true
    }
    cancelled.cancel()
    #expect(await cancelled.value)
    loop.stop()
  }

  @Test("Code of a task that belongs to no actor runs on the loop, also after it has waited") func nonisolated() async {
    let loop = EventLoop(name: "task")
    loop.start()
    let counter = Counter(loop)
    let wereOnLoop = loop.startTask {
      var wereOnLoop = [loop.isOnLoop]
      _ = await counter.countInTask()
      wereOnLoop.append(loop.isOnLoop)
      try? await loop.sleep(for: .milliseconds(1))
      wereOnLoop.append(loop.isOnLoop)
      return wereOnLoop
    }
    #expect(await wereOnLoop.value == [true, true, true])
    loop.stop()
  }

  @Test("A task that is started in an actor is isolated to it") func isolation() async {
    let loop = EventLoop(name: "task")
    loop.start()
    let counter = Counter(loop)
    #expect(await counter.countInTask() == 1)
    #expect(await counter.countInTask() == 2)
    loop.stop()
  }
}
