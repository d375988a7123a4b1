import Dispatch
import HAPLoop
import HAPWorld
import XCTest

/// The tests of most apps: synchronous, on the main thread, with `wait(for:timeout:)`. They run with XCTest.
final class WorldThreadWaitTests: XCTestCase {
  private func stage(_ seed: UInt64) -> (thread: WorldThread, loop: EventLoop) {
    let (thread, made) = (WorldThread(seed: seed), Guarded<EventLoop?>(nil))
    let isReady = expectation(description: "the app's process")
    Task {
      let loop = try await thread.run {
        let process = thread.world.network.addHost("app").startProcess("app")
        return thread.world.makeLoop("app", of: process!)
      }
      made.withLock { $0 = loop }
      isReady.fulfill()
    }
    wait(for: [isReady], timeout: 60)
    return (thread, made.withLock { $0 }!)
  }

  /// Sends a request whose answer takes an hour of virtual time.
  private static func request(
    _ thread: WorldThread, _ loop: EventLoop, _ completion: @escaping @Sendable (Duration) -> Void
  ) {
    thread.beginRequest()
    loop.startTask {
      try? await loop.sleep(for: .seconds(3600))
      let time = thread.world.now
      thread.mainWorkBegins()
      DispatchQueue.main.async {
        completion(time)
        thread.endRequest()
      }
    }
  }

  func testCompletionHandlersRunWhileTheMainThreadWaits() {
    for seed in 1...3 as ClosedRange<UInt64> {
      let (thread, loop) = stage(seed)
      let begin = thread.world.now
      let (first, second) = (expectation(description: "first"), expectation(description: "second"))
      let times = Guarded<[Duration]>([])
      Self.request(thread, loop) { time in
        times.withLock { $0.append(time - begin) }
        XCTAssertTrue(Thread.isMainThread)
        Self.request(thread, loop) { time in
          times.withLock { $0.append(time - begin) }
          second.fulfill()
        }
        first.fulfill()
      }
      wait(for: [first, second], timeout: 60)
      XCTAssertEqual(times.withLock { $0 }, [.seconds(3600), .seconds(7200)])
      // Nothing is open, so the clock stands while the test does something else.
      RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.05))
      XCTAssertEqual(thread.world.now - begin, .seconds(7200))
      thread.end()
    }
  }

  func testTheClockIsMovedWhileTheMainThreadWaits() {
    let (thread, _) = stage(4)
    let (begin, isThere) = (thread.world.now, expectation(description: "a day later"))
    thread.advance(by: .seconds(86_400)) { isThere.fulfill() }
    wait(for: [isThere], timeout: 60)
    XCTAssertEqual(thread.world.now - begin, .seconds(86_400))
    thread.end()
  }
}
