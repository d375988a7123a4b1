/// A part of the protocol that is tested with malformed messages.
package enum FuzzArea: String, CaseIterable, Sendable {
  /// Pair Setup, Pair Verify and pairings.
  case tlv
  /// Request lines, fields, lengths, chunks, pipelined requests; in plain text and in a session.
  case http
  /// Bodies of writes, timed writes and pictures, and queries of reads, in a session.
  case json
  /// The division of a session's messages into frames, and their sealing.
  case frame

  /// Whether the area needs a pairing, because all its messages are sent in a session.
  package var needsSession: Bool { self == .json || self == .frame }
}

/// The required state of the accessory before messages are sent.
package enum FuzzState: String, CaseIterable, Sendable {
  /// The initial state: the accessory cannot be paired, or is paired with another controller.
  case found
  case unpaired
  /// Paired with the tester.
  case paired
}
