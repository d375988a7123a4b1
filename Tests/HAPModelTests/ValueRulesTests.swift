import HAPModel
import Testing

/// A value next to a limit, and the rule that it violates, or `nil`.
private struct Row: CustomTestStringConvertible {
  var format: Format
  var constraints: Constraints
  var value: Value
  var violation: ValueViolation?

  init(_ format: Format, _ value: Value, _ violation: ValueViolation?) {
    self.init(format, Constraints(), value, violation)
  }

  init(_ format: Format, _ constraints: Constraints, _ value: Value, _ violation: ValueViolation?) {
    (self.format, self.constraints, self.value, self.violation) = (format, constraints, value, violation)
  }

  var testDescription: String { "\(value) of \(format): \(violation.map { "\($0)" } ?? "legal")" }
}

private let kinds: [(Value, legalIn: [Format])] = [
  (.null, []), (true, [.bool]), (0, [.bool, .uint8, .uint16, .uint32, .uint64, .int, .float]),
  ("AA==", [.string, .tlv8, .data]), (.data([0]), [.tlv8, .data]),
]

private let ranges: [(Format, ClosedRange<Int128>)] = [
  (.uint8, 0...255), (.uint16, 0...65_535), (.uint32, 0...4_294_967_295), (.uint64, 0...18_446_744_073_709_551_615),
  (.int, -2_147_483_648...2_147_483_647),
]

private let limits = Constraints(minValue: 10, maxValue: 20)
private let fractions = Constraints(minValue: -0.5, maxValue: 2.5)
private let excluding = Constraints(minValue: 10, maxValue: 1)
private let unbounded = Constraints(minValue: .float(.nan), maxValue: .float(.infinity))
private let negative = Constraints(minValue: 0, maxValue: 10, minStep: -2)
private let listed = Constraints(validValues: [0, 2, 7])
private let ranged = Constraints(minValue: 0, maxValue: 100, validValuesRange: 3...6)
private let stepped = Constraints(minValue: 5, maxValue: 50, minStep: 10)
private let fives = Constraints(minStep: 5)
private let halves = Constraints(minValue: 1, minStep: 0.5)
private let odd = Constraints(minValue: 0.25, minStep: 0.5)
private let tenths = Constraints(minValue: 0, maxValue: 10, minStep: 0.1)
private let late = Constraints(minValue: 0.5, minStep: 2)
private let beyond = Constraints(minValue: .float(-3.4028235e38), minStep: 10)
private let huge = Constraints(minValue: .float(-1e308), minStep: .float(1e300))

