import HAPFrontEnds
import HAPJudge
import HAPLoop
import HAPReport

/// Checks the conformance of all controllers of a simulation's accessories.
///
/// Belongs to the loop's thread.
package final class ControllerObservation: RunObservation {
  let judge: ControllerJudge
  private let loop: EventLoop
  private let timer: LoopTimer
  private var lastConnection: UInt64 = 0

  /// The interval at which deadlines are checked without other events.
  private static let period = Duration.milliseconds(100)

  /// - Parameter patience: see `ControllerJudge`.
  package init(patience: Duration, on loop: EventLoop) {
    loop.preconditionOnLoop()
    self.loop = loop
    judge = ControllerJudge(patience: patience, at: .nanoseconds(Int64(clamping: loop.now)))
    timer = LoopTimer(loop)
    timer.onFire = { [unowned self] in look() }
    timer.start(after: Self.period)
  }

  /// Called for each violation when it is found, on the loop, with the rule and the action.
  package var onBreach: ((RuleDescription, String) -> Void)? {
    get { judge.onBreach }
    set { judge.onBreach = newValue }
  }

  private func look() {
    judge.advance(to: now)
    timer.start(after: Self.period)
  }

  private var now: Duration { .nanoseconds(Int64(clamping: loop.now)) }

  package func observe(id: String, name: String) -> any RunObserver {
    AccessoryObserver(self, id: id, name: name) { [unowned self] in now }
  }

  func nextConnection() -> UInt64 {
    lastConnection += 1
    return lastConnection
  }

  /// Returns the findings so far.
  package func events(_ header: RunHeader) -> [RunEvent] {
    judge.advance(to: now)
    return judge.events(header)
  }

  /// Ends the observation. Can be called any number of times.
  package func close() { timer.close() }
}
