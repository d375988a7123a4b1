import HAPModel

extension Characteristic {
  /// Returns the allowed value that is nearest to a number, in the canonical form of a numeric format.
  /// - Parameter isOn: a number above 0 becomes a value above 0, if the characteristic allows one.
  func nearest(to number: Double, isOn: Bool = false) -> Value {
    let isPositive = isOn && number > 0
    guard format.integerRange != nil else { return .float(nearestFloat(to: number, isPositive)) }
    let listed = constraints.validValues ?? []
    if listed.isEmpty { return .integer(nearestInteger(to: number, isPositive)) }
    // The limits and `valid-values-range` can exclude values of the list.
    var values = listed.filter { violation(of: .integer(Int128($0))) == nil }
    if isPositive, values.contains(where: { $0 > 0 }) { values.removeAll { $0 <= 0 } }
    let nearest = values.min { abs(Double($0) - number) < abs(Double($1) - number) }
    return .integer(Int128(nearest ?? listed[0]))
  }

  private func nearestInteger(to number: Double, _ isPositive: Bool) -> Int128 {
    let rules = valueRules
    guard let first = rules.firstOnStep, let last = rules.lastOnStep else { return 0 }
    let step = rules.integerStep ?? 1
    let low = isPositive && first <= 0 && last > 0 ? first + (-first / step + 1) * step : first
    let steps = ((number - Double(low)) / Double(step)).rounded()
    return low + Int128(nearest: steps, in: 0...((last - low) / step)) * step
  }

  private func nearestFloat(to number: Double, _ isPositive: Bool) -> Double {
    let rules = valueRules
    let low = constraints.minValue?.doubleValue
    let high = constraints.maxValue?.doubleValue
    let bounded = min(max(number, low ?? -.greatestFiniteMagnitude), high ?? .greatestFiniteMagnitude)
    let nearest = rules.nearest(toFloat: bounded, checking: .all) ?? bounded
    guard isPositive, nearest <= 0, let step = constraints.minStep?.doubleValue, step > 0 else { return nearest }
    let start = low ?? 0
    let above = start + ((-start / step).rounded(.down) + 1) * step
    // `above` can be 0 by a rounding error.
    let candidates = [above, above + step].compactMap { rules.nearest(toFloat: $0, checking: .all) }
    return candidates.first { $0 > 0 } ?? nearest
  }
}
