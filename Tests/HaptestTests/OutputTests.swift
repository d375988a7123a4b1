import HAPCommandLine
import HAPReport
import Testing

@testable import HaptestProgram

@Suite struct HaptestOutputTests {
  @Test(
    "A path that cannot be written ends the run before it begins",
    arguments: ["--html", "--junit", "--report-json", "--tap", "--markdown", "--evidence"])
  func paths(_ option: String) async {
    let path = "/nonexistent/report"
    // Nothing listens there: a run that began would report it.
    let ended = await haptest("run", "127.0.0.1:9", "--txt", "sf=1", option, path)
    #expect(ended.exit == .cannotRun && ended.out == "")
    #expect(ended.error == "haptest run: \(path) can't be written: there is no folder /nonexistent\n")
  }

  @Test("Other commands check their output path before any work") func otherPaths() async throws {
    let fuzz = await haptest("fuzz", "127.0.0.1:9", "--reproducer", "/nonexistent/r.json")
    #expect(fuzz.exit == .cannotRun && fuzz.error.contains("there is no folder /nonexistent"))
    let claims = await haptest("claims", "init", "127.0.0.1:9", "-o", "/nonexistent/c.json")
    #expect(claims.exit == .cannotRun && claims.error.contains("there is no folder /nonexistent"))
    let matrix = await haptest("matrix", "--html", "/nonexistent/m.html", "/nonexistent/report.json")
    #expect(matrix.exit == .cannotRun && matrix.error.contains("m.html can't be written"))
  }

  @Test(
    "After a file name that follows --json, the error names the option for files",
    arguments: [["--json", "r.json"], ["--json", "out/report"], ["--json=r"]])
  func fileAfterJSON(_ words: [String]) async {
    let ended =
      words.count == 1
      ? await haptest("run", "--exec", "true", words[0]) : await haptest("run", "--exec", "true", words[0], words[1])
    #expect(ended.exit == .usage && ended.error.contains("--report-json"), "\(ended.error)")
  }

  private func report(
    _ outcomes: [(Verdict, RequirementLevel)], then events: [RunEvent] = [], isEnded: Bool = true
  ) -> RunReport {
    let cases = outcomes.enumerated().map { index, outcome in
      CaseOutcome(
        CaseDescription(id: "A-\(index)", name: "", area: "a", level: outcome.1, requirement: "", section: ""),
        outcome.0)
    }
    return RunReport(
      [.planned(cases.map { PlannedCase($0.description) })] + cases.map { .caseEnded($0) } + events
        + (isEnded ? [.ended(RunSummary(duration: .zero, counts: [:]))] : []))
  }

  @Test("The last line has the exit status and its reason") func ending() {
    let mustAlone = RunRequest.FailOn(verdicts: [], isMustAlone: true)
    let rows: [([(Verdict, RequirementLevel)], RunRequest.FailOn, Bool, String)] = [
      ([(.pass, .must)], .init(), true, "Exit 0: the accessory conforms to the tested requirements."),
      ([(.pass, .must)], .init(), false, "Exit 3: a report could not be written."),
      ([(.fail, .must)], .init(), false, "Exit 1: there are failures, and a report could not be written."),
      ([(.fail, .should)], .init(), true, "Exit 1: there are failures."),
      ([(.fail, .should)], mustAlone, true, "Exit 0: no MUST rule is violated; 1 SHOULD rule is."),
      ([(.fail, .must)], mustAlone, true, "Exit 1: there are failures."),
    ]
    for (outcomes, failOn, isWritten, line) in rows {
      let ending = RunEnding(report(outcomes), failOn, areReportsWritten: isWritten)
      #expect(ending.line == line)
      #expect(line.hasPrefix("Exit \(ending.code.rawValue):"))
    }
  }

  @Test("The last line states why a run did not judge the accessory") func otherEndings() {
    let rows: [(RunReport, Bool, String)] = [
      (
        report([(.pass, .must)], then: [.lost(reason: "", lastSent: "", bytes: [])]), true,
        "Exit 3: the accessory was lost."
      ),
      (
        report([(.pass, .must)], then: [.lost(reason: "", lastSent: "", bytes: [])]), false,
        "Exit 3: the accessory was lost, and a report could not be written."
      ),
      (report([(.pass, .must)], then: [.interrupted]), true, "Exit 3: the run was interrupted."),
      (report([(.error, .must)]), true, "Exit 6: the tester failed."),
      (report([(.pass, .must)], isEnded: false), true, "Exit 6: the tester failed."),
      (report([(.skip, .must)]), true, "Exit 4: nothing ran."),
      (report([]), true, "Exit 4: nothing ran."),
      (report([(.xpass, .must)]), true, "Exit 5: a case passed that the baseline expects to fail."),
    ]
    for (report, isWritten, line) in rows {
      let ending = RunEnding(report, .init(), areReportsWritten: isWritten)
      #expect(ending.line == line && line.hasPrefix("Exit \(ending.code.rawValue):"))
    }
  }

