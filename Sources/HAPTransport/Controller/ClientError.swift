import HAPIP
import HAPLoop
import HAPPairing
import HAPWire

/// The reason why a controller's operation on an accessory failed.
package enum ClientError: Error, Sendable, CustomStringConvertible {
  /// No address answered; each with its error.
  case unreachable([(SocketAddress, LoopError)])
  /// There was no answer in time.
  case timedOut(String)
  /// The accessory closed the connection.
  case closed(during: String)
  /// The connection broke.
  case lost(LoopError, during: String)
  /// Events arrived faster than they were read.
  case flooded
  /// An answer without a request.
  case unasked(Int)
  /// The received bytes are not a message of the protocol. With the bytes around the error.
  case malformed(LinkFailure, near: ByteExcerpt? = nil)
  /// An answer with an unexpected status.
  case status(Int, request: String)
  /// A body that isn't TLV8.
  case noTLV(request: String, near: ByteExcerpt? = nil)
  /// A body that can't be read.
  case body(JSONProblem, request: String, near: ByteExcerpt? = nil)
  /// The pairing procedure failed.
  case pairing(PairingFailure)
  /// The request was never sent, because its time was over while it waited for other requests or for a connection.
  /// With the reason if there is no connection.
  indirect case notSent(request: String, ClientError?)
  /// The request was refused, because too many requests are waiting.
  case crowded(request: String)
  /// The client was closed, or the task was cancelled.
  case cancelled

  /// A JSON body that can't be read, with the bytes around the error.
  package static func body(_ problem: JSONProblem, request: String, of bytes: [UInt8]) -> ClientError {
    let offset = ByteExcerpt.offset(of: problem.place, in: bytes)
    return .body(problem, request: request, near: ByteExcerpt(of: bytes, around: offset))
  }

  /// Whether another try can't succeed: the accessory does not know this controller, or has a different key.
  var isFinal: Bool {
    guard case .pairing(let failure) = self else { return false }
    return failure.cause == .refused(PairingError.authentication.rawValue) || failure.cause == .wrongSignature
  }

  /// The bytes around the error.
  package var excerpt: ByteExcerpt? {
    switch self {
    case .malformed(_, let excerpt), .noTLV(_, let excerpt), .body(_, _, let excerpt): excerpt
    default: nil
    }
  }

  package var description: String {
    switch self {
    case .unreachable(let tries):
      tries.isEmpty ? "it has no address" : tries.map { "\($0.1)" }.joined(separator: "; ")
    case .timedOut(let what): "\(what): no answer in time"
    case .closed(let what): "\(what): the accessory closed the connection"
    case .lost(let error, let what): "\(what): \(error)"
    case .flooded: "the accessory sends events faster than they are read"
    case .unasked(let status): "the accessory sent an unexpected answer with status \(status)"
    case .malformed(let failure, _): failure.message
    case .noTLV(let request, _): "the answer to \(request) is not TLV8"
    case .status(let status, let request):
      "\(request) was answered \(status)"
        + (HTTPWriter.reason(status).utf8CodeUnitCount > 0 ? " \(HTTPWriter.reason(status))" : "")
    case .body(let problem, let request, _):
      "the answer to \(request) can't be read: \(problem.path.isEmpty ? "\(problem.place)" : problem.path): \(problem.message)"
    case .pairing(let failure): failure.message
    case .notSent(let request, let why?): "\(request) was not sent because there is no connection: \(why)"
    case .notSent(let request, nil): "\(request) was not sent: an earlier request got no answer in time"
    case .crowded(let request): "\(request) was not sent: too many requests are waiting"
    case .cancelled: "it was cancelled"
    }
  }
}
