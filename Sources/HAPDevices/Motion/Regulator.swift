/// Switches a machine to keep a quantity near its target. Hysteresis prevents frequent switching.
struct Regulator {
  enum Output: Equatable { case off, up, down }

  /// The distance from the limit at which the machine is switched on.
  let hysteresis: Double
  private(set) var output = Output.off

  init(hysteresis: Double) { self.hysteresis = hysteresis }

  /// - Parameters:
  ///   - low: the lower limit; `nil`: none.
  ///   - high: the upper limit; `nil`: none.
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
