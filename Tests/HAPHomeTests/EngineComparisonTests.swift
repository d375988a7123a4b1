import HAPAlmanac
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Engine: comparisons")
struct EngineComparisonTests {
  private static let tenths = ValueRules(format: .float, constraints: Constraints(minStep: 0.1))
  private static let float = ValueRules(format: .float)
  private static let uint8 = ValueRules(format: .uint8)

  // MARK: E4

  @Test("HOME.E4 numbers compare across formats, floats within half a step")
  func numbers() {
    for (left, right, rules, order) in [
      (1, true, Self.uint8, .equal), (0, true, Self.uint8, .less), (20, 20.0, Self.uint8, .equal),
      (.float(20.2), 20, Self.uint8, .greater), (20, 21, Self.uint8, .less),
      (.float(21.35), .float(21.3), Self.tenths, .equal), (.float(21.36), .float(21.3), Self.tenths, .greater),
      (.float(21.24), .float(21.3), Self.tenths, .less), (21, .float(21.04), Self.tenths, .equal),
      (.float(0.10000000149), .float(0.1), Self.float, .equal), (.float(0.100001), .float(0.1), Self.float, .greater),
      (.float(1e9), .float(1_000_000_050), Self.float, .equal), (0.0, .float(-0.0), Self.float, .equal),
      (.float(.infinity), .float(1e300), Self.float, .greater),
      (.float(.infinity), .float(.infinity), Self.float, .equal),
      (.integer(Int128(UInt64.max)), .integer(Int128(UInt64.max) - 1), ValueRules(format: .uint64), .greater),
      ("a", "a", Self.uint8, .equal), ("a", "b", Self.uint8, .different), (.data([1]), .data([1]), Self.uint8, .equal),
      (.data([1]), .data([1, 2]), Self.uint8, .different),
    ] as [(Value, Value, ValueRules, ValueOrder)] {
      #expect(ValueOrder(left, right, rules) == order, "\(left) and \(right)")
      let reverse: ValueOrder = order == .less ? .greater : order == .greater ? .less : order
      #expect(ValueOrder(right, left, rules) == reverse, "\(right) and \(left)")
    }
  }

  @Test("HOME.E4 values of different kinds, null and NaN cannot be compared")
  func incomparable() {
    let values: [Value] = [.null, "20", 20, true, .data([20]), .float(.nan)]
    for (index, left) in values.enumerated() {
      for (other, right) in values.enumerated() {
        let isComparable = index == other && left != .null && index != 5 || [index, other].sorted() == [2, 3]
        #expect((ValueOrder(left, right, Self.float) != nil) == isComparable, "\(left) and \(right)")
        for comparison in Comparison.allCases where !isComparable {
          #expect(comparison.holds(left, right, Self.float) == .unknown)
        }
      }
    }
  }

  @Test("HOME.E4 each comparison holds for its orders, and texts have none")
  func comparisons() {
    let expected: [Comparison: [Bool]] = [
      .equal: [false, true, false], .notEqual: [true, false, true], .less: [true, false, false],
      .lessOrEqual: [true, true, false], .greater: [false, false, true], .greaterOrEqual: [false, true, true],
    ]
    for comparison in Comparison.allCases {
      let results = [1, 2, 3].map { comparison.holds($0, 2, Self.uint8) }
      #expect(results == expected[comparison]?.map(Truth.init), "\(comparison)")
      let hasOrder = comparison != .equal && comparison != .notEqual
      #expect(comparison.holds("a", "b", Self.uint8) == (hasOrder ? .unknown : Truth(comparison == .notEqual)))
    }
  }

  @Test("HOME.E4 a float becomes its trigger value within half a step")
  func floatEvent() {
    var bench = EngineBench([.test(1, .on(.characteristic(.temperature, equals: 21)))])
    bench.set(.temperature, .float(20.9))
    #expect(bench.executions.isEmpty)
    bench.set(.temperature, .float(20.96))
    bench.set(.temperature, .float(21.04))
    #expect(bench.executions.count == 1)
    bench.set(.temperature, .float(21.1))
    bench.set(.temperature, 21)
    #expect(bench.executions.count == 2)
  }

  // MARK: E6

  private func parts(_ text: String) -> DateParts { HomeText.parts(text)! }

  private func holds(_ condition: TimeCondition, _ time: String) throws -> Bool {
    condition.holds(at: try CivilTime("2026-06-07T\(time)"))
  }

  @Test("HOME.E6 before excludes the moment, and after includes it")
  func beforeAndAfter() throws {
    for (time, isBefore) in [
      ("00:00", true), ("17:59:59", true), ("17:59:59.999999999", true), ("18:00", false),
      ("18:00:00.000000001", false),
      ("23:59", false),
    ] {
      #expect(try holds(.before(parts("18:00")), time) == isBefore, "before, \(time)")
      #expect(try holds(.after(parts("18:00")), time) == !isBefore, "after, \(time)")
      #expect(try holds(.before(DateParts(hour: 18)), time) == isBefore, "hour alone, \(time)")
    }
    #expect(try holds(.before(parts("18:00:30")), "18:00:29"))
    #expect(try !holds(.before(parts("18:00:30")), "18:00:30"))
  }

