import Foundation
import HAPAlmanac
import HAPHome
import HAPModel
import Testing

@testable import HAPHomeKit

@Suite("Predicates of HomeKit") struct PredicateTests {
  /// The condition of a predicate, and the predicate of that condition again.
  private func thereAndBack(_ predicate: NSPredicate, _ bench: TriggerBench) throws -> Condition? {
    let condition = try #require(try Condition(predicate, in: bench.record))
    let again = NSPredicate.make(from: condition) { bench.session.characteristic($0, in: bench.record) }
    #expect(try Condition(again, in: bench.record) == condition)
    return condition
  }

  @Test("Each condition gives a predicate, from which the same condition is read") func property() async throws {
    let bench = try await TriggerBench.start()
    for seed in 0..<600 {
      var random = RandomTriggers(seed: UInt64(seed), bench)
      let condition = random.condition(seed % 10, depth: 1 + seed % 6)
      let predicate = NSPredicate.make(from: condition) { bench.session.characteristic($0, in: bench.record) }
      let again = try Condition(predicate, in: bench.record)
      #expect(again == condition, "seed \(seed)")
    }
    withExtendedLifetime(bench.manager) {}
  }

  @Test("The class methods give the conditions of their names") func methods() async throws {
    let bench = try await TriggerBench.start()
    let (six, ten) = (DateComponents(hour: 6, minute: 30), DateComponents(hour: 22))
    let (morning, night) = (try DateParts(hour: 6, minute: 30), try DateParts(hour: 22))
    let sunrise = HMSignificantTimeEvent(significantEvent: .sunrise, offset: nil)
    let dusk = HMSignificantTimeEvent(significantEvent: .sunset, offset: DateComponents(minute: -30))
    let (rise, set) = (try #require(SunMoment(.sunrise)), try #require(SunMoment(.sunset, offset: -1800)))
    let brightness = bench.characteristic(.int)
    let cases: [(NSPredicate, Condition)] = [
      (HMEventTrigger.predicateForEvaluatingTrigger(occurringBefore: six), .time(.before(morning))),
      (HMEventTrigger.predicateForEvaluatingTrigger(occurringOn: six), .time(.on(morning))),
      (HMEventTrigger.predicateForEvaluatingTrigger(occurringAfter: six), .time(.after(morning))),
      (
        HMEventTrigger.predicateForEvaluatingTriggerOccurringBetweenDate(with: ten, secondDateWith: six),
        .time(.between(night, morning))
      ),
      (HMEventTrigger.predicateForEvaluatingTriggerOccurring(beforeSignificantEvent: sunrise), .sun(.before(rise))),
      (HMEventTrigger.predicateForEvaluatingTriggerOccurring(afterSignificantEvent: dusk), .sun(.after(set))),
      (
        HMEventTrigger.predicate(
          forEvaluatingTriggerOccurringBetweenSignificantEvent: dusk, secondSignificantEvent: sunrise),
        .sun(.between(set, rise))
      ),
      (
        HMEventTrigger.predicateForEvaluatingTrigger(brightness, relatedBy: .greaterThanOrEqualTo, toValue: 20),
        .characteristic(brightness.id, .greaterOrEqual, 20)
      ),
      (
        HMEventTrigger.predicateForEvaluatingTrigger(
          withPresence: HMPresenceEvent(presenceEventType: .notAtHome, presenceUserType: .homeUsers)),
        .presence(PresenceEvent(.lastExit, of: .homeUsers))
      ),
    ]
    for (predicate, condition) in cases { #expect(try thereAndBack(predicate, bench) == condition) }
    withExtendedLifetime(bench.manager) {}
  }

  @Test("The deprecated methods for the sun take texts") @available(*, deprecated) func texts() async throws {
    let bench = try await TriggerBench.start()
    let set = try #require(SunMoment(.sunset, offset: 5400))
    let offset = DateComponents(hour: 1, minute: 30)
    let before = HMEventTrigger.predicateForEvaluatingTrigger(occurringBefore: "sunset", applyingOffset: offset)
    #expect(try thereAndBack(before, bench) == .sun(.before(set)))
    let after = HMEventTrigger.predicateForEvaluatingTrigger(occurringAfter: "sunset", applyingOffset: offset)
    #expect(try thereAndBack(after, bench) == .sun(.after(set)))
    let wrong = HMEventTrigger.predicateForEvaluatingTrigger(occurringAfter: "noon", applyingOffset: nil)
    #expect(bench.refusal(wrong)?.code == .invalidParameter)
    withExtendedLifetime(bench.manager) {}
  }

  @Test("A predicate has the shape that the HomeKit Catalog reads") func shape() async throws {
    let bench = try await TriggerBench.start()
    let brightness = bench.characteristic(.int)
    let pair = try #require(
      HMEventTrigger.predicateForEvaluatingTrigger(brightness, relatedBy: .lessThan, toValue: 20)
        as? NSCompoundPredicate)
    let halves = try (pair.subpredicates as [Any]).map { try #require($0 as? HMComparisonPredicate) }
    #expect(pair.compoundPredicateType == .and && halves.count == 2)
    #expect(halves.map(\.leftExpression.expressionType) == [.keyPath, .keyPath])
    #expect(halves.map(\.leftExpression.keyPath) == [HMCharacteristicKeyPath, HMCharacteristicValueKeyPath])
    #expect(halves[0].rightExpression.constantValue as? HMCharacteristic === brightness)
    #expect(halves[1].rightExpression.constantValue as? NSCopying != nil)
    #expect(halves[1].rightExpression.constantValue as? Int == 20)

    let sunset = HMSignificantTimeEvent(significantEvent: .sunset, offset: nil)
    let after = try #require(
      HMEventTrigger.predicateForEvaluatingTriggerOccurring(afterSignificantEvent: sunset) as? HMComparisonPredicate)
    #expect(after.leftExpression.keyPath == HMSignificantEvent.sunset.rawValue)
    #expect(after.rightExpression.expressionType == .function && after.rightExpression.function == "now")
    #expect(after.rightExpression.arguments?.count == 0 && after.predicateOperatorType == .lessThanOrEqualTo)

    let noon = DateComponents(hour: 12, minute: 0)
    let on = try #require(
      HMEventTrigger.predicateForEvaluatingTrigger(occurringOn: noon) as? HMComparisonPredicate)
    #expect(on.leftExpression.function == "now" && on.predicateOperatorType == .equalTo)
    #expect(on.rightExpression.constantValue as? DateComponents == noon)
    #expect((on.rightExpression.constantValue as? NSDateComponents)?.hour == 12)

    let event = HMPresenceEvent(presenceEventType: .atHome, presenceUserType: .currentUser)
    let presence = try #require(
      HMEventTrigger.predicateForEvaluatingTrigger(withPresence: event) as? HMComparisonPredicate)
    #expect(
      presence.leftExpression.keyPath == HMPresenceKeyPath && presence.rightExpression.constantValue is HMPresenceEvent)
    withExtendedLifetime(bench.manager) {}
  }

  @Test("An app may move the two comparisons of a characteristic into another AND") func moved() async throws {
    let bench = try await TriggerBench.start()
    let id = bench.characteristic(.bool).id
    let pair = HMEventTrigger.predicateForEvaluatingTrigger(
      bench.characteristic(.bool), relatedBy: .equalTo, toValue: true)
    let early = HMEventTrigger.predicateForEvaluatingTrigger(occurringBefore: DateComponents(hour: 6))
    let halves = try #require(pair as? NSCompoundPredicate).subpredicates as [Any] as! [NSPredicate]
    let condition = Condition.characteristic(id, .equal, true)
    let time = Condition.time(.before(try DateParts(hour: 6)))
    func all(_ parts: [NSPredicate]) -> NSPredicate { NSCompoundPredicate(type: .and, subpredicates: parts) }
    #expect(try thereAndBack(all(halves + [early]), bench) == .all([condition, time]))
    #expect(try thereAndBack(all([early, halves[1], halves[0]]), bench) == .all([time, condition]))
    #expect(try thereAndBack(all([pair, early]), bench) == .all([condition, time]))
    #expect(try thereAndBack(all([pair]), bench) == .all([condition]))
    for wrong in [all([halves[0]]), all([halves[0], early, halves[1]]), all(halves + halves.suffix(1)), halves[1]] {
      #expect(bench.refusal(wrong)?.code == .invalidParameter)
    }
    #expect(bench.refusal(NSCompoundPredicate(type: .or, subpredicates: halves))?.code == .invalidParameter)
    withExtendedLifetime(bench.manager) {}
  }

  @Test("A predicate of another shape is refused with 3 and a message") func shapes() async throws {
    let bench = try await TriggerBench.start()
    func now(_ arguments: [Any] = []) -> HMExpression { HMExpression(forFunction: "now", arguments: arguments) }
    func path(_ path: String) -> HMExpression { HMExpression(forKeyPath: path) }
    func constant(_ value: Any?) -> HMExpression { HMExpression(forConstantValue: value) }
    let (six, offset) = (constant(DateComponents(hour: 6)), DateComponents(day: 1))
    func comparison(
      _ left: HMExpression, _ right: HMExpression, _ type: HMComparisonPredicate.Operator = .equalTo,
      _ modifier: HMComparisonPredicate.Modifier = .direct, _ options: HMComparisonPredicate.Options = []
    ) -> NSPredicate {
      HMComparisonPredicate(
        leftExpression: left, rightExpression: right, modifier: modifier, type: type, options: options)
    }
    let presence = HMPresenceEvent(presenceEventType: .atHome, presenceUserType: .customUsers)
    let wrong: [(NSPredicate, String)] = [
      (NSPredicate { _, _ in true }, "block"), (NSPredicate(value: true), "constant"),
      (NSCompoundPredicate(type: .not, subpredicates: [NSPredicate(value: true), NSPredicate(value: true)]), "NOT"),
      (NSCompoundPredicate(type: .or, subpredicates: [NSPredicate(value: true)]), "constant"),
      (comparison(now(), six, .notEqualTo), "not understood"), (comparison(now(), six, .between), "not understood"),
      (comparison(six, now()), "not understood"), (comparison(now([1]), six), "not understood"),
      (comparison(now(), constant("06:00")), "not understood"), (comparison(now(), path("sunset")), "not understood"),
      (comparison(now(), six, .equalTo, .any), "modifier"),
      (comparison(now(), six, .equalTo, .direct, .caseInsensitive), "modifier"),
      (comparison(now(), constant(DateComponents(weekOfYear: 3))), "weekOfYear"),
      (comparison(now(), constant(DateComponents(hour: 24))), "hour"),
      (comparison(path("sunset"), now()), "not understood"),
      (comparison(path("moonrise"), now(), .lessThan), "moonrise"),
      (comparison(path("sunset"), six, .lessThan), "not understood"),
      (comparison(path("sunset"), HMExpression(forFunction: "add:to:", arguments: [now(), offset]), .lessThan), "day"),
      (
        comparison(path("sunset"), HMExpression(forFunction: "add:to:", arguments: [now(), 50_000]), .lessThan),
        "12 hours"
      ),
      (
        comparison(path("sunset"), HMExpression(forFunction: "add:to:", arguments: [now(), Double.nan]), .lessThan),
        "not under"
      ),
      (
        comparison(path("sunset"), HMExpression(forFunction: "add:to:", arguments: [now()]), .lessThan),
        "not understood"
      ),
      (comparison(path(HMPresenceKeyPath), constant(1)), "not understood"),
      (comparison(path(HMPresenceKeyPath), constant(presence)), "customUsers"),
      (comparison(path(HMPresenceKeyPath), constant(presence), .notEqualTo), "not understood"),
      (comparison(path(HMCharacteristicValueKeyPath), constant(1)), "next to each other"),
    ]
    for (predicate, part) in wrong {
      let error = bench.refusal(predicate)
      #expect(error?.code == .invalidParameter && error?.localizedDescription.contains(part) == true, "\(predicate)")
    }
    withExtendedLifetime(bench.manager) {}
  }

  @Test("A comparison of a characteristic needs one of this home, an operator and a value") func halves() async throws {
    let bench = try await TriggerBench.start()
    let (own, foreign) = (bench.characteristic(.int), bench.characteristic(.int, in: bench.other))
    func pair(
      _ characteristic: Any?, _ value: Any?, _ first: HMComparisonPredicate.Operator = .equalTo,
      _ second: HMComparisonPredicate.Operator = .equalTo
    ) -> NSPredicate {
      let halves = [(HMCharacteristicKeyPath, characteristic, first), (HMCharacteristicValueKeyPath, value, second)]
      return NSCompoundPredicate(
        type: .and,
        subpredicates: halves.map {
          HMComparisonPredicate(
            leftExpression: HMExpression(forKeyPath: $0.0), rightExpression: HMExpression(forConstantValue: $0.1),
            modifier: .direct, type: $0.2, options: [])
        })
    }
    #expect(bench.refusal(pair(own, 1)) == nil)
    #expect(bench.refusal(pair(foreign, 1))?.code == .objectAssociatedToAnotherHome)
    #expect(bench.refusal(pair("On", 1))?.code == .invalidParameter)
    #expect(bench.refusal(pair(nil, 1))?.code == .invalidParameter)
    #expect(bench.refusal(pair(own, 1, .lessThan))?.code == .invalidParameter)
    #expect(bench.refusal(pair(own, 1, .equalTo, .in))?.code == .invalidParameter)
    #expect(bench.refusal(pair(own, nil))?.code == .invalidValueType)
    #expect(bench.refusal(pair(own, Date()))?.code == .invalidValueType)
    let accessory = try #require(bench.hub.model.home(bench.other.handle.id)?.accessories.first)
    try bench.hub.performElsewhere(.removeAccessory(accessory.id))
    try await bench.perform(.rename(bench.home.handle.id, "Villa"))
    #expect(bench.refusal(pair(foreign, 1))?.code == .objectNotAssociatedToAnyHome)
    withExtendedLifetime(bench.manager) {}
  }

  @Test("A predicate has at most 32 levels and 1000 parts, and a deeper one does not overflow the stack")
  func limits() async throws {
    let bench = try await TriggerBench.start()
    func nested(_ levels: Int, _ type: NSCompoundPredicate.LogicalType) -> NSPredicate {
      var predicate = HMEventTrigger.predicateForEvaluatingTrigger(
        bench.characteristic(.bool), relatedBy: .equalTo, toValue: true)
      for _ in 1..<levels { predicate = NSCompoundPredicate(type: type, subpredicates: [predicate]) }
      return predicate
    }
    for type in [NSCompoundPredicate.LogicalType.and, .or, .not] {
      #expect(try Condition(nested(32, type), in: bench.record)?.depth == 32)
      #expect(bench.refusal(nested(33, type))?.code == .invalidParameter)
      #expect(bench.refusal(nested(2000, type))?.code == .invalidParameter)
    }
    // One object in many places: 2³⁰ parts.
    var shared = HMEventTrigger.predicateForEvaluatingTrigger(occurringOn: DateComponents(hour: 1))
    for _ in 0..<30 { shared = NSCompoundPredicate(type: .or, subpredicates: [shared, shared]) }
    #expect(bench.refusal(shared)?.code == .maximumObjectLimitReached)
    withExtendedLifetime(bench.manager) {}
  }

  @Test("A characteristic can't be compared by another operator than the six comparisons") func operators() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let bench = try await TriggerBench.start()
      _ = HMEventTrigger.predicateForEvaluatingTrigger(bench.characteristic(.int), relatedBy: .in, toValue: 1)
    }
    #expect(
      result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }?.contains("can't be compared by") == true)
  }
}
