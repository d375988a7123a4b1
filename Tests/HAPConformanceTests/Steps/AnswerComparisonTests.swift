import HAPReport
import HAPWire
import Testing

@testable import HAPExpectation
@testable import HAPSuite

@Suite("Judgements") struct AnswerComparisonTests {
  private func judge(_ arrival: Arrival, _ expectation: String, took: Duration = .milliseconds(5)) throws -> String? {
    let judgement = AnswerComparison(
      view: AnswerView(arrival: arrival, took: took), setup: nil, verify: nil, accessory: nil)
    switch try judgement.judge(AnswerPattern(yaml(expectation))) {
    case .fits: return nil
    case .differs(let problem): return problem
    }
  }

  private func answer(_ head: String, _ body: [UInt8] = []) throws -> Arrival {
    var bytes = Array("HTTP/1.1 \(head)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    var parser = HTTPResponseParser()
    return try bytes.withUnsafeMutableBytes { buffer in
      guard case .message(let head, let range, let consumed) = parser.parse(buffer) else {
        throw StepError(.text(head), "no message")
      }
      return .message(
        WireMessage(
          head, raw: Array(buffer[..<consumed]), body: Array(buffer[range]), frames: [], isSealed: false, time: .zero))
    }
  }

  private static let json =
    #"{"characteristics":[{"aid":1,"iid":9,"value":true},{"aid":1,"iid":10,"status":-70402},{"aid":2,"iid":9,"value":5}]}"#

  private static let rows: [(expectation: String, problem: String?)] = [
    ("{ status: 207 }", nil), ("{ status: 200 }", "status is 207, not 200"), ("{ version: HTTP/1.1 }", nil),
    ("{ type: application/hap+json }", nil), ("{ type: text/plain }", "type is \"application/hap+json\""),
    ("{ chunked: false, sealed: false }", nil), ("{ sealed: true }", "sealed is false, not true"),
    ("{ chunked: true }", "chunked is false"),
    ("{ headers: { X: a, y: $absent } }", nil), ("{ headers: { X: b } }", "header X is \"a\", not \"b\""),
    ("{ headers: { content-length: $absent } }", "header content-length must be absent"),
    ("{ body: empty }", "the body has "), ("{ body: { $starts: 7b } }", nil), ("{ body: aa }", "body is "),
    ("{ time: { $max: 10 } }", nil),
    ("{ time: { $max: 1 } }", "time is 5"), ("{ tlv: { state: 2 } }", "the body isn't TLV8"),
    ("{ database: true }", "the body isn't a database"),
    ("{ json: { characteristics: { $length: 3 } } }", nil), ("{ json: { x: 1 } }", "x is missing"),
    ("{ entries: [{ id: 2.9, value: 5 }, { id: 1.9, value: 1 }, { aid: 1, iid: 10, status: -70402 }] }", nil),
    ("{ entries: [{ id: 2.9 }, { id: 1.9 }] }", "there is an unexpected entry: {\"aid\":1,\"iid\":10"),
    ("{ entries: [{ id: 3.9 }] }", "there is no entry for 3.9"),
    ("{ entries: [{ id: 1.9, value: 0 }, { id: 1.10 }, { id: 2.9 }] }", "entry 1.9.value is true, not 0"),
    ("{ entries: [{ id: 1.9 }, { id: 1.9 }, { id: 1.10 }] }", "there is no entry for 1.9"),
    ("{ closed: true }", "an answer came: HTTP/1.1 207"),
    ("{ silent: true }", "an answer came"), ("{ garbage: true }", "an answer came"),
    ("{ closed: false, silent: false, status: 207 }", nil),
    ("{ setup: M2 }", "no Pair Setup is in progress"), ("{ verify: M4 }", "no Pair Verify is in progress"),
  ]

  @Test("Each member checks its part of an answer", arguments: rows) func parts(
    _ row: (expectation: String, problem: String?)
  ) throws {
    let arrival = try answer("207 Multi-Status\r\nContent-Type: application/hap+json\r\nX: a", Array(Self.json.utf8))
    let problem = try judge(arrival, row.expectation)
    if let expected = row.problem {
      #expect(problem?.hasPrefix(expected) == true, "\(row.expectation): \(problem ?? "it fits")")
    } else {
      #expect(problem == nil, "\(row.expectation)")
    }
  }

  @Test("TLV8 items are checked by name, and must exist") func tlv() throws {
    let refusal = try answer("200 OK", [6, 1, 4, 7, 1, 2])
    #expect(try judge(refusal, "{ tlv: { state: 4, error: authentication, proof: $absent } }") == nil)
    #expect(try judge(refusal, "{ tlv: { $only: { state: 4 } } }")?.contains("\"error\"") == true)
    #expect(try judge(answer("200 OK"), "{ tlv: { error: $absent } }") == "there is no TLV8 in the body")
    #expect(try judge(answer("200 OK", [6, 5, 1]), "{ tlv: { state: 1 } }")?.hasPrefix("the body isn't TLV8") == true)
    #expect(try judge(answer("204 No Content"), "{ body: empty }") == nil)
    #expect(try judge(answer("200 OK", [0x7B]), "{ json: { a: 1 } }")?.hasPrefix("the body isn't JSON: ") == true)
    #expect(try judge(answer("200 OK", Array("{}".utf8)), "{ entries: [] }") == "the body has no \"characteristics\"")
  }

  @Test("A close, a reset, silence or garbage fits only an expectation that asks for it") func otherArrivals() throws {
    let fin = Arrival.closed(reset: false, time: .zero)
    let reset = Arrival.closed(reset: true, time: .zero)
    let silence = Arrival.silence(.seconds(2))
    let garbage = Arrival.garbage(reason: "no HTTP", bytes: Array("HTTP/9".utf8), time: .zero)
    #expect(try judge(fin, "{ closed: true }") == nil)
    #expect(try judge(fin, "{ closed: fin }") == nil)
    #expect(try judge(fin, "{ closed: reset }") == "the connection was closed")
    #expect(try judge(reset, "{ closed: reset }") == nil)
    #expect(try judge(reset, "{ closed: true }") == nil)
    #expect(try judge(reset, "{ closed: false }") == "the connection was reset")
    #expect(try judge(silence, "{ silent: true }") == nil)
    #expect(try judge(silence, "{ status: 200 }") == "no answer within 2s")
    #expect(try judge(garbage, "{ garbage: true }") == nil)
    #expect(try judge(garbage, "{ garbage: { $starts: HTTP } }") == nil)
    #expect(try judge(garbage, "{ garbage: { $starts: x } }")?.hasPrefix("the received data is \"HTTP/9\"") == true)
    #expect(try judge(garbage, "{ closed: true }") == "no HTTP")
    for arrival in [fin, reset, silence, garbage] { #expect(try judge(arrival, "{ status: 200 }") != nil) }
  }

  @Test("A malformed id is an error of the suite") func wrongID() throws {
    let arrival = try answer("207 Multi-Status", Array(Self.json.utf8))
    #expect(throws: StepError.self) { try judge(arrival, "{ entries: [{ id: lamp }] }") }
  }

  @Test(
    "Expectations are described in words",
    arguments: [
      ("{}", "any answer"), ("{ status: 200, body: empty }", "status 200, no body"),
      ("{ closed: true, within: 5s }", "the connection ends"),
      ("{ silent: true }", "no answer"), ("{ setup: M2 }", "a valid M2"),
      ("{ status: { $min: 400 }, deviation: others }", "status at least 400 (not strict: others)"),
      ("{ type: a/b, tlv: { error: { $any: [Busy, 7] } } }", "content type \"a/b\", TLV {error: \"Busy\" or 7}"),
    ])
  func words(_ expectation: String, _ words: String) throws {
    #expect(try AnswerComparison.describe(AnswerPattern(yaml(expectation))) == words)
  }

  @Test("A named expectation of the suite is included, and the members next to it apply, too") func named()
    async throws
  {
    let hello = "send: { path: /accessories }"
    let report = try await TinyRun(
      TinyCase.text("AA-01", steps: hello, "expect: refused", "expect: { silent: true, within: 10ms }"),
      TinyCase.text("AA-02", steps: hello, "expect: { is: refused, type: nothing/such }"),
      TinyCase.text(
        "AA-03", steps: hello, "expect: { any: [{ status: 200 }, refused], save: { s: status } }",
        "check: { that: \"${s}\", is: 470 }"),
      TinyCase.text("AA-04", steps: hello, "expect: { any: [{ is: refused, type: nothing/such }, { status: 1 }] }"),
      TinyCase.text(
        "AA-05", steps: hello, "expect: { any: [{ status: 470, deviation: one }, { status: 470, deviation: two }] }"),
      TinyCase.text("AA-06", steps: hello, "expect: { any: [refused], headers: { x-none: $present } }")
    ).run()
    #expect(
      ["AA-01", "AA-02", "AA-03", "AA-04", "AA-05", "AA-06"].map { report.verdict($0) } == [
        .pass, .fail, .pass, .fail, .nonStrict, .fail,
      ])
    #expect(report.outcome("AA-04")?.accepted.count == 3)
    #expect(report.outcome("AA-05")?.deviations.map { $0.hasSuffix("(so do one)") } == [true])
    #expect(report.outcome("AA-06")?.message.contains("header x-none is missing") == true)
  }
}
