import HAPCrypto

/// The random numbers of a fleet's copies. They depend only on the seed, the group, the copy and the purpose. A copy is therefore the same in every
/// shard and at every start, and stays the same when groups grow.
package struct FleetChance: Sendable {
  private let seed: UInt64
  private let group: String

  /// - Parameter group: the key of the group.
  package init(seed: UInt64, group: String) {
    self.seed = seed
    self.group = group
  }

  /// Returns a uniformly distributed number.
  /// - Parameter copy: its number in the group, from 1.
  package func number(_ copy: Int, for what: String) -> UInt64 {
    let words = "hapsim fleet draw\n\(seed)\n\(copy)\n\(what)\n\(group)"
    return SHA512.hash(Array(words.utf8))[..<8].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns the number of copies in a share, rounded.
  /// - Parameter share: 0…1.
  package static func count(of share: Double, in count: Int) -> Int { Int((share * Double(count)).rounded()) }

  /// Chooses the copies of a share at random. Their number is the share of all copies, rounded.
  /// - Parameters:
  ///   - share: 0…1.
  ///   - count: the number of all copies.
  /// - Returns: the numbers of the chosen copies, from 1.
  package func chosen(_ share: Double, of count: Int, for what: String) -> Set<Int> {
    let wanted = Self.count(of: share, in: count)
    if wanted >= count { return Set(1...count) }
    let drawn = (1...count).map { (number($0, for: what), $0) }.sorted { $0 < $1 }
    return Set(drawn.prefix(wanted).map(\.1))
  }
}
