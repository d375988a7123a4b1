import HAPModel
import Testing

private func admitted(
  _ value: Value, _ format: Format, _ constraints: Constraints = Constraints(), quirks: ValueQuirks = ValueQuirks()
) -> Result<Value, HAPStatus> {
  let characteristic = Characteristic(
    iid: 1, type: 0x25, format: format, perms: [.pairedWrite], constraints: constraints)
  do throws(HAPStatus) {
    return .success(try characteristic.admit(value, quirks: quirks))
  } catch {
    return .failure(error)
  }
}

private let refused: Result<Value, HAPStatus> = .failure(.invalidValue)
private let clamping: ValueQuirks = {
  var quirks = ValueQuirks()
  quirks.outOfRange = .clamp
  return quirks
}()

/// One value of each kind that can be received.
private let kinds: [(name: String, value: Value)] = [
  ("null", .null), ("true", true), ("false", false), ("0", 0), ("1", 1), ("2", 2), ("-1", -1), ("1.0", 1.0),
  ("0.5", 0.5),
  ("1e300", 1e300), ("NaN", .float(.nan)), ("infinity", .float(.infinity)), ("text", "text"), ("no base64", "a b"),
  ("empty", ""), ("bytes", .data([1])), ("2^64", .integer(1 << 64)), ("-2^100", .integer(-(1 << 100))),
]

@Suite struct EveryFormatMeetsEveryKind {
  @Test(
    "[CH.1, CH.2, CH.4, CH.9, CH.10, CH.18, CH.19] Each format accepts only its own kinds of values",
    arguments: Format.allCases)
  func kindsOf(_ format: Format) {
    let taken: [String: Value]
    switch format {
    case .bool: taken = ["true": true, "false": false, "0": false, "1": true]
    case .uint8, .uint16, .uint32, .uint64: taken = ["true": 1, "false": 0, "0": 0, "1": 1, "2": 2]
    case .int: taken = ["true": 1, "false": 0, "0": 0, "1": 1, "2": 2, "-1": -1]
    case .float:
      taken = [
        "true": 1.0, "false": 0.0, "0": 0.0, "1": 1.0, "2": 2.0, "-1": -1.0, "1.0": 1.0, "0.5": 0.5, "1e300": 1e300,
        "2^64": .float(0x1p64), "-2^100": .float(-0x1p100),
      ]
    case .string: taken = ["text": "text", "no base64": "a b", "empty": ""]
    case .tlv8, .data: taken = ["text": .data([0xB5, 0xEC, 0x6D]), "empty": .data([]), "bytes": .data([1])]
    }
    for (name, value) in kinds {
      #expect(admitted(value, format) == (taken[name].map { .success($0) } ?? refused), "\(format) \(name)")
    }
  }

  @Test("Null is refused by each format, with and without clamping", arguments: Format.allCases)
  func null(_ format: Format) {
    #expect(admitted(.null, format) == refused)
    #expect(admitted(.null, format, quirks: clamping) == refused)
  }

  @Test("Clamping accepts no other kinds than rejecting, except numbers outside the format", arguments: Format.allCases)
  func clampingKinds(_ format: Format) {
    for (name, value) in kinds where !["-1", "2", "2^64", "-2^100"].contains(name) {
      #expect(admitted(value, format, quirks: clamping) == admitted(value, format), "\(format) \(name)")
    }
  }

  @Test("Quirks may refuse true and false as numbers") func strictBooleans() {
    var quirks = ValueQuirks()
    quirks.takesBooleansAsNumbers = false
    #expect(admitted(true, .uint8, quirks: quirks) == refused)
    #expect(admitted(false, .float, quirks: quirks) == refused)
    #expect(admitted(true, .bool, quirks: quirks) == .success(true))
  }
}

@Suite struct Integers {
  @Test(
    "[CH.4] The ends of a format's range are valid; values beyond are refused, or clamped",
    arguments: [
      (.uint8, 0, 255), (.uint16, 0, 65535), (.uint32, 0, 4_294_967_295), (.uint64, 0, 18_446_744_073_709_551_615),
      (.int, -2_147_483_648, 2_147_483_647),
    ] as [(Format, Int128, Int128)])
  func ranges(_ format: Format, _ low: Int128, _ high: Int128) {
    #expect(admitted(.integer(low), format) == .success(.integer(low)))
    #expect(admitted(.integer(high), format) == .success(.integer(high)))
    for beyond in [low - 1, high + 1, .min, .max] {
      #expect(admitted(.integer(beyond), format) == refused)
      let end: Int128 = beyond < low ? low : high
      #expect(admitted(.integer(beyond), format, quirks: clamping) == .success(.integer(end)))
    }
  }

