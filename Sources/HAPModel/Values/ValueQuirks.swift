/// How an accessory checks a written value, where stacks differ. The default follows HomeKitADK, except for the
/// fields that docs/reference/quirks.md lists.
public struct ValueQuirks: Hashable, Sendable {
  /// The default behaviour.
  public init() {}

  /// A way to handle a value outside the constraints.
  public enum OutOfRange: String, Hashable, Sendable, CaseIterable {
    /// The entry gets the status `refusedValue`.
    case reject
    /// The nearest allowed value is written.
    case clamp
  }
  /// What happens to a written value outside the minimum, maximum, step or length.
  public var outOfRange: OutOfRange = .reject
  /// Whether written numbers are checked against the step.
  public var checksSteps: Bool = true
  /// The distance from the next step, as a fraction of the step, within which a float is rounded. The range is 0 to
  /// 0.5.
  public var floatSnapFraction: Double = 0.1
  /// Whether written numbers are checked against the valid values.
  public var checksValidValues: Bool = true
  /// Whether `true` and `false` are accepted for a number as 1 and 0.
  public var takesBooleansAsNumbers: Bool = true
  /// Whether an integer may be written with a fraction of zero, such as `1.0`.
  public var takesWholeFloats: Bool = false
  /// Whether an integer may be written with any fraction. The fraction is cut off. If `outOfRange` is `clamp` and
  /// `checksSteps` is `true`, a number with a step is rounded instead.
  public var takesFractions: Bool = false
}
