import HAPIP
import HAPLoop
import HAPPairing
import HAPWire

/// Why a controller didn't get what it wanted from an accessory.
package enum ClientError: Error, Sendable, CustomStringConvertible {
  /// No address answered: each with why.
  case unreachable([(SocketAddress, LoopError)])
  /// Nothing came in time.
  case timedOut(String)
  /// The accessory closed the connection.
  case closed(during: String)
  /// The connection broke.
  case lost(LoopError, during: String)
  /// More events came than anybody read.
  case flooded
  /// An answer came that nobody asked for.
  case unasked(Int)
  /// What came is no message of the protocol. With the bytes around the fault.
  case malformed(LinkFailure, near: ByteExcerpt? = nil)
  /// An answer that isn't the one that was due.
  case status(Int, request: String)
  /// A body that isn't TLV8.
  case noTLV(request: String, near: ByteExcerpt? = nil)
  /// A body that can't be read.
  case body(JSONProblem, request: String, near: ByteExcerpt? = nil)
  /// The pairing procedure failed.
  case pairing(PairingFailure)
  /// It waited for its turn or for a connection until its time was over, and was never sent. With why there is no connection, if there is none.
  indirect case notSent(request: String, ClientError?)
  /// So many requests wait already that this one wasn't taken.
  case crowded(request: String)
  /// The client was closed, or the task cancelled.
  case cancelled

  /// A body of JSON that can't be read, with the bytes around the place.
  package static func body(_ problem: JSONProblem, request: String, of bytes: [UInt8]) -> ClientError {
    let offset = ByteExcerpt.offset(of: problem.place, in: bytes)
    return .body(problem, request: request, near: ByteExcerpt(of: bytes, around: offset))
  }

  /// Whether another try cannot succeed: the accessory does not know this controller, or has another key.
  var isFinal: Bool {
    guard case .pairing(let failure) = self else { return false }
    return failure.cause == .refused(PairingError.authentication.rawValue) || failure.cause == .wrongSignature
  }

  /// The bytes around what made no sense.
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
    case .flooded: "the accessory sends more events than are read"
    case .unasked(let status): "the accessory sent an answer, \(status), that nobody asked for"
    case .malformed(let failure, _): failure.message
    case .noTLV(let request, _): "the answer to \(request) is no TLV8"
    case .status(let status, let request):
      "\(request) was answered \(status)"
        + (HTTPWriter.reason(status).utf8CodeUnitCount > 0 ? " \(HTTPWriter.reason(status))" : "")
    case .body(let problem, let request, _):
      "the answer to \(request) can't be read: \(problem.path.isEmpty ? "\(problem.place)" : problem.path): \(problem.message)"
    case .pairing(let failure): failure.message
    case .notSent(let request, let why?): "\(request) was not sent, since there is no connection: \(why)"
    case .notSent(let request, nil): "\(request) was not sent: no answer in time to what was asked before"
    case .crowded(let request): "\(request) was not sent: too many requests wait already"
    case .cancelled: "it was cancelled"
    }
  }
}
