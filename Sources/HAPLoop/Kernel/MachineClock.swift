#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The civil clock of the machine, for code without a loop. With a loop, use `EventLoop.readWallClock()`.
package enum MachineClock {
  /// Time since 1970, in UTC.
  package static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
