/// A room and the machine that keeps it: heats and cools it, or wets and dries it.
struct RegulatedRoom {
  private var room: Surroundings
  private var regulator: Regulator
  /// What the machine does, per hour.
  private let power: Double

  /// - Parameters:
  ///   - value: in °C or %.
  ///   - parameters: with those of `ClimateParameters`.
  init(_ value: Double, _ parameters: BehaviourParameters, at now: Duration) {
    room = Surroundings(
      value, at: now, outside: parameters.number("outside"), inertia: parameters.duration("inertia"))
    regulator = Regulator(hysteresis: parameters.number("hysteresis"))
    power = parameters.number("power")
  }

  var value: Double { room.value }
  /// What the machine does now.
  var output: Regulator.Output { regulator.output }

  mutating func pass(to now: Duration) { room.pass(to: now) }

  /// It is something else from now on: somebody opened a window.
  mutating func set(_ value: Double, at now: Duration) { room.set(value, at: now) }

  /// Switches the machine as is needed now.
  /// - Parameters:
  ///   - low: the room is not to be below; nil: that is nobody's business.
  ///   - high: the room is not to be above.
  mutating func keep(low: Double?, high: Double?, at now: Duration) {
    regulator.regulate(room.value, low: low, high: high)
    switch regulator.output {
    case .off: room.push(0, from: now)
    case .up: room.push(power, from: now)
    case .down: room.push(-power, from: now)
    }
  }
}
