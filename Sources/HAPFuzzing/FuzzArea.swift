/// A part of the protocol that is fed with messages of no good will.
package enum FuzzArea: String, CaseIterable, Sendable {
  /// Pair Setup, Pair Verify and pairings.
  case tlv
  /// Request lines, fields, lengths, chunks, several requests at once; in plain and in a session.
  case http
  /// Bodies of writes, timed writes and pictures, and queries of reads, in a session.
  case json
  /// How a session's messages are cut and sealed.
  case frame

  /// Whether it has nothing to send where the tester can't pair.
  package var needsSession: Bool { self == .json || self == .frame }
}

/// What the accessory has to be like before messages are sent.
package enum FuzzState: String, CaseIterable, Sendable {
  /// As it is: nobody can be paired, or somebody else is.
  case found
  case unpaired
  /// With the tester.
  case paired
}
