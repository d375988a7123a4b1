import HAPCrypto
import HAPTestSupport
import HAPWire
import MatterWire
import Synchronization
import Testing

@testable import MatterProtocol

/// A step that the test did not expect.
struct WrongStep: Error {}

/// Both ends of PASE, and the messages between them.
///
/// The receiver of message `n` is the device if `n` is even, and the commissioner if it is odd.
struct PASEPair {
  static let derivation = PasscodeDerivation(iterations: 1000, salt: [UInt8](repeating: 2, count: 16))!
  private static let verifier = try! MatterProtocolTests.verifier(20_202_021, derivation)

  private(set) var initiator: PASEInitiator
  private(set) var responder: PASEResponder
  private(set) var messages: [HandshakeMessage]

  /// - Parameter steps: the number of messages that have been received.
  init(passcode: UInt32 = 20_202_021, known: Bool = false, steps: Int = 0) throws {
    var parameters = SessionParameters()
    parameters.idleInterval = .milliseconds(900)
    initiator = PASEInitiator(
      passcode: passcode, known: known ? Self.derivation : nil, localSession: 11, parameters: parameters,
      random: .seeded(1))
    parameters.idleInterval = .milliseconds(800)
    responder = PASEResponder(
      verifier: { Self.verifier }, derivation: Self.derivation, localSession: 22, parameters: parameters,
      random: .seeded(2))
    messages = [initiator.request]
    for _ in 0..<steps { messages.append(try #require(next().sent)) }
  }

  /// The end that receives the last message.
  var receiver: any Handshake { messages.count.isMultiple(of: 2) ? initiator : responder }

  /// Returns the answer to a message instead of the last one. The ends stay as they are.
  func receive(_ message: HandshakeMessage) -> HandshakeStep {
    var end = receiver
    return end.receive(message)
  }

  private mutating func next() -> HandshakeStep {
    let message = messages[messages.count - 1]
    return messages.count.isMultiple(of: 2) ? initiator.receive(message) : responder.receive(message)
  }

  /// Delivers messages until both ends have finished.
  mutating func run() -> (sessions: (EstablishedSession, EstablishedSession)?, failures: [String]) {
    var sessions: [EstablishedSession] = []
    var failures: [String] = []
    while true {
      let step = next()
      if case .establish(let session, _) = step { sessions.append(session) }
      if case .fail(let failure, _) = step { failures.append(failure.reason) }
      guard let message = step.sent else { break }
      messages.append(message)
    }
    return (sessions.count == 2 ? (sessions[1], sessions[0]) : nil, failures)
  }
}

func verifier(_ passcode: UInt32, _ derivation: PasscodeDerivation) throws -> SPAKE2Plus.Verifier {
  try #require(
    SPAKE2Plus.Secrets(passcode: passcode, salt: derivation.salt, iterations: derivation.iterations)
  ).verifier
}

/// Randomness that is known beforehand: each draw must have the length of the next item.
func scripted(_ draws: [[UInt8]]) -> RandomSource {
  let rest = Rest(draws)
  return RandomSource { buffer in
    let draw = rest.draws.withLock { $0.removeFirst() }
    precondition(draw.count == buffer.count, "a draw of another length")
    buffer.copyBytes(from: draw)
  }
}

private final class Rest: Sendable {
  let draws: Mutex<[[UInt8]]>
  init(_ draws: [[UInt8]]) { self.draws = Mutex(draws) }
}

extension HandshakeStep {
  /// The message, whatever the step.
  var sent: HandshakeMessage? {
    switch self {
    case .send(let message): message
    case .establish(_, let message), .fail(_, let message): message
    }
  }

  /// Expects a failure that is answered with "invalid parameter".
  func expectRefusal(_ reason: String? = nil, at location: SourceLocation = #_sourceLocation) {
    guard case .fail(let failure, let message) = self else {
      Issue.record("accepted", sourceLocation: location)
      return
    }
    if let reason { #expect(failure.reason == reason, sourceLocation: location) }
    let report = HandshakeMessage(.statusReport, [1, 0, 0, 0, 0, 0, 2, 0])
    #expect(message == report, "\(failure.reason)", sourceLocation: location)
  }

  /// Expects a failure without an answer.
  func expectFailure(_ reason: String, at location: SourceLocation = #_sourceLocation) {
    guard case .fail(let failure, nil) = self else {
      Issue.record("accepted or answered", sourceLocation: location)
      return
    }
    #expect(failure.reason == reason, sourceLocation: location)
  }
}
