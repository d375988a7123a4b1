/// A change of the persistent state of an accessory.
package enum StoredChange: Equatable, Sendable {
  case upsert(Pairing)
  /// The identifiers of pairings that are removed together, in one transaction.
  case remove([[UInt8]])
  case failedAttempts(Int)
  /// Data of a front end that is not HAP's. It replaces the data with its name.
  case frontEnd(FrontEndData)
}

/// Durable data of a front end, which only it can read.
package struct FrontEndData: Hashable, Sendable {
  /// Unique in the accessory; begins with the name of the protocol, such as `matter.fabrics`.
  package var name: String
  package var bytes: [UInt8]
  /// Whether a factory reset keeps it, as it keeps the setup code on the label.
  package var survivesReset: Bool

  package init(name: String, bytes: [UInt8], survivesReset: Bool) {
    (self.name, self.bytes, self.survivesReset) = (name, bytes, survivesReset)
  }
}