private let rows: [Row] = [
  // bool
  Row(.bool, true, nil), Row(.bool, false, nil), Row(.bool, 0, nil), Row(.bool, 1, nil), Row(.bool, 2, .kind(.bool)),
  Row(.bool, -1, .kind(.bool)), Row(.bool, 1.0, .kind(.bool)), Row(.bool, "true", .kind(.bool)),
  // minValue and maxValue are inclusive
  Row(.uint8, limits, 9, .minValue(10)), Row(.uint8, limits, 10, nil), Row(.uint8, limits, 20, nil),
  Row(.uint8, limits, 21, .maxValue(20)), Row(.float, limits, .float(9.999), .minValue(10)),
  Row(.float, limits, 10, nil), Row(.float, limits, 20.0, nil), Row(.float, limits, .float(20.001), .maxValue(20)),
  Row(.int, fractions, -1, .minValue(-0.5)), Row(.int, fractions, 0, nil), Row(.int, fractions, 2, nil),
  Row(.int, fractions, 3, .maxValue(2.5)), Row(.float, fractions, -0.5, nil), Row(.float, fractions, 2.5, nil),
  Row(.int, excluding, 5, .minValue(10)), Row(.int, excluding, 10, .maxValue(1)), Row(.int, unbounded, 5, nil),
  // The largest uint64 is not exactly a double.
  Row(
    .uint64, Constraints(maxValue: .integer((1 << 64) - 2)), .integer((1 << 64) - 1), .maxValue(.integer((1 << 64) - 2))
  ),
  Row(.uint64, Constraints(maxValue: .integer((1 << 64) - 2)), .integer((1 << 64) - 2), nil),
  Row(.uint64, Constraints(minValue: .integer(1 << 63)), .integer((1 << 63) - 1), .minValue(.integer(1 << 63))),
  // NaN and infinity
  Row(.float, .float(.nan), .notFinite), Row(.float, .float(.infinity), .notFinite),
  Row(.float, .float(-.infinity), .notFinite), Row(.float, .float(.greatestFiniteMagnitude), nil),
  Row(.float, limits, .float(.infinity), .maxValue(20)), Row(.int, .float(.nan), .fraction(.int)),
  // valid-values
  Row(.uint8, listed, 0, nil), Row(.uint8, listed, 2, nil), Row(.uint8, listed, 7, nil),
  Row(.uint8, listed, 1, .validValues([0, 2, 7])), Row(.uint8, listed, 8, .validValues([0, 2, 7])),
  Row(.uint8, Constraints(validValues: []), 0, .validValues([])), Row(.float, listed, 1, nil),
  Row(.uint64, listed, .integer((1 << 64) - 1), .validValues([0, 2, 7])),
  // valid-values-range is inclusive
  Row(.uint8, ranged, 2, .validValuesRange(3...6)), Row(.uint8, ranged, 3, nil), Row(.uint8, ranged, 6, nil),
  Row(.uint8, ranged, 7, .validValuesRange(3...6)), Row(.uint8, ranged, 101, .maxValue(100)),
  Row(.float, ranged, 2, nil),
  // minStep, counted from minValue or from 0
  Row(.uint8, stepped, 5, nil), Row(.uint8, stepped, 15, nil), Row(.uint8, stepped, 45, nil),
  Row(.uint8, stepped, 10, .minStep(10, from: 5)), Row(.uint8, stepped, 50, .minStep(10, from: 5)),
  Row(.int, fives, -10, nil), Row(.int, fives, -9, .minStep(5, from: nil)), Row(.int, fives, 4, .minStep(5, from: nil)),
  Row(.int, negative, 3, nil), Row(.int, Constraints(minStep: 0), 3, nil), Row(.int, Constraints(minStep: 2.5), 3, nil),
  Row(.int, Constraints(minStep: 2.5), 4, nil),
  Row(.int, Constraints(minStep: 2.0), 3, .minStep(2.0, from: nil)), Row(.float, negative, 3, nil),
  // For integers, steps start at a minimum only if it is whole, in any notation.
  Row(.int, late, 2, nil), Row(.int, late, 3, .minStep(2, from: nil)), Row(.float, late, 3, .minStep(2, from: 0.5)),
  Row(.int, Constraints(minValue: 1.0, minStep: 2), 4, .minStep(2, from: 1)),
  // Limits and steps beyond ±2⁷⁰ are ignored for steps.
  Row(.int, beyond, 20, nil), Row(.int, beyond, 25, .minStep(10, from: nil)),
  Row(.int, Constraints(minValue: .integer(.min), minStep: 10), 20, nil),
  Row(.uint8, Constraints(minStep: .float(1e300)), 7, nil), Row(.uint8, Constraints(minStep: .integer(.max)), 7, nil),
  Row(.float, halves, 1.5, nil), Row(.float, halves, 1.55, nil), Row(.float, halves, 1.45, nil),
  Row(.float, halves, 1.56, .minStep(0.5, from: 1)), Row(.float, halves, 1.44, .minStep(0.5, from: 1)),
  Row(.float, odd, 0.75, nil), Row(.float, odd, 0.5, .minStep(0.5, from: 0.25)),
  Row(.float, tenths, 1.51, nil), Row(.float, tenths, 1.512, .minStep(0.1, from: 0)),
  Row(.float, Constraints(minStep: .float(2.6e-282)), .float(7.2e250), nil), Row(.float, huge, .float(1e308), nil),
  // maxLen counts bytes of UTF-8
  Row(.string, .string(String(repeating: "a", count: 64)), nil), Row(.string, "", nil),
  Row(.string, .string(String(repeating: "a", count: 65)), .maxLen(bytes: 65, limit: 64)),
  Row(.string, Constraints(maxLen: 4), "ää", nil),
  Row(.string, Constraints(maxLen: 3), "ää", .maxLen(bytes: 4, limit: 3)),
  Row(.string, Constraints(maxLen: 0), "", nil),
]

