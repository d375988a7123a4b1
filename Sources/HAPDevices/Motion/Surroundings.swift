#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A quantity of a room, such as its temperature. It drifts towards the value outside, and a machine pushes it up or
/// down.
///
/// It is computed exactly for any time: dT/dt = (outside − T) / inertia + push.
struct Surroundings {
  private(set) var value: Double
  private var time: Duration
  /// The value that it drifts to.
  let outside: Double
  /// The time in which it covers about two thirds of the drift. Zero: no drift.
  let inertia: Duration
  /// The machine's effect, per hour; negative downwards.
  private(set) var push = 0.0

  init(_ value: Double, at now: Duration, outside: Double, inertia: Duration) {
    self.value = value
    time = now
    self.outside = outside
    self.inertia = inertia
  }

  mutating func pass(to now: Duration) {
    let hours = max(0, (now - time) / .seconds(3600))
    time = now
    guard inertia > .zero else {
      value += push * hours
      return
    }
    let constant = inertia / .seconds(3600)
    let end = outside + push * constant
    value = end + (value - end) * exp(-hours / constant)
  }

  /// Sets the value from outside, as when a person opens a window.
  mutating func set(_ value: Double, at now: Duration) {
    self.value = value
    time = now
  }

  mutating func push(_ perHour: Double, from now: Duration) {
    pass(to: now)
    push = perHour
  }
}
