import Foundation
import Synchronization
import Testing

@testable import HAPLoop

/// An actor that is pinned to a loop.
private actor Counter {
  let loop: EventLoop
  var count = 0
  var wasElsewhere = false
  private var timer: LoopTimer?
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: EventLoop) { self.loop = loop }

  func increment() {
    if !loop.isOnLoop { wasElsewhere = true }
    count += 1
  }

  func incrementSlowly() async {
    increment()
    await Task.yield()
    increment()
  }

  func startTimer(_ done: @escaping @Sendable (Int) -> Void) {
    // A closure created inside the actor has its isolation, and the loop's callbacks may call it.
    timer = LoopTimer(loop) {
      self.count += 1
      done(self.count)
      self.timer?.close()
    }
    timer?.start(after: .zero)
  }
}

@Suite struct EventLoopTests {
  @Test("Actors pinned to a loop run on its thread, even with a thousand concurrent tasks")
  func actors() async {
    let loop = EventLoop(name: "actors")
    loop.start()
    let counter = Counter(loop)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<1000 { group.addTask { await counter.incrementSlowly() } }
    }
    #expect(await counter.count == 2000)
    #expect(await counter.wasElsewhere == false)
    loop.stop()
  }

  @Test("A callback enters a pinned actor with assumeIsolated")
  func assumeIsolated() async {
    let count = await onLoop { (loop, finish: @escaping @Sendable (Int) -> Void) in
      let counter = Counter(loop)
      let timer = LoopTimer(loop)
      timer.onFire = {
        finish(
          counter.assumeIsolated {
            $0.increment()
            return $0.count
          })
      }
      timer.start(after: .milliseconds(1))
    }
    #expect(count == 1)
  }

  @Test("A closure created inside a pinned actor keeps its isolation when a timer calls it")
  func isolatedClosure() async {
    let loop = EventLoop(name: "closure")
    loop.start()
    let counter = Counter(loop)
    let count = await withCheckedContinuation { continuation in
      Task { await counter.startTimer { continuation.resume(returning: $0) } }
    }
    #expect(count == 1)
    loop.stop()
  }

  @Test("assumeIsolated traps on a foreign thread") func foreignThread() async {
    await #expect(processExitsWith: .failure) {
      func enter() {
        let loop = EventLoop(name: "a")
        loop.start()
        Counter(loop).assumeIsolated { $0.increment() }
      }
      enter()
    }
  }

  @Test("Creating a handle on a foreign thread traps") func foreignHandle() async {
    await #expect(processExitsWith: .failure) {
      let loop = EventLoop(name: "a")
      loop.start()
      _ = LoopTimer(loop)
    }
  }

  @Test("Work scheduled before the start runs after it, in order") func early() throws {
    let loop = EventLoop(name: "early")
    let seen = Box<[Int]>([])
    for number in 0..<100 { loop.schedule { seen.value.append(number) } }
    #expect(seen.value.isEmpty)
    loop.start()
    #expect(try loop.performAndWait { seen.value } == Array(0..<100))
    loop.stop()
  }

  @Test("Scheduling work after the end is refused") func late() {
    let loop = EventLoop(name: "late")
    loop.start()
    loop.stop()
    #expect(loop.schedule {} == false)
  }

  /// This test was seen to fail without `dropEntries` in `stop`.
  @Test("A loop that is stopped before it ran releases its scheduled work") func droppedWork() {
    final class Canary: Sendable {}
    let loop = EventLoop(name: "x")
    weak var canary: Canary?
    do {
      let alive = Canary()
      canary = alive
      let bound = LoopBound(loop, alive)
      loop.schedule { _ = bound.value }
    }
    #expect(canary != nil)
    loop.stop()
    #expect(canary == nil)
  }

  @Test("A loop that was never started can be stopped and released") func unstarted() {
    EventLoop(name: "x").stop()
    _ = EventLoop(name: "y")
  }

  @Test("An error thrown in performAndWait is rethrown") func throwing() {
    let loop = EventLoop(name: "throwing")
    loop.start()
    #expect(throws: LoopError(.timedOut, "x")) { try loop.performAndWait { throw LoopError(.timedOut, "x") } }
    loop.stop()
  }

  @Test("A loop may be stopped twice, concurrently from several threads, and from its own thread")
  func stopping() async {
    for _ in 0..<50 {
      let loop = EventLoop(name: "stop")
      loop.start()
      loop.schedule { loop.stop() }
      await withTaskGroup(of: Void.self) { group in for _ in 0..<4 { group.addTask { loop.stop() } } }
      loop.stop()
    }
  }

  @Test(
    "A whenEnded handler is called once, after all work of the loop, or at once if the loop has ended")
  func ending() async {
    let loop = EventLoop(name: "ending")
    loop.start()
    let order = Mutex<[String]>([])
    await withCheckedContinuation { continuation in
      loop.whenEnded { order.withLock { $0.append("first") } }
      loop.whenEnded { continuation.resume() }
      loop.schedule {
        loop.stop()
        loop.schedule { order.withLock { $0.append("scheduled") } }
      }
    }
    #expect(order.withLock { $0 } == ["scheduled", "first"])
    loop.whenEnded { order.withLock { $0.append("late") } }
    #expect(order.withLock { $0 } == ["scheduled", "first", "late"])
    loop.stop()
    #expect(order.withLock { $0.count } == 3)
  }

  @Test("A loop that stops itself ends and is released, even if no thread waits for it") func selfStopping() async {
    weak var gone: EventLoop?
    for _ in 0..<100 {
      let loop = EventLoop(name: "alone")
      loop.start()
      loop.schedule { loop.stop() }
      gone = loop
    }
    while gone != nil { await Task.yield() }
  }

  @Test("Stopping runs all scheduled work, including work scheduled while stopping") func stopDrains() {
    let loop = EventLoop(name: "drain")
    loop.start()
    let count = Box(0)
    for _ in 0..<10 { loop.schedule { loop.schedule { loop.schedule { count.value += 1 } } } }
    loop.stop()
    #expect(count.value == 10)
  }

  @Test("A hook and a job that schedule more work in each turn can't prevent the loop's end") func endless() {
    let loop = EventLoop(name: "endless")
    loop.start()
    @Sendable func goOn() { loop.schedule { goOn() } }
    loop.schedule {
      loop.atEndOfTurn { loop.schedule {} }
      goOn()
    }
    loop.stop()
    #expect(!loop.schedule {})
  }

  @Test("Stopping closes a handle that is opened while another closes") func stopClosesLate() throws {
    let loop = EventLoop(name: "late")
    loop.start()
    let closed = Box(0)
    try loop.performAndWait {
      let first = LoopTimer(loop)
      first.onFire = { _ = first }
      first.onClosed = {
        let late = LoopTimer(loop)
        late.onFire = { _ = late }
        late.onClosed = { closed.value += 1 }
        late.start(after: .seconds(1000))
      }
      first.start(after: .seconds(1000))
    }
    loop.stop()
    #expect(closed.value == 1)
  }

  @Test("Stopping closes open handles, and releases their owners and closures") func stopCloses() throws {
    let loop = EventLoop(name: "close")
    loop.start()
    final class Witness: Sendable {}
    weak var witness: Witness?
    let closed = Box(0)
    try {
      let held = Witness()
      witness = held
      try loop.performAndWait {
        for _ in 0..<1000 {
          let timer = LoopTimer(loop)
          timer.onFire = { _ = (held, timer) }  // a reference cycle, as owners create it
          timer.onClosed = { closed.value += 1 }
          timer.start(after: .seconds(1000))
        }
      }
    }()
    #expect(witness != nil)
    loop.stop()
    #expect(witness == nil)
    #expect(closed.value == 1000)
    #expect(loop.openHandleCount == 0)
  }

  @Test("An endless job blocks neither timers nor the loop's end") func starvation() async {
    let fired: Bool = await onLoop { loop, finish in
      let spinner = Box(true)
      @Sendable func spin() { if spinner.value { loop.schedule { spin() } } }
      spin()
      let timer = LoopTimer(loop)
      timer.onFire = {
        spinner.value = false
        finish(true)
      }
      timer.start(after: .milliseconds(5))
    }
    #expect(fired)
  }

  // MARK: Pool

  @Test("Work runs off the loop, and its result is delivered on the loop") func offload() async {
    let places: [Bool] = await onLoop { loop, finish in
      loop.offload({ loop.isOnLoop }, then: { finish([$0, loop.isOnLoop]) })
    }
    #expect(places == [false, true])
  }

  @Test("Work can be awaited from any context") func asyncOffload() async {
    let loop = EventLoop(name: "offload")
    loop.start()
    let sum = await withTaskGroup(of: Int.self) { group in
      for number in 0..<500 { group.addTask { await loop.offload { number } } }
      return await group.reduce(0, +)
    }
    #expect(sum == 499 * 250)
    loop.stop()
  }

  @Test("Stopping waits for work on the pool, and delivers its results") func stopWaitsForWork() throws {
    let loop = EventLoop(name: "pool")
    loop.start()
    let results = Box(0)
    try loop.performAndWait {
      for _ in 0..<20 { loop.offload({ (0..<10_000).reduce(0, &+) }, then: { _ in results.value += 1 }) }
    }
    loop.stop()
    #expect(results.value == 20)
  }
}
