import HAPDeviations
import HAPLoop

/// The steps that a fault repeats while it is on, in the machine's time.
///
/// Belongs to the loop's thread.
package final class FaultCycle {
  private let steps: [FaultStep]
  private let timer: LoopTimer
  /// Performs an action, and calls back when it is done.
  private let perform: (FaultAction, @escaping () -> Void) -> Void
  private var next = 0
  private var isOver = false

  /// - Parameter steps: at least one.
  package init(
    _ steps: [FaultStep], on loop: EventLoop, _ perform: @escaping (FaultAction, @escaping () -> Void) -> Void
  ) {
    self.steps = steps
    self.perform = perform
    timer = LoopTimer(loop)
    timer.onFire = { [unowned self] in step() }
  }

  func start() { step() }

  func stop() {
    isOver = true
    timer.close()
  }

  private func step() {
    guard !isOver else { return }
    let step = steps[next]
    next = (next + 1) % steps.count
    // After closing, the timer can't be started.
    perform(step.action) { [timer] in timer.start(after: step.duration) }
  }
}
