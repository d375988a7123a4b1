extension Characteristic {
  /// Takes a written value: the canonical value to store, or why not.
  ///
  /// HAP R2 §6.6.3 and §6.7.2.2; where the specification is silent, ADK's way (protocol.md §6, §11):
  /// - bool takes true, false, 1 and 0.
  /// - Integers refuse anything written with a fraction or exponent, even `1.0`, and what is off the step.
  /// - Floats take integers; a value within a tenth of a step of the grid is rounded to it, others are refused; NaN never passes.
  /// - Strings are at most `maxLen` UTF-8 *bytes* (ADK counts bytes), 64 without it.
  /// - tlv8 and data come as base64 text (`.string`) or already decoded (`.data`); `maxDataLen` counts decoded bytes. Whether
  ///   the bytes are TLV8 is not looked at here: the model does not know the wire.
  /// - null is refused: whether null is a bad request or a bad value is for the caller to decide before.
  /// - Parameters:
  ///   - value: off the wire: a JSON integer as `.integer`, `1.0` as `.float`, base64 as `.string`.
  ///   - conduct: whether to reject or clamp, and how far a float snaps.
  /// - Throws: `.invalidValue` (-70410), nothing else.
  public func admit(_ value: Value, conduct: Conduct = Conduct()) throws(HAPStatus) -> Value {
    switch format {
    case .bool: return try admitBool(value)
    case .uint8, .uint16, .uint32, .uint64, .int: return try admitInteger(value, conduct: conduct)
    case .float: return try admitFloat(value, conduct: conduct)
    case .string: return try admitString(value, conduct: conduct)
    case .tlv8, .data: return try admitBytes(value)
    }
  }

  /// Whether a value could be written as it stands: canonical, and within the constraints.
  public func allows(_ value: Value) -> Bool {
    guard let admitted: Value = try? admit(value) else { return false }
    return admitted == value
  }

  private func admitBool(_ value: Value) throws(HAPStatus) -> Value {
    switch value {
    case .bool: return value
    case .integer(0): return .bool(false)
    case .integer(1): return .bool(true)
    case .null, .integer, .float, .string, .data: throw .invalidValue
    }
  }

  private func admitInteger(_ value: Value, conduct: Conduct) throws(HAPStatus) -> Value {
    var number: Int128
    switch value {
    case .integer(let written): number = written
    case .bool(let written) where conduct.takesBooleansAsNumbers: number = written ? 1 : 0
    case .float(let written) where conduct.takesFractions:
      let isRounded: Bool = conduct.outOfRange == .clamp && conduct.checksSteps && constraints.minStep != nil
      let kept: Double = written.rounded(isRounded ? .toNearestOrEven : .towardZero)
      guard let whole: Int128 = Int128(exactly: kept) else { throw .invalidValue }
      number = whole
    case .float(let written) where conduct.takesWholeFloats:
      guard let whole: Int128 = Int128(exactly: written) else { throw .invalidValue }
      number = whole
    case .null, .bool, .float, .string, .data: throw .invalidValue
    }
    guard let range: ClosedRange<Int128> = integerRange(conduct) else { throw .invalidValue }
    let step: Int128 = conduct.checksSteps ? constraints.minStep.flatMap(wholeNumber) ?? 0 : 0
    switch conduct.outOfRange {
    case .reject:
      guard range.contains(number) else { throw .invalidValue }
      guard step <= 1 || (number - gridStart(range)) % step == 0 else { throw .invalidValue }
    case .clamp:
      number = min(max(number, range.lowerBound), range.upperBound)
      if step > 1 {
        let remainder: Int128 = (number - gridStart(range)) % step
        let off: Int128 = remainder < 0 ? remainder + step : remainder
        number -= off
        if off * 2 >= step && number + step <= range.upperBound { number += step }
        // The grid need not have its first point at the end of the range.
        if number < range.lowerBound { number += step }
        guard range.contains(number) else { throw .invalidValue }
      }
    }
    // A closed list has no order to clamp into: what is not listed is refused under either conduct.
    if conduct.checksValidValues, let listed: [Int] = constraints.validValues {
      guard let small: Int = Int(exactly: number), listed.contains(small) else { throw .invalidValue }
    }
    return .integer(number)
  }

  private func admitFloat(_ value: Value, conduct: Conduct) throws(HAPStatus) -> Value {
    var number: Double
    switch value {
    case .float(let written): number = written
    case .integer(let written): number = Double(written)
    case .bool(let written) where conduct.takesBooleansAsNumbers: number = written ? 1 : 0
    case .null, .bool, .string, .data: throw .invalidValue
    }
    // JSON has no infinity; a number too large for a double reads as one.
    guard number.isFinite else { throw .invalidValue }
    let low: Double? = constraints.minValue?.doubleValue
    let high: Double? = constraints.maxValue?.doubleValue
    if low.map({ number < $0 }) ?? false || high.map({ number > $0 }) ?? false {
      guard conduct.outOfRange == .clamp else { throw .invalidValue }
      if let low: Double = low, number < low { number = low }
      if let high: Double = high, number > high { number = high }
    }
    guard conduct.checksSteps, let step: Double = constraints.minStep?.doubleValue, step > 0 else {
      return .float(number)
    }
    let start: Double = low ?? 0
    let steps: Double = (number - start) / step
    // A grid about as fine as doubles are themselves says nothing: what is on it can't be told.
    guard step >= 16 * max(abs(number), abs(start)).ulp else { return .float(number) }
    let nearest: Double = steps.rounded()
    // "Within" includes a tenth itself, whatever binary fractions make of it.
    let tolerance: Double = conduct.floatSnapFraction + 1e-9
    guard conduct.outOfRange == .clamp || abs(steps - nearest) <= tolerance else { throw .invalidValue }
    var snapped: Double = gridValue(start: start, steps: nearest, step: step)
    // The next point of the grid lies beyond all doubles.
    guard snapped.isFinite else { return .float(number) }
    if let high: Double = high, snapped > high {
      snapped = conduct.outOfRange == .clamp ? gridValue(start: start, steps: nearest - 1, step: step) : number
    }
    if let low: Double = low, snapped < low { snapped = low }
    return .float(snapped)
  }

  private func admitString(_ value: Value, conduct: Conduct) throws(HAPStatus) -> Value {
    guard case .string(let text) = value else { throw .invalidValue }
    let most: Int = constraints.maxLen ?? Constraints.defaultMaxLen
    guard text.utf8.count > most else { return value }
    guard conduct.outOfRange == .clamp else { throw .invalidValue }
    var cut: String = ""
    for character: Character in text {
      guard cut.utf8.count + character.utf8.count <= most else { break }
      cut.append(character)
    }
    return .string(cut)
  }

  private func admitBytes(_ value: Value) throws(HAPStatus) -> Value {
    let bytes: [UInt8]
    switch value {
    case .data(let decoded): bytes = decoded
    case .string(let text):
      guard let decoded: [UInt8] = bytesOfBase64(text) else { throw .invalidValue }
      bytes = decoded
    case .null, .bool, .integer, .float: throw .invalidValue
    }
    guard bytes.count <= constraints.maxDataLen ?? Constraints.defaultMaxDataLen else { throw .invalidValue }
    return .data(bytes)
  }
}

