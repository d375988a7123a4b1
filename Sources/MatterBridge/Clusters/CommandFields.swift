import MatterModel
import MatterWire

/// The fields of a command, with the rules of their types.
///
/// A missing field or one of another type is an InvalidCommand; a value outside of the range is a ConstraintError.
struct CommandFields {
  let element: Element

  func unsigned(_ tag: UInt8, _ range: ClosedRange<UInt64>) throws(InteractionStatus) -> UInt64 {
    try Self.field(try value(tag)) { value throws(InteractionStatus) in try value.unsigned(in: range) }
  }

  func signed(_ tag: UInt8, _ range: ClosedRange<Int64>) throws(InteractionStatus) -> Int64 {
    try Self.field(try value(tag)) { value throws(InteractionStatus) in try value.signed(in: range) }
  }

  func nullable(_ tag: UInt8, _ range: ClosedRange<UInt64>) throws(InteractionStatus) -> UInt64? {
    if try value(tag) == .null { return nil }
    return try unsigned(tag, range)
  }

  /// A field that can be left out, or be null.
  func optional(_ tag: UInt8, _ range: ClosedRange<UInt64>) throws(InteractionStatus) -> UInt64? {
    guard element[tag] != nil else { return nil }
    return try nullable(tag, range)
  }

  /// An unsigned field, one of some values.
  func choice(_ tag: UInt8, _ values: [UInt64]) throws(InteractionStatus) -> UInt64 {
    let value = try unsigned(tag, 0...UInt64(UInt8.max))
    guard values.contains(value) else { throw InteractionStatus(.constraintError) }
    return value
  }

  func value(_ tag: UInt8) throws(InteractionStatus) -> Element.Value {
    guard let value = element[tag] else { throw InteractionStatus(.invalidCommand) }
    return value
  }

  private static func field<Number>(
    _ value: Element.Value, _ convert: (Element.Value) throws(InteractionStatus) -> Number
  ) throws(InteractionStatus) -> Number {
    do throws(InteractionStatus) {
      return try convert(value)
    } catch {
      throw error.code == .invalidDataType ? InteractionStatus(.invalidCommand) : error
    }
  }
}

extension Element.Value {
  /// Returns an unsigned integer. Some controllers write positive numbers as signed ones.
  func unsigned(in range: ClosedRange<UInt64>) throws(InteractionStatus) -> UInt64 {
    let number: UInt64? =
      switch self {
      case .unsigned(let number): number
      case .signed(let number): UInt64(exactly: number)
      default: throw InteractionStatus(.invalidDataType)
      }
    guard let number, range.contains(number) else { throw InteractionStatus(.constraintError) }
    return number
  }

  func signed(in range: ClosedRange<Int64>) throws(InteractionStatus) -> Int64 {
    let number: Int64? =
      switch self {
      case .signed(let number): number
      case .unsigned(let number): Int64(exactly: number)
      default: throw InteractionStatus(.invalidDataType)
      }
    guard let number, range.contains(number) else { throw InteractionStatus(.constraintError) }
    return number
  }

  static func list(_ members: [Element]) -> Element.Value { .container(.array, members) }
}
