import HAPExpectation
import HAPLoop
import HAPSuite

/// Waiting for messages of the accessory.
extension WireConnection {
  /// Returns the next answer, garbage or end of the connection; the last two remain queued. A cancelled task gets `.silence` at once.
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

  /// Returns the first event that fits.
  /// - Parameter keeping: whether the event remains queued for later calls; otherwise it is removed.
  nonisolated(nonsending) func event(
    within limit: Duration, keeping: Bool = false, where fits: (WireMessage) throws(StepError) -> Bool
  ) async throws(StepError) -> WireMessage? {
    let deadline = loop.readClock() &+ UInt64(max(limit / .nanoseconds(1), 0))
    while true {
      // Restart at the first event, because other tasks may have removed events meanwhile.
      for (index, event) in events.enumerated() where try fits(event) {
        if keeping { return event }
        queuedBytes -= event.bytes.count
        return events.remove(at: index)
      }
      if isOver || Task.isCancelled || loop.readClock() >= deadline { return nil }
      await change(since: wakeCount, until: deadline)
    }
  }

  /// Waits for `limit`.
  /// - Returns: the first arrival that counts; nil if there was none.
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

  /// Waits until something arrives, the deadline passes, or the task is cancelled.
  /// - Parameter wakeCount: the count at the caller's last check. If something arrived since then, the wait ends at once.
  func change(
    since wakeCount: UInt64, until deadline: UInt64, isCancellable: Bool = true,
    isolation: isolated (any Actor)? = #isolation
  ) async {
    reportHeldEnd()
    let timer = LoopTimer(loop)
    lastWaiter += 1
    let number = lastWaiter
    await withTaskCancellationHandler {
      // The closure captures the isolation, because it would otherwise leave the loop's thread.
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
      // Resume in a later turn of the loop, because the waiter may not have been added yet.
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

  /// - Parameter start: the end of the first line, because empty lines may precede it.
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
