import HAPAlmanac
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Engine: conditions with three values")
struct EngineConditionTests {
  // MARK: Kleene's logic

  @Test("HOME.E5 Kleene's truth tables of NOT, AND and OR, written out")
  func truthTables() {
    let (f, u, t) = (Truth.false, Truth.unknown, Truth.true)
    #expect([f, u, t].map { !$0 } == [t, u, f])
    let and: [[Truth]] = [[f, f, f], [f, u, u], [f, u, t]]
    let or: [[Truth]] = [[f, u, t], [u, u, t], [t, t, t]]
    for (row, left) in [f, u, t].enumerated() {
      for (column, right) in [f, u, t].enumerated() {
        #expect(Truth.all([left, right]) == and[row][column], "\(left) and \(right)")
        #expect(Truth.any([left, right]) == or[row][column], "\(left) or \(right)")
      }
    }
    #expect(Truth.all([]) == t && Truth.any([]) == f)
  }

  /// A condition whose result is a given one: a comparison of values that are known or not.
  private func leaf(_ truth: Truth, _ place: Int) -> Condition {
    switch truth {
    case .true:
      .characteristic(place.isMultiple(of: 2) ? .lock : .motion, .notEqual, place.isMultiple(of: 2) ? 9 : true)
    case .false: .characteristic(place.isMultiple(of: 2) ? .lock : .motion, .equal, place.isMultiple(of: 2) ? 9 : true)
    case .unknown: .characteristic(.window, .equal, true)
    }
  }

  @Test("HOME.E5 a trigger executes only if its condition is known to be true: all trees of three comparisons")
  func trees() {
    // (a op b) op c, with and without NOT at each place: the result is computed from numbers -1, 0, 1.
    let number: [Truth: Int] = [.false: -1, .unknown: 0, .true: 1]
    var count = 0
    for a in Truth.allCases {
      for b in Truth.allCases {
        for c in Truth.allCases {
          var conditions: [(Condition, expected: Int)] = []
          for shape in 0..<32 {
            func bit(_ place: Int) -> Bool { shape & 1 << place != 0 }
            func negated(_ condition: Condition, _ place: Int) -> Condition { bit(place) ? .not(condition) : condition }
            func joined(_ parts: [Condition], _ place: Int) -> Condition { bit(place) ? .all(parts) : .any(parts) }
            let (x, y, z) = (leaf(a, 0), leaf(b, 1), leaf(c, 2))
            let condition = joined([negated(joined([x, negated(y, 0)], 1), 2), z], 3)
            let whole = negated(condition, 4)
            let ny = bit(0) ? -number[b]! : number[b]!
            let inner = bit(1) ? min(number[a]!, ny) : max(number[a]!, ny)
            let left = bit(2) ? -inner : inner
            let joinedValue = bit(3) ? min(left, number[c]!) : max(left, number[c]!)
            let expected = bit(4) ? -joinedValue : joinedValue
            conditions.append((whole, expected))
          }
          var bench = EngineBench(
            conditions.enumerated().map { .test($0, .on(.characteristic(.text, equals: "go"), if: $1.0)) })
          bench.unreachable = [.window]
          bench.set(.text, "go")
          for (index, (condition, expected)) in conditions.enumerated() {
            let evaluation = bench.engine.evaluations(of: .test(1000 + index)).last
            #expect(evaluation?.condition.map { number[$0.result]! } == expected, "\(condition)")
            #expect(evaluation?.outcome.isExecuted == (expected == 1), "\(condition)")
            count += 1
          }
        }
      }
    }
    #expect(count == 27 * 32)
  }

