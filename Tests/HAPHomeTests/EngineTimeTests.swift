import HAPAlmanac
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Engine: planned times")
struct EngineTimeTests {
  private func timer(
    _ bench: String, every period: CivilPeriod? = CivilPeriod(days: 1), home: String = "Europe/Berlin",
    zone: String? = nil
  ) -> Trigger.Kind {
    let rules = TestZones.rules(ZoneName(home)!)!
    return .timer(
      TimerTrigger(
        fireDate: rules.instant(of: try! CivilTime(bench)), recurrence: period, zone: zone.flatMap { ZoneName($0) }))
  }

  private func times(_ bench: EngineBench) -> [String] {
    let zone = TestZones.rules(bench.model.homes[0].zone)!
    return bench.executions.map { "\(zone.civilTime(at: $0.time))" }
  }

  // MARK: E10

  @Test("HOME.E10 a timer fires at its minute, then after each period")
  func timer() {
    var bench = EngineBench([.test(1, timer("2026-06-01T19:00"))])
    #expect(bench.engine.nextOccurrence(of: .test(1001)) == bench.instant("2026-06-01T19:00"))
    bench.run(until: "2026-06-03T20:00")
    #expect(times(bench) == ["2026-06-01T19:00:00", "2026-06-02T19:00:00", "2026-06-03T19:00:00"])
    #expect(bench.told.count == 3)
    #expect(bench.model.homes[0].triggers[0].lastFire == bench.instant("2026-06-03T19:00"))
  }

  @Test("HOME.E10 a timer without a period fires once")
  func once() {
    var bench = EngineBench([.test(1, timer("2026-06-01T19:00", every: nil))])
    bench.run(until: "2026-07-01T00:00")
    #expect(times(bench) == ["2026-06-01T19:00:00"])
    #expect(bench.engine.nextDeadline == nil)
  }

  @Test("HOME.E10 a timer whose first time is over continues with its periods, without drift")
  func started() {
    var bench = EngineBench(
      [.test(1, timer("2026-01-31T19:00", every: CivilPeriod(months: 1)))], at: "2026-02-01T00:00")
    bench.run(until: "2026-04-01T00:00")
    #expect(times(bench) == ["2026-02-28T19:00:00", "2026-03-31T19:00:00"])
  }

  @Test("HOME.E10 the timer's own zone applies to its period, otherwise the home's")
  func zones() {
    // The clock in Berlin is set ahead on 2026-03-29, that in New York three weeks earlier.
    var bench = EngineBench(
      [
        .test(1, timer("2026-03-01T19:00")), .test(2, timer("2026-03-01T19:00", zone: "America/New_York")),
        .test(3, timer("2026-03-01T19:00", every: CivilPeriod(hours: 24))),
      ], at: "2026-03-01T12:00")
    bench.run(until: "2026-04-02T12:00")
    let last = (1...3).map { number in
      bench.executions.last { $0.trigger == .test(1000 + number) }.map {
        TestZones.rules(ZoneName("Europe/Berlin")!)!.civilTime(at: $0.time).hour
      }
    }
    #expect(last == [19, 19, 20])
    let march10 = bench.executions.filter {
      $0.time > bench.instant("2026-03-10T00:00") && $0.time < bench.instant("2026-03-11T00:00")
    }
    #expect(march10.map(\.trigger) == [.test(1002), .test(1001), .test(1003)])
  }

  @Test("HOME.E10 a calendar event at 7 p.m. is the home's, whatever zone the hub has (M20)")
  func homeZone() throws {
    for zone in ["Europe/Berlin", "America/Los_Angeles", "Asia/Kathmandu"] {
      var bench = EngineBench([.test(1, .on(.calendar(.hour(19))))], zone: zone)
      bench.run(until: "2026-06-02T12:00")
      #expect(times(bench) == ["2026-06-01T19:00:00"])
    }
  }

