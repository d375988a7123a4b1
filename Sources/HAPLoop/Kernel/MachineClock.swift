#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The clocks of the machine, for code without a loop. With a loop, use `EventLoop.readWallClock()` and `readUptime()`.
package enum MachineClock {
  /// Time since 1970, in UTC.
  package static var now: Duration { read(CLOCK_REALTIME) }

  /// The time since any moment, of a clock that is never set and also counts while the machine sleeps.
  static var uptime: Duration {
    #if canImport(Darwin)
      read(CLOCK_MONOTONIC_RAW)
    #else
      read(CLOCK_BOOTTIME)
    #endif
  }

  private static func read(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
