/// SHA-256 of FIPS 180-4, so that a build of the tool needs no library.
enum SHA256 {
  static func hash(_ message: [UInt8]) -> [UInt8] {
    // The first 32 bits of the fractional parts of square roots and cube roots of the first primes.
    let primes = (2...311).filter { number in (2..<number).allSatisfy { number % $0 != 0 } }
    var state = primes.prefix(8).map { fraction(Double($0).squareRoot()) }
    let constants = primes.map { fraction(cubeRoot(Double($0))) }
    let length = UInt64(message.count) * 8
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) {
      padded.append(UInt8(truncatingIfNeeded: length >> UInt64(shift)))
    }
    for start in stride(from: 0, to: padded.count, by: 64) {
      add(padded[start..<(start + 64)], to: &state, constants)
    }
    return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
  }

  private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32], _ constants: [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
      block[index..<(index + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<64 {
      let early = words[index - 15]
      let late = words[index - 2]
      let first = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
      let second = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
      words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let choice = (e & f) ^ (~e & g)
      let majority = (a & b) ^ (a & c) ^ (b & c)
      let first = h &+ (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) &+ choice &+ constants[index] &+ words[index]
      let second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

  private static func fraction(_ number: Double) -> UInt32 {
    UInt32((number - number.rounded(.down)) * 4_294_967_296)
  }

  /// Returns the cube root, by Newton's method.
  private static func cubeRoot(_ number: Double) -> Double {
    var root = 7.0
    for _ in 0..<40 { root -= (root * root * root - number) / (3 * root * root) }
    return root
  }
}
