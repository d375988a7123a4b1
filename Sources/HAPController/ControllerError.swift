/// The reason why an operation of a controller failed: the cause, the subject, and advice.
public struct ControllerError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Kind: Hashable, Sendable {
    /// The search found no accessory that matches.
    case notFound
    /// Several accessories on the network match.
    case ambiguous
    /// The storage has no pairing with the accessory.
    case notPaired
    /// The storage already has a pairing with this name.
    case nameTaken
    /// The text is not a valid setup code, setup payload or address.
    case malformed
    /// The setup payload belongs to another accessory.
    case otherAccessory
    /// The accessory refused the setup code.
    case wrongSetupCode
    /// The accessory is already paired.
    case alreadyPaired
    /// The accessory no longer has this pairing, or has it with another key.
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
    /// The request was not sent, so it was not carried out.
    case notSent
    /// The accessory sent a message that HAP does not permit.
    case malformedMessage
    /// The storage of pairings failed.
    case storage
    /// The task was cancelled.
    case cancelled
    /// The controller or the session was closed before the call finished.
    case closed
  }

  /// The kind of failure.
  public let kind: Kind
  /// The accessory or object that the operation was for.
  public let subject: String
  /// The reason for the failure.
  public let reason: String
  /// Advice for the user, if there is any.
  public let advice: String?
  /// The error of the layer below, for hapctl's texts, if there is one.
  package let cause: (any Error)?

  /// The error as text, such as "Garage: the setup code is wrong; see the label of the accessory".
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
