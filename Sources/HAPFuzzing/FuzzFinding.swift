/// What an accessory should never do, whatever it is sent.
package struct FuzzFinding: Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// Its process ended.
    case ended
    /// It answers on no new connection.
    case unreachable
    /// A session that had nothing to do with it was ended, or gets no answers.
    case session
    /// A session that had nothing to do with it gets no events any more.
    case events
    /// It is paired, or isn't, although nobody asked for it.
    case pairing
  }

  package var kind: Kind
  /// One line, without a full stop.
  package var message: String
  /// What its process said last.
  package var details: [String] = []

  package init(kind: Kind, message: String, details: [String] = []) {
    self.kind = kind
    self.message = message
    self.details = details
  }
}
