extension ValueRules {
  /// Returns the legal integer nearest to a number; nil if there is none, or if the result is not one of
  /// `valid-values`. A number is clamped to a range, but never to a list.
  func nearest(toInteger number: Int128, checking checks: ValueChecks) -> Int128? {
    guard let range: ClosedRange<Int128> = integerRange(checking: checks) else { return nil }
    var number: Int128 = min(max(number, range.lowerBound), range.upperBound)
    let step: Int128 = checks.contains(.step) ? integerStep ?? 1 : 1
    if step > 1 {
      let off: Int128 = distanceAboveStep(number, step)
      number -= off
      if off * 2 >= step && number + step <= range.upperBound { number += step }
      // The lowest number of the range may be between two steps.
      if number < range.lowerBound { number += step }
    }
    return violation(ofInteger: number, checking: checks) == nil ? number : nil
  }

  /// Returns the legal float nearest to a number; nil for NaN and infinities, and if the limits exclude each other.
  package func nearest(toFloat number: Double, checking checks: ValueChecks) -> Double? {
    guard number.isFinite else { return nil }
    let low: Double? = constraints.minValue?.doubleValue
    let high: Double? = constraints.maxValue?.doubleValue
    if let low: Double = low, let high: Double = high, low > high { return nil }
    var number: Double = number
    if let low: Double = low, number < low { number = low }
    if let high: Double = high, number > high { number = high }
    return checks.contains(.step) ? onGrid(number, isClamping: true) : number
  }

  /// Returns the step nearest to a float within the limits.
  ///
  /// - Parameter isClamping: if that step is above the maximum, true returns the step below, and false returns the number itself.
  func onGrid(_ number: Double, isClamping: Bool) -> Double {
    guard let grid: StepGrid = stepGrid, let steps: Double = grid.steps(to: number) else { return number }
    var snapped: Double = grid.value(at: steps.rounded())
    // The next point of the grid is beyond the range of doubles.
    guard snapped.isFinite else { return number }
    if let high: Double = constraints.maxValue?.doubleValue, snapped > high {
      snapped = isClamping ? grid.value(at: steps.rounded() - 1) : number
    }
    if let low: Double = constraints.minValue?.doubleValue, snapped < low { snapped = low }
    return snapped
  }

  /// Returns the longest prefix of a text that its limit allows, without splitting a character.
  func prefix(ofText text: String) -> String {
    let limit: Int = constraints.maxLen ?? Constraints.defaultMaxLen
    var cut: String = ""
    for character: Character in text {
      guard cut.utf8.count + character.utf8.count <= limit else { break }
      cut.append(character)
    }
    return cut
  }

  /// Returns the distance of an integer from the step at or below it.
  private func distanceAboveStep(_ number: Int128, _ step: Int128) -> Int128 {
    let remainder: Int128 = (number - integerGridStart) % step
    return remainder < 0 ? remainder + step : remainder
  }
}

// MARK: Legal values at the ends

extension ValueRules {
  /// The lowest integer on a step within the limits and `valid-values-range`; nil for another format, and if there is none.
  public var firstOnStep: Int128? {
    guard let range: ClosedRange<Int128> = integerRange() else { return nil }
    guard let step: Int128 = integerStep else { return range.lowerBound }
    let off: Int128 = distanceAboveStep(range.lowerBound, step)
    let first: Int128 = off == 0 ? range.lowerBound : range.lowerBound + step - off
    return range.contains(first) ? first : nil
  }

  /// The highest integer on a step within the limits and `valid-values-range`; nil for another format, and if there is none.
  public var lastOnStep: Int128? {
    guard let range: ClosedRange<Int128> = integerRange() else { return nil }
    guard let step: Int128 = integerStep else { return range.upperBound }
    let last: Int128 = range.upperBound - distanceAboveStep(range.upperBound, step)
    return range.contains(last) ? last : nil
  }
}

// MARK: Illegal values next to the legal ones

extension ValueRules {
  /// The number that is one step below `minValue`. Without a step, the distance is 1; for a float, it is at least 0.1.
  /// Nil without a minimum, and if the format can't hold it.
  public var justBelow: Value? { outside(constraints.minValue, -1) }

  /// The number that is one step above `maxValue`. Without a step, the distance is 1; for a float, it is at least 0.1.
  /// Nil without a maximum, and if the format can't hold it.
  public var justAbove: Value? { outside(constraints.maxValue, 1) }

  private func outside(_ limit: Value?, _ direction: Int128) -> Value? {
    guard let limit: Value else { return nil }
    if format == .float {
      guard let number: Double = limit.doubleValue else { return nil }
      let step: Double = max(constraints.minStep?.doubleValue ?? 1, 0.1)
      let beyond: Double = number + Double(direction) * step
      // A step may be too small to change a large limit, or lead beyond the range of doubles.
      return beyond != number && beyond.isFinite ? .float(beyond) : nil
    }
    guard let number: Int128 = direction < 0 ? limit.ceiling : limit.floor,
      let range: ClosedRange<Int128> = format.integerRange
    else { return nil }
    let beyond: Int128 = number + direction * (integerStep ?? 1)
    return range.contains(beyond) ? .integer(beyond) : nil
  }

  /// An integer between the limits that `valid-values` or `valid-values-range` excludes; nil if there is none.
  ///
  /// For a list it is the lowest such integer, searched among the first 301 integers. For a range it is the next one
  /// above, otherwise the next one below.
  public var unlisted: Value? {
    guard let range: ClosedRange<Int128> = integerRange(checking: .limits) else { return nil }
    if let listed: [Int] = constraints.validValues, !listed.isEmpty {
      let candidates: ClosedRange<Int128> = range.lowerBound...min(range.upperBound, range.lowerBound + 300)
      return candidates.first { violation(ofInteger: $0, checking: .validValues) != nil }.map { .integer($0) }
    }
    guard let valid: ClosedRange<Int> = constraints.validValuesRange else { return nil }
    let candidates: [Int128] = [Int128(valid.upperBound) + 1, Int128(valid.lowerBound) - 1]
    return candidates.first(where: range.contains).map { .integer($0) }
  }

  /// A number between the limits and between two steps; nil if there is none. A float must have a stated minimum and
  /// maximum.
  public var offStep: Value? {
    if format == .float {
      guard let step: Double = constraints.minStep?.doubleValue, step > 0,
        let low: Double = constraints.minValue?.doubleValue, let high: Double = constraints.maxValue?.doubleValue,
        high - low >= 2 * step
      else { return nil }
      // There is no number between two steps that are finer than doubles.
      let between: Value = .float(low + step * 1.5)
      if case .minStep? = violation(of: between, checking: .step) { return between }
      return nil
    }
    guard let step: Int128 = integerStep,
      let range: ClosedRange<Int128> = integerRange(checking: .limits), range.upperBound - range.lowerBound > step
    else { return nil }
    // If the lowest integer is not on a step, its sum with half a step may be on one.
    let between: Int128 = range.lowerBound + step / 2
    return .integer(violation(ofInteger: between, checking: .step) == nil ? between + 1 : between)
  }
}
