/// A generator of random numbers from a seed: the same seed results in the same numbers. (SplitMix64, by Steele, Lea
/// and Flood.)
package struct MDNSRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// Returns a random time in a range of milliseconds, including both ends.
  package mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
    .microseconds(Int.random(in: (range.lowerBound * 1000)...(range.upperBound * 1000), using: &self))
  }
}
