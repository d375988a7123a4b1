import HAPLoop

extension World {
  /// The clock of a simulated world: it moves only when nothing can run.
  ///
  /// Pass it to code that takes `any Clock<Duration>`. `Task.sleep(for:clock:)` with it waits in virtual time.
  public struct Clock: _Concurrency.Clock {
    /// A time of a world, since it began.
    public struct Instant: InstantProtocol {
      /// The time since the world began.
      public let time: Duration

      /// Returns a later time.
      public func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
      /// Returns the time from this instant to another one.
      public func duration(to other: Instant) -> Duration { other.time - time }
      /// Returns whether the left instant is earlier.
      public static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    let world: World

    /// The virtual time.
    public var now: Instant { Instant(time: world.now) }
    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until a time of the world.
    /// - Parameters:
    ///   - deadline: the time. A past time returns at once.
    ///   - tolerance: ignored.
    /// - Throws: as ``World/sleep(for:)``.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      let wait = try await world.loop.result { [world] done in done(.success(deadline.time - world.simulated.now)) }
      try await world.sleep(for: max(wait, .zero))
    }
  }
}
