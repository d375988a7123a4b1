import HAPLoop

/// Writes lines to standard output on a separate thread, so that a slow reader doesn't block an accessory.
///
/// If the reader falls too far behind, droppable lines are dropped, and one line reports their number.
package final class LineOutput: Sendable {
  /// The maximum number of waiting lines, and of their bytes.
  private static let limit = 10_000
  private static let byteLimit = 32 << 20

  private struct Backlog {
    var waiting = 0
    var bytes = 0
    var dropped = 0
  }

  private let console: Console
  private let program: String
  private let thread: EventLoop
  private let backlog = Guarded(Backlog())

  /// - Parameters:
  ///   - program: the program's name, for the line that reports dropped lines.
  ///   - thread: a loop that writes the lines. It must not be started yet.
  package init(_ console: Console, program: String, on thread: EventLoop = EventLoop(name: "output")) {
    self.thread = thread
    self.console = console
    self.program = program
    thread.start()
  }

  /// - Parameter isDroppable: whether the line may be dropped when the reader is far behind.
  package func write(_ line: String, isDroppable: Bool) {
    let dropped: Int? = backlog.withLock { backlog in
      if isDroppable, backlog.waiting >= Self.limit || backlog.bytes >= Self.byteLimit {
        backlog.dropped += 1
        return nil
      }
      backlog.waiting += 1
      backlog.bytes += line.utf8.count
      defer { backlog.dropped = 0 }
      return backlog.dropped
    }
    guard let dropped else { return }
    thread.schedule { [self] in
      if dropped > 0 { console.complain("\(program): \(dropped) lines were dropped: standard output was not read") }
      console.print(line)
      backlog.withLock { backlog in
        backlog.waiting -= 1
        backlog.bytes -= line.utf8.count
      }
    }
  }

  /// Writes the waiting lines, then ends the thread.
  /// - Parameter patience: the longest time to wait for the reader to take a line. After that, the remaining lines
  ///   are lost and the thread is left running, because the process ends. nil: waits without a limit.
  package func finish(patience: Duration? = nil) {
    if let patience {
      var waiting = backlog.withLock { $0.waiting }
      while thread.perform(waitingAtMost: patience, { true }) == nil {
        let rest = backlog.withLock { $0.waiting }
        if rest >= waiting { return }
        waiting = rest
      }
    }
    thread.stop()
  }
}
