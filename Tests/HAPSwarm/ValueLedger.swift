import HAPModel

/// A characteristic whose values a swarm checks: numbers in steps, with separate values for each writer.
package struct Watched: Sendable {
  package let id: AttributeID
  let minimum: Double
  let step: Double
  /// The number of values.
  package let count: Int
  let isInteger: Bool

  /// - Returns: `nil` unless the characteristic can be read, written and subscribed to, and has many values.
  init?(_ id: AttributeID, _ characteristic: Characteristic) {
    let needed: Permissions = [.pairedRead, .pairedWrite, .events]
    guard characteristic.perms.isSuperset(of: needed), characteristic.constraints.validValues == nil,
      let minimum = characteristic.constraints.minValue?.doubleValue,
      let maximum = characteristic.constraints.maxValue?.doubleValue
    else { return nil }
    let step = characteristic.constraints.minStep?.doubleValue ?? 1
    let count = Int(((maximum - minimum) / step).rounded(.down)) + 1
    guard count >= 80 else { return nil }
    self.id = id
    self.minimum = minimum
    self.step = step
    self.count = count
    isInteger = characteristic.format != .float
  }

  package func value(_ index: Int) -> Value {
    let number = minimum + Double(index) * step
    return isInteger ? .integer(Int128(number.rounded())) : .float((number * 1000).rounded() / 1000)
  }

  package func index(_ value: Double) -> Int { Int(((value - minimum) / step).rounded()) }
}

/// A checked characteristic with its writes.
package struct Register: Sendable {
  package let watched: Watched
  package var history: ValueHistory
}
