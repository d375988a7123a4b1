import HAPExpectation
import HAPLoop
import HAPSuite

/// How cases wait for what the accessory sends.
extension WireConnection {
  /// The next answer, garbage or end; the last two stay. A task that is cancelled hears silence at once.
  nonisolated(nonsending) func next(within limit: Duration) async -> Arrival {
    let deadline = loop.readClock() &+ UInt64(max(limit / .nanoseconds(1), 0))
    while true {
      if let first = answers.first {
        if case .message(let message) = first {
          answers.removeFirst()
          queuedBytes -= message.bytes.count
        }
        return first
      }
      if isOver || Task.isCancelled || loop.readClock() >= deadline { return .silence(limit) }
      await change(since: wakeCount, until: deadline)
    }
  }

  /// The first event that fits.
  /// - Parameter keeping: whether it stays among those that came, for the next that asks; else it is taken out.
  nonisolated(nonsending) func event(
    within limit: Duration, keeping: Bool = false, where fits: (WireMessage) throws(StepError) -> Bool
  ) async throws(StepError) -> WireMessage? {
    let deadline = loop.readClock() &+ UInt64(max(limit / .nanoseconds(1), 0))
    while true {
      // From the first: meanwhile others may have taken some out.
      for (index, event) in events.enumerated() where try fits(event) {
        if keeping { return event }
        queuedBytes -= event.bytes.count
        return events.remove(at: index)
      }
      if isOver || Task.isCancelled || loop.readClock() >= deadline { return nil }
      await change(since: wakeCount, until: deadline)
    }
  }

  /// Waits out a time.
  /// - Returns: the first thing that came and counts; nil when there was nothing.
  nonisolated(nonsending) func silence(
    for limit: Duration, of counts: (Arrival) -> Bool
  ) async -> Arrival? {
    let deadline = loop.readClock() &+ UInt64(max(limit / .nanoseconds(1), 0))
    while true {
      if let event = events.first(where: { counts(.message($0)) }) { return .message(event) }
      if let arrival = answers.first(where: counts) { return arrival }
      if isOver || Task.isCancelled || loop.readClock() >= deadline { return nil }
      await change(since: wakeCount, until: deadline)
    }
  }

  func forgetEvents() {
    for event in events { queuedBytes -= event.bytes.count }
    events = []
  }

  /// Until something comes, the time is over, or the task is cancelled.
  /// - Parameter wakeCount: when the caller looked: what has come since then, in a turn between, ends the wait at once.
  func change(
    since wakeCount: UInt64, until deadline: UInt64, isCancellable: Bool = true,
    isolation: isolated (any Actor)? = #isolation
  ) async {
    reportHeldEnd()
    let timer = LoopTimer(loop)
    lastWaiter += 1
    let number = lastWaiter
    await withTaskCancellationHandler {
      // Named, or this would leave the loop's thread.
      _ = isolation
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        loop.preconditionOnLoop()
        guard wakeCount == self.wakeCount else { return continuation.resume() }
        waiters.append((number, continuation))
        timer.onFire = { [self] in resume(number) }
        let now = loop.readClock()
        timer.start(after: .nanoseconds(Int64(clamping: deadline > now ? deadline - now : 0)))
      }
    } onCancel: {
      // In a turn of its own, when the waiter is there.
      if isCancellable { loop.schedule { [self] in resume(number) } }
    }
    timer.close()
  }

  private func resume(_ waiter: UInt64) {
    guard let index = waiters.firstIndex(where: { $0.number == waiter }) else { return }
    waiters.remove(at: index).continuation.resume()
  }

  func wake() {
    wakeCount += 1
    let waiting = waiters
    waiters = []
    for waiter in waiting { waiter.continuation.resume() }
  }

  // MARK: Heads

  /// - Parameter start: the end of the first line: empty lines may stand before it.
  static func headEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index + 3 < bytes.count {
      if bytes[index] == 13, bytes[index + 1] == 10, bytes[index + 2] == 13, bytes[index + 3] == 10 { return index + 4 }
      if bytes[index] == 10, bytes[index + 1] == 10 { return index + 2 }
      index += 1
    }
    return bytes.count
  }
}