  @Test("HOME.E7 sunset with an offset fires in the evening, and not on a polar day")
  func sun() throws {
    let moment = try #require(SunMoment(.sunset, offset: -1800))
    var bench = EngineBench([.test(1, .on(.sun(moment)))], at: "2026-06-21T00:00")
    bench.run(until: "2026-06-22T00:00")
    let fired = try #require(bench.executions.first).time
    // libastro: 21:33:14.
    #expect(bench.executions.count == 1)
    #expect((bench.instant("2026-06-21T21:03")...bench.instant("2026-06-21T21:04")).contains(fired))
    let svalbard = try #require(Coordinate(latitude: 78.2, longitude: 15.6))
    var polar = EngineBench([.test(1, .on(.sun(moment)))], location: svalbard, at: "2026-05-01T00:00")
    polar.run(until: "2026-08-01T00:00")
    #expect(polar.executions.isEmpty)
    polar.run(until: "2026-09-10T00:00")
    #expect(!polar.executions.isEmpty)
  }

  // MARK: Gaps and overlaps

  @Test("HOME.E10 a time that the clock skips fires at the end of the gap, with an explanation")
  func gap() throws {
    let parts = try DateParts(hour: 2, minute: 30)
    var bench = EngineBench(
      [.test(1, .on(.calendar(parts))), .test(2, timer("2026-03-27T02:30"))], at: "2026-03-28T12:00")
    bench.run(until: "2026-03-29T12:00")
    #expect(times(bench) == ["2026-03-29T03:00:00", "2026-03-29T03:00:00"])
    #expect(bench.explained.allSatisfy { bench.text($0).contains("(the clock skips the planned time on this day)") })
    bench.run(until: "2026-03-30T12:00")
    #expect(times(bench).suffix(2) == ["2026-03-30T02:30:00", "2026-03-30T02:30:00"])
    #expect(!bench.why.contains("skips"))
  }

  @Test("HOME.E10 a time that the clock shows twice fires at the first one, with an explanation")
  func overlap() throws {
    let parts = try DateParts(hour: 2, minute: 30)
    var bench = EngineBench(
      [.test(1, .on(.calendar(parts))), .test(2, timer("2026-10-20T02:30"))], at: "2026-10-24T12:00")
    bench.run(until: "2026-10-25T12:00")
    // 02:30 in summer time is 00:30 UTC.
    #expect(bench.executions.map(\.time.description) == ["2026-10-25T00:30:00Z", "2026-10-25T00:30:00Z"])
    #expect(bench.explained.allSatisfy { bench.text($0).contains("twice on this day; the first one counts") })
    bench.run(until: "2026-10-26T12:00")
    #expect(bench.executions.count == 4 && !bench.why.contains("twice"))
  }

  @Test("HOME.E10 a time without an hour fires twice in an overlap, and an elapsed period has no gap")
  func hourly() throws {
    let parts = try DateParts(minute: 30)
    var bench = EngineBench(
      [.test(1, .on(.calendar(parts))), .test(2, timer("2026-10-24T23:15", every: CivilPeriod(hours: 1)))],
      at: "2026-10-24T23:00")
    bench.run(until: "2026-10-25T03:10")
    #expect(bench.executions.filter { $0.trigger == .test(1001) }.count == 5)
    #expect(bench.executions.filter { $0.trigger == .test(1002) }.count == 5)
    #expect(bench.explained.allSatisfy { !bench.text($0).contains("twice") })
  }

  // MARK: E11

  @Test("HOME.E11 an occurrence that is late by at most 60 s is executed", arguments: [0, 1, 60])
  func late(seconds: Int) {
    var bench = EngineBench([.test(1, timer("2026-06-01T19:00"))])
    bench.jump(to: bench.instant("2026-06-01T19:00").advanced(by: .seconds(seconds)))
    #expect(bench.executions.count == 1)
    #expect(bench.engine.nextOccurrence(of: .test(1001)) == bench.instant("2026-06-02T19:00"))
  }