  @Test("[CH.2] A number written with a fraction is refused even when it is whole", arguments: [1.0, 0.5, -1.0, 1e2])
  func fraction(_ number: Double) {
    for format in Format.allCases where format.integerRange != nil {
      #expect(admitted(.float(number), format) == refused)
    }
  }

  @Test("A step finer than a double's resolution leaves the number unchanged (found by fuzzing: it became infinite)")
  func tinyStep() {
    let constraints = Constraints(minStep: .float(2.6e-282))
    for quirks in [ValueQuirks(), clamping] {
      #expect(admitted(.float(7.2e250), .float, constraints, quirks: quirks) == .success(.float(7.2e250)))
      let fine = Constraints(maxValue: .float(0.0004), minStep: .float(5.413127714586792e-09))
      for number in [-31.247061994964, -31.2470619, 0.0001] {
        let taken = try? admitted(.float(number), .float, fine, quirks: clamping).get()
        #expect(taken?.doubleValue.map { abs($0 - number) <= 3e-9 } == true)
      }
      let low = 3.9030791695577275e-236
      let narrow = Constraints(
        minValue: .float(low), maxValue: .float(1.3e-231), minStep: .float(3.983811216280622e-289))
      #expect(admitted(.float(low), .float, narrow, quirks: quirks) == .success(.float(low)), "not one ulp below")
    }
  }

  @Test(
    "A grid whose next point exceeds all doubles leaves the number unchanged (found by fuzzing: it became infinite)")
  func endlessGrid() {
    let constraints = Constraints(minValue: .float(-1.7976931348599658e+308), minStep: .float(1.3339494087538505e+299))
    for quirks in [ValueQuirks(), clamping] {
      #expect(admitted(.bool(false), .float, constraints, quirks: quirks) == .success(.float(0)))
    }
  }

  @Test(
    "A number clamped to a grid that starts outside the range is still valid (found by fuzzing)")
  func clampedToGrid() throws {
    var quirks = ValueQuirks()
    quirks.outOfRange = .clamp
    func number(_ value: Value, _ constraints: Constraints) throws -> Value {
      let characteristic = Characteristic(
        iid: 1, type: TypeID("25")!, format: .uint16, perms: [.pairedWrite], value: 0, constraints: constraints)
      return try characteristic.admit(value, quirks: quirks)
    }
    #expect(try number(0, Constraints(minStep: 10, validValuesRange: 9...25)) == 10)
    #expect(try number(99, Constraints(minStep: 10, validValuesRange: 9...25)) == 20)
    #expect(throws: HAPStatus.invalidValue) { try number(0, Constraints(minStep: 100, validValuesRange: 9...25)) }
  }

