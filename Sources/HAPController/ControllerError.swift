/// The reason why an operation of a controller failed: what failed, on what, and what to do.
public struct ControllerError: Error, Sendable, CustomStringConvertible {
  /// What failed.
  public enum Kind: Hashable, Sendable {
    /// No accessory on the network is the one that is meant.
    case notFound
    /// Several accessories on the network are meant.
    case ambiguous
    /// The storage has no pairing with the accessory.
    case notPaired
    /// The storage has a pairing of this name already.
    case nameTaken
    /// The text is no setup code, no setup payload or no address.
    case malformed
    /// The setup payload is that of another accessory.
    case otherAccessory
    /// The accessory refused the setup code.
    case wrongSetupCode
    /// The accessory is paired already.
    case alreadyPaired
    /// The accessory does not know this pairing any more, or has another key.
    case pairingRevoked
    /// The accessory refused the request.
    case refused
    /// The database has no characteristic for the request.
    case notSupported
    /// No address of the accessory accepts a connection.
    case unreachable
    /// The accessory did not answer in time. A request may have been carried out.
    case timedOut
    /// The connection ended during a request. The request may have been carried out.
    case connectionLost
    /// The request was not sent. It was certainly not carried out.
    case notSent
    /// The accessory sent a message that HAP does not permit.
    case malformedMessage
    /// The storage of pairings failed.
    case storage
    /// The task was cancelled.
    case cancelled
    /// The controller or the session was closed before the call was over.
    case closed
  }

  /// What failed.
  public let kind: Kind
  /// The accessory or object that the operation was for.
  public let subject: String
  /// Why it failed.
  public let reason: String
  /// What to do; nil: nothing is known.
  public let advice: String?
  /// The error of the layer below, for hapctl's texts; nil: there is none.
  package let cause: (any Error)?

  /// "Garage: the setup code is wrong; see the label of the accessory".
  public var description: String { "\(subject): \(reason)" + (advice.map { "; \($0)" } ?? "") }

  init(_ kind: Kind, _ subject: String, _ reason: String, _ advice: String? = nil, cause: (any Error)? = nil) {
    self.kind = kind
    self.subject = subject
    self.reason = reason
    self.advice = advice
    self.cause = cause
  }

  static func sessionClosed(_ name: String) -> ControllerError {
    ControllerError(.closed, name, "the session is closed", "make a new session")
  }
}
