import HAPCommandLine
import HAPLoop

/// `hapsim run` on loops that it has no thread for: as a process of a simulated host.
package final class HostedRun: @unchecked Sendable {  // used on one thread
  private let console: Console
  private let onEnd: (ExitCode) -> Void
  private var options: RunOptions?
  private var run: ServedRun?
  private var stopped = StopRequest()

  /// - Parameters:
  ///   - onEnd: called once, when everything has ended.
  package init(_ console: Console, onEnd: @escaping (ExitCode) -> Void) {
    self.console = console
    self.onEnd = onEnd
  }

  /// Starts it.
  /// - Parameters:
  ///   - words: the command line without the program's name; its command is `run`.
  ///   - later: runs what it is given after the present turns of all loops.
  package func start(
    _ words: [String], on host: any RunHost, later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    guard words.first == "run" else {
      console.complain("a simulated host runs the command run of hapsim, and no other")
      return onEnd(.usage)
    }
    stopped = StopRequest(onRequest: { later { self.finish() } })
    do {
      let arguments = try Arguments(parsing: words.dropFirst(), options: RunOptions.definitions)
      let options = try RunOptions(arguments, environment: console.environment)
      self.options = options
      let (run, prepared) = try prepareRun(options, on: host, until: stopped, console)
      try run.start(prepared)
      self.run = run
    } catch { fail(error) }
  }

  /// Requests the end, as SIGTERM does.
  package func signal() { stopped.signal() }

  private func finish() {
    guard let run else { return }
    self.run = nil
    do { onEnd(try run.finish()) } catch { fail(error) }
  }

  private func fail(_ error: any Error) {
    guard let options else {
      console.complain("hapsim: \(error)")
      return onEnd(.usage)
    }
    onEnd(explain(error, options, console))
  }
}