extension Characteristic {
  /// What format, minimum, maximum and valid range leave; nil when that is nothing, or the format is no integer.
  private func integerRange(_ conduct: Conduct) -> ClosedRange<Int128>? {
    guard let range: ClosedRange<Int128> = format.integerRange else { return nil }
    var low: Int128 = range.lowerBound
    var high: Int128 = range.upperBound
    if let min: Int128 = constraints.minValue.flatMap(wholeNumber) { low = max(low, min) }
    if let max: Int128 = constraints.maxValue.flatMap(wholeNumber) { high = min(high, max) }
    if conduct.checksValidValues, let valid: ClosedRange<Int> = constraints.validValuesRange {
      low = max(low, Int128(valid.lowerBound))
      high = min(high, Int128(valid.upperBound))
    }
    return low <= high ? low...high : nil
  }

  /// Where steps are counted from: the stated minimum, else 0 (ADK counts from its minimum, which is 0 unless stated, but for int).
  private func gridStart(_ range: ClosedRange<Int128>) -> Int128 {
    constraints.minValue.flatMap(wholeNumber) ?? 0
  }
}

/// The number of a limit when it is whole; nil leaves the limit out. Brought within ±2⁷⁰, beyond any format, so that sums of it can't overflow.
private func wholeNumber(_ value: Value) -> Int128? {
  let bound: Int128 = 1 << 70
  switch value {
  case .integer(let number): return min(max(number, -bound), bound)
  case .float(let number): return Int128(exactly: number).map { min(max($0, -bound), bound) }
  case .null, .bool, .string, .data: return nil
  }
}

/// `start + steps · step` without the noise of binary fractions, so that 15 steps of 0.1 are 1.5 and print so.
private func gridValue(start: Double, steps: Double, step: Double) -> Double {
  let direct: Double = start + steps * step
  // When a step is one over a whole number (0.1, 0.5, 0.01), counting in that unit is exact.
  let perOne: Double = (1 / step).rounded()
  guard perOne >= 1, 1 / perOne == step else { return direct }
  let scaledStart: Double = start * perOne
  guard scaledStart.rounded() == scaledStart else { return direct }
  return (scaledStart + steps) / perOne
}
