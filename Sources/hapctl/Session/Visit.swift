import HAPCommandLine
import HAPController
import HAPIP
import HAPLoop
import HAPStore

/// What every command that speaks to an accessory was asked: of whom, with which pairings, and for how long to wait.
struct Visit: Sendable {
  /// Of the command, for complaints.
  let name: String
  let target: Target
  let folder: String
  let timeout: Duration
  let isVerbose: Bool
  /// Names of those to look for accessories on; empty: all of the local network.
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

  /// Runs on a loop of its own; a failure is told in one line.
  func run(_ body: @escaping @Sendable (EventLoop) async throws -> ExitCode) -> ExitCode {
    withLoop(name, console, isVerbose: isVerbose, body)
  }

  /// What was put up with, for those who want to know.
  func note(_ remarks: [Tolerated]) {
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

  /// The accessory, verified: where its pairing says, or where it is found on the network, which is kept then.
  func open(on loop: EventLoop) async throws -> OpenAccessory { try await finder(on: loop).open(target) }

  /// With the accessory, when it has been verified.
  func withAccessory(_ body: @escaping @Sendable (OpenAccessory) async throws -> ExitCode) -> ExitCode {
    run { loop in try await body(try await open(on: loop)) }
  }

  /// Makes a session, and shows the deviations that were tolerated in it. `body` reads its news.
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
