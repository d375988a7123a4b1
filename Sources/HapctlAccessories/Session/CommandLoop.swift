import HAPCommandLine
import HAPController
import HAPIP
import HAPLoop
import HAPMisbehaviour
import HAPModel
import HAPProxy
import HAPStore
import HAPTransport

/// Runs a command's work with accessories on a separate loop, and reports a failure in one line.
/// - Parameter isVerbose: whether to print the bytes around an error; nil: the command has no such option.
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
    return try CommandPlace.current.run("hapctl") { loop in
      do { return try await body(loop) } catch { return report(error) }
    }
  } catch { return report(error) }
}

extension Failure {
  /// A failure with advice, if there is any.
  init(_ error: any Error) {
    switch error {
    case let error as Failure: self = error
    case let error as ControllerError:
      if let cause = error.cause { self.init(cause) } else { self.init(.cannotRun, "\(error)") }
    case let error as AccessError: self.init(error)
    case let error as ViolationError: self.init(error)
    case let error as ProxyPortInUse:
      self.init(.cannotRun, "\(error.reason): set LISTEN to another port, or to 0 for a free one")
    case let error as UsageError: self.init(.usage, error.message)
    case let error as StoreError: self.init(.cannotRun, "\(error)")
    case let error as FileError: self.init(.cannotRun, "\(error)")
    case let error as SelectionError: self.init(.usage, error.message)
    case ClientError.unreachable(let tries):
      self.init(
        .cannotRun,
        "the accessory can't be reached: \(ClientError.unreachable(tries)); check that it is switched on and still has this address"
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
  fileprivate init(_ error: ViolationError) {
    switch error {
    case .tooLate(let what, let stay): self.init(.problem, "\(what) within \(stay.roundText); --stay waits longer")
    case .noCharacteristic(let what):
      self.init(.problem, "the accessory has no characteristic \(what), which this rule needs")
    }
  }
}

extension ControllerError {
  /// The reason without the accessory's name and without advice.
  var causeText: String { cause.map { "\($0)" } ?? description }
}
