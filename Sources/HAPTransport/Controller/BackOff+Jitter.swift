import HAPCrypto
import HAPLoop

extension BackOff {
  /// Returns the time to wait now, shortened at random by up to a quarter: controllers that lost an accessory at the
  /// same time must not all reconnect at the same moment.
  package mutating func delay(jitteredBy random: RandomSource) -> Duration {
    let delay = delay()
    return delay - delay / 1024 * Int(random.bytes(1)[0])
  }
}
