import HAPHost
import HAPVocabulary

/// A receiver of commands for the accessories of one or more loops. Belongs to a loop.
package protocol CommandTaker: Sendable {
  /// Performs a command and calls `done` once, on the same loop: immediately, or later if the command takes time.
  func take(_ command: SimulatorCommand, done: @escaping @Sendable (CommandOutcome) -> Void)
}

extension CommandTaker {
  /// Performs the command on a line of JSON, and returns the reply.
  package func take(_ line: [UInt8], done: @escaping @Sendable (CommandReply) -> Void) {
    let command: SimulatorCommand
    do throws(CommandRefusal) { command = try SimulatorCommand(json: line) } catch { return done(CommandReply(error)) }
    take(command) { done(CommandReply(id: command.id, $0)) }
  }

  /// Performs the command on a line of JSON, and returns the text of the reply without a newline.
  package func answer(_ line: [UInt8], to answer: @escaping @Sendable (String) -> Void) {
    take(line) { answer($0.text) }
  }
}
