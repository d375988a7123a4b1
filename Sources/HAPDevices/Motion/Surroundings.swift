#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A quantity of a room, such as its temperature: it drifts towards that of its surroundings, and a machine pushes it up or down.
///
/// Between looks it is computed exactly: dT/dt = (outside − T) / inertia + push.
struct Surroundings {
  private(set) var value: Double
  private var time: Duration
  /// What it drifts to.
  let outside: Double
  /// After this long it has come about two thirds of the way. Zero: it never drifts.
  let inertia: Duration
  /// What the machine does, per hour; negative downwards.
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

  /// It is something else from now on: somebody opened a window.
  mutating func set(_ value: Double, at now: Duration) {
    self.value = value
    time = now
  }

  mutating func push(_ perHour: Double, from now: Duration) {
    pass(to: now)
    push = perHour
  }
}
