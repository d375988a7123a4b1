import HAPLoop
import HAPReport
import HAPSuite
import HAPTestSupport
import HAPWire
import Synchronization
import Testing

@testable import HAPConformance
@testable import HAPExpectation

@Suite("The runner") struct RunnerTests {
  private static let hello = TinyCase.text(
    "AA-01", "needs: [any]", steps: "send: { path: /accessories }", "expect: refused")

  @Test("Correct cases pass in each state, and the accessory's original state is restored") func pass() async throws {
    let report = try await TinyRun(
      Self.hello,
      TinyCase.text("AA-02", "needs: [unpaired]", steps: "send: { setup: M1 }", "expect: { setup: M2 }"),
      TinyCase.text(
        "AA-03", "needs: [unpaired, code]", steps: "pair: main", "verify: b", "send: { on: b, path: /accessories }",
        "expect: { on: b, status: 200, database: true, sealed: true }"),
      TinyCase.text(
        "AA-04", "needs: [paired]", "find: { on: { type: On } }", steps: "verify: main", "send: { read: \"${on.id}\" }",
        "expect: { status: 200, entries: [{ id: \"${on.id}\", value: 0 }] }")
    ).run()
    for id in ["AA-01", "AA-02", "AA-03", "AA-04"] {
      #expect(report.verdict(id) == .pass, "\(String(describing: report.outcome(id)?.message))")
    }
    #expect(report.pairings.isEmpty && !report.result.isLost && !report.result.wasInterrupted)
    guard case .ended(let summary)? = report.events.last, case .began? = report.events.first else {
      return #expect(Bool(false), "a run reports its start and its end")
    }
    #expect(summary.counts == [.pass: 4] && summary.leftovers.isEmpty)
  }