  @Test("HOME.E5 not open is not true of a window that does not answer")
  func doesNotAnswer() {
    let condition = Condition.not(.characteristic(.window, .equal, true))
    var bench = EngineBench([.test(1, .on(.characteristic(.lock, equals: 0), if: condition))])
    bench.unreachable = [.window]
    bench.set(.lock, 0)
    #expect(bench.executions.isEmpty && bench.outcome == .conditionUnknown)
    #expect(
      bench.why.hasSuffix(
        """
          condition:
            unknown: not
              unknown: Window/Contact Sensor State is not-detected (unknown: the accessory is not reachable)
        """))
    bench.unreachable = []
    bench.set(.lock, 1)
    bench.set(.lock, 0)
    #expect(bench.executions.count == 1)
  }

  @Test("HOME.E5 a comparison with a removed object is unknown, also under NOT")
  func removed() {
    for condition in [Condition.unknown, .not(.unknown), .characteristic(.test(999), .equal, 1)] {
      var bench = EngineBench([.test(1, .on(.characteristic(.lock, equals: 0), if: condition))])
      bench.set(.lock, 0)
      #expect(bench.executions.isEmpty && bench.outcome == .conditionUnknown, "\(condition)")
    }
  }

  // MARK: Values

  private let both = Condition.all([.characteristic(.motion, .equal, true), .characteristic(.window, .equal, true)])

  @Test("HOME.E5 characteristics of conditions are subscribed while the trigger is enabled, if they notify")
  func subscriptions() {
    var bench = EngineBench([.test(1, .on(.characteristic(.lock, equals: 0), if: both), isEnabled: false)])
    #expect(bench.subscribed.isEmpty)
    bench.update(.test(1001)) { $0.isEnabled = true }
    #expect(bench.subscribed == [.lock, .motion])
    bench.update(.test(1001)) { $0.kind = .on(.characteristic(.lock, equals: 0)) }
    #expect(bench.subscribed == [.lock])
    bench.update(.test(1001)) { $0.isEnabled = false }
    #expect(bench.subscribed.isEmpty)
  }

  @Test("HOME.E5 values that are not known are read, and the others are not")
  func reads() {
    var bench = EngineBench([.test(1, .on(.characteristic(.lock, equals: 0), if: both))])
    bench.world[.window] = true
    bench.set(.motion, true)
    bench.holdsReads = true
    bench.set(.lock, 0)
    guard case .read(let ids, ticket: _)? = bench.held.first else {
      Issue.record("nothing was read")
      return
    }
    #expect(ids == [.window] && bench.executions.isEmpty)
    bench.answerHeld()
    #expect(bench.executions.count == 1)
  }

  @Test("HOME.E5 values of a lost session are read again")
  func lostSession() {
    let condition = Condition.characteristic(.motion, .equal, false)
    var bench = EngineBench([.test(1, .on(.characteristic(.lock, equals: 0), if: condition))])
    bench.engine.valuesLost([.motion, .temperature])
    bench.unreachable = [.motion]
    bench.set(.lock, 0)
    #expect(bench.executions.isEmpty && bench.outcome == .conditionUnknown)
    bench.set(.motion, false, isCatchUp: true)
    bench.set(.lock, 1)
    bench.set(.lock, 0)
    #expect(bench.executions.count == 1)
  }

  @Test("HOME.E5 a read is waited for 5 s; then the value is unknown, and a later answer is ignored")
  func timeLimit() {
    var bench = EngineBench([.test(1, .on(.characteristic(.lock, equals: 0), if: both))])
    bench.set(.motion, true)
    bench.world[.window] = true
    bench.holdsReads = true
    bench.set(.lock, 0)
    #expect(bench.engine.nextDeadline == bench.now.advanced(by: .seconds(5)))
    bench.run(for: .seconds(5))
    #expect(bench.outcome == .conditionUnknown)
    #expect(bench.why.contains("(unknown: no answer within 5 s)"))
    bench.answerHeld()
    #expect(bench.executions.isEmpty && bench.engine.evaluations(of: .test(1001)).count == 1)
    // Without the unknown value, the condition is false.
    bench.set(.motion, false)
    bench.set(.lock, 1)
    bench.set(.lock, 0)
    bench.run(for: .seconds(6))
    #expect(bench.outcome == .conditionFalse)
  }

  @Test("HOME.E5 the condition is evaluated with the values at the end of the read, and the time of the event")
  func moment() {
    let condition = Condition.all([both, .time(.before(.hour(18)))])
    var bench = EngineBench(
      [.test(1, .on(.characteristic(.lock, equals: 0), if: condition))], at: "2026-06-01T17:59:58")
    bench.world[.window] = true
    bench.holdsReads = true
    bench.set(.lock, 0)
    bench.run(until: "2026-06-01T18:00:01")
    bench.set(.motion, true)
    bench.answerHeld()
    #expect(bench.executions.count == 1)
  }

  @Test("HOME.E5 a trigger that is disabled or changed during a read executes nothing", arguments: [true, false])
  func changedDuringRead(isDisabled: Bool) {
    var bench = EngineBench([.test(1, .on(.characteristic(.lock, equals: 0), if: both))])
    bench.set(.motion, true)
    bench.world[.window] = true
    bench.holdsReads = true
    bench.set(.lock, 0)
    bench.update(.test(1001)) {
      if isDisabled { $0.isEnabled = false } else { $0.kind = .on(.characteristic(.lock, equals: 2)) }
    }
    #expect(bench.outcome == .changedMeanwhile)
    bench.answerHeld()
    #expect(bench.executions.isEmpty)
  }

  @Test("HOME.E8 as a condition, first entry means one of the users is at home, and last exit none")
  func presence() {
    let one = Condition.presence(PresenceEvent(.firstEntry, of: .users([.anna, .ben])))
    let none = Condition.presence(PresenceEvent(.lastExit, of: .users([.anna, .ben])))
    let nobody = Condition.presence(PresenceEvent(.lastExit, of: .users([.test(99)])))
    var bench = EngineBench(
      [one, none, nobody].enumerated().map { .test($0, .on(.characteristic(.lock, equals: nil), if: $1)) })
    func fired() -> [HomeObjectID] {
      let count = bench.executions.count
      bench.set(.lock, bench.world[.lock] == 0 ? 1 : 0)
      return bench.executions.dropFirst(count).map(\.trigger)
    }
    #expect(fired() == [.test(1001)])
    bench.person(.carl, .home)
    #expect(fired() == [.test(1001)])
    bench.person(.ben, .home)
    #expect(fired() == [.test(1000)])
    let text = bench.engine.evaluations(of: .test(1001)).last.map { bench.text($0) }
    #expect(text?.contains("false: none of Anna, Ben is at home (at home: Ben)") ?? false)
    #expect(bench.outcome == .conditionUnknown)
  }
}
