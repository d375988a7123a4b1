import HAPController
import HAPHome
import HAPHomeEngine
import HAPIP
import HAPPairing
import HAPTransport
import HAPWire

extension ClientError {
  /// Whether the accessory has answered, so that the connection remains.
  var isAnswer: Bool {
    switch self {
    case .status, .noTLV, .body: true
    default: false
    }
  }

  /// Whether the accessory has broken the protocol: a message that can't be read, an unexpected answer, or a wrong
  /// signature. A connection that ends inside a message is none.
  var isViolation: Bool {
    switch self {
    case .malformed(.cutOff, _): false
    case .malformed, .unasked, .noTLV, .body: true
    case .pairing(let failure):
      switch failure.cause {
      case .refused, .otherAccessory: false
      default: true
      }
    default: false
    }
  }
}

extension SceneAnswer {
  /// The outcome of a write that failed.
  init(_ error: ClientError) {
    self =
      switch error {
      case .notSent, .crowded, .unreachable, .pairing: .notSent
      case .timedOut, .closed, .lost, .flooded, .cancelled, .malformed(.cutOff, _): .connectionLost
      case .malformed(.frame(.badTag), _): .wrongSignature
      case .malformed, .unasked, .noTLV, .body: .unreadable
      case .status: .refused(status: nil)
      }
  }
}

extension HomeError {
  /// The error of an operation, with the number of home.md §9.
  /// - Parameter subject: of the message.
  init(_ error: any Error, _ subject: String) {
    if let error = error as? HomeError {
      self = error
    } else {
      self.init(Self.code(of: error), nil, ControllerError(error, subject).description)
    }
  }

  private static func code(of error: any Error) -> Code {
    switch error {
    case let error as ClientError:
      switch error {
      case .timedOut: .operationTimedOut
      case .cancelled: .operationCancelled
      case .crowded: .accessoryIsBusy
      default: Code(failure: SceneAnswer(error)) ?? .accessorySentInvalidResponse
      }
    case let error as AccessError: code(of: error)
    case is CancellationError: .operationCancelled
    // The setup code or payload, or the store.
    default: code(of: ControllerError(error, "").kind)
    }
  }

  private static func code(of error: AccessError) -> Code {
    switch error {
    case .pairSetup(let failure): code(ofPairSetup: failure)
    case .notFound(_, _, let trouble, _): trouble == nil ? .accessoryDiscoveryFailed : .networkUnavailable
    case .ambiguous: .accessoryDiscoveryFailed
    case .identifyRefused(let status): Code(status: status, isBridged: false) ?? .accessorySentInvalidResponse
    case .identifyForbidden: .insufficientPrivileges
    case .pairingsRefused(let number): code(ofPairingError: number)
    default: code(of: ControllerError(error, "").kind)
    }
  }

  private static func code(of kind: ControllerError.Kind) -> Code {
    switch kind {
    case .malformed, .otherAccessory, .nameTaken: .invalidParameter
    case .notSupported: .operationNotSupported
    case .malformedMessage: .accessorySentInvalidResponse
    case .cancelled, .closed: .operationCancelled
    default: .accessoryPairingFailed
    }
  }

  /// The number for a refused Pair Setup. A wrong code, an accessory with a pairing, and one that had too many wrong
  /// codes are all 18; the message has the accessory's own reason.
  private static func code(ofPairSetup failure: PairingFailure) -> Code {
    guard case .refused(let number) = failure.cause else { return .accessorySentInvalidResponse }
    switch PairingError(rawValue: number) {
    case .busy?, .backoff?: return .accessoryIsBusy
    case .maxPeers?: return .accessoryOutOfResources
    case .authentication?, .maxTries?, .unavailable?, .unknown?, nil: return .accessoryPairingFailed
    }
  }

  private static func code(ofPairingError number: UInt8) -> Code {
    switch PairingError(rawValue: number) {
    case .authentication?: .insufficientPrivileges
    case .maxPeers?: .accessoryOutOfResources
    case .busy?, .unavailable?, .backoff?, .maxTries?: .accessoryIsBusy
    case .unknown?, nil: .accessorySentInvalidResponse
    }
  }
}
