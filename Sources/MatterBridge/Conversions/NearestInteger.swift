extension FixedWidthInteger {
  /// The integer of a range that is nearest to a number; the lowest one for NaN.
  init(nearest number: Double, in range: ClosedRange<Self>) {
    let rounded = number.rounded()
    if rounded >= Double(range.upperBound) {
      self = range.upperBound
    } else {
      self = rounded > Double(range.lowerBound) ? Self(rounded) : range.lowerBound
    }
  }
}