  @Test("HOME.E11 an older one is missed and explained, and the next one is computed (M21: asleep for 8 h)")
  func missed() {
    var bench = EngineBench(
      [.test(1, timer("2026-06-01T19:00")), .test(2, timer("2026-06-01T00:05", every: CivilPeriod(minutes: 5)))],
      at: "2026-06-01T18:59")
    bench.jump(to: bench.instant("2026-06-02T03:01:00"))
    #expect(times(bench) == ["2026-06-02T03:01:00"])
    #expect(bench.executions[0].trigger == .test(1002))
    let first = bench.engine.evaluations(of: .test(1001))
    #expect(first.map(\.outcome) == [.missed])
    #expect(
      bench.text(first[0]) == """
        2026-06-02 03:01:00 "trigger 1": not executed: it was missed, because it was more than a minute ago; later times \
        until now were missed, too
          event: the timer of 2026-06-01 19:00:00
        """)
    #expect(bench.engine.evaluations(of: .test(1002)).map(\.outcome.isMissed) == [true, false])
    #expect(bench.engine.nextOccurrence(of: .test(1001)) == bench.instant("2026-06-02T19:00"))
    #expect(bench.engine.nextOccurrence(of: .test(1002)) == bench.instant("2026-06-02T03:05"))
  }

  @Test("HOME.E11 after a restart, occurrences since the last one are late or missed, each once")
  func restart() {
    var bench = EngineBench([.test(1, timer("2026-06-01T19:00"))])
    bench.run(until: "2026-06-01T18:59:30")
    bench.restart(after: .seconds(60))
    #expect(times(bench) == ["2026-06-01T19:00:30"])
    bench.restart(after: .seconds(1))
    #expect(bench.executions.count == 1 && bench.outcome == nil)
    bench.restart(after: .seconds(3 * 86_400 + 43_200))
    #expect(bench.executions.count == 1 && bench.outcome == .missed)
    bench.restart(after: .seconds(1))
    #expect(bench.outcome == nil)
    bench.run(until: "2026-06-05T19:01")
    #expect(bench.executions.count == 2)
  }

  @Test("HOME.E11 an occurrence whose condition was false is settled, also after a restart within the minute")
  func evaluatedBefore() {
    let condition = Condition.characteristic(.motion, .equal, true)
    var bench = EngineBench([.test(1, .on(.calendar(.hour(19)), if: condition))])
    bench.run(until: "2026-06-01T19:00:10")
    #expect(bench.outcome == .conditionFalse)
    bench.world[.motion] = true
    bench.restart(after: .seconds(20))
    #expect(bench.executions.isEmpty && bench.explained.count == 1)
  }

  @Test("HOME.E11 times while a trigger is disabled, or before it is added, are not missed")
  func disabled() {
    var bench = EngineBench([.test(1, timer("2026-06-01T19:00"), isEnabled: false)])
    bench.run(until: "2026-06-03T12:00")
    bench.update(.test(1001)) { $0.isEnabled = true }
    bench.change(.triggerAdded(.test(2, timer("2026-06-01T19:00"))))
    #expect(bench.explained.isEmpty)
    bench.restart(after: .seconds(60))
    #expect(bench.explained.isEmpty)
    bench.run(until: "2026-06-03T19:00")
    #expect(bench.executions.count == 2)
  }

  @Test("HOME.E11 a value that changed while the session was down counts within 60 s", arguments: [60, 61])
  func catchUp(seconds: Int) {
    var bench = EngineBench([.test(1, .on(.characteristic(.lock, equals: 0)))])
    bench.run(for: .seconds(3600))
    bench.engine.valuesLost([.lock])
    bench.run(for: .seconds(seconds))
    bench.set(.lock, 0, isCatchUp: true)
    #expect(bench.executions.count == (seconds == 60 ? 1 : 0))
    #expect(bench.outcome?.isMissed == (seconds != 60))
    #expect(bench.why.contains("became unsecured; it was secured (while there was no session)"))
    // The value is known now.
    bench.set(.lock, 0)
    #expect(bench.explained.count { $0.number > 1 } == 0)
  }

  // MARK: E12

  @Test("HOME.E12 if the clock goes back an hour, an occurrence is not repeated, and later ones happen (M21)")
  func setBack() {
    var bench = EngineBench([.test(1, timer("2026-06-01T19:00")), .test(2, timer("2026-06-01T19:10"))])
    bench.run(until: "2026-06-01T19:05")
    bench.jump(to: "2026-06-01T18:05")
    #expect(bench.outcome == .settledBefore(bench.instant("2026-06-01T19:00")) || bench.outcome?.isExecuted == true)
    #expect(
      bench.engine.evaluations(of: .test(1001)).last?.outcome == .settledBefore(bench.instant("2026-06-01T19:00")))
    bench.run(until: "2026-06-02T19:30")
    #expect(
      times(bench) == [
        "2026-06-01T19:00:00", "2026-06-01T19:10:00", "2026-06-02T19:00:00", "2026-06-02T19:10:00",
      ])
  }

  @Test("HOME.E12 the same after a restart, because the occurrence was recorded")
  func setBackAndRestart() {
    var bench = EngineBench([.test(1, timer("2026-06-01T19:00"))])
    bench.run(until: "2026-06-01T19:05")
    bench.restart(after: .seconds(-3600))
    #expect(bench.outcome == .settledBefore(bench.instant("2026-06-01T19:00")))
    bench.run(until: "2026-06-01T19:30")
    #expect(bench.executions.count == 1)
  }

  @Test("HOME.E12 a clock that was wrong by years does not silence a trigger")
  func wrongClock() {
    var bench = EngineBench([.test(1, timer("2026-06-01T19:00"))])
    bench.run(until: "2026-06-01T19:05")
    bench.jump(to: "2030-01-01T19:00:20")
    #expect(times(bench).last == "2030-01-01T19:00:20")
    bench.jump(to: "2026-06-01T20:00")
    bench.run(until: "2026-06-02T20:00")
    #expect(times(bench).last == "2026-06-02T19:00:00")
    bench.jump(to: "2030-01-01T19:00:20")
    bench.restart(after: .seconds(-3 * 366 * 86_400))
    let count = bench.executions.count
    bench.run(for: .seconds(86_400))
    #expect(bench.executions.count == count + 1)
  }

  @Test("HOME.E12 a machine whose clock starts in 1970 repeats nothing when the clock is set", arguments: [1, 2])
  func clockWithoutBattery(starts: Int) {
    var bench = EngineBench([.test(1, timer("2026-06-01T19:00"))])
    bench.run(until: "2026-06-01T19:00:05")
    #expect(bench.executions.count == 1)
    for _ in 0..<starts {
      bench.restart(after: bench.now.duration(to: Instant(seconds: 5)))
      bench.uptime = .zero
      bench.run(for: .seconds(10))
    }
    bench.jump(to: "2026-06-01T19:00:40")
    #expect(bench.executions.count == 1 && bench.explained.allSatisfy { $0.outcome != .missed })
    bench.run(until: "2026-06-02T19:00")
    #expect(bench.executions.count == 2)
    bench.restart(after: bench.now.duration(to: Instant(seconds: 5)))
    bench.jump(to: "2026-06-04T08:00")
    #expect(bench.outcome == .missed && bench.why.contains("event: the timer of 2026-06-03 19:00:00"))
  }

  @Test("HOME.E12 a step back of less than a second is ignored")
  func jitter() {
    var bench = EngineBench([.test(1, timer("2026-06-01T19:00"))])
    bench.run(until: "2026-06-01T19:00")
    bench.jump(to: bench.now.advanced(by: .milliseconds(-999)))
    #expect(bench.engine.now == bench.instant("2026-06-01T19:00"))
    bench.run(for: .seconds(10))
    #expect(bench.executions.count == 1 && bench.explained.map(\.number) == [1, 1])
  }

  @Test("HOME.E11 set ahead a day: the occurrence in between is missed (M21)")
  func setAhead() {
    var bench = EngineBench([.test(1, timer("2026-06-01T19:00"))])
    bench.jump(to: "2026-06-02T12:00")
    #expect(bench.executions.isEmpty && bench.outcome == .missed)
    bench.jump(to: "2026-06-01T12:00:10")
    bench.run(until: "2026-06-01T20:00")
    // It counts as settled: it may have been reported to a person.
    #expect(bench.executions.isEmpty)
    bench.run(until: "2026-06-02T20:00")
    #expect(bench.executions.count == 1)
  }

  @Test("HOME.E5 with an uptime, a wait for values is as long as before if the clock is set", arguments: [3600, -3600])
  func waitAndClock(step: Int) {
    let condition = Condition.characteristic(.window, .equal, false)
    var bench = EngineBench([.test(1, .on(.characteristic(.lock, equals: 0), if: condition))])
    bench.uptime = .zero
    bench.holdsReads = true
    bench.run(for: .seconds(1))
    bench.set(.lock, 0)
    bench.run(for: .seconds(3))
    bench.jump(to: bench.now.advanced(by: .seconds(step)))
    #expect(bench.explained.isEmpty && bench.engine.nextDeadline == bench.now.advanced(by: .seconds(2)))
    bench.answerHeld()
    #expect(bench.executions.count == 1)
  }

  @Test("HOME.E11 with an uptime, a session that was lost for a second is not late if the clock is set ahead")
  func lostSessionAndClock() {
    var bench = EngineBench([.test(1, .on(.characteristic(.lock, equals: 0)))])
    bench.uptime = .zero
    bench.run(for: .seconds(1))
    bench.engine.valuesLost([.lock])
    bench.jump(to: bench.now.advanced(by: .seconds(7200)))
    bench.run(for: .seconds(1))
    bench.set(.lock, 0, isCatchUp: true)
    #expect(bench.executions.count == 1)
  }

  @Test("HOME.E11 times of a new zone or place that are over were never planned, so they are not missed")
  func movedBack() throws {
    let sunset = try #require(SunMoment(.sunset))
    var bench = EngineBench([.test(1, .on(.calendar(.hour(19)))), .test(2, .on(.sun(sunset)))], at: "2026-06-01T18:30")
    bench.run(until: "2026-06-02T18:30")
    let count = bench.explained.count
    #expect(bench.executions.count == 2)
    // 19:00 in Kathmandu was at 15:15 in Berlin, and the sun has set in Cupertino.
    bench.change(.timeZoneChanged(ZoneName("Asia/Kathmandu")!))
    bench.change(.locationChanged(HomeBench.cupertino))
    bench.run(for: .seconds(1))
    #expect(bench.explained.count == count)
    bench.restart(after: .seconds(1))
    #expect(bench.explained.count == count)
  }

  @Test("A zone without data is explained, and its events do not happen")
  func noZone() {
    var bench = EngineBench([.test(1, .on(.calendar(.hour(19))))])
    let nowhere = ZoneName("Nowhere/City")!
    bench.change(.timeZoneChanged(nowhere))
    #expect(bench.engine.nextDeadline == nil && bench.outcome == .noZone(nowhere))
    bench.update(.test(1001)) { $0.kind = .on(.calendar(.hour(20))) }
    #expect(bench.explained.map(\.outcome) == [.noZone(nowhere), .noZone(nowhere)])
    bench.change(.timeZoneChanged(ZoneName("Asia/Kathmandu")!))
    #expect(bench.engine.nextDeadline == bench.instant("2026-06-01T20:00"))
  }
}

extension Evaluation.Outcome {
  fileprivate var isMissed: Bool { self == .missed }
}
