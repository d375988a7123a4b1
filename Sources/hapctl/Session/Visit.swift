import HAPCommandLine
import HAPLoop
import HAPProtocol
import HAPStore
import HAPTransport
import Synchronization

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

  /// Connects and verifies.
  func open(_ pairing: ControllerPairing, on loop: EventLoop) async throws -> OpenAccessory {
    let accessory = try await OpenAccessory.open(pairing, on: loop, timeout: timeout)
    note(await accessory.client.remarks)
    return accessory
  }

  /// With the accessory, when it has been verified.
  func withAccessory(_ body: @escaping @Sendable (OpenAccessory) async throws -> ExitCode) -> ExitCode {
    run { loop in try await body(try await open(on: loop)) }
  }

  /// With a session that outlives its connections, when it has been verified for the first time. What goes wrong before that is the end.
  func withSession(
    _ body: @escaping @Sendable (PersistentSession, ControllerPairing) async throws -> ExitCode
  ) -> ExitCode {
    run { loop in
      let (session, pairing) = try await reach(on: loop) { pairing in
        let places = Places(try socketAddresses(pairing.addresses))
        let session = PersistentSession(
          on: loop, identity: pairing.credentials, with: pairing.accessory, connectTimeout: timeout,
          requestTimeout: timeout
        ) {
          // Where it was; when it was lost there, where it is found to be.
          guard places.wasAsked() else { return places.known }
          return await whereabouts(of: pairing, on: loop) + places.known
        }
        switch await session.next() {
        case .lost(let error, _)?, .gaveUp(let error)?:
          await session.close()
          throw error
        case .connected(_, _, let remarks)?: note(remarks)
        case .values?, .database?, .unreadable?, nil: break
        }
        return (session, pairing)
      }
      let record = RecordWatch(of: pairing, on: loop, interfaces: interfaces) { number in
        await session.configurationNumber(is: number)
      }
      defer { record.close() }
      return try await body(session, pairing)
    }
  }
}

/// Where an accessory is thought to be, and whether that has been tried.
private final class Places: Sendable {
  let known: [SocketAddress]
  private let isTried = Mutex(false)

  init(_ known: [SocketAddress]) { self.known = known }

  /// - Returns: false for the first time.
  func wasAsked() -> Bool {
    isTried.withLock { isTried in
      defer { isTried = true }
      return isTried
    }
  }
}
