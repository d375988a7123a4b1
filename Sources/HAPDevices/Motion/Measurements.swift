import HAPModel

/// Quantities that change by themselves. One is replayed, the others change at random within the range of their
/// characteristics. Part of a sensor's behaviour.
///
/// A random quantity continues from a value set by hand; a replayed one keeps it until the next value of the series.
/// While Status Active is false, the quantities change but are not reported.
final class Measurements {
  /// The number of timers.
  static let tokens = 2
  private static let step = 0, next = 1

  private struct Quantity {
    let id: AttributeID
    /// Finer than the resolution of the characteristic, so that small steps add up.
    var level: Double
  }

  private let statusActive: AttributeID?
  private var quantities: [Quantity]
  private let replayed: AttributeID?
  private let walk: Double
  private let every: Duration
  private let series: ReplaySeries?
  private let repeats: Bool
  private let token: Int
  /// The position in the series: the index of the next value, and the start of the present round.
  private var index = 0
  private var roundStart = Duration.zero

  /// - Parameters:
  ///   - ids: the quantities that the service has.
  ///   - replayed: the quantity that the series applies to.
  ///   - token: the first of its timers' tokens.
  init(
    _ ids: [AttributeID], replayed: AttributeID?, in service: DeviceService, _ parameters: BehaviourParameters,
    token: Int = 0
  ) {
    statusActive = service[.statusActive]
    quantities = ids.map { Quantity(id: $0, level: 0) }
    walk = parameters.number("walk")
    every = max(.milliseconds(100), parameters.duration("every"))
    series = replayed == nil ? nil : parameters.series("replay")
    self.replayed = series == nil ? nil : replayed
    repeats = parameters.flag("repeat")
    self.token = token
  }

  static let parameters: [BehaviourParameter] = [
    .init(
      "walk", .number(0...100_000), default: .number(0), "Largest random change in one step; 0: none."),
    .init("every", .duration, default: .duration(.seconds(60)), "Time between two steps."),
    .init(
      "replay", .series, default: .series(nil), "A series to replay, as [time, value] pairs or the name of a CSV file."),
    .init("repeat", .flag, default: .flag(true), "Whether the series restarts after its end."),
  ]

  func start(_ context: inout DeviceContext) {
    for index in quantities.indices { quantities[index].level = context.value(quantities[index].id)?.doubleValue ?? 0 }
    if walk > 0, quantities.contains(where: { $0.id != replayed }) { context.schedule(token + Self.step, after: every) }
    guard series != nil else { return }
    roundStart = context.now
    replay(&context)
  }

  /// - Returns: whether the ID is one of the quantities, or Status Active.
  func setByHand(_ id: AttributeID, _ value: Value, _ context: inout DeviceContext) -> Bool {
    if id == statusActive {
      if value == true { for quantity in quantities { tell(quantity, &context) } }
      return true
    }
    guard let index = quantities.firstIndex(where: { $0.id == id }) else { return false }
    quantities[index].level = value.doubleValue ?? 0
    return true
  }

  /// - Returns: whether the token is that of a timer of the measurements.
  func timerFired(_ token: Int, _ context: inout DeviceContext) -> Bool {
    switch token - self.token {
    case Self.step: wander(&context)
    case Self.next: replay(&context)
    default: return false
    }
    return true
  }

  private func tell(_ quantity: Quantity, _ context: inout DeviceContext) {
    if context.value(statusActive) != false { context.tell(quantity.id, quantity.level) }
  }

  private func wander(_ context: inout DeviceContext) {
    guard walk > 0 else { return }
    for index in quantities.indices where quantities[index].id != replayed {
      let constraints = context.characteristic(quantities[index].id)?.constraints
      let level = quantities[index].level + Double.random(in: -walk...walk, using: &context.random)
      quantities[index].level = min(
        max(level, constraints?.minValue?.doubleValue ?? -.greatestFiniteMagnitude),
        constraints?.maxValue?.doubleValue ?? .greatestFiniteMagnitude)
      tell(quantities[index], &context)
    }
    context.schedule(token + Self.step, after: every)
  }

  /// Applies the values of the series that are due. If several are due because the timer was late, the last one is
  /// used.
  private func replay(_ context: inout DeviceContext) {
    guard let series, let place = quantities.firstIndex(where: { $0.id == replayed }) else { return }
    if repeats, let period = series.period, context.now - roundStart >= period {
      let rounds = ((context.now - roundStart) / period).rounded(.down)
      roundStart += period * Int(rounds)
      index = 0
    }
    var isDue = false
    while index < series.points.count, roundStart + series.points[index].time <= context.now {
      quantities[place].level = series.points[index].value
      isDue = true
      index += 1
    }
    if isDue { tell(quantities[place], &context) }
    if index < series.points.count {
      context.schedule(token + Self.next, after: roundStart + series.points[index].time - context.now)
    } else if repeats, let period = series.period {
      context.schedule(token + Self.next, after: roundStart + period + series.points[0].time - context.now)
    }
  }
}
