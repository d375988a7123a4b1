/// A change of the persistent state of an accessory.
package enum StoredChange: Equatable, Sendable {
  case upsert(Pairing)
  /// The identifiers of pairings that are removed together, in one transaction.
  case remove([[UInt8]])
  case failedAttempts(Int)
}
