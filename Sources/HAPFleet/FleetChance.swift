import HAPCrypto

/// What is drawn for copies: it depends on the seed, the group, the copy and what it is for, and on nothing else, so that a copy is the same in every
/// shard and at every start, and stays the same when groups grow.
package struct FleetChance: Sendable {
  private let seed: UInt64
  private let group: String

  /// - Parameter group: what its copies are kept by.
  package init(seed: UInt64, group: String) {
    self.seed = seed
    self.group = group
  }

  /// Any number, all with equal chance.
  /// - Parameter copy: its number in the group, from 1.
  package func number(_ copy: Int, for what: String) -> UInt64 {
    let words = "hapsim fleet draw\n\(seed)\n\(copy)\n\(what)\n\(group)"
    return SHA512.hash(Array(words.utf8))[..<8].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// How many copies of so many a share is, rounded.
  /// - Parameter share: 0…1.
  package static func count(of share: Double, in count: Int) -> Int { Int((share * Double(count)).rounded()) }

  /// The copies that have something of which a share has it: so many as the share is of all, rounded.
  /// - Parameters:
  ///   - share: 0…1.
  ///   - count: how many copies there are.
  /// - Returns: their numbers, from 1.
  package func chosen(_ share: Double, of count: Int, for what: String) -> Set<Int> {
    let wanted = Self.count(of: share, in: count)
    if wanted >= count { return Set(1...count) }
    let drawn = (1...count).map { (number($0, for: what), $0) }.sorted { $0 < $1 }
    return Set(drawn.prefix(wanted).map(\.1))
  }
}
