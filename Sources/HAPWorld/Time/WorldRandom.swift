/// A deterministic generator of random numbers (xoshiro256**, seeded by splitmix64).
///
/// Each consumer uses a fork with a unique label. The numbers of one consumer don't depend on the number of draws of
/// another.
package struct WorldRandom: RandomNumberGenerator {
  /// The seed with which this generator was created.
  package let seed: UInt64
  private var state: (UInt64, UInt64, UInt64, UInt64)

  package init(seed: UInt64) {
    self.seed = seed
    var mixer = seed
    state = (
      Self.splitmix(&mixer), Self.splitmix(&mixer), Self.splitmix(&mixer), Self.splitmix(&mixer)
    )
  }

  package mutating func next() -> UInt64 {
    let product = state.1 &* 5
    let result = (product << 7 | product >> 57) &* 9
    let shifted = state.1 << 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = state.3 << 45 | state.3 >> 19
    return result
  }

  /// Returns the generator for `label`. The result depends only on the seed and the label, not on earlier draws.
  package func fork(_ label: String) -> WorldRandom {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in label.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    var mixer = seed ^ hash
    return WorldRandom(seed: Self.splitmix(&mixer) ^ hash)
  }

  /// Returns true with a probability from 0 to 1. Draws no number if the probability is 0 or 1.
  package mutating func chance(_ probability: Double) -> Bool {
    if !(probability > 0) { return false }
    if probability >= 1 { return true }
    return Double(next() >> 11) * 0x1p-53 < probability
  }

  /// Returns a number from 0 to `limit`, both included. Draws no number if `limit` is 0.
  package mutating func upTo(_ limit: UInt64) -> UInt64 {
    if limit == 0 { return 0 }
    if limit == .max { return next() }
    return (limit + 1).multipliedFullWidth(by: next()).high
  }

  private static func splitmix(_ state: inout UInt64) -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
