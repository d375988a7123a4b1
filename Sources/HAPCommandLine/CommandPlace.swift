import HAPLoop

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The process of a command: its event loop, and requests to end it. A simulated world and tests set another place.
package struct CommandPlace: Sendable {
  /// The body of a command, with a loop. It returns the exit status of the process.
  package typealias Body = @Sendable (EventLoop) async -> ExitCode

  /// The place of the commands that begin in this task. The default: the calling thread waits for a loop on a separate
  /// thread.
  @TaskLocal package static var current = CommandPlace(
    run: { name, body in
      let loop = EventLoop(name: name)
      loop.start()
      defer { loop.stop() }
      return try blocking { await body(loop) }
    },
    whenAskedToEnd: { (loop, action) throws(LoopError) in
      for number in [SIGINT, SIGTERM] { _ = try SignalWatcher(loop, signal: number, onSignal: action) }
    })

  /// Runs a body with a loop of this name.
  ///
  /// In a simulated world, it returns before the body has ended, and the exit status of the process is that of the
  /// body. So a command does nothing after this call, and makes it at most once.
  package let run: @Sendable (_ name: String, _ body: @escaping Body) throws -> ExitCode
  /// Calls `action` on the loop at each SIGINT and SIGTERM, instead of the end of the process.
  /// - Throws: `LoopError` if the signals can't be caught.
  package let whenAskedToEnd:
    @Sendable (_ loop: EventLoop, _ action: @escaping @Sendable () -> Void) throws(LoopError) -> Void

  package init(
    run: @escaping @Sendable (_ name: String, _ body: @escaping Body) throws -> ExitCode,
    whenAskedToEnd:
      @escaping @Sendable (_ loop: EventLoop, _ action: @escaping @Sendable () -> Void) throws(LoopError) -> Void
  ) {
    self.run = run
    self.whenAskedToEnd = whenAskedToEnd
  }
}
