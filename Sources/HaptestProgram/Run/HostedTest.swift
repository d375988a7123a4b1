import HAPCommandLine
import HAPLoop

/// A provider of an event loop.
package protocol LoopPlace: Sendable {
  /// Runs `body` to its end on a loop.
  func run<T: Sendable>(_ console: Console, _ body: @escaping @Sendable (EventLoop) async throws -> T) throws -> T
}

/// A loop on its own thread; a signal cancels the work.
struct OwnLoop: LoopPlace {
  func run<T: Sendable>(_ console: Console, _ body: @escaping @Sendable (EventLoop) async throws -> T) throws -> T {
    try onLoop(console, body)
  }
}

/// Runs `haptest run` in another place than its own loop, for example in a simulated world.
/// - Parameter words: the command line after `haptest run`.
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