private let byteRows: [Row] = [Format.tlv8, .data].flatMap { format in
  let two = Constraints(maxDataLen: 2)
  return [
    Row(format, two, .data([1, 2]), nil), Row(format, two, .data([1, 2, 3]), .maxDataLen(bytes: 3, limit: 2)),
    Row(format, two, "AQI=", nil), Row(format, two, "AQID", .maxDataLen(bytes: 3, limit: 2)),
    Row(format, two, "", nil), Row(format, two, "AQI", .base64), Row(format, two, "A-I=", .base64),
    Row(format, .data([UInt8](repeating: 0, count: 2_097_152)), nil),
    Row(
      format, .data([UInt8](repeating: 0, count: 2_097_153)), .maxDataLen(bytes: 2_097_153, limit: 2_097_152)),
  ]
}

@Suite("Value rules") struct ValueRulesTests {
  private func violation(_ row: Row, checking checks: ValueChecks = .all) -> ValueViolation? {
    ValueRules(format: row.format, constraints: row.constraints).violation(of: row.value, checking: checks)
  }

  @Test("[CH.1, CH.10] Each format accepts only values of its own kind", arguments: Format.allCases)
  func kind(_ format: Format) {
    for (value, formats) in kinds {
      #expect(violation(Row(format, value, nil)) == (formats.contains(format) ? nil : .kind(format)), "\(value)")
    }
  }

  @Test("[CH.2, CH.4] An integer format has inclusive limits and accepts no number with a fraction", arguments: ranges)
  func formatRange(_ format: Format, _ range: ClosedRange<Int128>) {
    for number in [range.lowerBound, range.upperBound] {
      #expect(violation(Row(format, .integer(number), nil)) == nil)
      #expect(violation(Row(format, .float(Double(number)), nil)) == .fraction(format))
    }
    for number in [range.lowerBound - 1, range.upperBound + 1, .min, .max] {
      #expect(violation(Row(format, .integer(number), nil)) == .formatRange(range))
      #expect(violation(Row(format, .integer(number), nil), checking: [.limits, .step]) == nil)
    }
  }

  @Test(
    "[CH.3, CH.5, CH.6, CH.7, CH.8] The first violated rule is returned, with its limit", arguments: rows)
  fileprivate func rule(_ row: Row) {
    #expect(violation(row) == row.violation)
    let characteristic = Characteristic(
      iid: 1, type: 0x25, format: row.format, perms: [], constraints: row.constraints)
    #expect(characteristic.violation(of: row.value) == row.violation)
    // Writing follows the same rules, except that true and false count as numbers.
    let isTaken = (try? characteristic.admit(row.value)) != nil
    #expect(isTaken == (row.violation == nil))
  }

  @Test("[CH.9] Bytes are decoded from base64 and counted") func bytes() {
    for row in byteRows { #expect(violation(row) == row.violation, "\(row.format)") }
  }

  @Test("A rule that is not checked is never violated, and the next one is found")
  func checks() {
    let all = Constraints(minValue: 3, maxValue: 9, minStep: 4, validValues: [3, 20], validValuesRange: 3...5)
    let row = Row(.uint8, all, 300, nil)
    let found: [(ValueChecks, ValueViolation)] = [
      (.formatRange, .formatRange(0...255)), (.limits, .maxValue(9)), (.validValuesRange, .validValuesRange(3...5)),
      (.validValues, .validValues([3, 20])), (.step, .minStep(4, from: 3)),
    ]
    var checks = ValueChecks.all
    for (check, violated) in found {
      #expect(violation(row, checking: checks) == violated)
      #expect(violation(row, checking: check) == violated)
      checks.remove(check)
    }
    #expect(violation(row, checking: checks) == nil && checks.isEmpty)
  }

  @Test("The tolerance of a step is a fraction of the step") func tolerance() {
    let rules = ValueRules(format: .float, constraints: Constraints(minStep: 10))
    for (number, tolerance) in [(1.0, 0.1), (12, 0.2), (-15, 0.5)] {
      #expect(rules.violation(of: .float(number), stepTolerance: tolerance) == nil)
      #expect(rules.violation(of: .float(number), stepTolerance: tolerance - 0.01) == .minStep(10, from: nil))
    }
  }

  @Test("The catalogue's definitions have the same rules") func definition() {
    #expect(CharacteristicDefinition.brightness.violation(of: 100) == nil)
    #expect(CharacteristicDefinition.brightness.violation(of: 101) == .maxValue(100))
    #expect(CharacteristicDefinition.on.violation(of: "on") == .kind(.bool))
  }
}

@Suite("Boundary values") struct ValueBoundaryTests {
  private func rules(_ format: Format, _ constraints: Constraints = Constraints()) -> ValueRules {
    ValueRules(format: format, constraints: constraints)
  }

