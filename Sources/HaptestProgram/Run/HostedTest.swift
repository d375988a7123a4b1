import HAPCommandLine
import HAPLoop

/// Where work that needs an event loop is done.
package protocol LoopPlace: Sendable {
  /// Runs `body` with a loop to its end.
  func run<T: Sendable>(_ console: Console, _ body: @escaping @Sendable (EventLoop) async throws -> T) throws -> T
}

/// A loop on a thread of its own; a signal cancels the work.
struct OwnLoop: LoopPlace {
  func run<T: Sendable>(_ console: Console, _ body: @escaping @Sendable (EventLoop) async throws -> T) throws -> T {
    try onLoop(console, body)
  }
}

/// `haptest run` in another place than a loop of its own: in a simulated world.
/// - Parameter words: the command line behind `haptest run`.
package func runTest(_ words: [String], in place: any LoopPlace, _ console: Console) -> ExitCode {
  do throws(UsageError) {
    return try haptest("run", console) {
      let request = try RunRequest(Arguments(parsing: words, options: RunRequest.options), console)
      return try RunCommand("run", request, console).run(place)
    }
  } catch {
    console.complain("haptest run: \(error.message)")
    return error.code
  }
}
