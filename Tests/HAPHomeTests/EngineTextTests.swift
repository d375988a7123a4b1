import HAPAlmanac
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Engine: explanations in words")
struct EngineTextTests {
  @Test("Each kind of comparison is printed with its actual values")
  func conditions() throws {
    let sunset = try #require(SunMoment(.sunset, offset: -1800)), sunrise = try #require(SunMoment(.sunrise))
    let condition = Condition.any([
      .all([.not(.time(.on(try DateParts(weekday: .sunday))))]),
      .time(.between(.hour(22), .hour(6))), .time(.after(try DateParts(hour: 18, minute: 30, second: 5))),
      .sun(.before(sunrise)), .sun(.after(sunset)), .sun(.between(sunset, sunrise)),
      .presence(PresenceEvent(.firstEntry, of: .currentUser)), .unknown,
      .characteristic(.temperature, .less, 18.5), .characteristic(.temperature, .notEqual, 20.0),
      .characteristic(.battery, .greaterOrEqual, 90), .characteristic(.battery, .greater, 90),
      .characteristic(.battery, .lessOrEqual, 90), .characteristic(.lock, .equal, 2),
      .characteristic(.text, .equal, "b"), .characteristic(.test(77), .equal, 1),
    ])
    var bench = EngineBench([.test(1, .on(.calendar(.hour(13)), if: condition))], at: "2026-06-21T12:30")
    bench.run(until: "2026-06-21T13:00")
    let lines = bench.why.split(separator: "\n").map(String.init)
    #expect(lines[0].hasSuffix("\"trigger 1\": executed"))
    let expected = """
        event: the time 13:00, on 2026-06-21 13:00:00
        condition:
          true: any of
            false: all of
              false: not
                true: on {"weekday":"sun"} (13:00:00)
            false: from 22:00 to 06:00 (13:00:00)
            false: 18:30:05 or later (13:00:00)
            false: before sunrise (13:00:00; sunrise gives 04:43:
            false: 30min before sunset or later (13:00:00; sunset gives 21:03:
            false: from 30min before sunset to sunrise (13:00:00; sunset gives 21:03:
            false: one of Anna is at home (at home: nobody)
            unknown: a comparison with an object that was removed
            false: Thermometer/Current Temperature is less than 18.5 °C (it is 20 °C)
            false: Thermometer/Current Temperature is not 20 °C (it is 20 °C)
            false: Thermometer/Battery Level is at least 90 % (it is 80 %)
            false: Thermometer/Battery Level is greater than 90 % (it is 80 %)
            true: Thermometer/Battery Level is at most 90 % (it is 80 %)
            false: Front Door Lock/Lock Current State is jammed (it is secured)
            false: Thermometer/Manufacturer is "b" (it is "a")
            unknown: 00000000-0000-4000-8000-00000000004D is 1 (unknown: it was not read)
        writes: 2 done, 0 failed
      """.split(separator: "\n").map(String.init)
    #expect(lines.count == expected.count + 1)
    for (line, start) in zip(lines.dropFirst(), expected) { #expect(line.hasPrefix(start), "\(line)") }
  }

  @Test("Each outcome and each event has its sentence")
  func sentences() throws {
    let home = Home.test()
    var other = home
    other.triggers = [.test(1, .on(.calendar(.hour(1))))]
    let printer = EvaluationText(other, zone: .utc)
    let time = Instant(seconds: 1_780_318_800)
    let value = RestorableValue(.lampHue, before: 0.0, written: 120.0)
    let outcomes: [Evaluation.Outcome] = [
      .executing, .executed(ExecutionReport(done: 1)), .ending([]), .ended([], ExecutionReport(done: 0)),
      .conditionFalse, .conditionUnknown, .otherWeekday(.friday), .noHub, .noLocation, .noZone(.utc), .missed,
      .settledBefore(time), .unknownBefore, .nothingToExecute, .disabled, .sameTime, .busy, .tooManyExecutions,
      .loopStopped,
      .changedMeanwhile, .notRecorded("x"), .endNotRecorded("x"), .notConfirmed(.init(time: time, isEnd: true)),
      .notConfirmed(.init(time: time, isEnd: false)),
    ]
    let causes: [Evaluation.Cause] = [
      .start, .value(.lock, before: 1, after: 0, isCatchUp: true), .timer(due: time, .skipped),
      .calendar(.hour(1), due: time, .repeated), .sun(try #require(SunMoment(.sunset, offset: 90)), due: time),
      .presence(.ben, isEntry: true), .presence(.test(99), isEntry: false), .location(.anna, isEntry: false),
      .duration(due: time), .hand(.ben), .hand(nil),
    ]
    func lines(_ cause: Evaluation.Cause, _ outcome: Evaluation.Outcome) -> [String] {
      printer.lines(
        Evaluation(
          trigger: .test(1001), number: 1, time: time, cause: cause, condition: nil, isLast: false, outcome: outcome))
    }
    let sentences = outcomes.map { lines(.start, $0)[0] }
    #expect(Set(sentences).count == sentences.count)
    #expect(sentences.allSatisfy { $0.hasPrefix("2026-06-01 13:00:00 \"trigger 1\": ") })
    let events = causes.map { lines($0, .missed)[1] }
    #expect(
      events == [
        "  event: the hub started, or the trigger was enabled",
        "  event: Front Door Lock/Lock Current State became unsecured; it was secured (while there was no session)",
        "  event: the timer of 2026-06-01 13:00:00 (the clock skips the planned time on this day)",
        "  event: the time 01:00, on 2026-06-01 13:00:00 (the clock shows this time twice on this day; the first one counts)",
        "  event: 90s after sunset, on 2026-06-01 13:00:00", "  event: Ben came home",
        "  event: 00000000-0000-4000-8000-000000000063 left", "  event: Anna left the region",
        "  event: the duration ended on 2026-06-01 13:00:00", "  event: Ben fired the trigger by hand",
        "  event: a person fired the trigger by hand",
      ])
    let ended = lines(
      .start,
      .ended(
        [.init(value: value, actual: 120.0, isRestored: true), .init(value: value, actual: 7.0, isRestored: false)],
        ExecutionReport(done: 0, failures: [.init(.lampHue, why: "it refused")])))
    #expect(
      ended.dropFirst(2) == [
        "  Stereo Light/Hue: gets back 0°", "  Stereo Light/Hue: stays 7°", "  writes: 0 done, 1 failed",
        "    Stereo Light/Hue: it refused",
      ])
    // An unknown trigger is shown by its identifier.
    #expect(
      EvaluationText(home, zone: .utc).lines(
        Evaluation(
          trigger: .test(1001), number: 1, time: time, cause: .start, condition: nil, isLast: false, outcome: .busy))[0]
        .contains("00000000-0000-4000-8000-0000000003E9"))
  }
}
