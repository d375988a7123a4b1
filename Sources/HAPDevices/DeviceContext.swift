import HAPAttributes
import HAPModel

/// The context of one call to a device: what the device can read, and the actions that it requests.
///
/// The shell makes a context for each call, performs its `actions` afterwards, and keeps `random` for the next call.
package struct DeviceContext {
  /// Simulated time since the start of the simulation.
  package let now: Duration
  /// Randomness of the simulation, from its seed. Never used for keys.
  package var random: SimulationRandom
  /// The actions requested so far, in order.
  package private(set) var actions: [DeviceAction] = []

  /// Added to the tokens of timers, so that the tokens of a device's parts don't collide.
  package var tokenBase = 0
  private let lookup: (AttributeID) -> Characteristic?

  /// - Parameter lookup: returns a characteristic as it is in the core's database; `nil` for an unknown id.
  package init(now: Duration, random: SimulationRandom, lookup: @escaping (AttributeID) -> Characteristic?) {
    self.now = now
    self.random = random
    self.lookup = lookup
  }

  /// Returns the characteristic with the value that it will have after the actions so far.
  package func characteristic(_ id: AttributeID) -> Characteristic? {
    guard var characteristic = lookup(id) else { return nil }
    if let value = lastSet(id) { characteristic.value = value }
    return characteristic
  }

  /// Returns the value that the characteristic will have after the actions so far. `nil` if the id is `nil` or
  /// unknown.
  package func value(_ id: AttributeID?) -> Value? {
    guard let id else { return nil }
    return lastSet(id) ?? lookup(id)?.value
  }

  /// Sets a value. Does nothing if the id is `nil`, so a behaviour need not check whether its service has the
  /// characteristic.
  package mutating func set(_ id: AttributeID?, _ value: Value) {
    if let id { actions.append(.set(id, value)) }
  }

  /// Sets a value unless the characteristic already has it. An unchanged value causes no event.
  package mutating func change(_ id: AttributeID?, to value: Value) {
    if let id, self.value(id) != value { actions.append(.set(id, value)) }
  }

  /// Sets a measured number, adapted to what the characteristic can represent. An unchanged value causes no event.
  package mutating func tell(_ id: AttributeID?, _ number: Double) {
    if let admitted = admitted(id, number) { change(id, to: admitted) }
  }

  /// Returns the number as the characteristic can represent it: on its step grid, within its range, in its format.
  /// `nil`: it can't be represented.
  package func admitted(_ id: AttributeID?, _ number: Double) -> Value? {
    guard let id, let characteristic = characteristic(id), number.isFinite else { return nil }
    let low = characteristic.constraints.minValue?.doubleValue
    let high = characteristic.constraints.maxValue?.doubleValue
    // Larger than any integer format, and within Int128.
    let bound = characteristic.format == .float ? Double.greatestFiniteMagnitude : 1e30
    let within = min(max(number, low ?? -bound, -bound), high ?? bound, bound)
    var quirks = ValueQuirks()
    quirks.outOfRange = .clamp
    var rounded = Value.float(within)
    if characteristic.format != .float {
      guard let whole = Int128(exactly: within.rounded()) else { return nil }
      rounded = .integer(whole)
    }
    return try? characteristic.admit(rounded, quirks: quirks)
  }

  package mutating func schedule(_ token: Int, after delay: Duration) {
    actions.append(.schedule(token: tokenBase + token, after: max(.zero, delay)))
  }

  /// - Parameter delay: `nil` cancels the timer.
  package mutating func schedule(_ token: Int, after delay: Duration?) {
    if let delay { schedule(token, after: delay) } else { cancel(token) }
  }

  package mutating func cancel(_ token: Int) {
    actions.append(.cancel(token: tokenBase + token))
  }

  package mutating func answerRead(_ id: AttributeID, _ result: Result<Value, HAPStatus>, ticket: Ticket) {
    actions.append(.answerRead(id, result, ticket: ticket))
  }

  package mutating func answerWrite(_ number: UInt64, _ verdict: WriteVerdict) {
    actions.append(.answerWrite(number, verdict))
  }

  private func lastSet(_ id: AttributeID) -> Value? {
    for case .set(id, let value) in actions.reversed() { return value }
    return nil
  }
}

/// Repeatable random numbers: SplitMix64 (Steele, Lea, Flood, 2014). Not for secrets.
package struct SimulationRandom: RandomNumberGenerator, Equatable, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
