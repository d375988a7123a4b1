import HAPReport
import Testing

struct MatrixAndDifferenceTests {
  private static func report(_ verdicts: [String: (Verdict, String)], lost: Bool = false) -> RunReport {
    let ids = verdicts.keys.sorted()
    var report = RunReport(
      Fixture.events(
        of: ids.map { CaseOutcome(Fixture.description($0, "case"), verdicts[$0]!.0, message: verdicts[$0]!.1) }))
    if lost { report.take(.lost(reason: "gone", lastSent: "", bytes: [])) }
    return report
  }

  private static let old = report([
    "A-1": (.pass, ""), "A-2": (.fail, "x"), "A-3": (.fail, "x"), "A-4": (.fail, "x"), "A-5": (.pass, ""),
    "A-6": (.pass, ""),
    "A-7": (.pass, "seen 1"), "A-8": (.xfail, "x"), "A-9": (.fail, "x"),
  ])
  private static let new = report([
    "A-1": (.fail, "bad"), "A-2": (.pass, ""), "A-3": (.fail, "y"), "A-4": (.skip, "no hook"),
    "A-5": (.flaky, "2 of 5"),
    "A-7": (.pass, "seen 2"), "A-8": (.xpass, "z"), "A-9": (.fail, "x"), "B-1": (.pass, ""), "B-2": (.fail, "new"),
  ])

  @Test("The difference of two runs has new failures, fixed failures and other changes")
  func difference() {
    let difference = ReportDifference(from: Self.old, to: Self.new)
    #expect(difference.newFailures.map(\.id) == ["A-1", "A-8", "B-2"])
    #expect(difference.fixed.map(\.id) == ["A-2"])
    #expect(difference.changed.map(\.id) == ["A-3", "A-4"])
    #expect(difference.flaky.map(\.id) == ["A-5"])
    #expect(difference.appeared.map(\.id) == ["B-1", "B-2"])
    #expect(difference.vanished.map(\.id) == ["A-6"])
    #expect(difference.isWorse)
    let text = difference.text(redaction: Redaction(texts: ["bad"]))
    #expect(
      text.hasPrefix(
        "New failures: 3\n  A-1 case  PASS → FAIL: [redacted]\n  A-8 case  XFAIL → XPASS: z\n  B-2 case  FAIL: new\n\nFixed: 1\n"
      ))
    #expect(text.contains("Changed: 2\n  A-3 case  FAIL: y\n  A-4 case  FAIL → SKIP: no hook\n"))
    #expect(text.hasSuffix("Vanished: 1\n  A-6 case  PASS\n"))
    for part in [
      #"{"isWorse":true,"newFailures":[{"id":"A-1","name":"case","message":"bad","old":"PASS","new":"FAIL"}"#,
      #""appeared":[{"id":"B-1","name":"case","message":"","old":null,"new":"PASS"}"#, #""notCompared":0}"#,
    ] { #expect(difference.json.contains(part), "\(difference.json)") }
  }

  @Test("A run has no difference from itself", arguments: Fixture.names)
  func same(_ name: String) {
    let difference = ReportDifference(from: Fixture.report(name), to: Fixture.report(name))
    #expect(difference.newFailures.isEmpty && difference.fixed.isEmpty && difference.changed.isEmpty)
    #expect(difference.isEmpty || name == "failing")
    #expect(
      ReportDifference(from: Self.old, to: Self.old).text(redaction: .none) == "The two runs have the same results.\n")
    #expect(!ReportDifference(from: Self.old, to: Self.old).isWorse)
  }

  @Test("Cases that a partial run did not select are not compared") func partial() {
    var header = Fixture.header
    header.isPartial = true
    var part = Self.report(["A-1": (.pass, ""), "B-1": (.fail, "x")])
    part.take(.began(header))
    let shorter = ReportDifference(from: Self.old, to: part)
    #expect(shorter.vanished.isEmpty && shorter.notSelected == 8)
    #expect(shorter.newFailures.map(\.id) == ["B-1"] && shorter.appeared.map(\.id) == ["B-1"])
    #expect(
      shorter.text(redaction: .none).hasSuffix("\n8 cases not compared: one of the runs did not select them.\n"))
    let longer = ReportDifference(from: part, to: Self.new)
    #expect(longer.appeared.isEmpty && longer.newFailures.map(\.id) == ["A-1"] && longer.vanished.isEmpty)
    #expect(longer.notSelected == 8)
    #expect(
      !ReportDifference(from: part, to: Self.report(["A-1": (.pass, ""), "B-1": (.fail, "x"), "C-1": (.fail, "")]))
        .isWorse)
  }

  @Test("A case that was lost with the accessory is not fixed")
  func lost() {
    let difference = ReportDifference(from: Fixture.failing, to: Fixture.lost)
    #expect(difference.fixed.isEmpty)
    #expect(difference.changed.contains { $0.id == "EV-9" && $0.new == "NOT RUN" })
  }

  @Test("The matrix has a row for each case and a column for each device")
  func matrix() {
    let matrix = ReportMatrix(
      [("One | two", Self.old), (nil, Self.report(["A-1": (.pass, ""), "C-1": (.info, "")], lost: true))],
      redaction: .none)
    let lines = matrix.markdown.split(separator: "\n").map(String.init)
    #expect(lines.contains("| case |  | level | One \\| two | Kitchen Sink \\(127.0.0.1:51826\\) |"))
    #expect(lines.contains("| A-2 | case | must | **FAIL** | – |"))
    #expect(lines.contains("| C-1 | case | must | – | INFO |"))
    #expect(
      lines.contains {
        $0.hasPrefix("- Kitchen Sink") && $0.hasSuffix("the accessory was lost, so not all of the cases ran.")
      })
    let html = matrix.html
    #expect(
      html.contains(
        "<tr data-case data-differs><td>A-2</td><td>case</td><td>must</td><td><span class=\"badge is-fail\" title=\"x\">FAIL</span></td><td>–</td></tr>"
      ))
    #expect(html.contains("<tr data-case><td>A-1</td>"))
    #expect(html.contains("<th>One | two<br>"))
  }

  @Test("No text of a run becomes markup of the matrix")
  func hostile() {
    let html = ReportMatrix(
      [(Fixture.hostile[0], Fixture.hostileRun), (Fixture.hostile[1], Fixture.lost)], redaction: .none
    ).html
    #expect(html.split(separator: "<script", omittingEmptySubsequences: false).count == 2)
    #expect(!html.contains("<img") && !html.contains("\" onerror") && !html.contains("\u{1B}"))
    #expect(html.contains("&lt;/script&gt;&lt;script&gt;"))
  }
}
