/// Limits a stretch of work on a loop, so that the loop's other work has a turn. It ends after a time or a number of
/// steps, whichever comes first.
///
/// The number of steps matters if the clock does not move during a turn, as in a simulated world. A real machine
/// reaches the time limit first.
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