  @Test("The range of an integer combines all its limits") func integerRange() {
    #expect(rules(.uint8).integerRange() == 0...255)
    #expect(rules(.uint8, limits).integerRange() == 10...20)
    #expect(rules(.int, fractions).integerRange() == 0...2)
    #expect(rules(.uint8, ranged).integerRange() == 3...6)
    #expect(rules(.uint8, ranged).integerRange(checking: .limits) == 0...100)
    #expect(rules(.uint8, excluding).integerRange() == nil)
    #expect(rules(.float, limits).integerRange() == nil)
    #expect(rules(.int, unbounded).integerRange() == -2_147_483_648...2_147_483_647)
  }

  @Test("The first and the last integer on a step are within the limits") func endsOnStep() {
    func ends(_ format: Format, _ constraints: Constraints) -> [Int128?] {
      [rules(format, constraints).firstOnStep, rules(format, constraints).lastOnStep]
    }
    #expect(ends(.uint8, Constraints()) == [0, 255] && ends(.uint8, stepped) == [5, 45])
    #expect(
      ends(.int, Constraints(minStep: 10)) == [-2_147_483_640, 2_147_483_640] && ends(.int, late) == [2, 2_147_483_646])
    let ranged = Constraints(minValue: 0, maxValue: 100, minStep: 10, validValuesRange: 12...25)
    #expect(ends(.uint8, ranged) == [20, 20])
    #expect(ends(.uint8, Constraints(minStep: 10, validValuesRange: 12...18)) == [nil, nil])
    #expect(ends(.uint8, excluding) == [nil, nil] && ends(.float, stepped) == [nil, nil])
  }

  @Test("Strings and data have a limit, with or without a stated one") func byteLimit() {
    #expect(rules(.string).byteLimit == 64 && rules(.string, Constraints(maxLen: 5)).byteLimit == 5)
    #expect(rules(.data).byteLimit == 2_097_152 && rules(.tlv8, Constraints(maxDataLen: 5)).byteLimit == 5)
    #expect(Format.allCases.filter { rules($0).byteLimit != nil } == [.string, .tlv8, .data])
  }

