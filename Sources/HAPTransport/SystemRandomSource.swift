import HAPCrypto
import HAPLoop

extension RandomSource {
  /// The operating system's randomness: for keys, nonces, salts and identities, never for what is to be repeatable.
  package static let system = RandomSource { SystemRandom.fill($0) }
}
