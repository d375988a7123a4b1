import HAPSuite
import HAPWire

/// The accessory doesn't meet a case's expectation.
struct CaseFailure: Error, Equatable {
  /// A single line.
  var message: String
  var sent: String?
  /// The acceptable alternatives, one line each.
  var accepted: [String] = []
  var got: String?
  /// Whether there was no answer at all.
  var isSilence = false
  /// The Error item of the failing answer; nil if it had none.
  var pairingError: UInt8?
  /// The innermost step that failed; nil if no step did.
  var step: Step?
  /// Procedures in use at the failure. If a case that owns one of them fails too, that case is the cause. nil: not determined yet.
  var procedures: [Procedure]?

  init(_ message: String, sent: String? = nil, accepted: [String] = [], got: String? = nil, isSilence: Bool = false) {
    self.message = message
    self.sent = sent
    self.accepted = accepted
    self.got = got
    self.isSilence = isSilence
  }
}

/// The case can't be run or decided, for a reason.
struct CaseSkip: Error, Equatable { var reason: String }

/// The run was cancelled.
struct CaseInterrupted: Error, Equatable {}
