import HAPDevices
import HAPLoop
import HAPModel

/// The simulated time of devices and their timers. It runs with the machine's clock, faster or slower than it, or is
/// frozen until it is advanced. The protocol's deadlines use the machine's clock instead.
///
/// Time never passes a timer that has not fired. Each timer fires at the exact moment when it is due, so a simulation
/// does the same at any speed. If the machine is too slow, simulated time is late.
///
/// Belongs to the loop's thread.
package final class SimulationClock {
  /// How simulated time passes.
  package enum Pace: Equatable, Sendable {
    /// This number of seconds per second of the machine, within `scales`.
    case running(scale: Double)
    /// Only in `advance`.
    case standing
    /// From one timer to the next without waiting, unless it is held. Used by scenarios.
    case jumping
  }

  package static let scales = 0.001...100_000.0
  /// The number of firings in one advance above which it counts as endless.
  package static let mostFirings = 10_000_000

  /// A requested advance.
  private struct Advance {
    let duration: Duration
    /// Set when the advance begins.
    var end: Duration?
    var firings = 0
    let done: (Result<Duration, CommandError>) -> Void
  }

  package private(set) var pace: Pace
  let loop: EventLoop
  private let mostFirings: Int
  private let origin: UInt64
  /// The sum of all jumps.
  private var skipped = Duration.zero
  /// The time that was reached last: the present time while timers fire, and while time is frozen.
  private var reached = Duration.zero
  private var isFiring = false
  private var timers = TimerQueue()
  private var advances: [Advance] = []
  /// Whether a jumping clock is frozen. It starts frozen.
  package var isHeld = true {
    didSet { if oldValue != isHeld, !isFiring { arm() } }
  }
  private let wakeUp: LoopTimer
  /// Called with the distance of a jump while the clock runs, so that other clocks of the simulation jump too.
  package var onJump: ((Duration) -> Void)?

  /// - Parameter origin: the machine's time at zero, for clocks that must agree; `nil`: now.
  package init(
    _ pace: Pace, on loop: EventLoop, origin: UInt64? = nil, mostFirings: Int = SimulationClock.mostFirings
  ) {
    if case .running(let scale) = pace { precondition(Self.scales.contains(scale), "the scale is out of range") }
    self.pace = pace
    self.loop = loop
    self.mostFirings = mostFirings
    self.origin = origin ?? loop.now
    wakeUp = LoopTimer(loop)
    wakeUp.onFire = { [unowned self] in goOn() }
  }

  /// Stops all timers. Unfinished advances fail.
  package func close() {
    wakeUp.close()
    // `onJump` retains the simulations of the other loops. The resources of a simulation are closed when it is
    // released.
    onJump = nil
    while let first = timers.first { timers.remove(first) }
    let unfinished = advances
    advances = []
    for advance in unfinished { advance.done(.failure(CommandError(.failed, "the simulation has ended"))) }
  }

  // MARK: Time

  /// Simulated time since the clock was made.
  package var now: Duration {
    loop.preconditionOnLoop()
    guard case .running(let scale) = pace, !isFiring else { return reached }
    reached = max(reached, min(elapsed(scale), timers.first?.due ?? .seconds(Int64.max)))
    return reached
  }

  /// Returns the simulated time of the machine's clock.
  private func elapsed(_ scale: Double) -> Duration {
    // Another loop may have started its turn before the origin.
    let real = Duration.nanoseconds(Int64(clamping: loop.now - min(loop.now, origin)))
    return (scale == 1 ? real : real * scale) + skipped
  }

  /// Advances a frozen clock: fires every due timer on the way, in order. The loop's other work runs in between.
  /// Advances are performed one after another, in the order of the requests.
  /// - Parameter done: called when the time is reached, perhaps before this returns: with the present time, or the
  ///   reason why it stopped before.
  package func advance(by duration: Duration, done: @escaping (Result<Duration, CommandError>) -> Void) {
    loop.preconditionOnLoop()
    guard pace == .standing else {
      let reason =
        pace == .jumping
        ? "the scenario controls time" : "time is not frozen: start hapsim run with --virtual-time to freeze it"
      return done(.failure(CommandError(.notPossible, reason)))
    }
    guard duration <= .longestAdvance, duration >= .zero else {
      return done(.failure(CommandError(.invalidValue, "time can be advanced by at most 10 years")))
    }
    advances.append(Advance(duration: duration, done: done))
    if advances.count == 1 { goOn() }
  }

  /// Jumps by a duration, even while the clock runs. Timers that are due on the way fire at their moments, in order,
  /// as soon as possible.
  package func jump(by duration: Duration, done: @escaping (Result<Duration, CommandError>) -> Void) {
    guard case .running = pace else { return advance(by: duration, done: done) }
    guard duration <= .longestAdvance, duration >= .zero else {
      return done(.failure(CommandError(.invalidValue, "time can jump by at most 10 years, and never back")))
    }
    skip(duration)
    onJump?(duration)
    done(.success(now))
  }

  /// Skips time while the clock runs.
  package func skip(_ duration: Duration) {
    skipped += duration
    if !isFiring { arm() }
  }

  /// Freezes a jumping clock, which can be advanced afterwards. Other clocks are unchanged.
  package func standStill() {
    guard pace == .jumping else { return }
    isHeld = true
    pace = .standing
  }

  // MARK: Timers

  func start(_ timer: SimulationTimer, after delay: Duration) {
    timers.insert(timer, due: now + max(.zero, delay))
    if !isFiring { arm() }
  }

  func cancel(_ timer: SimulationTimer) { timers.remove(timer) }

  /// Fires due timers, for at most one slice.
  private func goOn() {
    switch pace {
    case .running(let scale):
      var slice = TurnSlice(loop.readClock)
      while let timer = timers.first, timer.due <= elapsed(scale), slice.allowsStep() { fire(timer) }
      arm()
    case .standing: advanceOn()
    case .jumping:
      var slice = TurnSlice(loop.readClock)
      while !isHeld, let timer = timers.first, slice.allowsStep() { fire(timer) }
      arm()
    }
  }

  private func advanceOn() {
    var slice = TurnSlice(loop.readClock)
    while let advance = advances.first {
      let end = advance.end ?? reached + advance.duration
      advances[0].end = end
      while let timer = timers.first, timer.due <= end {
        guard advances[0].firings < mostFirings else { return finish(.failure(runAway(before: end))) }
        guard slice.allowsStep() else { return wakeUp.start(after: .zero) }
        advances[0].firings += 1
        fire(timer)
        // The device may have ended the simulation.
        if advances.isEmpty { return }
      }
      reached = end
      finish(.success(end))
    }
  }

  private func finish(_ result: Result<Duration, CommandError>) {
    let done = advances.removeFirst().done
    if !advances.isEmpty { wakeUp.start(after: .zero) }
    done(result)
  }

  private func runAway(before end: Duration) -> CommandError {
    CommandError(
      .failed,
      "time stopped \((end - reached).shortText) before the end, after \(mostFirings) timers fired: try smaller steps, or check whether a device sets timers endlessly"
    )
  }

  private func fire(_ timer: SimulationTimer) {
    timers.remove(timer)
    reached = max(reached, timer.due)
    isFiring = true
    timer.onFire()
    isFiring = false
  }

  /// While the clock runs, wakes up when the next timer is due.
  private func arm() {
    guard let next = timers.first else { return wakeUp.cancel() }
    let scale: Double
    switch pace {
    case .running(let given): scale = given
    case .standing: return
    case .jumping: return isHeld ? wakeUp.cancel() : wakeUp.start(after: .zero)
    }
    // Limited to the longest timer of the loop. When it fires, the remaining time is computed again.
    let left = min(next.due - elapsed(scale), .seconds(366 * 86_400))
    guard left > .zero else { return wakeUp.start(after: .zero) }
    // At least one nanosecond: with zero, the clock would be unchanged at the next wake-up.
    wakeUp.start(after: max(scale == 1 ? left : left / scale, .nanoseconds(1)))
  }
}
