import HAPCrypto
import HAPLoop

extension RandomSource {
  /// The operating system's randomness: for keys, nonces, salts and identities, never for repeatable runs.
  package static let system = RandomSource { SystemRandom.fill($0) }
}

extension EventLoop {
  /// The randomness for everything on this loop: keys, nonces, salts and identities. A simulated loop generates it
  /// from a seed.
  package var random: RandomSource { RandomSource { self.fillRandom($0) } }
}
