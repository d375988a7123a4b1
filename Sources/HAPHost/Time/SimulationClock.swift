import HAPDevices
import HAPLoop
import HAPModel

/// The time that devices live in: what they are told of it, and by which their timers fire. It runs with the machine's clock, faster or slower
/// than it, or stands still until somebody advances it. The protocol's deadlines are not its business: those are the machine's.
///
/// Time never gets past a timer that has not fired. Each finds the clock at the very moment it is due at, so a simulation does the same at any
/// speed; where the machine can't keep up, simulated time is late instead.
///
/// Belongs to the loop's thread.
package final class SimulationClock {
  /// How simulated time passes.
  package enum Pace: Equatable, Sendable {
    /// So many seconds in one of the machine's, within `scales`.
    case running(scale: Double)
    /// Only in `advance`.
    case standing
    /// From one timer to the next without waiting, unless it is held: the time of a scenario.
    case jumping
  }

  package static let scales = 0.001...100_000.0
  /// Firings in one advance, beyond which it is taken for a run away.
  package static let mostFirings = 10_000_000

  /// An advance that was asked for.
  private struct Advance {
    let duration: Duration
    /// Known when it begins.
    var end: Duration?
    var firings = 0
    let done: (Result<Duration, CommandError>) -> Void
  }

  package private(set) var pace: Pace
  let loop: EventLoop
  private let mostFirings: Int
  private let origin: UInt64
  /// What it has jumped over.
  private var skipped = Duration.zero
  /// What was reached last: the time while timers fire, and while it stands still.
  private var reached = Duration.zero
  private var isFiring = false
  private var timers = TimerQueue()
  private var advances: [Advance] = []
  /// Of time that jumps: whether it stands still. So it does until somebody lets it go.
  package var isHeld = true {
    didSet { if oldValue != isHeld, !isFiring { arm() } }
  }
  private let wakeUp: LoopTimer
  /// Told by how much it jumped where it passes by itself: other clocks of the simulation are to jump with it.
  package var onJump: ((Duration) -> Void)?

  /// - Parameter origin: the machine's time at which it is zero, for clocks that are to agree; nil: now.
  package init(
    _ pace: Pace, on loop: EventLoop, origin: UInt64? = nil, mostFirings: Int = SimulationClock.mostFirings
  ) {
    if case .running(let scale) = pace { precondition(Self.scales.contains(scale), "a scale has its limits") }
    self.pace = pace
    self.loop = loop
    self.mostFirings = mostFirings
    self.origin = origin ?? loop.now
    wakeUp = LoopTimer(loop)
    wakeUp.onFire = { [unowned self] in goOn() }
  }

  /// Fires nothing any more. Advances that are under way fail.
  package func close() {
    wakeUp.close()
    // It holds the other loops' simulations, and what they keep is closed when they go.
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

  /// Where the machine's clock has got to.
  private func elapsed(_ scale: Double) -> Duration {
    // Another loop may have begun its turn before the origin.
    let real = Duration.nanoseconds(Int64(clamping: loop.now - min(loop.now, origin)))
    return (scale == 1 ? real : real * scale) + skipped
  }

  /// Lets time pass that otherwise stands still: fires every timer that is due on the way, in order. The loop's other work has its turns in
  /// between. One after another, in the order in which they are asked for.
  /// - Parameter done: told when time has got there, perhaps before this returns: the time now, or why it went no further.
  package func advance(by duration: Duration, done: @escaping (Result<Duration, CommandError>) -> Void) {
    loop.preconditionOnLoop()
    guard pace == .standing else {
      let reason =
        pace == .jumping
        ? "time is the scenario's here" : "time passes by itself here: hapsim run --virtual-time makes it stand still"
      return done(.failure(CommandError(.notPossible, reason)))
    }
    guard duration <= .longestAdvance, duration >= .zero else {
      return done(.failure(CommandError(.invalidValue, "time is advanced by 10 years at most")))
    }
    advances.append(Advance(duration: duration, done: done))
    if advances.count == 1 { goOn() }
  }

  /// So much time is over at once, also where it passes by itself. Timers that are due on the way fire at their moments, in order, as soon as they can.
  package func jump(by duration: Duration, done: @escaping (Result<Duration, CommandError>) -> Void) {
    guard case .running = pace else { return advance(by: duration, done: done) }
    guard duration <= .longestAdvance, duration >= .zero else {
      return done(.failure(CommandError(.invalidValue, "time jumps by 10 years at most, and never back")))
    }
    skip(duration)
    onJump?(duration)
    done(.success(now))
  }

  /// Of time that passes by itself.
  package func skip(_ duration: Duration) {
    skipped += duration
    if !isFiring { arm() }
  }

  /// Time that jumped stands still from now on, and can be advanced. Any other time goes on as it does.
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

  /// Fires what is due, for as long as a slice.
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
        // A device may have ended the simulation.
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
      "time stopped \((end - reached).shortText) short of it, since \(mostFirings) timers fired: smaller steps may do, unless something sets timers without end"
    )
  }

  private func fire(_ timer: SimulationTimer) {
    timers.remove(timer)
    reached = max(reached, timer.due)
    isFiring = true
    timer.onFire()
    isFiring = false
  }

  /// Wakes up when the next timer is due, where time passes by itself.
  private func arm() {
    guard let next = timers.first else { return wakeUp.cancel() }
    let scale: Double
    switch pace {
    case .running(let given): scale = given
    case .standing: return
    case .jumping: return isHeld ? wakeUp.cancel() : wakeUp.start(after: .zero)
    }
    // No longer than a timer can wait; it looks again then.
    let left = min(next.due - elapsed(scale), .seconds(366 * 86_400))
    guard left > .zero else { return wakeUp.start(after: .zero) }
    // What is less than a nanosecond would be no time at all, and the clock the same at the next look.
    wakeUp.start(after: max(scale == 1 ? left : left / scale, .nanoseconds(1)))
  }
}
