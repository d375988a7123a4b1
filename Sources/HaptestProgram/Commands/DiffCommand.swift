import HAPCommandLine
import HAPReport
import HAPWire

extension Command {
  static let diff = Command(
    "diff", "compare two JSON reports: new failures and fixed cases",
    operands: .some(label: "OLD NEW", count: 2...2), options: [SuiteOptions.json.definition],
    discussion: ["The exit status is 1 if the new run has new failures or flaky cases."],
    examples: [("haptest diff main.json branch.json", "the effect of a change")]
  ) { (arguments, console) throws(UsageError) in
    try haptest("diff", console) {
      let difference = ReportDifference(
        from: try readReport(arguments.operands[0]), to: try readReport(arguments.operands[1]))
      if arguments[SuiteOptions.json] {
        console.print(difference.json)
        return difference.isWorse ? .problem : .well
      }
      console.print(difference.isEmpty ? "no difference" : difference.text(redaction: .none))
      return difference.isWorse ? .problem : .well
    }
  }

  private static let html = Option("html", "FILE", "write an HTML page instead of Markdown")

  static let matrix = Command(
    "matrix", "make a table of cases and devices from JSON reports", operands: .some(label: "REPORT…", count: 1...100),
    options: [html.definition],
    discussion: ["A report can be given as NAME=FILE; the table then shows that name."],
    examples: [("haptest matrix ours=a.json theirs=b.json > matrix.md", "two devices side by side")]
  ) { (arguments, console) throws(UsageError) in
    try haptest("matrix", console) {
      if let path = try arguments.value(html) { try checkOutputFile(path) }
      var reports: [(name: String?, report: RunReport)] = []
      for operand in arguments.operands {
        let equals = fileExists(operand) ? nil : operand.firstIndex(of: "=")
        let path = equals.map { String(operand[operand.index(after: $0)...]) } ?? operand
        reports.append((equals.map { String(operand[..<$0]) }, try readReport(path)))
      }
      let matrix = ReportMatrix(reports, redaction: .none)
      guard let path = try arguments.value(html) else {
        console.print(matrix.markdown)
        return .well
      }
      try writeFile(path, Array(matrix.html.utf8), overwriting: true)
      return .well
    }
  }
}

/// Reads a JSON report of a run.
func readReport(_ path: String) throws -> RunReport {
  let bytes = try readFile(path, limit: 256 << 20)
  let node: JSONNode
  do throws(JSONError) { node = try JSONNode.parse(bytes) } catch {
    throw Refusal(.usage, "\(path):\(error.place.line):\(error.place.column): \(error.message)")
  }
  do throws(JSONProblem) { return try RunReport(json: node) } catch {
    throw Refusal(.usage, "\(path):\(error.place.line):\(error.place.column): \(error.path): \(error.message)")
  }
}
