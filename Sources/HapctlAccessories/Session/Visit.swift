import HAPCommandLine
import HAPController
import HAPIP
import HAPLoop
import HAPStore

/// The common arguments of every command that connects to an accessory: the target, the pairings and the timeouts.
struct Visit: Sendable {
  /// The name of the command, for error messages.
  let name: String
  let target: Target
  let folder: String
  let timeout: Duration
  let isVerbose: Bool
  /// The names of the interfaces to search on; empty: all interfaces of the local network.
  let interfaces: [String]
  let console: Console

  init(_ name: String, to target: Target, _ arguments: Arguments, _ console: Console) throws(UsageError) {
    self.name = name
    self.target = target
    self.console = console
    folder = try stateFolder(arguments, console)
    interfaces = try arguments.all(CommonOptions.interface)
    timeout = .seconds(try arguments.value(CommonOptions.timeout) ?? 10)
    isVerbose = arguments[CommonOptions.verbose]
  }

  func store() throws -> ControllerStore { try ControllerStore(folder: folder) }

  /// Runs the body on a separate loop, and reports a failure in one line.
  func run(_ body: @escaping @Sendable (EventLoop) async throws -> ExitCode) -> ExitCode {
    withLoop(name, console, isVerbose: isVerbose, body)
  }

  /// Prints tolerated deviations if the user asked for them.
  func note(_ remarks: [Deviation]) {
    if isVerbose { for remark in remarks { console.complain("note: \(remark)") } }
  }

  /// Finds and connects to accessories for this command.
  func finder(on loop: EventLoop) -> AccessoryFinder {
    let (console, isVerbose) = (console, isVerbose)
    return AccessoryFinder(
      on: loop, storage: SerialStorage(PairingFolder(folder)), timeout: timeout, interfaces: interfaces
    ) {
      if isVerbose, case .tolerated(let text) = $0 { console.complain("note: \(text)") }
    }
  }

  /// Connects to the accessory at its saved address, or finds it on the network and saves that address. Returns it
  /// after Pair Verify.
  func open(on loop: EventLoop) async throws -> OpenAccessory { try await finder(on: loop).open(target) }

  /// Runs the body with the verified accessory.
  func withAccessory(_ body: @escaping @Sendable (OpenAccessory) async throws -> ExitCode) -> ExitCode {
    run { loop in try await body(try await open(on: loop)) }
  }

  /// Starts a session, and prints the deviations that it tolerated. `body` reads its news.
  func withSession(
    reconnects: Bool, _ body: @escaping @Sendable (AccessorySession) async throws -> ExitCode
  ) -> ExitCode {
    run { loop in
      let plan = SessionPlan(reconnects: reconnects, readsNews: false)
      let session = try await finder(on: loop).session(with: target, plan)
      note(session.remarks)
      return try await body(session)
    }
  }
}
