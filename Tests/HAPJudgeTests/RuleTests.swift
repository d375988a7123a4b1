import HAPIP
import HAPModel
import HAPReport
import HAPWire
import Testing

@testable import HAPJudge

@Suite("Rules for controllers: fulfilled and violated")
struct RuleTests {
  let court = Court()

  @Test("Each rule has a unique name and the data of a report")
  func descriptions() {
    let rules = ControllerJudge.descriptions
    #expect(Set(rules.map(\.name)).count == rules.count)
    for rule in rules {
      #expect(rule.name.allSatisfy { $0.isLowercase || $0 == "-" })
      for text in [rule.requirement, rule.source, rule.impact, rule.chance] { #expect(!text.isEmpty, "\(rule.name)") }
    }
  }

  @Test("Without events, each rule is untested, and the report names the awaited events")
  func nothing() {
    #expect(court.broken.isEmpty)
    for rule in ControllerJudge.descriptions {
      #expect(court.verdict(rule.name) == .skip)
      #expect(court.outcome(rule.name).message.contains(rule.chance))
    }
  }

  // MARK: Requests

  @Test("The next request must follow the answer")
  func oneAtATime() {
    let session = court.session()
    court.get(session, "/accessories")
    court.get(session, "/accessories")
    #expect(court.verdict("one-request-at-a-time") == .pass)
    court.ask(session, "GET /accessories")
    court.act(.arrived, on: session)
    #expect(court.broken == ["one-request-at-a-time"])
  }

  @Test("Two requests in one piece are simultaneous")
  func twoInOnePiece() {
    let session = court.session()
    court.get(session, "/accessories")
    court.act(.asked(PlainMessage(start: "GET /accessories HTTP/1.1", fields: [HTTPField("Host", "x")])), on: session)
    #expect(court.verdict("one-request-at-a-time") == .fail)
  }

  @Test("After an answer that never arrived, another request is allowed")
  func lostAnswer() {
    let session = court.session()
    court.ask(session, "GET /accessories")
    court.wait(.seconds(6))
    court.act(.arrived, on: session)
    #expect(court.verdict("one-request-at-a-time") != .fail)
  }

  @Test("Unreadable bytes violate the rule, with the reason")
  func unreadable() {
    let session = court.session()
    court.act(.unreadable(reason: "a frame's tag doesn't hold"), on: session)
    #expect(court.outcome("readable").message == "a frame's tag doesn't hold")
  }

  @Test(
    "A request has exactly one Host",
    arguments: [[HTTPField("Host", "x")], [], [HTTPField("Host", "x"), HTTPField("host", "y")]])
  func host(fields: [HTTPField]) {
    let session = court.session()
    court.ask(session, "GET /accessories", fields: fields)
    #expect(court.verdict("host-field") == (fields.count == 1 ? .pass : .fail))
  }

  @Test(
    "Bodies match their type",
    arguments: [
      ("application/hap+json", true), ("application/hap+json; charset=utf-8", true), ("APPLICATION/HAP+JSON", true),
      ("application/json", false), (nil, false),
    ] as [(String?, Bool)])
  func bodyType(type: String?, isRight: Bool) {
    let session = court.session()
    court.ask(
      session, "PUT /characteristics", Array(#"{"characteristics":[{"aid":1,"iid":9,"ev":true}]}"#.utf8), type: type)
    #expect(court.verdict("body-type") == (isRight ? .pass : .fail))
  }

  @Test("Unknown resources and methods violate the rule", arguments: ["GET /", "GET /status", "DELETE /accessories"])
  func endpoints(request: String) {
    let session = court.session()
    court.get(session, "/characteristics?id=1.9")
    #expect(court.verdict("known-endpoints") == .pass)
    court.ask(session, request)
    #expect(court.broken == ["known-endpoints"])
  }

  @Test(
    "The query of a read has one valid form",
    arguments: [
      ("id=1.9", true), ("id=1.9,1.10&meta=1&ev=0", true), ("", false), ("id=", false), ("id=1.9,1.9", false),
      ("id=1.09", false), ("id=1.9,", false), ("id=1", false), ("id=1.9&id=1.10", false), ("id=1.9&meta=true", false),
      ("id=1.9&all=1", false), ("id=1.99999999999999999999999", false), ("id=%31.9", false),
    ])
  func query(query: String, isRight: Bool) {
    let session = court.session()
    court.ask(session, "GET /characteristics?\(query)")
    #expect(court.verdict("query-form") == (isRight ? .pass : .fail))
  }

  @Test(
    "A write has entries, each with an action",
    arguments: [
      (#"{"characteristics":[{"aid":1,"iid":9,"value":true}]}"#, true),
      (#"{"characteristics":[{"aid":1,"iid":9,"ev":1}]}"#, true),
      ("", false), ("{}", false), (#"{"characteristics":[]}"#, false), ("[1", false),
      (#"{"characteristics":[{"iid":9,"value":true}]}"#, false), (#"{"characteristics":[{"aid":1,"iid":9}]}"#, false),
      (#"{"characteristics":[{"aid":1,"iid":9,"ev":"on"}]}"#, false),
      (#"{"characteristics":[{"aid":1,"iid":9,"ev":true},{"aid":1,"iid":9,"ev":false}]}"#, false),
      (#"{"characteristics":[{"aid":1.5,"iid":9,"ev":true}]}"#, false), (#"{"characteristics":7}"#, false),
    ])
  func write(body: String, isRight: Bool) {
    let session = court.session()
    court.put(session, body)
    #expect(court.verdict("write-form") == (isRight ? .pass : .fail))
  }

  @Test(
    "A preparation has a ttl and a pid",
    arguments: [
      (#"{"ttl":1000,"pid":7}"#, true), (#"{"ttl":0,"pid":7}"#, false), (#"{"ttl":1000}"#, false),
      (#"{"ttl":1000,"pid":-1}"#, false), ("", false),
    ])
  func preparation(body: String, isRight: Bool) {
    let session = court.session()
    court.put(session, body, to: "/prepare", 200)
    #expect(court.verdict("write-form") == (isRight ? .pass : .fail))
  }

  // MARK: Characteristics

  @Test("Only ids of the last sent database may be used, even if it was altered")
  func knownIDs() {
    let session = court.session()
    court.get(session, "/characteristics?id=1.9")
    #expect(court.verdict("known-ids") == .pass)
    let lie =
      #"{"accessories":[{"aid":1,"services":[{"iid":1,"type":"43","characteristics":[{"iid":77,"type":"25","perms":["pr"],"format":"bool","value":true}]}]}]}"#
    court.get(session, "/accessories", 200, lie)
    court.get(session, "/characteristics?id=1.77")
    #expect(court.verdict("known-ids") == .pass)
    court.get(session, "/characteristics?id=1.9")
    #expect(court.broken == ["known-ids"])
  }

  @Test(
    "Writes and subscriptions need permissions",
    arguments: [
      (#"{"aid":1,"iid":9,"value":true}"#, true), (#"{"aid":1,"iid":9,"ev":true}"#, true),
      (#"{"aid":1,"iid":11,"ev":false}"#, nil), (#"{"aid":1,"iid":11,"value":"x"}"#, false),
      (#"{"aid":1,"iid":11,"ev":true}"#, false), (#"{"aid":1,"iid":9,"value":true,"r":true}"#, false),
    ] as [(String, Bool?)])
  func permissions(entry: String, isRight: Bool?) {
    court.put(court.session(), #"{"characteristics":[\#(entry)]}"#)
    #expect(court.verdict("permissions") == (isRight.map { $0 ? .pass : .fail } ?? .skip))
  }

  @Test(
    "Values match format and limits",
    arguments: [
      ("50", true), ("0", true), ("101", false), ("-1", false), ("50.5", false), (#""50""#, false), ("null", false),
      ("[50]", false), ("{}", false),
    ])
  func values(value: String, isRight: Bool) {
    court.put(court.session(), #"{"characteristics":[{"aid":1,"iid":10,"value":\#(value)}]}"#)
    #expect(court.verdict("values") == (isRight ? .pass : .fail))
  }

  @Test(
    "A controller that follows an altered database doesn't violate the rule",
    arguments: [#""format":"string""#, #""perms":["pr","pw"]"#, #""maxValue":200"#])
  func lies(lie: String) {
    let session = court.session()
    let members = [
      #""iid":10,"type":"8""#, #""perms":["pr","pw","ev"]"#, #""format":"int""#, #""minValue":0"#, #""maxValue":100"#,
    ]
    func tell(_ lie: String?) {
      let told = members.map { member in
        lie.map { $0.prefix(6) == member.prefix(6) && $0.first == "\"" ? $0 : member } ?? member
      }
      let text =
        #"{"accessories":[{"aid":1,"services":[{"iid":8,"type":"43","characteristics":[{\#(told.joined(separator: ","))}]}]}]}"#
      court.get(session, "/accessories", 200, text)
    }
    let write = #"{"characteristics":[{"aid":1,"iid":10,"value":150,"ev":true}]}"#
    tell(lie)
    court.put(session, write)
    #expect(court.verdict("values") == .skip && court.verdict("permissions") == .skip)
    tell(nil)
    court.put(session, write)
    #expect(court.verdict("values") == .fail && court.verdict("permissions") == .pass)
  }

  @Test("A boolean may be 1 or 0")
  func truth() {
    court.put(court.session(), #"{"characteristics":[{"aid":1,"iid":9,"value":1}]}"#)
    #expect(court.verdict("values") == .pass)
  }

  @Test("A characteristic with tw is written with a pid that was prepared, once and in time")
  func timedWrites() {
    let session = court.session()
    let write = #"{"characteristics":[{"aid":1,"iid":12,"value":1}],"pid":7}"#
    court.put(session, #"{"ttl":1000,"pid":7}"#, to: "/prepare", 200)
    court.put(session, write)
    #expect(court.verdict("timed-writes") == .pass)
    #expect(court.verdict("prepared-writes") == .pass)
    court.put(session, write)
    #expect(court.broken == ["prepared-writes"])
    court.put(session, #"{"characteristics":[{"aid":1,"iid":12,"value":1}]}"#)
    #expect(court.broken == ["timed-writes", "prepared-writes"])
  }

  @Test("During a network fault, a timed write may be late")
  func lateOnABadNetwork() {
    let session = court.session()
    court.put(session, #"{"ttl":1000,"pid":7}"#, to: "/prepare", 200)
    court.wait(.seconds(2))
    court.lamp.serves = false
    court.put(session, #"{"characteristics":[{"aid":1,"iid":12,"value":1}],"pid":7}"#)
    #expect(court.verdict("prepared-writes") == .skip)
  }

  @Test("A timed write after its ttl, or with another pid, violates the rule", arguments: [true, false])
  func spentPreparation(isLate: Bool) {
    let session = court.session()
    court.put(session, #"{"ttl":1000,"pid":7}"#, to: "/prepare", 200)
    if isLate { court.wait(.seconds(2)) }
    court.put(session, #"{"characteristics":[{"aid":1,"iid":12,"value":1}],"pid":\#(isLate ? 7 : 8)}"#)
    #expect(court.broken == ["prepared-writes"])
  }

  @Test("A controller with a subscription must not poll; one without may")
  func polling() {
    let session = court.session()
    for _ in 0..<20 { court.get(session, "/characteristics?id=1.10") }
    court.subscribe(session)
    for _ in 0..<20 {
      court.get(session, "/characteristics?id=1.9")
      court.wait(.seconds(2))
    }
    #expect(court.verdict("no-polling") == .pass)
    for _ in 0..<10 { court.get(session, "/characteristics?id=1.9") }
    #expect(court.broken == ["no-polling"])
  }

  @Test("Reads of several characteristics are combined")
  func gathering() {
    let session = court.session()
    for _ in 0..<20 { court.get(session, "/characteristics?id=1.9,1.10") }
    for iid in [9, 10, 11, 12] { court.get(session, "/characteristics?id=1.\(iid)") }
    #expect(court.verdict("gathers-reads") == .pass)
    for iid in 20..<28 { court.get(session, "/characteristics?id=1.\(iid)") }
    #expect(court.verdict("gathers-reads") == .fail)
  }

  // MARK: The database

  @Test("After a new c#, the database is read again: at once, or after the next Pair Verify")
  func configuration() {
    court.change(.announced(configurationNumber: "1"))
    var session = court.session()
    court.change(.announced(configurationNumber: "2"))
    court.get(session, "/accessories")
    court.wait(.seconds(20))
    #expect(court.verdict("reads-new-database") == .pass)
    court.leave(session)
    court.change(.announced(configurationNumber: "3"))
    court.wait(.seconds(100))
    #expect(court.verdict("reads-new-database") == .pass, "the controller isn't connected")
    session = court.session()
    court.wait(.seconds(9))
    #expect(court.verdict("reads-new-database") == .pass)
    court.wait(.seconds(2))
    #expect(court.verdict("reads-new-database") == .fail)
  }

  @Test("An equal c#, and the first one, are no change")
  func sameConfiguration() {
    _ = court.session()
    for _ in 0..<2 { court.change(.announced(configurationNumber: "1")) }
    court.wait(.seconds(100))
    #expect(court.verdict("reads-new-database") == .skip)
  }

  @Test("The database is not read repeatedly")
  func database() {
    let session = court.session()
    for _ in 0..<3 { court.get(session, "/accessories") }
    court.judge.take(.announced(configurationNumber: "9"), of: Lamp(id: "other"), at: court.now)
    court.change(.announced(configurationNumber: "2"))
    for _ in 0..<3 { court.get(session, "/accessories") }
    #expect(court.verdict("keeps-database") == .pass)
    court.get(session, "/accessories")
    #expect(court.broken == ["keeps-database"])
  }
}
