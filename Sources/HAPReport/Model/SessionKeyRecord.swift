/// A key of an encrypted session, which opens a recording of it. It appears in evidence, never in a report.
package struct SessionKeyRecord: Equatable, Sendable {
  /// The name of the connection in the case: "main".
  package var connection: String
  /// The messages that the key seals: sent or received by the tester.
  package var direction: TranscriptEntry.Direction
  /// A ChaCha20-Poly1305 key of 32 bytes.
  package var key: [UInt8]

  package init(connection: String, direction: TranscriptEntry.Direction, key: [UInt8]) {
    self.connection = connection
    self.direction = direction
    self.key = key
  }
}
