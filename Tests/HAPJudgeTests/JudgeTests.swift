import HAPModel
import HAPReport
import HAPWire
import Testing

@testable import HAPJudge

@Suite("The judge of controllers")
struct JudgeTests {
  /// A small generator with the same sequence in each run.
  private struct Chance: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  @Test("No sequence of acts traps the judge, and its state is bounded", arguments: 1...8)
  func anything(seed: UInt64) {
    let court = Court()
    var chance = Chance(state: seed)
    let starts = [
      "GET /accessories", "GET /characteristics?id=1.9,1.10", "GET /characteristics?id=", "PUT /characteristics",
      "PUT /prepare", "POST /pair-verify", "POST /pair-setup", "POST /pairings", "POST /identify", "", " ", "GET",
    ]
    let bodies: [[UInt8]] = [
      [], Array("{".utf8), Array(#"{"characteristics":[{"aid":1,"iid":9,"ev":true},7,{}]}"#.utf8),
      Array(
        #"{"characteristics":[{"aid":18446744073709551615,"iid":-1,"value":1e400}],"pid":99999999999999999999}"#.utf8),
      Array(#"{"ttl":9223372036854775807,"pid":0}"#.utf8), [6, 1, 3], [6, 1, 1], [3, 1, 7, 6, 1, 3], [6, 0],
      [UInt8](repeating: 0xFF, count: 300),
    ]
    for _ in 0..<4000 {
      let connection = UInt64.random(in: 1...6, using: &chance)
      let body = bodies.randomElement(using: &chance)!
      switch Int.random(in: 0..<12, using: &chance) {
      case 0: court.act(.opened(peer: "192.0.2.\(connection):1"), on: connection)
      case 1: court.act(.closed, on: connection)
      case 2: court.act(.left, on: connection)
      case 3: court.act(.verified(controller: "C\(connection)"), on: connection)
      case 4: court.act(.answered(nil), on: connection)
      case 5: court.answer(connection, [0, 200, 204, 207, 400, 470].randomElement(using: &chance)!, body)
      case 6: court.tell(connection)
      case 7: court.act(.named(body), on: connection)
      case 8:
        court.change(
          [.serves(false), .serves(true), .announced(configurationNumber: "\(connection)")].randomElement(
            using: &chance)!)
      case 9: court.wait(.milliseconds(Int.random(in: 0...3000, using: &chance)))
      default: court.ask(connection, starts.randomElement(using: &chance)!, body, type: "application/hap+json")
      }
    }
    let report = RunReport(court.judge.events(RunHeader(version: "0", target: "", seed: 0)))
    #expect(report.summary != nil && report.outcomes.count == ControllerJudge.descriptions.count)
    for outcome in report.outcomes { #expect(outcome.notes.count <= 11 && outcome.transcript.count <= 12) }
  }

  @Test("A violation is reported at once; the final report has its time, its count and the preceding messages")
  func evidence() {
    let court = Court()
    var told: [String] = []
    court.judge.onBreach = { rule, text in told.append("\(rule.name): \(text)") }
    let session = court.session()
    court.get(session, "/accessories")
    for _ in 0..<15 {
      court.wait(.milliseconds(1500))
      court.get(session, "/characteristics?id=1.99")
    }
    #expect(told.filter { $0.hasPrefix("known-ids") }.count == 15)
    let outcome = court.outcome("known-ids")
    #expect(outcome.message == "GET /characteristics requests 1.99, which isn't in the database")
    #expect(outcome.got == "broken 15 of 15 times, first at 1.500 s")
    #expect(outcome.notes.count == 10 && outcome.notes.last == "and 5 times more")
    #expect(outcome.transcript.map(\.title).suffix(2) == ["HTTP/1.1 200 X", "GET /characteristics?id=1.99 HTTP/1.1"])
    #expect(outcome.transcript.last?.connection == Court.controller)
  }

  @Test("Invented ids are not stored, however many a controller sends")
  func inventions() {
    let court = Court()
    let session = court.session()
    for start in 0..<50 {
      let entries = (0..<200).map { #"{"aid":1,"iid":\#(1000 + start * 200 + $0),"ev":true}"# }.joined(separator: ",")
      court.put(session, #"{"characteristics":[\#(entries)]}"#, 207)
    }
    let connection = court.judge.connections[session]
    #expect(connection?.attempted.isEmpty == true && connection?.subscriptions.isEmpty == true)
    for number in 0..<2000 { court.lose(court.session(of: "C\(number)")) }
    #expect(court.judge.connections.count == 1)
  }

  @Test("The evidence of pairing messages has the states but no proofs")
  func secrets() {
    let court = Court()
    let connection = court.open()
    court.pairing(connection, "/pair-setup", [(TLVType.state, [5]), (TLVType.encryptedData, Array("secret".utf8))])
    let transcript = court.outcome("procedure-order").transcript
    #expect(transcript.last?.title == "POST /pair-setup HTTP/1.1 M5")
    #expect(transcript.allSatisfy { $0.decoded.isEmpty && $0.bytes.isEmpty })
  }

  @Test("Acts on an unknown connection are ignored")
  func nobody() {
    let court = Court()
    court.get(7, "/nonsense")
    #expect(court.broken.isEmpty)
  }

  @Test("The judge's reports have the tester's format, under the name hapsim judge")
  func reports() throws {
    let court = Court()
    court.get(court.session(), "/nonsense", 404)
    let header = RunHeader(version: "1", target: "controllers of Lamp", seed: 0, program: .hapsimJudge)
    let report = RunReport(court.judge.events(header))
    let redaction = Redaction()
    #expect(report.conclusion() == .failures)
    let junit = JUnitReport.text(of: report, redaction: redaction)
    #expect(junit.contains(#"<testsuites name="hapsim judge""#))
    #expect(junit.contains(#"<testcase classname="hapsim-judge.requests" name="known-endpoints""#))
    let read = try RunReport(json: JSONNode.parse(Array(JSONReport.text(of: report, redaction: redaction).utf8)))
    #expect(read.header?.program == .hapsimJudge)
    #expect(read.outcomes.map(\.verdict) == report.outcomes.map(\.verdict))
    #expect(
      MarkdownReport.text(of: report, redaction: redaction).contains(
        "# ❌ hapsim judge: there are failures"))
    var text = TerminalReport(isColoured: false, redaction: redaction)
    let lines = court.judge.events(header).flatMap { text.lines(for: $0) }
    #expect(lines.first?.hasPrefix("hapsim judge 1 · controllers of Lamp") == true)
    // Rules have no duration.
    #expect(!lines.contains { $0.contains("  <1 ms") })
  }
}