  @Test("The conclusion of the JSON and HTML reports agrees with the exit status") func conclusions() {
    let strict = RunRequest.FailOn(verdicts: [.skip], isMustAlone: false)
    let mustAlone = RunRequest.FailOn(verdicts: [], isMustAlone: true)
    let rows: [([(Verdict, RequirementLevel)], RunRequest.FailOn, Bool, String)] = [
      ([(.pass, .must), (.skip, .must)], strict, true, "failures"),
      ([(.pass, .must), (.skip, .must)], .init(), true, "conforms"),
      ([(.fail, .should)], mustAlone, true, "conforms"), ([(.fail, .should)], .init(), true, "failures"),
      ([(.pass, .must)], .init(), false, "report-not-written"), ([(.fail, .must)], .init(), false, "failures"),
    ]
    for (outcomes, failOn, isWritten, word) in rows {
      let report = report(outcomes)
      let ending = RunEnding(report, failOn, areReportsWritten: isWritten)
      let json = ReportFiles.jsonText(of: report, .none, ending.conclusion)
      #expect(json.contains("\"conclusion\":\"\(word)\""), "\(json.prefix(200))")
      let page = HTMLReport.text(of: report, redaction: .none, conclusion: ending.conclusion)
      #expect(page.contains("\"conclusion\":\"\(word)\""))
    }
  }

  @Test("If a report cannot be written, all reports with a conclusion state it") func lossIsInTheReports() throws {
    let folder = try ScratchFolder()
    let (json, markdown) = (folder.path + "/r.json", folder.path + "/r.md")
    let words = ["--report-json", json, "--markdown", markdown, "--tap", "/nowhere/r.tap"]
    let files = try ReportFiles(Arguments(parsing: words, options: ReportFiles.all.map(\.definition)))
    let report = report([(.pass, .must)])
    var complaints: [String] = []
    let ending = files.write(report, .none, RunEnding(report, .init()), epoch: .zero) { complaints.append($0) }
    #expect(ending.conclusion == .reportNotWritten)
    #expect(complaints.count == 1 && complaints[0].contains("/nowhere/r.tap"))
    #expect(try String(contentsOfFile: json, encoding: .utf8).contains("\"conclusion\":\"report-not-written\""))
    #expect(try String(contentsOfFile: markdown, encoding: .utf8).contains("a report could not be written"))
  }

  @Test("Two reports cannot have one path, in any spelling") func samePath() async throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/r"
    let ended = await haptest(
      "run", "127.0.0.1:9", "--txt", "sf=1", "--html", path, "--tap", folder.path + "/./r", "--evidence", path)
    #expect(ended.exit == .cannotRun && ended.out == "")
    #expect(ended.error.split(separator: "\n").count { $0.contains("is given for two outputs") } == 2, "\(ended.error)")
  }

  @Test("A file that exists may be an operand after --json") func operandAfterJSON() async throws {
    let folder = try ScratchFolder()
    let path = try folder.file("case.json", "{}")
    let replay = await haptest("rerun", "--json", path, "127.0.0.1:9")
    #expect(replay.exit == .usage && !replay.error.contains("--report-json"), "\(replay.error)")
    // An accessory is not a file.
    let run = await haptest("run", "--exec", "true", "--json", path)
    #expect(run.exit == .usage && run.error.contains("--report-json"), "\(run.error)")
  }

  @Test("For a baseline with many mistakes, the first 100 are printed, each on a bounded line")
  func manyMistakes() async throws {
    let folder = try ScratchFolder()
    let entry = #"{"id": "\#(String(repeating: "x", count: 5000))", "verdict": "fail", "message": "*", "reason": "r"}"#
    let entries = Array(repeating: entry, count: 200).joined(separator: ",")
    let path = try folder.file("baseline.json", #"{"format": 1, "entries": [\#(entries)]}"#)
    let ended = await haptest("run", "127.0.0.1:9", "--txt", "sf=1", "--baseline", path)
    let lines = ended.error.split(separator: "\n")
    #expect(ended.exit == .usage && lines.count == 101 && lines.allSatisfy { $0.utf8.count < 1000 })
    #expect(lines.last?.contains("more errors follow") == true)
  }

  @Test("A baseline is created from a report, and an existing file is kept") func baseline() async throws {
    let folder = try ScratchFolder()
    let source = try folder.file("report.json", JSONReport.text(of: report([(.fail, .must)]), redaction: .none))
    let path = folder.path + "/baseline.json"
    let printed = await haptest("baseline", "init", source)
    #expect(
      printed.exit == .well && printed.out.contains(#"{"id": "A-0", "verdict": "fail", "message": "*", "reason": ""}"#))
    let written = await haptest("baseline", "init", source, "-o", path)
    #expect(written.exit == .well && written.out == "\(path): entries: 1, without a reason: 1\n")
    #expect(String(decoding: try readFile(path, limit: 1000), as: UTF8.self) == printed.out)
    #expect(await haptest("baseline", "init", source, "-o", path).error.contains("--force"))
    #expect(await haptest("baseline", "make", source).exit == .usage)
  }
}
