import HAPSuite
import HAPWire

/// The accessory isn't as the case wants it.
struct CaseFailure: Error, Equatable {
  /// One line.
  var message: String
  var sent: String?
  /// What would have been right, one line each.
  var accepted: [String] = []
  var got: String?
  /// Whether nothing came at all.
  var isSilence = false
  /// The Error item of the answer that failed; `nil`: it had none.
  var pairingError: UInt8?
  /// The step at which it failed, the innermost one; nil: at none.
  var step: Step?
  /// Procedures that the case used when it failed: if a case that owns one of them fails, too, it is the cause. `nil`: not known yet.
  var procedures: [Procedure]?

  init(_ message: String, sent: String? = nil, accepted: [String] = [], got: String? = nil, isSilence: Bool = false) {
    self.message = message
    self.sent = sent
    self.accepted = accepted
    self.got = got
    self.isSilence = isSilence
  }
}

/// The case can't be decided here, and why.
struct CaseSkip: Error, Equatable { var reason: String }

/// Somebody ended the run.
struct CaseInterrupted: Error, Equatable {}
