import HAPLoop

extension World {
  /// The clock of a simulated world: it moves only when nothing can run.
  ///
  /// Give it to code that takes `any Clock<Duration>`. `Task.sleep(for:clock:)` with it waits in virtual time.
  public struct Clock: _Concurrency.Clock {
    /// A time of a world, since it began.
    public struct Instant: InstantProtocol {
      /// Since the world began.
      public let time: Duration

      /// The same time so much later.
      public func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
      /// The time from this instant to another one.
      public func duration(to other: Instant) -> Duration { other.time - time }
      /// Whether the left one is earlier.
      public static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    let world: World

    /// The virtual time.
    public var now: Instant { Instant(time: world.now) }
    /// A nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until a time of the world.
    /// - Parameter tolerance: is ignored.
    /// - Throws: as ``World/sleep(for:)``.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      let wait = try await world.loop.result { [world] done in done(.success(deadline.time - world.simulated.now)) }
      try await world.sleep(for: max(wait, .zero))
    }
  }
}
