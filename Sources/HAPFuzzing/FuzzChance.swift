/// The random generator of a fuzzing run. A seed gives the same numbers on every machine and in every language version.
struct FuzzChance: Equatable, Sendable {
  private var state: UInt64

  /// - Parameter label: streams with different labels are independent.
  init(seed: UInt64, label: String) {
    // FNV-1a.
    state = label.utf8.reduce(0xCBF2_9CE4_8422_2325 ^ seed) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    _ = next()
  }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// - Parameter limit: at least 1.
  mutating func below(_ limit: Int) -> Int {
    precondition(limit > 0, "there is nothing below \(limit)")
    return Int(next().multipliedFullWidth(by: UInt64(limit)).high)
  }

  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// - Parameter list: not empty.
  mutating func pick<T>(_ list: [T]) -> T { list[below(list.count)] }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next() >> 32) }

  mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for _ in 0..<count { bytes.append(byte()) }
    return bytes
  }

  /// Returns a size, mostly a small one.
  /// - Parameter limit: at least 1; exclusive.
  mutating func size(below limit: Int) -> Int { below(below(below(limit) + 1) + 1) }
}
