import HAPAlmanac
import HAPModel
import HAPWire
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Engine: explanations in JSON")
struct EvaluationJSONTests {
  private static let time = Instant(seconds: 1_780_000_000)
  private static let timeText = "2026-05-28T20:26:40Z"

  private static func json(
    _ cause: Evaluation.Cause = .start, _ condition: ConditionTrace? = nil, isLast: Bool = false,
    _ outcome: Evaluation.Outcome = .executing
  ) throws -> JSONNode {
    let evaluation = Evaluation(
      trigger: .test(1001), number: 3, time: time, cause: cause, condition: condition, isLast: isLast, outcome: outcome)
    let text = evaluation.json.compactText
    // The text is JSON without repeated members.
    return try JSONNode.parse(Array(text.utf8), depthLimit: JSONNode.homeDepthLimit)
  }

  @Test("An evaluation has its trigger, number, time, cause and outcome")
  func whole() throws {
    let text = try Self.json(isLast: true).compactText
    #expect(
      text
        == #"{"trigger":"\#(HomeObjectID.test(1001))","number":3,"time":"\#(Self.timeText)","cause":{"kind":"start"},"last":true,"outcome":"executing"}"#
    )
  }

  @Test("Each cause has a kind and its parts")
  func causes() throws {
    let sunset = try #require(SunMoment(.sunset, offset: -1800))
    let due = #""due":"\#(Self.timeText)""#
    for (cause, expected) in [
      (.start, #"{"kind":"start"}"#), (.hand(nil), #"{"kind":"hand"}"#),
      (.hand(.anna), #"{"kind":"hand","user":"\#(HomeObjectID.anna)"}"#),
      (
        .value(.lock, before: nil, after: 1, isCatchUp: false),
        #"{"kind":"value","characteristic":"\#(HomeObjectID.lock)","after":1}"#
      ),
      (
        .value(.lock, before: .data([1]), after: .null, isCatchUp: true),
        #"{"kind":"value","characteristic":"\#(HomeObjectID.lock)","before":{"base64":"AQ=="},"after":null,"catchUp":true}"#
      ),
      (.timer(due: Self.time, nil), #"{"kind":"timer",\#(due)}"#),
      (.timer(due: Self.time, .skipped), #"{"kind":"timer",\#(due),"clock":"skipped"}"#),
      (
        .calendar(try DateParts(hour: 7, minute: 30), due: Self.time, .repeated),
        #"{"kind":"calendar","at":"07:30",\#(due),"clock":"repeated"}"#
      ),
      (.sun(sunset, due: Self.time), #"{"kind":"sun","sun":"sunset","offset":"-30min",\#(due)}"#),
      (.presence(.ben, isEntry: true), #"{"kind":"presence","user":"\#(HomeObjectID.ben)","entry":true}"#),
      (.location(.ben, isEntry: false), #"{"kind":"location","user":"\#(HomeObjectID.ben)","entry":false}"#),
      (.duration(due: Self.time), #"{"kind":"duration",\#(due)}"#),
    ] as [(Evaluation.Cause, String)] {
      #expect(try Self.json(cause)["cause"]?.compactText == expected)
    }
  }

  @Test("Each outcome has its own word, and its parts")
  func outcomes() throws {
    let value = RestorableValue(.lampOn, before: nil, written: true)
    let restored = Evaluation.RestoredValue(value: value, actual: true, isRestored: false)
    let report = ExecutionReport(done: 2, failures: [ExecutionReport.Failure(.hiHouse, why: "busy")])
    let writes = #""writes":{"done":2,"failed":[{"object":"\#(HomeObjectID.hiHouse)","why":"busy"}]}"#
    let values =
      #""values":[{"characteristic":"\#(HomeObjectID.lampOn)","written":true,"actual":true,"restored":false}]"#
    let outcomes: [(Evaluation.Outcome, String)] = [
      (.executing, ""), (.executed(report), ",\(writes)"), (.ending([restored]), ",\(values)"),
      (.ended([restored], report), ",\(values),\(writes)"), (.conditionFalse, ""), (.conditionUnknown, ""),
      (.otherWeekday(.monday), #","weekday":"mon""#), (.noHub, ""), (.noLocation, ""),
      (.noZone(.utc), #","timeZone":"UTC""#), (.missed, ""),
      (.settledBefore(Self.time), #","until":"\#(Self.timeText)""#),
      (.unknownBefore, ""), (.nothingToExecute, ""), (.disabled, ""), (.sameTime, ""), (.busy, ""),
      (.tooManyExecutions, ""), (.loopStopped, ""), (.changedMeanwhile, ""), (.notRecorded("full"), #","why":"full""#),
      (.endNotRecorded("full"), #","why":"full""#),
      (
        .notConfirmed(TriggerState.Started(time: Self.time, isEnd: true)),
        #","started":"\#(Self.timeText)","end":true"#
      ),
    ]
    for (outcome, members) in outcomes {
      let text = try Self.json(.start, nil, outcome).compactText
      #expect(text.hasSuffix(#""outcome":"\#(outcome.name)"\#(members)}"#), "\(text)")
    }
    #expect(Set(outcomes.map(\.0.name)).count == outcomes.count)
  }

  @Test("A condition has the members of its command, its result, and the actual values")
  func conditions() throws {
    let sunset = try #require(SunMoment(.sunset))
    let noon = try CivilTime("2026-06-01T12:00")
    func leaf(_ truth: Truth, _ detail: ConditionTrace.Detail) -> ConditionTrace {
      ConditionTrace(result: truth, detail: detail)
    }
    let parts: [(ConditionTrace, String)] = [
      (
        leaf(.unknown, .characteristic(.lock, .equal, 1, actual: nil, why: "no answer")),
        #"{"result":"unknown","characteristic":"\#(HomeObjectID.lock)","is":1,"why":"no answer"}"#
      ),
      (
        leaf(.false, .characteristic(.lock, .less, 1, actual: 2, why: nil)),
        #"{"result":"false","characteristic":"\#(HomeObjectID.lock)","below":1,"actual":2}"#
      ),
      (
        leaf(.true, .time(.before(try DateParts(hour: 18, minute: 0)), actual: noon)),
        #"{"result":"true","before":"18:00","actual":"2026-06-01T12:00:00"}"#
      ),
      (
        leaf(.unknown, .sun(.after(sunset), actual: noon, moments: [nil])),
        #"{"result":"unknown","after":"sunset","actual":"2026-06-01T12:00:00","moments":[null]}"#
      ),
      (
        leaf(.true, .presence(PresenceEvent(.firstEntry, of: .homeUsers), users: [.anna, .ben], atHome: [.ben])),
        #"{"result":"true","presence":"first-entry","users":"home-users","counted":["\#(HomeObjectID.anna)","\#(HomeObjectID.ben)"],"atHome":["\#(HomeObjectID.ben)"]}"#
      ),
      (leaf(.unknown, .removed), #"{"result":"unknown","unknown":true}"#),
    ]
    let all = leaf(.unknown, .all(parts.map(\.0)))
    let tree = leaf(.true, .not(leaf(.false, .any([all]))))
    let texts = parts.map(\.1).joined(separator: ",")
    #expect(
      try Self.json(.start, tree)["condition"]?.compactText
        == #"{"result":"true","not":{"result":"false","any":[{"result":"unknown","all":[\#(texts)]}]}}"#)
  }

  @Test("The JSON of a condition of the greatest depth can be read as a part of a line")
  func depth() throws {
    var trace = ConditionTrace(result: .true, detail: .removed)
    for _ in 0..<31 { trace = ConditionTrace(result: .true, detail: .all([trace])) }
    let node = try Self.json(.start, trace)
    let line = JSONNode.object([("a", .list([.object([("evaluation", .object([("detail", node)]))])]))]).compactText
    #expect(throws: Never.self) { try JSONNode.parse(Array(line.utf8), depthLimit: JSONNode.homeDepthLimit) }
  }
}
