import CSodium

/// libsodium selects the fastest implementations for this machine when it is initialised. Before that, it uses portable ones, which take twice
/// as long.
enum Sodium {
  private static let isReady: Bool = sodium_init() >= 0

  /// Must be called before the first use of a curve or cipher. Idempotent; callable from any thread.
  static func prepare() { precondition(isReady, "libsodium can't be initialised") }
}
