import HapsimFiles
import HapsimInputs
import HAPCommandLine
import HAPLoop

/// A `hapsim run` or `hapsim judge` as a process of a simulated host, on loops without threads.
// Safe: only a simulated host uses it (`SimulatedHapsim` in Tests/WorldPrograms). All its calls, and the work of
// `later`, run on the world's thread. The world counts work from other threads, and the proof permits none.
package final class HostedRun: @unchecked Sendable {
  private let console: Console
  private let onEnd: (ExitCode) -> Void
  private var options: RunOptions?
  private var run: ServedRun?
  /// The request to stop. It and this object refer to each other until `close()`.
  private var stopped: StopRequest?

  /// - Parameters:
  ///   - onEnd: called once, at the end of the process.
  package init(_ console: Console, onEnd: @escaping (ExitCode) -> Void) {
    self.console = console
    self.onEnd = onEnd
  }

  /// Starts the process.
  /// - Parameters:
  ///   - words: the command line without the program's name; its command is `run` or `judge`.
  ///   - later: runs a closure after the current turns of all loops.
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
    default: throw UsageError("a simulated host supports only the hapsim commands run and judge")
    }
  }

  /// Requests the end in the same way as SIGTERM.
  package func signal() { stopped?.signal() }

  private func finish() {
    guard let run else { return }
    self.run = nil
    do { onEnd(try run.finish()) } catch { fail(error) }
  }

  /// Releases everything after the end of the process.
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
