/// Behaviour that is a failure whatever the accessory receives.
package struct FuzzFinding: Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// The accessory's process ended.
    case ended
    /// The accessory does not answer on any new connection.
    case unreachable
    /// An unrelated session was closed, or gets no answers.
    case session
    /// An unrelated session receives no more events.
    case events
    /// The accessory was paired or unpaired without a request.
    case pairing
  }

  package var kind: Kind
  /// The message: one line, without a full stop.
  package var message: String
  /// The last output of the accessory's process.
  package var details: [String] = []

  package init(kind: Kind, message: String, details: [String] = []) {
    self.kind = kind
    self.message = message
    self.details = details
  }
}
