import MatterWire

/// Reads the members of a structure from a peer or from storage, and throws the status that fits.
package struct FieldReader {
  private let structure: Element
  /// The status for members that are absent or of another type.
  private let malformed: InteractionStatus.Code

  /// The fields of a command.
  package init(command fields: Element) { (structure, malformed) = (fields, .invalidCommand) }

  /// A structure inside a value that is written.
  package init(written value: Element.Value) throws(InteractionStatus) {
    guard case .container(.structure, _) = value else { throw InteractionStatus(.invalidDataType) }
    (structure, malformed) = (Element(.anonymous, value), .invalidDataType)
  }

  /// - Parameters:
  ///   - range: the allowed numbers.
  ///   - violation: the status for numbers outside of it.
  package func number<N: FixedWidthInteger & UnsignedInteger>(
    _ tag: UInt8, in range: ClosedRange<N> = 0...N.max, violation: InteractionStatus.Code = .constraintError
  ) throws(InteractionStatus) -> N {
    guard let value = structure[tag] else { throw InteractionStatus(malformed) }
    return try Self.number(value, in: range, malformed: malformed, violation: violation)
  }

  /// nil if the member is absent or null.
  package func optionalNumber<N: FixedWidthInteger & UnsignedInteger>(
    _ tag: UInt8, in range: ClosedRange<N> = 0...N.max
  ) throws(InteractionStatus) -> N? {
    guard let value = present(tag) else { return nil }
    return try Self.number(value, in: range, malformed: malformed, violation: .constraintError)
  }

  package func octets(
    _ tag: UInt8, count: ClosedRange<Int>, violation: InteractionStatus.Code = .constraintError
  ) throws(InteractionStatus) -> [UInt8] {
    guard let octets = try optionalOctets(tag, count: count, violation: violation) else {
      throw InteractionStatus(malformed)
    }
    return octets
  }

  /// nil if the member is absent or null.
  package func optionalOctets(
    _ tag: UInt8, count: ClosedRange<Int>, violation: InteractionStatus.Code = .constraintError
  ) throws(InteractionStatus) -> [UInt8]? {
    guard let value = present(tag) else { return nil }
    guard case .octets(let octets) = value else { throw InteractionStatus(malformed) }
    guard count.contains(octets.count) else { throw InteractionStatus(violation) }
    return octets
  }

  /// - Parameter byteCount: the allowed lengths of the UTF-8.
  package func text(_ tag: UInt8, byteCount: ClosedRange<Int>) throws(InteractionStatus) -> String {
    guard case .text(let text)? = structure[tag] else { throw InteractionStatus(malformed) }
    guard byteCount.contains(text.utf8.count) else { throw InteractionStatus(.constraintError) }
    return text
  }

  /// false if the member is absent.
  package func flag(_ tag: UInt8) throws(InteractionStatus) -> Bool {
    guard let value = structure[tag] else { return false }
    guard case .bool(let flag) = value else { throw InteractionStatus(malformed) }
    return flag
  }

  /// A member that is a structure.
  package func structure(_ tag: UInt8) throws(InteractionStatus) -> FieldReader {
    guard let value = structure[tag], case .container(.structure, _) = value else {
      throw InteractionStatus(malformed)
    }
    return FieldReader(structure: Element(.anonymous, value), malformed: malformed)
  }

  /// The members of an array; nil if it is absent or null.
  package func optionalItems(_ tag: UInt8) throws(InteractionStatus) -> [Element.Value]? {
    guard let value = present(tag) else { return nil }
    guard case .container(.array, let items) = value else { throw InteractionStatus(malformed) }
    return items.map(\.value)
  }

  package func isPresent(_ tag: UInt8) -> Bool { structure[tag] != nil }

  private init(structure: Element, malformed: InteractionStatus.Code) {
    (self.structure, self.malformed) = (structure, malformed)
  }

  private func present(_ tag: UInt8) -> Element.Value? {
    guard let value = structure[tag], value != .null else { return nil }
    return value
  }

  /// A written value that is a number.
  package static func number<N: FixedWidthInteger & UnsignedInteger>(
    _ value: Element.Value, in range: ClosedRange<N> = 0...N.max,
    malformed: InteractionStatus.Code = .invalidDataType, violation: InteractionStatus.Code = .constraintError
  ) throws(InteractionStatus) -> N {
    guard case .unsigned(let wide) = value else { throw InteractionStatus(malformed) }
    guard let number = N(exactly: wide), range.contains(number) else { throw InteractionStatus(violation) }
    return number
  }
}

/// Shorter ways to write values.
extension Element.Value {
  /// A structure of context tags.
  package static func fields(_ members: [(UInt8, Element.Value)]) -> Element.Value {
    .container(.structure, members.map { Element(.context($0.0), $0.1) })
  }

  package static func items(_ items: [Element.Value]) -> Element.Value {
    .container(.array, items.map { Element(.anonymous, $0) })
  }

  package static func number(_ number: some UnsignedInteger) -> Element.Value { .unsigned(UInt64(number)) }

  package static func optional(_ number: (some UnsignedInteger)?) -> Element.Value {
    number.map { .number($0) } ?? .null
  }
}
