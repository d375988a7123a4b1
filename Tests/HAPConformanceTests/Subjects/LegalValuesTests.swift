import HAPModel
import HAPTestSupport
import Testing

@testable import HAPExpectation

@Suite("Generated values of characteristics") struct LegalValuesTests {
  private static func characteristic(
    _ format: Format, _ constraints: Constraints = Constraints(),
    type: TypeID = TypeID("7E536242-341C-4862-BE90-272CE15BF000")!
  ) -> Characteristic {
    Characteristic(
      iid: 9, type: type, format: format, perms: [.pairedRead, .pairedWrite], value: .null, constraints: constraints,
      persists: true)
  }

  /// Any metadata, valid or not.
  private static func random(_ generator: inout SeededGenerator) -> Characteristic {
    let format = Format.allCases.randomElement(using: &generator)!
    var constraints = Constraints()
    func number() -> Value {
      if format == .float {
        return .float([-1e308, -1e6, -40, -0.5, 0, 0.1, 1, 7.25, 100, 1e9, 1e300].randomElement(using: &generator)!)
      }
      return .integer(
        [-1000, -1, 0, 1, 2, 3, 100, 255, 256, 65_535, Int128(UInt64.max), .max, .min].randomElement(using: &generator)!
      )
    }
    func maybe() -> Bool { .random(using: &generator) }
    if maybe() { constraints.minValue = number() }
    if maybe() { constraints.maxValue = number() }
    if maybe() {
      constraints.minStep =
        format == .float
        ? .float([0, 1e-300, 0.1, 0.5, 1, 3, -1, 1e300].randomElement(using: &generator)!)
        : .integer([0, 1, 5, 20, -1, .max].randomElement(using: &generator)!)
    }
    if maybe() { constraints.maxLen = [0, 1, 5, 64, 256].randomElement(using: &generator)! }
    if maybe(), maybe() {
      constraints.validValues = [[], [0], [0, 1, 3], [5, 300], [-1, 2]].randomElement(using: &generator)!
    }
    if maybe(), maybe() { constraints.validValuesRange = [0...0, 2...4, -5...300].randomElement(using: &generator)! }
    let types = Catalogue.characteristics.map(\.type)
    return characteristic(
      format, constraints,
      type: maybe() ? types.randomElement(using: &generator)! : TypeID("7E536242-341C-4862-BE90-272CE15BF000")!)
  }

  @Test("Legal values are allowed, ascending and unique; illegal values are not allowed") func property() {
    var generator = SeededGenerator(seed: 7)
    var (made, refused) = (0, 0)
    for turn in 0..<4000 {
      let characteristic = Self.random(&generator)
      let legal = LegalValues(characteristic)
      let values = legal.values
      #expect(values.count <= 16, "turn \(turn)")
      for (index, value) in values.enumerated() {
        if !characteristic.allows(value) { Issue.record("turn \(turn): \(value) of \(characteristic)") }
        if values[..<index].contains(value) { Issue.record("turn \(turn): \(value) occurs twice") }
      }
      let numbers = values.compactMap(\.doubleValue)
      #expect(numbers == numbers.sorted(), "turn \(turn)")
      made += values.count
      for (name, value) in [
        ("above", legal.above), ("below", legal.below), ("invalid", legal.invalid), ("off-grid", legal.offGrid),
      ] {
        guard let value else { continue }
        if characteristic.allows(value) { Issue.record("turn \(turn): \(name) \(value) of \(characteristic)") }
        refused += 1
      }
    }
    // Otherwise the property was never checked.
    #expect(made > 5000 && refused > 1000)
  }

  @Test("Each writable characteristic of the catalogue has values, except those with bytes") func catalogue() {
    for definition in Catalogue.characteristics where definition.perms.contains(.pairedWrite) {
      let legal = LegalValues(Self.characteristic(definition.format, definition.constraints, type: definition.type))
      #expect(legal.values.count >= 1 || definition.format.isBytes, "\(definition.identifier)")
    }
  }

  @Test("Integers on a step are found even if the limits are on no step") func limitsOffStep() {
    let tens = LegalValues(Self.characteristic(.int, Constraints(minStep: 10))).values
    #expect(tens.count == 9 + 1 && tens.first == -2_147_483_640 && tens.last == 2_147_483_640)
    let ranged = Constraints(minValue: 0, maxValue: 100, minStep: 10, validValuesRange: 12...25)
    #expect(LegalValues(Self.characteristic(.uint8, ranged)).values == [20])
    let fraction = Constraints(minValue: 0.5, maxValue: 9, minStep: 4)
    #expect(LegalValues(Self.characteristic(.uint8, fraction)).values == [4, 8])
    let none = Constraints(minValue: 0, maxValue: 100, minStep: 10, validValuesRange: 12...18)
    #expect(LegalValues(Self.characteristic(.uint8, none)).values.isEmpty)
  }

  @Test("Examples") func examples() {
    let brightness = LegalValues(Self.characteristic(.int, Constraints(minValue: 0, maxValue: 100, minStep: 1)))
    #expect(brightness.values.first == 0 && brightness.values.last == 100 && brightness.values.contains(1))
    #expect(brightness.above == 101 && brightness.below == -1 && brightness.invalid == nil && brightness.offGrid == nil)
    let mired = LegalValues(Self.characteristic(.uint32, Constraints(minValue: 140, maxValue: 500, minStep: 20)))
    #expect(mired.above == 520 && mired.below == 120 && mired.offGrid == 150)
    let listed = LegalValues(Self.characteristic(.uint8, Constraints(validValues: [0, 1, 3])))
    #expect(listed.values == [0, 1, 3] && listed.invalid == 2 && listed.above == nil && listed.below == nil)
    let ranged = LegalValues(Self.characteristic(.uint8, Constraints(validValuesRange: 2...4)))
    #expect(ranged.values == [2, 3, 4] && ranged.invalid == 5)
    // The format has no illegal values.
    let whole = LegalValues(Self.characteristic(.uint8, Constraints(minValue: 0, maxValue: 255)))
    #expect(whole.above == nil && whole.below == nil)
    let switched = LegalValues(Self.characteristic(.bool))
    #expect(switched.values == [.bool(false), .bool(true)] && switched.above == nil)
    let text = LegalValues(Self.characteristic(.string, Constraints(maxLen: 5)))
    #expect(text.values.allSatisfy { $0.stringValue.map { $0.utf8.count <= 5 } ?? false } && !text.values.isEmpty)
    #expect(LegalValues(Self.characteristic(.tlv8)).values.isEmpty)
    let hue = LegalValues(
      Self.characteristic(.float, Constraints(minValue: .float(0), maxValue: .float(360), minStep: .float(1))))
    #expect(hue.offGrid == .float(1.5) && hue.above == .float(361) && hue.below == .float(-1))
  }
}
