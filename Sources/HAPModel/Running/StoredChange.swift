/// A change of what an accessory keeps over a restart.
package enum StoredChange: Equatable, Sendable {
  case upsert(Pairing)
  /// Identifiers of pairings that go together, in one transaction.
  case remove([[UInt8]])
  case failedAttempts(Int)
}
