import Dispatch
import HAPLoop
import HAPWorld
import Testing

/// A world on its own thread, with an app that talks to it in the way of Apple's API: requests with completion handlers
/// on the main queue.
private final class Stage: Sendable {
  let thread: WorldThread
  let loop: EventLoop

  init(seed: UInt64 = 1) async throws {
    let thread = WorldThread(seed: seed)
    self.thread = thread
    loop = try await thread.run {
      guard let process = thread.world.network.addHost("app").startProcess("app") else { throw Failure() }
      return thread.world.makeLoop("app", of: process)
    }
  }

  struct Failure: Error {}

  var now: Duration { thread.world.now }

  /// Calls a function on the world's thread, so that the clock stands until all its waits are known.
  func atOnce(_ body: @escaping @Sendable () -> Void) { thread.perform(body) }

  /// A request whose answer takes some virtual time.
  func request(_ duration: Duration, completion: @escaping @MainActor @Sendable (Duration) -> Void) {
    thread.beginRequest()
    loop.startTask { [self] in
      try? await loop.sleep(for: duration)
      let time = now
      thread.mainWorkBegins()
      DispatchQueue.main.async {
        MainActor.assumeIsolated { completion(time) }
        self.thread.endRequest()
      }
    }
  }

  /// The same as an async function.
  @MainActor func request(_ duration: Duration) async -> Duration {
    await withCheckedContinuation { continuation in request(duration) { continuation.resume(returning: $0) } }
  }
}

/// What an app's main thread has seen.
@MainActor private final class Notes {
  private(set) var lines: [String] = []
  nonisolated init() {}
  func add(_ line: String) { lines.append(line) }
}

@Suite("A simulated world on its own thread") struct WorldThreadTests {
  @Test("Completion handlers on the main queue see the time of their answers, and can send further requests")
  func handlers() async throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      let (stage, notes) = (try await Stage(seed: seed), Notes())
      let begin = stage.now
      await withCheckedContinuation { continuation in
        stage.request(.seconds(3)) { time in
          notes.add("\(time - begin) \(stage.now - begin)")
          stage.request(.seconds(2)) { time in
            notes.add("\(time - begin) \(stage.now - begin)")
            continuation.resume()
          }
        }
      }
      await #expect(notes.lines == ["3.0 seconds 3.0 seconds", "5.0 seconds 5.0 seconds"])
      stage.thread.end()
    }
  }

  @Test("While no request is open, the clock stands: a timer fires only in advance(by:)")
  func standing() async throws {
    let (stage, count) = (try await Stage(), Guarded(0))
    stage.loop.schedule { [loop = stage.loop] in tick(loop, count) }
    let begin = stage.now
    for _ in 0..<200 { await stage.thread.advance(by: .zero) }
    #expect(count.withLock { $0 } == 0 && stage.now == begin)
    await stage.thread.advance(by: .seconds(3600))
    #expect(count.withLock { $0 } == 3600 && stage.now == begin + .seconds(3600))
    for _ in 0..<200 { await stage.thread.advance(by: .zero) }
    #expect(count.withLock { $0 } == 3600)
    stage.thread.end()
  }

  private func tick(_ loop: EventLoop, _ count: Guarded<Int>) {
    LoopTimer(loop) {
      count.withLock { $0 += 1 }
      self.tick(loop, count)
    }.start(after: .seconds(1))
  }

  @Test("An async test on the main actor sees the same times") @MainActor
  func mainActor() async throws {
    let stage = try await Stage()
    let begin = stage.now
    #expect(await stage.request(.seconds(7)) - begin == .seconds(7))
    #expect(stage.now - begin == .seconds(7))
    async let slow = stage.request(.seconds(20))
    async let quick = stage.request(.seconds(10))
    let times = await [quick - begin, slow - begin]
    #expect(times == [.seconds(17), .seconds(27)] && stage.now - begin == .seconds(27))
    stage.thread.end()
  }

  @Test("Two waits at the same time end at their times, in their order")
  func waits() async throws {
    let (stage, ends) = (try await Stage(), Guarded<[String]>([]))
    let begin = stage.now
    await withCheckedContinuation { continuation in
      stage.atOnce {
        for seconds in [30, 10, 20] {
          stage.thread.advance(by: .seconds(seconds)) {
            let count = ends.withLock { ends in
              ends.append("\(stage.now - begin)")
              return ends.count
            }
            if count == 3 { continuation.resume() }
          }
        }
      }
    }
    #expect(ends.withLock { $0 } == ["10.0 seconds", "20.0 seconds", "30.0 seconds"])
    stage.thread.end()
  }

  @Test("Settling waits for the open requests; after the end of the world, waits end at once")
  func settling() async throws {
    let stage = try await Stage()
    let begin = stage.now
    await stage.thread.settle()
    #expect(stage.now == begin)
    stage.request(.seconds(5)) { _ in }
    await stage.thread.settle()
    #expect(stage.now - begin == .seconds(5))
    await withCheckedContinuation { continuation in
      stage.thread.whenEnded { continuation.resume() }
      stage.thread.end()
    }
    await stage.thread.settle()
    await stage.thread.advance(by: .seconds(5))
    await #expect(throws: CancellationError.self) { try await stage.thread.run {} }
  }

  @Test("A request that no event can end lets the clock stand, and does not prevent the end")
  func stuck() async throws {
    let stage = try await Stage()
    stage.thread.beginRequest()
    await stage.thread.advance(by: .seconds(5))
    let (now, ended) = (stage.now, Guarded(false))
    // The clock moves on when the shorter wait ends, so the time is read in its callback.
    let (time, isSecond) = await withCheckedContinuation { continuation in
      stage.atOnce {
        stage.thread.advance(by: .seconds(1_000_000)) { ended.withLock { $0 = true } }
        stage.thread.advance(by: .seconds(1)) {
          continuation.resume(returning: (stage.now, ended.withLock { $0 }))
        }
      }
    }
    #expect(time == now + .seconds(1) && !isSecond)
    await withCheckedContinuation { continuation in
      stage.thread.whenEnded { continuation.resume() }
      stage.thread.end()
    }
  }
}
