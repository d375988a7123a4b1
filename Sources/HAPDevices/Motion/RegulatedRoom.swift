/// A room and the machine that regulates it: by heating and cooling, or by humidifying and dehumidifying.
struct RegulatedRoom {
  private var room: Surroundings
  private var regulator: Regulator
  /// The machine's effect, per hour.
  private let power: Double

  /// - Parameters:
  ///   - value: in °C or %.
  ///   - parameters: must include those of `ClimateParameters`.
  init(_ value: Double, _ parameters: BehaviourParameters, at now: Duration) {
    room = Surroundings(
      value, at: now, outside: parameters.number("outside"), inertia: parameters.duration("inertia"))
    regulator = Regulator(hysteresis: parameters.number("hysteresis"))
    power = parameters.number("power")
  }

  var value: Double { room.value }
  /// The machine's present output.
  var output: Regulator.Output { regulator.output }

  mutating func pass(to now: Duration) { room.pass(to: now) }

  /// Sets the value from outside, as when a person opens a window.
  mutating func set(_ value: Double, at now: Duration) { room.set(value, at: now) }

  /// Switches the machine as needed.
  /// - Parameters:
  ///   - low: the lower limit; `nil`: none.
  ///   - high: the upper limit; `nil`: none.
  mutating func keep(low: Double?, high: Double?, at now: Duration) {
    regulator.regulate(room.value, low: low, high: high)
    switch regulator.output {
    case .off: room.push(0, from: now)
    case .up: room.push(power, from: now)
    case .down: room.push(-power, from: now)
    }
  }
}
