import HAPSuite
import HAPWire

/// Who does things to the device: commands and persons (`HookCommands`), a simulator (`SimulatorHooks`), or nobody (`NoHooks`).
package protocol HookRunner: Sendable {
  func isAvailable(_ name: HookName) -> Bool
  /// Does it, and returns when it is done.
  /// - Returns: what whoever did it says about it, if that is an object of JSON.
  func run(_ hook: HookCall) async throws(HookFailure) -> JSONNode?
}

/// Why something wasn't done to the device: says nothing about the device.
package struct HookFailure: Error, Equatable, Sendable {
  package enum Code: Equatable, Sendable {
    /// Nobody can do it.
    case unavailable
    /// Whoever was to do it said no.
    case refused
    /// It took too long.
    case timedOut
    /// The run was given up meanwhile.
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

/// Nobody.
package struct NoHooks: HookRunner {
  package init() {}
  package func isAvailable(_: HookName) -> Bool { false }
  package func run(_ hook: HookCall) async throws(HookFailure) -> JSONNode? {
    throw HookFailure(.unavailable, "there is no hook \"\(hook.name.rawValue)\": --hooks names a file of them")
  }
}

/// Several: the first that can does it.
package struct HookChain: HookRunner {
  private let runners: [any HookRunner]

  package init(_ runners: [any HookRunner]) { self.runners = runners }

  package func isAvailable(_ name: HookName) -> Bool { runners.contains { $0.isAvailable(name) } }

  package func run(_ hook: HookCall) async throws(HookFailure) -> JSONNode? {
    // The last says why not, where none can.
    let runner = runners.first { $0.isAvailable(hook.name) } ?? runners.last ?? NoHooks()
    return try await runner.run(hook)
  }
}
