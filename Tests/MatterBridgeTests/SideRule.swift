import HAPAttributes
import HAPModel
import MatterModel
import MatterWire

@testable import MatterBridge

/// The expected value of an attribute for a value of a characteristic, and the expected effect of a controller's change.
/// The rules are those of docs/reference/matter.md, written without the bindings.
struct SideRule: Sendable {
  let cluster: ClusterID
  let attribute: AttributeNumber
  /// The characteristic: the first of these that the service has. The rule is only for services that have one.
  let types: [TypeID]
  /// Sets other characteristics, so that the attribute shows this one.
  var prepare: [(type: TypeID, value: Value)] = []
  /// - Parameter number: of the characteristic.
  let shown: @Sendable (_ number: Double, _ place: SidePlace) -> Element.Value
  var change: SideChange?

  init(
    _ cluster: ClusterID, _ attribute: AttributeNumber, of types: TypeID..., prepare: [(TypeID, Value)] = [],
    change: SideChange? = nil, shown: @escaping @Sendable (Double, SidePlace) -> Element.Value
  ) {
    (self.cluster, self.attribute, self.types) = (cluster, attribute, types)
    (self.prepare, self.change, self.shown) = (prepare.map { ($0.0, $0.1) }, change, shown)
  }
}

/// How a controller changes an attribute, and what arrives.
struct SideChange: Sendable {
  enum Way: Sendable {
    case write(isSigned: Bool)
    /// A command with the value in field 0, and other fields.
    case command(CommandNumber, others: [Element.Value] = [])
    /// A command for each value.
    case commands([Int64: CommandNumber])
  }

  let way: Way
  /// The characteristic that gets the value; nil: that of the rule.
  var target: TypeID?
  /// Values that are accepted, and values that are refused with ConstraintError.
  let values: Values
  /// The number for the characteristic, before it is fitted to its limits and its step.
  let number: @Sendable (_ value: Int64, _ place: SidePlace) -> Double
  /// The greatest difference between a written value and the one that is read, for a step of 1 of the characteristic.
  var loss = 0.0
  /// Lower values have the effect of this one.
  var least = Int64.min

  typealias Values = @Sendable (SidePlace) -> (accepted: [Int64], refused: [Int64])

  /// Accepts a range with its ends, its middle and the neighbours of the ends, and refuses what is next to it.
  static func range(_ range: @escaping @Sendable (SidePlace) -> ClosedRange<Int64>) -> Values {
    { place in
      let range = range(place)
      let middle = range.lowerBound + (range.upperBound - range.lowerBound) / 2
      let inside = [range.lowerBound, range.lowerBound + 1, middle, middle + 1, range.upperBound - 1, range.upperBound]
      return (Array(Set(inside.filter(range.contains))).sorted(), [range.lowerBound - 1, range.upperBound + 1])
    }
  }

  static func values(_ accepted: [Int64], refused: [Int64] = []) -> Values { { _ in (accepted, refused) } }
}

/// A service of a home, as an endpoint shows it.
struct SidePlace {
  let home: MappedHome
  let endpoint: EndpointNumber
  /// Its characteristics, as slots.
  let slots: Range<Int>
  /// The characteristic of the rule.
  let slot: Int

  func slot(_ type: TypeID) -> Int? {
    slots.first { home.server.database.characteristics[$0].type == type }
  }

  func has(_ type: TypeID) -> Bool { slot(type) != nil }

  func number(_ type: TypeID) -> Double? { slot(type).flatMap { home.server.database[slot: $0].doubleValue } }

  /// The characteristic of the rule.
  var characteristic: Characteristic { home.server.database.characteristics[slot] }

  /// The limits of a characteristic, without them usual ones.
  func limits(_ type: TypeID, else range: ClosedRange<Double>) -> ClosedRange<Double> {
    guard let slot = slot(type) else { return range }
    let constraints = home.server.database.characteristics[slot].constraints
    let low = constraints.minValue?.doubleValue ?? range.lowerBound
    return low...max(low, constraints.maxValue?.doubleValue ?? range.upperBound)
  }
}

extension Characteristic {
  /// The ends, the middle, and what is next to the ends, on the steps of a numeric characteristic; all of a few values.
  var sampleNumbers: [Double] {
    if format == .bool { return [0, 1] }
    if let values = constraints.validValues { return values.map(Double.init) }
    if let range = constraints.validValuesRange { return range.map(Double.init) }
    let low = constraints.minValue?.doubleValue ?? 0
    let high = constraints.maxValue?.doubleValue ?? (format == .uint8 ? 255 : 1000)
    let step = max(constraints.minStep?.doubleValue ?? (format == .float ? 0.5 : 1), 1e-6)
    let count = ((high - low) / step + 1e-6).rounded(.down)
    let steps =
      count <= 12 ? Array(stride(from: 0, through: count, by: 1)) : [0, 1, (count / 2).rounded(), count - 1, count]
    return steps.map { low + $0 * step }
  }

  /// A number in the form of the format.
  func value(_ number: Double) -> Value {
    switch format {
    case .bool: .bool(number != 0)
    case .float: .float(number)
    default: .integer(Int128(number.rounded()))
    }
  }

  /// The nearest number within the limits and on a step.
  func fitted(_ number: Double) -> Double {
    let low = constraints.minValue?.doubleValue ?? -1e18
    let high = constraints.maxValue?.doubleValue ?? 1e18
    if let values = constraints.validValues {
      return values.map(Double.init).min { abs($0 - number) < abs($1 - number) } ?? number
    }
    if let range = constraints.validValuesRange {
      return min(max(number.rounded(), Double(range.lowerBound)), Double(range.upperBound))
    }
    let limited = min(max(number, low), high)
    guard let step = constraints.minStep?.doubleValue, step > 0 else {
      return format == .float ? limited : limited.rounded()
    }
    let origin = constraints.minValue?.doubleValue ?? 0
    let stepped = origin + ((limited - origin) / step).rounded() * step
    return stepped > high + 1e-9 ? stepped - step : stepped
  }
}

extension MappedHome {
  /// A HAP controller writes a characteristic that it can write; the device changes another one.
  func changeThroughHAP(_ slot: Int, to value: Value) -> HAPStatus? {
    let id = server.database.id(ofSlot: slot)
    let perms = server.database.characteristics[slot].perms
    guard perms.contains(.pairedWrite), !perms.contains(.additionalAuthorization) else {
      server.change(id, to: value, at: .zero)
      return .success
    }
    var transaction = WriteTransaction()
    transaction.writes = [AttributeWrite(id, value: value)]
    let isTimed = perms.contains(.timedWrite)
    guard case .done = server.write(&transaction, isTimed: isTimed, by: hapSession, at: .zero) else { return nil }
    return transaction.statuses.first
  }
}
