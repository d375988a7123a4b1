/// Ends a stretch of work on a loop, so that everything else on the loop has a turn: after some time or many steps, whichever comes first.
///
/// The steps count where the clock doesn't move during a turn, as in a simulated world. A machine doesn't get to that many in the time.
package struct TurnSlice {
  package static let nanoseconds: UInt64 = 8_000_000
  package static let mostSteps = 10_000

  private let readClock: () -> UInt64
  private let deadline: UInt64
  private var steps = 0

  /// - Parameter readClock: monotonic time in nanoseconds.
  package init(_ readClock: @escaping () -> UInt64) {
    self.readClock = readClock
    deadline = readClock() + Self.nanoseconds
  }

  /// Returns whether there is time for another step, and counts it.
  package mutating func allowsStep() -> Bool {
    guard steps < Self.mostSteps, readClock() < deadline else { return false }
    steps += 1
    return true
  }
}