  @Test("Values just beyond the limits violate the intended rule")
  func outside() {
    func check(_ rules: ValueRules, below: Value?, above: Value?) {
      #expect(rules.justBelow == below && rules.justAbove == above)
      if let below, let low = rules.constraints.minValue { #expect(rules.violation(of: below) == .minValue(low)) }
      if let above, let high = rules.constraints.maxValue { #expect(rules.violation(of: above) == .maxValue(high)) }
    }
    check(rules(.uint8, limits), below: 9, above: 21)
    check(rules(.uint8, Constraints(minValue: 20, maxValue: 40, minStep: 10)), below: 10, above: 50)
    check(rules(.uint8, Constraints(minValue: 0, maxValue: 255)), below: nil, above: nil)
    check(rules(.int, fractions), below: -1, above: 3)
    check(rules(.int, Constraints(minValue: 1.5, maxValue: 8.5, minStep: 2)), below: 0, above: 10)
    check(rules(.float, limits), below: 9.0, above: 21.0)
    check(rules(.float, tenths), below: -0.1, above: 10.1)
    check(rules(.float, Constraints(maxValue: .float(.greatestFiniteMagnitude))), below: nil, above: nil)
    check(rules(.string), below: nil, above: nil)
  }

  @Test("An integer excluded by the valid values is within the limits") func unlisted() {
    #expect(rules(.uint8, listed).unlisted == 1)
    #expect(rules(.uint8, Constraints(minValue: 7, maxValue: 8, validValues: [7, 8])).unlisted == nil)
    #expect(rules(.uint8, ranged).unlisted == 7)
    #expect(rules(.uint8, Constraints(maxValue: 6, validValuesRange: 3...6)).unlisted == 2)
    #expect(rules(.uint8, Constraints(validValuesRange: 0...255)).unlisted == nil)
    #expect(rules(.uint8, limits).unlisted == nil)
    // The neighbours of the range are outside the limits.
    for range in [3...6, 30...40] {
      #expect(rules(.uint8, Constraints(minValue: 10, maxValue: 20, validValuesRange: range)).unlisted == nil)
    }
  }

  @Test("A number between two steps is within the limits") func offStep() {
    #expect(rules(.uint8, stepped).offStep == 10)
    #expect(rules(.float, tenths).offStep == .float(0.1 * 1.5))
    #expect(rules(.float, Constraints(minStep: 0.1)).offStep == nil)
    #expect(rules(.uint8, limits).offStep == nil && rules(.uint8, Constraints(maxValue: 4, minStep: 4)).offStep == nil)
    // Steps count from 0, so the integer half a step above the lowest one may be on a step.
    for (step, middle) in [(641, -2_147_483_328), (6_700_417, -2_144_133_440)] as [(Int, Int128)] {
      for constraints in [
        Constraints(minStep: .integer(Int128(step))), Constraints(minStep: .integer(Int128(step)), validValues: [0]),
      ] {
        let rules = rules(.int, constraints)
        #expect(rules.violation(of: .integer(middle), checking: .step) == nil)
        #expect(rules.offStep == .integer(middle + 1))
        #expect(rules.violation(of: .integer(middle + 1), checking: .step) != nil)
      }
    }
    // Half a step beyond the lowest float may be infinite.
    let wide = Constraints(minValue: 0, maxValue: .float(.infinity), minStep: .float(1.5e308))
    #expect(rules(.float, wide).offStep == nil)
  }
}

@Suite("Quirks of the value rules") struct ValueQuirkTests {
  private func written(_ value: Value, _ format: Format, _ constraints: Constraints, _ quirks: ValueQuirks) -> Value? {
    try? Characteristic(iid: 1, type: 0x25, format: format, perms: [], constraints: constraints)
      .admit(value, quirks: quirks)
  }

  @Test("Checks of steps and valid values can be off", arguments: ValueQuirks.OutOfRange.allCases)
  func unchecked(_ outOfRange: ValueQuirks.OutOfRange) {
    var steps = ValueQuirks()
    (steps.outOfRange, steps.checksSteps) = (outOfRange, false)
    var values = ValueQuirks()
    (values.outOfRange, values.checksValidValues) = (outOfRange, false)
    #expect(written(6, .uint8, stepped, steps) == 6 && written(6, .uint8, stepped, values) != 6)
    #expect(written(0.44, .float, halves, steps) == (outOfRange == .clamp ? 1.0 : nil))
    #expect(written(1.44, .float, halves, steps) == 1.44 && written(1.44, .float, halves, values) != 1.44)
    #expect(written(1, .uint8, listed, values) == 1 && written(1, .uint8, listed, steps) == nil)
    #expect(written(7, .uint8, ranged, values) == 7 && written(7, .uint8, ranged, steps) != 7)
  }

  @Test("Clamping returns a legal value even if the limits are on no step") func clamping() {
    var clamping = ValueQuirks()
    clamping.outOfRange = .clamp
    let late = Constraints(minStep: 10, validValuesRange: 12...25)
    #expect(written(0, .uint8, late, clamping) == 20 && written(99, .uint8, late, clamping) == 20)
    let early = Constraints(minValue: 0, maxValue: 0.99, minStep: 0.5)
    #expect(written(0.99, .float, early, clamping) == 0.5 && written(2, .float, early, clamping) == 0.5)
    #expect(written(-1, .int, fractions, clamping) == 0 && written(9, .int, fractions, clamping) == 2)
    // Contradictory limits leave no value to clamp to.
    #expect(written(5, .float, excluding, clamping) == nil && written(5, .int, excluding, clamping) == nil)
  }
}
