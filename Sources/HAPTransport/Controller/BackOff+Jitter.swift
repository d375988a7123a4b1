import HAPCrypto
import HAPLoop

extension BackOff {
  /// The time to wait now, up to a quarter shorter than the rule says: controllers that lost an accessory together shall not all come back in
  /// one moment.
  package mutating func delay(jitteredBy random: RandomSource) -> Duration {
    let delay = delay()
    return delay - delay / 1024 * Int(random.bytes(1)[0])
  }
}
