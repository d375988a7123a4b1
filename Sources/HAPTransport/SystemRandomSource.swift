import HAPCrypto
import HAPLoop

extension RandomSource {
  /// The operating system's randomness: for keys, nonces, salts and identities, never for what is to be repeatable.
  package static let system = RandomSource { SystemRandom.fill($0) }
}

extension EventLoop {
  /// The randomness of everything that runs on this loop: for keys, nonces, salts and identities. A simulated loop draws it from a seed.
  package var random: RandomSource { RandomSource { self.fillRandom($0) } }
}