  @Test("[CH.3] Minimum and maximum are inclusive; values beyond are refused, or clamped") func limits() {
    let limits = Constraints(minValue: 10, maxValue: 20)
    for number in [10, 15, 20] as [Value] { #expect(admitted(number, .uint8, limits) == .success(number)) }
    for (number, end) in [(9, 10), (21, 20), (-1, 10), (1000, 20)] as [(Value, Value)] {
      #expect(admitted(number, .uint8, limits) == refused)
      #expect(admitted(number, .uint8, limits, quirks: clamping) == .success(end))
    }
  }

  @Test("[CH.5] Steps count from the minimum, or from 0; values off the grid are refused, or rounded") func steps() {
    let grid = Constraints(minValue: 5, maxValue: 50, minStep: 10)
    for number in [5, 15, 45] as [Value] { #expect(admitted(number, .uint8, grid) == .success(number)) }
    for (number, near) in [(6, 5), (10, 15), (14, 15), (50, 45)] as [(Value, Value)] {
      #expect(admitted(number, .uint8, grid) == refused)
      #expect(admitted(number, .uint8, grid, quirks: clamping) == .success(near))
    }
    let free = Constraints(minStep: 5)
    #expect(admitted(-10, .int, free) == .success(-10))
    #expect(admitted(-9, .int, free) == refused)
    #expect(admitted(3, .int, Constraints(minStep: 0)) == .success(3))
    #expect(admitted(3, .int, Constraints(minStep: -2)) == .success(3), "an invalid step is ignored")
  }

  @Test("[CH.7] Only listed values are valid, with and without clamping") func validValues() {
    let listed = Constraints(validValues: [0, 2, 7])
    #expect(admitted(2, .uint8, listed) == .success(2))
    #expect(admitted(true, .uint8, listed) == refused, "true is 1, which is not listed")
    for number in [1, 3, 8, 255] as [Value] {
      #expect(admitted(number, .uint8, listed) == refused)
      #expect(admitted(number, .uint8, listed, quirks: clamping) == refused)
    }
    #expect(admitted(0, .uint8, Constraints(validValues: [])) == refused)
  }

  @Test("[CH.7] A valid range is inclusive and clamps like minimum and maximum") func validRange() {
    let range = Constraints(minValue: 0, maxValue: 100, validValuesRange: 3...6)
    #expect(admitted(3, .uint8, range) == .success(3))
    #expect(admitted(6, .uint8, range) == .success(6))
    for (number, end) in [(2, 3), (7, 6)] as [(Value, Value)] {
      #expect(admitted(number, .uint8, range) == refused)
      #expect(admitted(number, .uint8, range, quirks: clamping) == .success(end))
    }
  }

  @Test("Contradictory limits refuse every value; absurd limits neither trap nor accept other values")
  func absurdLimits() {
    #expect(admitted(5, .uint8, Constraints(minValue: 10, maxValue: 1)) == refused)
    #expect(admitted(5, .uint8, Constraints(minValue: 10, maxValue: 1), quirks: clamping) == refused)
    let huge = Constraints(minValue: .integer(.min), maxValue: .integer(.max), minStep: .integer(.max))
    // Beyond ±2⁷⁰, a minimum and a step are ignored.
    #expect(admitted(5, .uint8, huge) == .success(5))
    #expect(admitted(256, .uint8, huge) == refused)
    #expect(admitted(.integer(.max), .uint64, huge) == refused)
    _ = admitted(.integer(.min), .int, huge, quirks: clamping)
    let odd = Constraints(
      minValue: .float(.nan), maxValue: .float(.infinity), minStep: "1", validValuesRange: .min ... .max)
    #expect(admitted(5, .uint8, odd) == .success(5))
    #expect(admitted(5, .uint8, Constraints(minValue: 2.0, maxValue: 6.0)) == .success(5))
  }
}

@Suite struct Floats {
  private let grid = Constraints(minValue: 0, maxValue: 10, minStep: 0.1)

  @Test("[CH.3, CH.18] Minimum and maximum are inclusive, also for integers; values beyond are refused, or clamped")
  func limits() {
    let limits = Constraints(minValue: -1.5, maxValue: 2)
    for (number, value) in [(-1.5, -1.5), (2, 2.0), (0.25, 0.25), (-1, -1.0)] as [(Value, Value)] {
      #expect(admitted(number, .float, limits) == .success(value))
    }
    for (number, end) in [(-1.51, -1.5), (2.01, 2.0), (3, 2.0), (-1e300, -1.5)] as [(Value, Value)] {
      #expect(admitted(number, .float, limits) == refused)
      #expect(admitted(number, .float, limits, quirks: clamping) == .success(end))
    }
  }

  @Test(
    "[CH.6] Within a tenth of a step, a float becomes the exact grid value, without extra digits",
    arguments: [
      (1.5, 1.5), (1.509, 1.5), (1.51, 1.5), (1.49, 1.5), (1.491, 1.5), (0.3, 0.3), (0.1 + 0.2, 0.3), (0.7, 0.7),
      (9.999, 10), (10, 10), (0.001, 0),
    ])
  func snap(_ number: Double, _ value: Double) {
    #expect(admitted(.float(number), .float, grid) == .success(.float(value)))
  }

  @Test(
    "[CH.6] Farther off the grid, a float is refused, or rounded when clamping",
    arguments: [(1.512, 1.5), (1.55, 1.6), (0.02, 0)])
  func offGrid(_ number: Double, _ value: Double) {
    #expect(admitted(.float(number), .float, grid) == refused)
    #expect(admitted(.float(number), .float, grid, quirks: clamping) == .success(.float(value)))
  }

  @Test("[CH.6] The grid starts at the minimum; a step of whole numbers works in the same way") func wholeSteps() {
    let limits = Constraints(minValue: 10, maxValue: 100, minStep: 45)
    #expect(admitted(55, .float, limits) == .success(55.0))
    #expect(admitted(58.0, .float, limits) == .success(55.0), "the distance 3 is less than a tenth of the step, 4.5")
    #expect(admitted(45, .float, limits) == refused)
  }

  @Test("Quirks with a fraction of a half accept any float, and round it to the grid") func wideSnap() {
    var quirks = ValueQuirks()
    quirks.floatSnapFraction = 0.5
    #expect(admitted(1.549, .float, grid, quirks: quirks) == .success(1.5))
  }

  @Test("A value is never rounded beyond its limits") func snapAtEnds() {
    let limits = Constraints(minValue: 0, maxValue: 0.99, minStep: 0.5)
    #expect(admitted(0.99, .float, limits) == .success(0.99))
    #expect(admitted(0.95, .float, limits) == .success(0.95))
  }

  @Test(
    "[CH.20] NaN and infinities are refused, with and without clamping",
    arguments: [Double.nan, .infinity, -.infinity, .signalingNaN])
  func notFinite(_ number: Double) {
    #expect(admitted(.float(number), .float) == refused)
    #expect(admitted(.float(number), .float, grid, quirks: clamping) == refused)
  }

  @Test("Absurd limits do not trap") func absurd() {
    for step in [0, -1.0, .float(.nan), .float(.infinity), 1e-300, 1e300, "x"] as [Value] {
      _ = admitted(5.0, .float, Constraints(minValue: .float(-1e308), maxValue: 1e308, minStep: step))
      _ = admitted(1e308, .float, Constraints(minStep: step), quirks: clamping)
    }
    #expect(admitted(5.0, .float, Constraints(minValue: 6, maxValue: 4)) == refused)
  }
}

@Suite struct TextAndBytes {
  @Test("[CH.8] A string has at most maxLen UTF-8 bytes, 64 by default; a longer one is refused, or truncated")
  func strings() {
    let text64 = String(repeating: "a", count: 64)
    #expect(admitted(.string(text64), .string) == .success(.string(text64)))
    #expect(admitted(.string(text64 + "a"), .string) == refused)
    #expect(admitted(.string(text64 + "a"), .string, quirks: clamping) == .success(.string(text64)))
    let umlauts = String(repeating: "ä", count: 33)  // 66 bytes
    #expect(admitted(.string(umlauts), .string) == refused)
    #expect(admitted(.string(umlauts), .string, quirks: clamping) == .success(.string(String(umlauts.dropLast()))))
    let three = Constraints(maxLen: 3)
    #expect(admitted("abc", .string, three) == .success("abc"))
    #expect(admitted("abcd", .string, three) == refused)
    #expect(admitted("aää", .string, three, quirks: clamping) == .success("aä"))
    #expect(admitted("\u{1F468}\u{200D}\u{1F469}", .string, three, quirks: clamping) == .success(""))
    let wide = Constraints(maxLen: 256)
    #expect(admitted(.string(String(repeating: "a", count: 256)), .string, wide) != refused)
    #expect(admitted("a", .string, Constraints(maxLen: -1)) == refused)
  }

  @Test(
    "[CH.9] Base64 is strict: standard alphabet, complete groups, padding only at the end",
    arguments: [
      "A", "AA", "AAA", "AAAAA", "A===", "====", "=", "AA=A", "A=AA", "AAA=AAAA", "AA==AA==", "AA A", "AAA\n", "AA-_",
      "AAA\0", "ÄÄ",
      "AAA ", " AAA",
    ])
  func badBase64(_ text: String) {
    #expect(admitted(.string(text), .data) == refused)
    #expect(admitted(.string(text), .tlv8) == refused)
  }

  @Test(
    "[CH.9] Base64 is decoded to bytes",
    arguments: [
      ("", []), ("AA==", [0]), ("//8=", [255, 255]), ("+/+/", [251, 255, 191]), ("AQID", [1, 2, 3]),
      ("AQIDBA==", [1, 2, 3, 4]),
    ] as [(String, [UInt8])])
  func base64(_ text: String, _ bytes: [UInt8]) {
    #expect(admitted(.string(text), .data) == .success(.data(bytes)))
    #expect(admitted(.string(text), .tlv8) == .success(.data(bytes)))
  }

  @Test("[CH.9] maxDataLen limits the decoded bytes; longer data is refused even when clamping") func dataLength() {
    let two = Constraints(maxDataLen: 2)
    #expect(admitted("//8=", .data, two) == .success(.data([255, 255])))
    #expect(admitted("////", .data, two) == refused)
    #expect(admitted("////", .data, two, quirks: clamping) == refused)
    #expect(admitted(.data([1, 2, 3]), .tlv8, two) == refused)
    #expect(admitted(.data(Array(repeating: 0, count: 2_097_152)), .data) != refused)
    #expect(admitted(.data(Array(repeating: 0, count: 2_097_153)), .data) == refused)
  }
}

@Suite struct Allows {
  @Test("A stored value is allowed if it is canonical and within the limits")
  func allows() {
    let door = characteristic(.targetDoorState)
    #expect(door.allows(1))
    for value in [2, true, 1.0, "1", .null] as [Value] { #expect(!door.allows(value)) }
    #expect(!characteristic(.on).allows(1))
    #expect(!characteristic(.logs).allows("AA=="))
  }
}
