import HAPLoop
import Testing

@testable import HAPConformance

/// Enters a mutex concurrently, and records how many visitors are inside.
private actor Visitors {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let mutex = AsyncMutex()
  private var inside = 0
  private(set) var most = 0
  private(set) var visits = 0

  init(_ loop: EventLoop) { self.loop = loop }

  func visit() async {
    await mutex.enter()
    inside += 1
    most = max(most, inside)
    for _ in 0..<5 { await Task.yield() }
    inside -= 1
    visits += 1
    mutex.leave()
  }
}

@Suite("Runner: mutex") struct AsyncMutexTests {
  @Test("Each task enters, and never while another is inside")
  func oneAtATime() async throws {
    let (most, visits) = try await withLoop { loop in
      let visitors = Visitors(loop)
      await withTaskGroup { group in for _ in 0..<50 { group.addTask { await visitors.visit() } } }
      return (await visitors.most, await visitors.visits)
    }
    #expect(most == 1)
    #expect(visits == 50)
  }
}
