import HapsimInputs
import HAPCommandLine
import HAPLoop

/// `hapsim run` or `hapsim judge` on loops that it has no thread for: as a process of a simulated host.
// Safe: only a simulated host uses it (`SimulatedHapsim` in Tests/WorldPrograms). All its calls, and what `later` runs, are on the world's thread;
// the world counts work from other threads, and the proof allows none.
package final class HostedRun: @unchecked Sendable {
  private let console: Console
  private let onEnd: (ExitCode) -> Void
  private var options: RunOptions?
  private var run: ServedRun?
  /// It and the request refer to each other until `close()`.
  private var stopped: StopRequest?

  /// - Parameters:
  ///   - onEnd: called once, when everything has ended.
  package init(_ console: Console, onEnd: @escaping (ExitCode) -> Void) {
    self.console = console
    self.onEnd = onEnd
  }

  /// Starts it.
  /// - Parameters:
  ///   - words: the command line without the program's name; its command is `run` or `judge`.
  ///   - later: runs what it is given after the present turns of all loops.
  package func start(
    _ words: [String], on host: any RunHost, later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    let stopped = StopRequest(onRequest: { later { self.finish() } })
    self.stopped = stopped
    do {
      let options = try options(words)
      self.options = options
      let (run, prepared) = try prepareRun(options, on: host, until: stopped, console)
      try run.start(prepared)
      self.run = run
    } catch { fail(error) }
  }

  private func options(_ words: [String]) throws(UsageError) -> RunOptions {
    switch words.first {
    case "run":
      return try RunOptions(
        Arguments(parsing: words.dropFirst(), options: RunOptions.definitions), environment: console.environment)
    case "judge":
      let definitions = JudgeOptions.definitions + RunOptions.definitionsOfJudge
      return try RunOptions(
        ofJudge: Arguments(parsing: words.dropFirst(), options: definitions), environment: console.environment)
    default: throw UsageError("a simulated host runs the commands run and judge of hapsim, and no other")
    }
  }

  /// Requests the end, as SIGTERM does.
  package func signal() { stopped?.signal() }

  private func finish() {
    guard let run else { return }
    self.run = nil
    do { onEnd(try run.finish()) } catch { fail(error) }
  }

  /// Releases everything, because its process has ended.
  package func close() {
    run = nil
    stopped = nil
  }

  private func fail(_ error: any Error) {
    guard let options else {
      console.complain("hapsim: \(error)")
      return onEnd(.usage)
    }
    onEnd(explain(error, options, console))
  }
}
