/// Switches a machine so that a quantity stays near what is wanted, and not at every breath of air.
struct Regulator {
  enum Output: Equatable { case off, up, down }

  /// How far from what is wanted it may go before the machine is switched on.
  let hysteresis: Double
  private(set) var output = Output.off

  init(hysteresis: Double) { self.hysteresis = hysteresis }

  /// - Parameters:
  ///   - low: it is not to be below; nil: that is nobody's business.
  ///   - high: it is not to be above.
  /// - Returns: whether the output changed.
  @discardableResult
  mutating func regulate(_ value: Double, low: Double?, high: Double?) -> Bool {
    let before = output
    switch output {
    case .up: if low.map({ value >= $0 }) ?? true { output = .off }
    case .down: if high.map({ value <= $0 }) ?? true { output = .off }
    case .off: break
    }
    if output == .off {
      if let low, value < low - hysteresis {
        output = .up
      } else if let high, value > high + hysteresis {
        output = .down
      }
    }
    return output != before
  }
}
