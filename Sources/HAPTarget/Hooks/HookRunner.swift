import HAPSuite
import HAPWire

/// Runs hooks on the device: by shell commands and prompts (`HookCommands`), by a simulator (`SimulatorHooks`), or not at all (`NoHooks`).
package protocol HookRunner: Sendable {
  func isAvailable(_ name: HookName) -> Bool
  /// Runs the hook and returns when it is done.
  /// - Returns: the JSON object that the command or simulator answered, if any.
  func run(_ hook: HookCall) async throws(HookFailure) -> JSONNode?
}

/// Why a hook wasn't run. It is no verdict on the device.
package struct HookFailure: Error, Equatable, Sendable {
  package enum Code: Equatable, Sendable {
    /// No runner supports the hook.
    case unavailable
    /// The command, person or simulator refused.
    case refused
    /// The time limit was exceeded.
    case timedOut
    /// The run was cancelled meanwhile.
    case cancelled
    /// The accessory's process has ended.
    case ended
  }

  package var code: Code
  /// One line, without a full stop.
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

/// Runs no hooks.
package struct NoHooks: HookRunner {
  package init() {}
  package func isAvailable(_: HookName) -> Bool { false }
  package func run(_ hook: HookCall) async throws(HookFailure) -> JSONNode? {
    throw HookFailure(.unavailable, "there is no hook \"\(hook.name.rawValue)\": use --hooks FILE to define it")
  }
}

/// A chain of runners; the first that supports a hook runs it.
package struct HookChain: HookRunner {
  private let runners: [any HookRunner]

  package init(_ runners: [any HookRunner]) { self.runners = runners }

  package func isAvailable(_ name: HookName) -> Bool { runners.contains { $0.isAvailable(name) } }

  package func run(_ hook: HookCall) async throws(HookFailure) -> JSONNode? {
    // If none supports it, the last one throws the reason.
    let runner = runners.first { $0.isAvailable(hook.name) } ?? runners.last ?? NoHooks()
    return try await runner.run(hook)
  }
}
