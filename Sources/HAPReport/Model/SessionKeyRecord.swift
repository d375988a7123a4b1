/// A key of an encrypted session, for whoever wants to open a recording of it. It belongs into evidence and into no report.
package struct SessionKeyRecord: Equatable, Sendable {
  /// The connection's name in the case: "main".
  package var connection: String
  /// What it seals: what the tester sent, or what it received.
  package var direction: TranscriptEntry.Direction
  /// 32 bytes of ChaCha20-Poly1305.
  package var key: [UInt8]

  package init(connection: String, direction: TranscriptEntry.Direction, key: [UInt8]) {
    self.connection = connection
    self.direction = direction
    self.key = key
  }
}
