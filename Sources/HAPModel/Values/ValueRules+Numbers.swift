// The checking functions are inlined: a caller that only asks whether a rule is broken then creates no
// `ValueViolation`.
extension ValueRules {
  /// Returns the first rule that an integer breaks. The format is an integer format.
  @inline(__always)
  func violation(ofInteger number: Int128, checking checks: ValueChecks) -> ValueViolation? {
    if checks.contains(.formatRange), let range: ClosedRange<Int128> = format.integerRange, !range.contains(number) {
      return .formatRange(range)
    }
    if checks.contains(.limits) {
      if let low: Value = constraints.minValue, let least: Int128 = low.ceiling, number < least {
        return .minValue(low)
      }
      if let high: Value = constraints.maxValue, let most: Int128 = high.floor, number > most {
        return .maxValue(high)
      }
    }
    if checks.contains(.validValuesRange), let valid: ClosedRange<Int> = constraints.validValuesRange,
      number < Int128(valid.lowerBound) || number > Int128(valid.upperBound)
    {
      return .validValuesRange(valid)
    }
    if checks.contains(.validValues), let listed: [Int] = constraints.validValues {
      guard let small: Int = Int(exactly: number), listed.contains(small) else { return .validValues(listed) }
    }
    if checks.contains(.step), let step: Value = constraints.minStep, let distance: Int128 = step.whole, distance > 1 {
      let (offset, overflows): (Int128, Bool) = number.subtractingReportingOverflow(integerGridStart)
      if !overflows, offset % distance != 0 {
        return .minStep(step, from: constraints.minValue?.whole.map { .integer($0) })
      }
    }
    return nil
  }

  /// Returns the first rule that a number breaks. The format is float.
  @inline(__always)
  func violation(ofFloat number: Double, checking checks: ValueChecks, tolerance: Double) -> ValueViolation? {
    if checks.contains(.limits) {
      if let low: Value = constraints.minValue, let least: Double = low.doubleValue, number < least {
        return .minValue(low)
      }
      if let high: Value = constraints.maxValue, let most: Double = high.doubleValue, number > most {
        return .maxValue(high)
      }
    }
    // JSON has no infinity, but a number that is too large for a double is parsed as infinity.
    guard number.isFinite else { return .notFinite }
    if checks.contains(.step), let step: Value = constraints.minStep, let steps: Double = stepGrid?.steps(to: number),
      // "Within" includes exactly a tenth, despite the rounding of binary fractions.
      abs(steps - steps.rounded()) > tolerance + 1e-9
    {
      return .minStep(step, from: constraints.minValue)
    }
    return nil
  }

  /// Returns the integers between the limits of an integer format; nil for another format, and if the limits exclude
  /// each other.
  ///
  /// - Parameter checks: with `.validValuesRange` the integers are also within `valid-values-range`. Other checks
  ///   have no effect.
  public func integerRange(checking checks: ValueChecks = .all) -> ClosedRange<Int128>? {
    guard let range: ClosedRange<Int128> = format.integerRange else { return nil }
    var low: Int128 = range.lowerBound
    var high: Int128 = range.upperBound
    if let least: Int128 = constraints.minValue?.ceiling { low = max(low, least) }
    if let most: Int128 = constraints.maxValue?.floor { high = min(high, most) }
    if checks.contains(.validValuesRange), let valid: ClosedRange<Int> = constraints.validValuesRange {
      low = max(low, Int128(valid.lowerBound))
      high = min(high, Int128(valid.upperBound))
    }
    return low <= high ? low...high : nil
  }

  /// The distance between the values of an integer format; nil if every integer is on a step.
  public var integerStep: Int128? { constraints.minStep?.whole.flatMap { $0 > 1 ? $0 : nil } }

  /// The integer from which steps are counted: the stated minimum if it is whole, otherwise 0. HomeKitADK counts from
  /// its minimum, which is 0 unless it is stated. For the format int, however, its default minimum is not 0.
  var integerGridStart: Int128 { constraints.minValue?.whole ?? 0 }

  /// The grid of a float; nil without a step.
  var stepGrid: StepGrid? {
    guard let step: Double = constraints.minStep?.doubleValue, step > 0 else { return nil }
    return StepGrid(start: constraints.minValue?.doubleValue ?? 0, step: step)
  }
}

/// The numbers `start`, `start + step`, `start + 2 · step` and so on.
struct StepGrid {
  let start: Double
  let step: Double

  /// Returns the number of steps from the start, with a fraction. Returns nil if doubles are too coarse.
  func steps(to number: Double) -> Double? {
    guard step >= 16 * max(abs(number), abs(start)).ulp else { return nil }
    let steps: Double = (number - start) / step
    return steps.isFinite ? steps : nil
  }

  /// Returns `start + steps · step` without the rounding errors of binary fractions: 15 steps of 0.1 are exactly 1.5.
  func value(at steps: Double) -> Double {
    let direct: Double = start + steps * step
    // If a step is one over a whole number (0.1, 0.5, 0.01), counting in that unit is exact.
    let perOne: Double = (1 / step).rounded()
    guard perOne >= 1, 1 / perOne == step else { return direct }
    let scaledStart: Double = start * perOne
    guard scaledStart.rounded() == scaledStart else { return direct }
    return (scaledStart + steps) / perOne
  }
}

extension Value {
  /// The lowest integer that is not below the number; nil for NaN and for other kinds. It is clamped to ±2⁷⁰, beyond
  /// any format, so that sums cannot overflow.
  var ceiling: Int128? {
    switch self {
    case .integer(let number): return number.bounded
    case .float(let number): return number.rounded(.up).bounded
    case .null, .bool, .string, .data: return nil
    }
  }

  /// The highest integer that is not above the number. See `ceiling`.
  var floor: Int128? {
    switch self {
    case .integer(let number): return number.bounded
    case .float(let number): return number.rounded(.down).bounded
    case .null, .bool, .string, .data: return nil
    }
  }

  /// The value as an integer; nil unless it is an integer or a float without a fraction. Also nil beyond ±2⁷⁰, because
  /// a clamped number would be a different start or step.
  var whole: Int128? {
    switch self {
    case .integer(let number): return number.bounded == number ? number : nil
    case .float(let number): return number.rounded() == number && number.magnitude <= 0x1p70 ? Int128(number) : nil
    case .null, .bool, .string, .data: return nil
    }
  }
}

extension Int128 {
  fileprivate var bounded: Int128 { Swift.min(Swift.max(self, -(1 << 70)), 1 << 70) }
}

extension Double {
  /// The whole number, clamped to the bounds; nil for NaN.
  fileprivate var bounded: Int128? { isNaN ? nil : Int128(Swift.min(Swift.max(self, -0x1p70), 0x1p70)) }
}
