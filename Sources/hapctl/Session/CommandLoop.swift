import HAPCommandLine
import HAPController
import HAPIP
import HAPLoop
import HAPMisbehaviour
import HAPModel
import HAPProxy
import HAPStore
import HAPTransport

/// The place of a command's event loop.
struct LoopPlace: Sendable {
  /// A loop on a thread of its own. Tests set a loop in a simulated world.
  @TaskLocal static var current = LoopPlace { body in
    let loop = EventLoop(name: "hapctl")
    loop.start()
    defer { loop.stop() }
    return try blocking { await body(loop) }
  }

  /// Runs `body` with a loop to its end.
  let run: @Sendable (_ body: @escaping @Sendable (EventLoop) async -> ExitCode) throws -> ExitCode
}

/// Runs a command's work with accessories on a loop of its own, and reports a failure in one line.
/// - Parameter isVerbose: whether the bytes around a fault are shown; nil: the command has no such option.
func withLoop(
  _ name: String, _ console: Console, isVerbose: Bool? = nil,
  _ body: @escaping @Sendable (EventLoop) async throws -> ExitCode
) -> ExitCode {
  @Sendable func report(_ error: any Error) -> ExitCode {
    let failure = Failure(error)
    let cause = (error as? ControllerError)?.cause ?? error
    let excerpt = (cause as? ClientError)?.excerpt
    let hint = excerpt != nil && isVerbose == false ? " (--verbose shows the bytes)" : ""
    console.complain("hapctl \(name): \(failure.message)\(hint)")
    if isVerbose == true { for line in excerpt?.lines ?? [] { console.complain(line) } }
    return failure.code
  }
  do {
    return try LoopPlace.current.run { loop in
      do { return try await body(loop) } catch { return report(error) }
    }
  } catch { return report(error) }
}

extension Failure {
  /// With what to do about it, where that is known.
  init(_ error: any Error) {
    switch error {
    case let error as Failure: self = error
    case let error as ControllerError:
      if let cause = error.cause { self.init(cause) } else { self.init(.cannotRun, "\(error)") }
    case let error as AccessError: self.init(error)
    case let error as MisdeedError: self.init(error)
    case let error as ProxyPortInUse:
      self.init(.cannotRun, "\(error.reason): LISTEN chose it; choose another port, or 0 for a free one")
    case let error as UsageError: self.init(.usage, error.message)
    case let error as StoreError: self.init(.cannotRun, "\(error)")
    case let error as FileError: self.init(.cannotRun, "\(error)")
    case let error as SelectionError: self.init(.usage, error.message)
    case ClientError.unreachable(let tries):
      self.init(
        .cannotRun,
        "the accessory can't be reached: \(ClientError.unreachable(tries)); is it switched on, and still at this address?"
      )
    case let error as ClientError:
      switch error {
      case .timedOut: self.init(.cannotRun, "\(error); --timeout waits longer")
      case .closed, .lost, .cancelled, .notSent: self.init(.cannotRun, "\(error)")
      case .pairing(let failure): self.init(pairVerify: failure)
      default: self.init(.problem, "\(error)")
      }
    default: self.init(.cannotRun, "\(error)")
    }
  }
}

extension Failure {
  fileprivate init(_ error: MisdeedError) {
    switch error {
    case .tooLate(let what, let stay): self.init(.problem, "\(what) within \(stay.roundText); --stay waits longer")
    case .noCharacteristic(let what):
      self.init(.problem, "the accessory has no characteristic \(what): this can't be done to it")
    }
  }
}

extension ControllerError {
  /// The reason alone, without the accessory's name and advice.
  var causeText: String { cause.map { "\($0)" } ?? description }
}
