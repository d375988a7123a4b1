import Foundation
import HAPCommandLine
import HAPLoop

/// The questions to the person while an accessory is added or a user is invited. Apple's systems show a screen; here, a
/// prompt asks.
public enum HMSetupUI {
  @TaskLocal private static var local: (any HMSetupPrompt)?
  private static let replaced = Guarded<(any HMSetupPrompt)?>(nil)

  /// The prompt of operations that begin from now on. Any thread may use it.
  ///
  /// By default, the program asks on its terminal. A program without a terminal takes the setup code from the variable
  /// `HAPHOME_SETUP_CODE` of its environment, and accepts the suggested names and rooms.
  public static var shared: any HMSetupPrompt {
    get { local ?? replaced.withLock { $0 } ?? standard }
    set { replaced.withLock { $0 = newValue } }
  }

  /// Uses a prompt instead of `shared` for the operations that begin in `operation`, so that tests can run in parallel.
  public static func withPrompt<T>(
    _ prompt: any HMSetupPrompt, operation: () async throws -> T
  ) async rethrows -> T {
    try await $local.withValue(prompt, operation: operation)
  }

  private static var standard: any HMSetupPrompt {
    let console = Console.standard
    let input = Terminal(descriptor: STDIN_FILENO, environment: console.environment)
    return input.isTerminal && console.errors.isTerminal
      ? TerminalPrompt(console) : ScriptPrompt(code: console.environment(ScriptPrompt.variable))
  }
}
