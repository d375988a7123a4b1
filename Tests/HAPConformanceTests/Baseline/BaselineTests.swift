import HAPReport
import HAPWire
import Testing

@testable import HAPExpectation

private func baseline(_ entries: String) throws(Baseline.Mistakes) -> Baseline {
  try Baseline(Array("{\"format\": 1, \"entries\": [\(entries)]}".utf8), ids: ["PS-22", "PS-29", "SV-01"])
}

/// An entry in which some members are replaced or added.
private func entry(_ changes: [String: String] = [:], without: String = "") -> String {
  var members = ["id": "\"PS-29\"", "verdict": "\"fail\"", "message": "\"no answer*\"", "reason": "\"because\""]
  members.merge(changes) { $1 }
  members[without] = nil
  return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}"
}

@Suite("The baseline") struct BaselineTests {
  @Test("An entry expects a case to have a verdict, with a message that fits") func expected() throws {
    let one = try baseline(
      entry() + ","
        + entry(["id": "\"PS-22\"", "verdict": "\"non-strict\"", "message": "\"*\"", "reason": "\"other\""]))
    #expect(
      one.judge(id: "PS-29", verdict: .fail, message: "no answer within 10 s", today: nil)
        == .expected(reason: "because"))
    #expect(one.judge(id: "PS-29", verdict: .fail, message: "an answer", today: nil) == .other)
    #expect(one.judge(id: "PS-29", verdict: .error, message: "no answer", today: nil) == .other)
    #expect(one.judge(id: "PS-22", verdict: .nonStrict, message: "", today: nil) == .expected(reason: "other"))
    #expect(one.judge(id: "PS-22", verdict: .fail, message: "", today: nil) == .other)
    #expect(one.judge(id: "SV-01", verdict: .fail, message: "no answer", today: nil) == .other)
    #expect(one.judge(id: "SV-01", verdict: .pass, message: "", today: nil) == .other)
  }

  @Test(
    "A case that passes against its entry is reported; a case that didn't run isn't",
    arguments: Verdict.allCases)
  func unexpected(_ verdict: Verdict) throws {
    let judgement = try baseline(entry()).judge(id: "PS-29", verdict: verdict, message: "other", today: nil)
    #expect(judgement == ([.pass, .info].contains(verdict) ? .unexpectedPass(reason: "because") : .other))
  }

  @Test("Several entries for one case are alternatives") func severalEntries() throws {
    let two = try baseline(
      entry() + "," + entry(["message": "\"garbage\"", "reason": "\"two\""]) + ","
        + entry(["verdict": "\"skip\"", "reason": "\"three\""]))
    #expect(two.judge(id: "PS-29", verdict: .fail, message: "garbage", today: nil) == .expected(reason: "two"))
    #expect(two.judge(id: "PS-29", verdict: .skip, message: "no answer", today: nil) == .expected(reason: "three"))
  }

  @Test("An entry counts until its last day; after that, its expiry is reported") func expiry() throws {
    let dated = try baseline(entry(["expires": "\"2027-05-01\"", "link": "\"https://example.org\""]))
    #expect(dated.entries.first?.link == "https://example.org")
    for (today, counts) in [
      (nil, true), ("2026-12-31", true), ("2027-05-01", true), ("2027-05-02", false), ("2028-01-01", false),
    ] as [(String?, Bool)] {
      let judgement = dated.judge(id: "PS-29", verdict: .fail, message: "no answer", today: today)
      #expect(judgement == (counts ? .expected(reason: "because") : .other))
      #expect(
        dated.judge(id: "PS-29", verdict: .pass, message: "", today: today)
          == (counts ? .unexpectedPass(reason: "because") : .other))
      #expect(
        dated.expired(today: today)
          == (counts ? [] : ["PS-29: the baseline entry expired on 2027-05-01 and is ignored: because"]))
    }
  }

  @Test("Everything but link and expiry is required", arguments: ["id", "verdict", "message", "reason"]) func required(
    _ name: String
  ) {
    let missing = #expect(throws: Baseline.Mistakes.self) { try baseline(entry(without: name)) }?.problems.first
    #expect(missing?.message == "\"\(name)\" is missing")
    for value in ["\"\"", "\" \"", "5", "null"] {
      let problem = #expect(throws: Baseline.Mistakes.self) { try baseline(entry([name: value])) }?.problems.first
      #expect(problem?.path == "entries[0].\(name)", "\(problem!)")
    }
  }

  @Test(
    "A mistake in an entry is reported with its place",
    arguments: [
      (["id": "\"PS-28\""], "id", "there is no case \"PS-28\": did you mean \"PS-2"),
      (["id": "\"ps-29\""], "id", "did you mean \"PS-29\"?"),
      (["id": "\"Z\""], "id", "there is no case \"Z\""), (["verdict": "\"pass\""], "verdict", "not \"pass\""),
      (["verdict": "\"xfail\""], "verdict", "one of"),
      (["verdict": "\"FAIL\""], "verdict", "not \"FAIL\""), (["expires": "\"2027-5-1\""], "expires", "a day such as"),
      (["expires": "\"2027-02-29\""], "expires", "a day such as"), (["expires": "\"2027-13-01\""], "expires", "a day"),
      (["expires": "\"2027-00-01\""], "expires", "a day"),
      (["expires": "\"2027-01-00\""], "expires", "a day"), (["expires": "\"2027/01/01\""], "expires", "a day"),
      (["expires": "5"], "expires", "a string"),
      (["link": "5"], "link", "a string"), (["expire": "\"2027-01-01\""], "expire", "did you mean \"expires\"?"),
    ]) func problems(_ changes: [String: String], _ member: String, _ words: String)
  {
    let problem = #expect(throws: Baseline.Mistakes.self) {
      try baseline(entry() + ",\n" + entry(["message": "\"x\""].merging(changes) { $1 }))
    }?.problems.first
    #expect(problem?.message.contains(words) == true, "\(problem!)")
    #expect(problem?.path == "entries[1].\(member)" && problem?.place.line == 2, "\(problem!)")
    #expect(throws: Never.self) { try baseline(entry(["expires": "\"2028-02-29\""])) }
  }

  @Test("A duplicate entry is refused") func twice() {
    let problem = #expect(throws: Baseline.Mistakes.self) {
      try baseline(entry() + "," + entry(["reason": "\"again\""]))
    }?.problems.first
    #expect(problem?.message.contains("there is already an entry") == true && problem?.path == "entries[1]")
  }

  @Test(
    "The file's top level is checked",
    arguments: [
      "{", "[]", #"{"format": 2, "entries": []}"#, #"{"format": 1}"#, #"{"format":1,"entries":{}}"#,
      #"{"format":1,"entry":[]}"#, #"{"format":1,"entries":[5]}"#,
    ])
  func files(_ text: String) {
    #expect(throws: Baseline.Mistakes.self) { try Baseline(Array(text.utf8), ids: []) }
  }

  @Test("At most 100 mistakes are reported, and a large file is read in one pass") func many() throws {
    let wrong = Array(repeating: entry(["id": "\"PS-28\""]), count: 10_000).joined(separator: ",")
    let mistakes = #expect(throws: Baseline.Mistakes.self) { try baseline(wrong) }
    #expect(mistakes?.problems.count == 100 && mistakes?.isCut == true)
    let few = #expect(throws: Baseline.Mistakes.self) { try baseline(entry(["id": "\"PS-28\""])) }
    #expect(few?.isCut == false)
    let right = (0..<10_000).map { entry(["message": "\"m\($0)\""]) }.joined(separator: ",")
    #expect(try baseline(right).entries.count == 10_000)
  }

  @Test("All mistakes are reported at once, in the order of the file") func several() {
    let bad = entry(["id": "\"PS-28\"", "verdict": "\"pass\"", "reason": "\"\"", "expires": "5"])
    let mistakes = #expect(throws: Baseline.Mistakes.self) {
      try baseline(entry(["why": "1"]) + "," + bad + "," + entry(["reason": "\"x\""], without: "id") + ",7")
    }
    #expect(
      mistakes?.problems.map(\.path) == [
        "entries[0].why", "entries[1].id", "entries[1].verdict", "entries[1].reason", "entries[1].expires",
        "entries[2]", "entries[3]",
      ], "\(mistakes?.problems.map(\.path) ?? [])")
    #expect(mistakes?.problems[3].message == "the reason is empty; state why this case fails")
  }
}
