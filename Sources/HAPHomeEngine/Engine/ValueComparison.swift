import HAPHome
import HAPModel

/// The order of two values of a characteristic (rule E4): numbers compare across formats, and floats are equal within
/// half a step.
enum ValueOrder: Hashable, Sendable {
  case less, equal, greater
  /// Texts or bytes that are not equal: they have no order.
  case different

  /// Returns nil if the values cannot be compared: a text with a number, or no value.
  init?(_ left: Value, _ right: Value, _ rules: ValueRules) {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): self = left < right ? .less : left == right ? .equal : .greater
    case (.string(let left), .string(let right)): self = left == right ? .equal : .different
    case (.data(let left), .data(let right)): self = left == right ? .equal : .different
    default:
      guard let left = left.doubleValue, let right = right.doubleValue else { return nil }
      self.init(left, right, tolerance: Self.tolerance(left, right, rules))
    }
  }

  private init?(_ left: Double, _ right: Double, tolerance: Double) {
    guard !left.isNaN, !right.isNaN else { return nil }
    self = left == right || abs(left - right) <= tolerance ? .equal : left < right ? .less : .greater
  }

  /// The greatest difference of equal numbers. Accessories with 32-bit floats send 0.1 as 0.10000000149.
  private static func tolerance(_ left: Double, _ right: Double, _ rules: ValueRules) -> Double {
    guard rules.format == .float else { return 0 }
    let coarsest = max(abs(left), abs(right))
    guard coarsest.isFinite else { return 0 }
    let rounding = coarsest * 0x1p-23
    guard let step = rules.constraints.minStep?.doubleValue, step.isFinite, step > 0 else { return rounding }
    return step / 2 + rounding
  }
}

extension Comparison {
  /// Returns whether the comparison holds for two values; unknown if they cannot be compared.
  func holds(_ left: Value, _ right: Value, _ rules: ValueRules) -> Truth {
    guard let order = ValueOrder(left, right, rules) else { return .unknown }
    switch (self, order) {
    case (.equal, _): return Truth(order == .equal)
    case (.notEqual, _): return Truth(order != .equal)
    case (_, .different): return .unknown
    case (.less, _): return Truth(order == .less)
    case (.lessOrEqual, _): return Truth(order != .greater)
    case (.greater, _): return Truth(order == .greater)
    case (.greaterOrEqual, _): return Truth(order != .less)
    }
  }
}
