import CSodium

/// libsodium chooses its implementations for this machine when it is initialised; until then it uses those that run everywhere, which take
/// twice as long.
enum Sodium {
  private static let isReady: Bool = sodium_init() >= 0

  /// Before the first curve or cipher. Any number of times, from any thread.
  static func prepare() { precondition(isReady, "libsodium can't be initialised") }
}