  @Test("HOME.E6 on is equality of the parts that are set")
  func on() throws {
    let sunday = try CivilTime("2026-06-07T18:30:15")
    for (parts, isEqual) in [
      (try DateParts(weekday: .sunday), true), (try DateParts(weekday: .monday), false),
      (try DateParts(month: 6, day: 7), true), (try DateParts(month: 7, day: 7), false),
      (try DateParts(hour: 18, minute: 30), true), (try DateParts(hour: 18, minute: 31), false),
      (try DateParts(year: 2026, hour: 18, second: 15), true), (try DateParts(year: 2025), false),
      (try DateParts(second: 16), false),
    ] { #expect(TimeCondition.on(parts).holds(at: sunday) == isEqual, "\(parts)") }
  }

  @Test("HOME.E6 between excludes its end, and may include midnight")
  func between() throws {
    let day = TimeCondition.between(parts("06:30"), parts("22:00"))
    let night = TimeCondition.between(parts("22:00"), parts("06:30"))
    for (time, isDay) in [
      ("00:00", false), ("06:29:59", false), ("06:30", true), ("12:00", true), ("21:59:59", true), ("22:00", false),
      ("23:59:59", false),
    ] {
      #expect(try holds(day, time) == isDay, "day, \(time)")
      #expect(try holds(night, time) == !isDay, "night, \(time)")
    }
    #expect(try !holds(.between(parts("06:30"), parts("06:30")), "06:30"))
  }

  @Test("HOME.E6 times are those of the home's zone")
  func homeZone() {
    let trigger = Trigger.test(1, .on(.characteristic(.lock, equals: 0), if: .time(.before(parts("18:00")))))
    for (zone, isExecuted) in [("Europe/Berlin", false), ("America/Los_Angeles", true), ("Asia/Kathmandu", false)] {
      var bench = EngineBench([trigger], zone: zone)
      // 19:00 in Berlin, 10:00 in Los Angeles, 22:45 in Kathmandu.
      bench.run(until: Instant(seconds: 1_780_333_200))
      bench.set(.lock, 0)
      #expect(bench.executions.isEmpty != isExecuted, "\(zone)")
    }
  }

  // MARK: E7

  @Test("HOME.E7 before and after sunset compare with the home's civil day, with offsets")
  func sun() throws {
    // 2026-06-21 in Berlin, sunrise 04:43 and sunset 21:33 (libastro gives 04:43:04 and 21:33:14).
    let sunset = try #require(SunMoment(.sunset)), sunrise = try #require(SunMoment(.sunrise))
    let earlier = try #require(SunMoment(.sunset, offset: -1800)),
      later = try #require(SunMoment(.sunset, offset: 1800))
    for (condition, times) in [
      (.before(sunset), [true, true, true, false, false, true]),
      (.after(sunset), [false, false, false, true, true, false]),
      (.before(earlier), [true, true, false, false, false, true]),
      (.after(later), [false, false, false, false, true, false]),
      (.between(sunrise, sunset), [false, true, true, false, false, false]),
      (.between(sunset, sunrise), [true, false, false, true, true, true]),
      (.between(sunset, sunset), [false, false, false, false, false, false]),
    ] as [(SunCondition, [Bool])] {
      let trigger = Trigger.test(1, .on(.characteristic(.lock, equals: nil), if: .sun(condition)))
      var bench = EngineBench([trigger], at: "2026-06-21T00:00:00")
      for (time, expected) in zip(
        ["21T04:40", "21T04:46", "21T21:30", "21T21:36", "21T22:10", "22T00:30"], times)
      {
        bench.run(until: "2026-06-\(time)")
        let before = bench.executions.count
        bench.set(.lock, bench.world[.lock] == 0 ? 1 : 0)
        #expect(bench.executions.count - before == (expected ? 1 : 0), "\(condition) at \(time)")
      }
    }
  }

  @Test("HOME.E7 on a polar day, and without a location, the condition is unknown")
  func noSun() throws {
    let sunset = SunCondition.before(try #require(SunMoment(.sunset)))
    let trigger = Trigger.test(1, .on(.characteristic(.lock, equals: 0), if: .sun(sunset)))
    let tromso = try #require(Coordinate(latitude: 69.65, longitude: 18.96))
    var bench = EngineBench([trigger], location: tromso, at: "2026-06-21T12:00")
    bench.set(.lock, 0)
    #expect(bench.executions.isEmpty && bench.outcome == .conditionUnknown)
    #expect(bench.why.contains("unknown: before sunset (12:00:00; sunset does not exist on this day, or has no place)"))
    bench.run(until: "2026-08-21T12:00")
    bench.set(.lock, 1)
    bench.set(.lock, 0)
    #expect(bench.executions.count == 1)
  }
}