  @Test("A failure reports the sent request, the accepted answers and the received answer") func fail() async throws {
    let report = try await TinyRun(
      TinyCase.text("AA-01", steps: "send: { path: /accessories }", "expect: { status: 200 }"),
      TinyCase.text(
        "AA-02", steps: "send: { path: /accessories }",
        "expect: { any: [{ status: 400 }, { status: 401, deviation: others }, { closed: true }] }"),
      TinyCase.text(
        "AA-03", steps: "send: { path: /accessories, save-sent: x }", "expect: { silent: true, within: 5s }")
    ).run()
    let first = try #require(report.outcome("AA-01"))
    #expect(first.verdict == .fail && first.message == "status is 470, not 200" && first.sent == "GET /accessories")
    #expect(
      first.accepted == ["status 200"] && first.got?.hasPrefix("HTTP/1.1 470") == true && !first.transcript.isEmpty)
    let second = try #require(report.outcome("AA-02"))
    #expect(second.message == "no accepted answer: status is 470, not 400")
    #expect(second.accepted == ["status 400", "status 401 (not strict: others)", "the connection ends"])
    #expect(report.outcome("AA-03")?.message.hasPrefix("an answer came: HTTP/1.1 470") == true)
  }

  @Test("A deviation makes a case non-strict, once; a case of level info is always info, even without an answer")
  func verdicts() async throws {
    var run = TinyRun(
      TinyCase.text(
        "AA-01", steps: "send: { path: /accessories }",
        "expect: { any: [{ status: 200 }, { status: 470, deviation: all }] }",
        "deviation: said twice", "deviation: said twice"),
      TinyCase.text(
        "AA-02", level: "info", steps: "send: { path: /accessories }", "expect: { save: { s: status } }",
        "record: \"status ${s}\""),
      TinyCase.text("AA-03", level: "info", steps: "send: { path: /accessories }", "expect: { status: 200 }"),
      TinyCase.text("AA-04", level: "info", steps: "send: { text: \"GET\" }", "expect: { status: 200, within: 50ms }"),
      TinyCase.text("AA-05", steps: "check: { that: 1, is: 2, because: why, deviation: others }"))
    run.options.seed = 4
    let report = try await run.run()
    #expect(report.verdict("AA-01") == .nonStrict && report.outcome("AA-01")?.deviations.count == 2)
    #expect(report.verdict("AA-02") == .info && report.outcome("AA-02")?.message == "status 470")
    #expect(report.verdict("AA-03") == .info && report.outcome("AA-03")?.notes == ["status is 470, not 200"])
    #expect(report.verdict("AA-04") == .info && report.outcome("AA-04")?.message == "no answer within 50ms")
    #expect(
      report.verdict("AA-05") == .nonStrict && report.outcome("AA-05")?.message == "why: it is 1, not 2 (so do others)")
  }

  @Test("A mistake in a suite is an error with its place, whatever the accessory does; skips have reasons")
  func errors() async throws {
    let report = try await TinyRun(
      TinyCase.text("AA-01", steps: "let: { x: 5 }", "check: { that: \"${x.y}\", is: 1 }"),
      TinyCase.text("AA-02", steps: "send: { setup: M3 }"),
      TinyCase.text("AA-03", steps: "forget: main", "close: main"),
      TinyCase.text("AA-04", steps: "skip: \"so\""), TinyCase.text("AA-05", steps: "txt: { sf: 1 }"),
      TinyCase.text("AA-06", steps: "let: { n: -1 }", "repeat: { times: \"${n}\", steps: [] }"),
      TinyCase.text("AA-07", steps: "let: { n: 99999999999999999999 }", "send: { path: /, pieces: \"${n}\" }"),
      TinyCase.text("AA-08", "needs: [paired]", "find: { x: { type: Volume } }", steps: "verify: main")
    ).run()
    #expect(
      report.verdict("AA-01") == .error && report.outcome("AA-01")?.message == "tiny.yaml:12:24: \"x.y\" has no value")
    for id in ["AA-02", "AA-03", "AA-06", "AA-07"] { #expect(report.verdict(id) == .error, "\(id)") }
    for (id, reason) in [
      ("AA-04", "so"), ("AA-05", "the TXT record is not known"), ("AA-08", "there is no characteristic Volume"),
    ] {
      #expect(report.verdict(id) == .skip && report.outcome(id)?.message == reason, "\(id)")
    }
  }

  @Test("Each variant runs separately; the worst verdict counts, and its variant is named")
  func variants() async throws {
    let report = try await TinyRun(
      TinyCase.text(
        "AA-01", "variants: [{ name: a, wanted: 470 }, { name: b, wanted: 200 }, { name: c, wanted: 470 }]",
        steps: "send: { path: /accessories }", "expect: { status: \"${wanted}\" }", "record: \"${variant}\""),
      TinyCase.text("AA-02", "variants: [{ name: a, why: x }, { name: b, why: y }]", steps: "skip: \"${why}\"")
    ).run()
    let outcome = try #require(report.outcome("AA-01"))
    #expect(outcome.verdict == .fail && outcome.message == "b: status is 470, not 200")
    #expect(outcome.variants.map(\.verdict) == [.pass, .fail, .pass] && outcome.notes == ["a: a", "c: c"])
    #expect(report.verdict("AA-02") == .skip)
  }

  @Test("A case that passes only sometimes is flaky, and an equal seed gives the same result")
  func flaky() async throws {
    var run = TinyRun(
      TinyCase.text(
        "AA-01", steps: "send: { raw: { random: 1 }, save-sent: b }",
        "check: { that: \"${b}\", is: { $matches: \"[0-7].\" } }"),
      Self.hello.replacing("AA-01", with: "AA-02").replacing("aa-01", with: "aa-02"))
    run.options.repetitions = 8
    let first = try await run.run()
    let second = try await run.run()
    let outcome = try #require(first.outcome("AA-01"))
    #expect(outcome.verdict == .flaky && outcome.repetitions.count == 8 && Set(outcome.repetitions) == [.pass, .fail])
    #expect(outcome.message.hasPrefix("passed \(outcome.repetitions.count { $0 == .pass }) of 8 times: it is "))
    #expect(second.outcome("AA-01")?.repetitions == outcome.repetitions)
    // The failed turn can be repeated without those before it.
    #expect(outcome.turn == outcome.repetitions.firstIndex(of: .fail))
    run.options.repetitions = 1
    run.options.firstTurn = outcome.turn
    let again = try await run.run()
    #expect(again.verdict("AA-01") == .fail && again.outcome("AA-01")?.got == outcome.got)
    #expect(first.verdict("AA-02") == .pass && first.outcome("AA-02")?.repetitions == Array(repeating: .pass, count: 8))
  }

  @Test("The baseline expects failures, and reports expected failures that don't occur") func baseline() async throws {
    var run = TinyRun(
      TinyCase.text("AA-01", steps: "send: { path: /accessories }", "expect: { status: 200 }"),
      TinyCase.text("AA-02", steps: "send: { path: /accessories }", "expect: { status: 470 }"),
      TinyCase.text("AA-03", steps: "send: { path: /accessories }", "expect: { status: 500 }"))
    run.baseline = try Baseline(
      Array(
        #"{"format":1,"entries":[{"id":"AA-01","verdict":"fail","message":"status is 470*","reason":"one"},{"id":"AA-02","verdict":"fail","message":"*","reason":"two"},{"id":"AA-03","verdict":"fail","message":"other","reason":"three"}]}"#
          .utf8), ids: ["AA-01", "AA-02", "AA-03"])
    let report = try await run.run()
    #expect(report.verdict("AA-01") == .xfail && report.outcome("AA-01")?.expected == "one")
    #expect(report.verdict("AA-02") == .xpass && report.outcome("AA-02")?.expected == "two")
    #expect(report.verdict("AA-03") == .fail)
  }

  @Test("Values written and pairings added by a case are reverted after it") func restored() async throws {
    let report = try await TinyRun(
      TinyCase.text(
        "AA-01", "needs: [paired]", "find: { on: { type: On }, level: { type: Brightness } }", steps: "verify: main",
        "send: { write: [{ id: \"${on.id}\", value: \"${on.other}\" }, { id: \"${level.id}\", value: 7 }] }",
        "expect: { status: 204 }", "controller: { name: guest }", "verify: { on: b, as: guest }",
        "fail: \"it ends badly\""),
      TinyCase.text(
        "AA-02", "needs: [paired]", steps: "verify: main", "send: { read: [\"1.11\", \"1.12\"] }",
        "expect: { entries: [{ id: \"1.11\", value: 0 }, { id: \"1.12\", value: 50 }] }", "send: { pairings: list }",
        "expect: { tlv: { list: { $length: 1 } } }")
    ).run()
    #expect(report.verdict("AA-01") == .fail && report.outcome("AA-01")?.message == "it ends badly")
    #expect(report.verdict("AA-02") == .pass, "\(report.outcome("AA-02")?.message ?? "")")
    #expect(report.pairings.isEmpty)
  }

  @Test("A cancelled run ends at once, skips the remaining cases, and still removes its pairing") func cancelled()
    async throws
  {
    var run = TinyRun(
      TinyCase.text("AA-01", "needs: [paired]", steps: "verify: main", "expect: { status: 200, within: 2h }"),
      TinyCase.text("AA-02", "needs: [paired]", steps: "verify: main"))
    run.endsAtFirstCase = true
    let report = try await run.run()
    #expect(report.result.wasInterrupted && report.events.contains(.interrupted))
    #expect(report.verdict("AA-01") == .skip && report.verdict("AA-02") == nil)
    #expect(report.pairings.isEmpty)
    guard case .ended? = report.events.last else { return #expect(Bool(false), "the run reports its end") }
  }

  @Test("A run that is cancelled during Pair Setup leaves no pairing") func cancelledWhilePairing() async throws {
    var run = TinyRun(TinyCase.text("AA-01", "needs: [paired]", steps: "verify: main"))
    run.endsInPairSetup = true
    let report = try await run.run()
    #expect(report.result.wasInterrupted && report.verdict("AA-01") != .fail && report.pairings.isEmpty)
  }

  @Test(
    "A case that is interrupted by the end of the run is skipped, not passed, unless it had failed before",
    arguments: [(470, Verdict.skip, "the run was interrupted"), (200, .fail, "first: status is 470, not 200")])
  func interrupted(_ status: Int, _ verdict: Verdict, _ message: String) async throws {
    let tiny = TinyRun(
      TinyCase.text(
        "AA-01",
        "variants: [{ name: first, path: /first }, { name: second, path: /silence }, { name: third, path: /x }]",
        steps: "send: { path: \"${path}\" }", "expect: { status: \(status), within: 2h }"))
    let report = try await withLoop { loop in
      try await LoopActor(loop).run { actor in
        let peer = try ScriptedPeer(loop)
        defer { peer.close() }
        var task: Task<Runner.Result, Never>?
        peer.onBytes = { peer, number, heard in
          if String(decoding: heard, as: UTF8.self).contains("/silence") { task?.cancel() }
          Self.answers(peer, number, heard)
        }
        return try await tiny.run(against: peer.address, on: loop) { task = $0 }
      }
    }
    let outcome = try #require(report.outcome("AA-01"))
    #expect(outcome.verdict == verdict && outcome.message == message && report.result.wasInterrupted)
    #expect(outcome.variants.map(\.name) == ["first", "second"])
  }

  @Test("A pairing that was stored although M6 was lost is used, and finally removed") func lostM6() async throws {
    var run = TinyRun(TinyCase.text("AA-01", "needs: [paired]", steps: "verify: main"))
    run.losesM6 = true
    let report = try await run.run()
    #expect(report.verdict("AA-01") == .pass && report.pairings.isEmpty)
    guard case .ended(let summary)? = report.events.last else { return #expect(Bool(false), "the run reports its end") }
    #expect(summary.leftovers.isEmpty)
  }

  @Test("A pairing of a case that the accessory doesn't remove is reported") func keptPairing() async throws {
    var run = TinyRun(
      TinyCase.text("AA-01", "needs: [paired]", steps: "verify: main", "controller: { name: guest }"))
    run.keepsPairings = true
    let report = try await run.run()
    #expect(
      report.outcome("AA-01")?.notes.first?.hasPrefix("cleanup was incomplete: pairings were not removed: ")
        == true,
      "\(report.outcome("AA-01")?.notes ?? [])")
  }

  @Test("If B is always short, Pair Setup finally continues with a short one") func shortKeys() async throws {
    let startCount = Mutex(0)
    let tiny = TinyRun(
      TinyCase.text(
        "AA-01", "needs: [unpaired, code]", steps: "pair: { until: M2 }"))
    let report = try await run(tiny) { peer, number, heard in
      let text = String(decoding: heard, as: UTF8.self)
      if text.hasSuffix("\r\n\r\n") { return Self.answers(peer, number, heard) }
      // M1.
      guard heard.suffix(6).elementsEqual([6, 1, 1, 0, 1, 0]) else { return }
      startCount.withLock { $0 += 1 }
      let body: [UInt8] =
        [6, 1, 2, 2, 16] + [UInt8](repeating: 7, count: 16) + [3, 255] + [UInt8](repeating: 9, count: 255)
        + [3, 128] + [UInt8](repeating: 9, count: 128)
      peer.say(
        Array("HTTP/1.1 200 OK\r\nContent-Type: application/pairing+tlv8\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
          + body, on: number)
    }
    #expect(report.verdict("AA-01") == .pass, "\(report.outcome("AA-01")?.message ?? "")")
    // One of these requests checks whether the accessory is paired.
    #expect(startCount.withLock { $0 } == 9)
  }

  @Test("A case that takes too long is aborted, and the following cases run") func limited() async throws {
    var run = TinyRun(
      TinyCase.text("AA-01", steps: "send: { text: G }", "expect: { status: 200, within: 2h }"),
      TinyCase.text("AA-02", steps: "wait: 2h"),
      Self.hello.replacing("AA-01", with: "AA-03").replacing("aa-01", with: "aa-03"))
    run.options.caseLimit = .milliseconds(100)
    let report = try await run.run()
    #expect(report.verdict("AA-01") == .error && report.outcome("AA-01")?.message.hasPrefix("not done within") == true)
    #expect(report.verdict("AA-02") == .error && report.verdict("AA-03") == .pass)
  }

  @Test("An accessory paired with a foreign controller stays unchanged; only cases without a pairing run")
  func foreign() async throws {
    var run = TinyRun(
      Self.hello, TinyCase.text("AA-02", "needs: [paired]", steps: "verify: main"),
      TinyCase.text("AA-03", "needs: [unpaired]", steps: "pair: main"))
    run.pairings = TestHome.pairings
    let report = try await run.run()
    #expect(report.isForeign && report.verdict("AA-01") == .pass)
    for id in ["AA-02", "AA-03"] {
      #expect(
        report.verdict(id) == .skip && report.outcome(id)?.message == "the accessory is paired with another controller")
    }
    #expect(report.pairings == TestHome.pairings)
  }

  @Test("If Pair Setup fails, cases that need a pairing are skipped with the reason, and the others run")
  func noPairing() async throws {
    var run = TinyRun(
      Self.hello, TinyCase.text("AA-02", "needs: [paired]", steps: "verify: main"),
      TinyCase.text("AA-03", "needs: [paired]", steps: "verify: main"))
    run.code = "111-22-333"
    let report = try await run.run()
    #expect(report.verdict("AA-01") == .pass)
    for id in ["AA-02", "AA-03"] {
      #expect(report.verdict(id) == .skip)
      #expect(report.outcome(id)?.message.hasPrefix("there is no pairing: Pair Setup M4: Error 2") == true, "\(id)")
    }
  }

  @Test("Parallel cases never use the same service at the same time") func sideBySide() async throws {
    let cases = (1...6).map { number in
      TinyCase.text(
        "AA-0\(number)", "needs: [paired]", "shared: true", "find: { on: { type: On } }", steps: "verify: main",
        "record: \"${on.id}\"", "wait: 40ms")
    }
    var run = TinyRun()
    run.cases = cases
    run.options.lanes = 4
    let report = try await run.run()
    let outcomes = report.result.outcomes
    #expect(outcomes.count == 6 && outcomes.allSatisfy { $0.verdict == .pass })
    #expect(Set(outcomes.flatMap(\.notes)) == ["1.11", "2.11"])
    for (index, one) in outcomes.enumerated() {
      for other in outcomes[..<index] where other.notes == one.notes {
        #expect(one.start >= other.start + other.duration || other.start >= one.start + one.duration)
      }
    }
    // Otherwise no cases ran in parallel.
    #expect(
      outcomes.contains { one in
        outcomes.contains {
          $0.notes != one.notes && $0.start < one.start + one.duration && one.start < $0.start + $0.duration
        }
      })
  }

  // MARK: Faulty accessories

  private func run(_ run: TinyRun, _ behave: @escaping @Sendable (ScriptedPeer, Int, [UInt8]) -> Void) async throws
    -> TinyRun.Report
  {
    try await withLoop { loop in
      try await LoopActor(loop).run { actor in
        let peer = try ScriptedPeer(loop)
        defer { peer.close() }
        peer.onBytes = behave
        return try await run.run(against: peer.address, on: loop)
      }
    }
  }

  private static func answers(_ peer: ScriptedPeer, _ number: Int, _ heard: [UInt8]) {
    let text = String(decoding: heard, as: UTF8.self)
    guard text.hasSuffix("\r\n\r\n") || text.contains("/pair-setup") else { return }
    if text.contains("/silence") { return }
    peer.say(
      "HTTP/1.1 470 Refused\r\nContent-Type: application/pairing+tlv8\r\nContent-Length: 3\r\n\r\n\u{6}\u{1}\u{2}",
      on: number)
  }

  @Test("Silence is reported as \"no answer\" with the sent request, and the next case runs")
  func silent() async throws {
    var tiny = TinyRun(
      TinyCase.text("AA-01", steps: "send: { path: /silence }", "expect: { status: 200 }"),
      TinyCase.text("AA-02", steps: "send: { path: /silence }", "expect: { silent: true, within: 20ms }"),
      TinyCase.text("AA-03", steps: "send: { path: /other }", "expect: { status: 470 }"))
    tiny.answerLimit = .milliseconds(500)
    let report = try await run(tiny, Self.answers)
    let outcome = try #require(report.outcome("AA-01"))
    #expect(outcome.verdict == .fail && outcome.message == "no answer within 500ms" && outcome.sent == "GET /silence")
    #expect(
      outcome.got == "no answer within 500ms" && report.verdict("AA-02") == .pass && report.verdict("AA-03") == .pass)
    #expect(report.lost == nil)
  }

  @Test("A crashed accessory is reported as lost, with the last bytes; no other case runs or fails") func dies()
    async throws
  {
    var tiny = TinyRun(
      TinyCase.text("AA-01", steps: "send: { path: /deadly }", "expect: { status: 200 }"),
      TinyCase.text("AA-02", steps: "send: { path: /other }", "expect: { status: 200 }"))
    tiny.answerLimit = .milliseconds(500)
    // The accessory keeps its port, which a server of another test could otherwise get, but no longer answers.
    let isDead = Mutex(false)
    let report = try await run(tiny) { peer, number, heard in
      if String(decoding: heard, as: UTF8.self).contains("/deadly") { isDead.withLock { $0 = true } }
      if !isDead.withLock({ $0 }) { Self.answers(peer, number, heard) }
    }
    #expect(report.verdict("AA-01") == .fail && report.verdict("AA-02") == nil && report.result.isLost)
    let lost = try #require(report.lost)
    #expect(
      lost.reason.hasPrefix("after AA-01: ") && String(decoding: lost.bytes, as: UTF8.self).contains("GET /deadly"))
  }

  @Test("If the address refuses connections, that is reported before any case runs") func unreachable() async throws {
    await #expect(throws: Runner.Unreachable.self) {
      try await withLoop { loop in
        try await LoopActor(loop).run { actor in
          let peer = try ScriptedPeer(loop)
          peer.close()
          return try await TinyRun(Self.hello).run(against: peer.address, on: loop)
        }
      }
    }
  }
}
