import HAPLoop
import Synchronization

/// Lines for standard output, written by a thread of their own: whoever doesn't read them must not hold up an accessory.
///
/// When nobody reads for long, lines that may be lost are, and one line says how many.
package final class LineOutput: Sendable {
  /// Lines that may wait to be read, and their bytes.
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
  private let backlog = Mutex(Backlog())

  /// - Parameters:
  ///   - program: for the line that says what was lost.
  ///   - thread: a loop that writes the lines, and is not started.
  package init(_ console: Console, program: String, on thread: EventLoop = EventLoop(name: "output")) {
    self.thread = thread
    self.console = console
    self.program = program
    thread.start()
  }

  /// - Parameter isDroppable: whether it may be lost when the reader is far behind.
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
      if dropped > 0 { console.complain("\(program): \(dropped) lines were lost: nobody read them") }
      console.print(line)
      backlog.withLock { backlog in
        backlog.waiting -= 1
        backlog.bytes -= line.utf8.count
      }
    }
  }

  /// Writes what waits, then ends the thread.
  /// - Parameter patience: how long a reader may take no line before he is given up: what he didn't read is lost, and the thread is left as it is, since
  ///   the process ends. nil: as long as he likes.
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
