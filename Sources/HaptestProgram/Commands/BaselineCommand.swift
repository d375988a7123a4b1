import HAPCommandLine
import HAPExpectation
import HAPWire

extension Command {
  private static let output = Option(
    "output", letter: "o", "FILE", "write the baseline to FILE (default: standard output)")
  private static let force = Flag("force", "replace a file that exists")

  static let baseline = Command(
    "baseline", "write a baseline of the failures in a JSON report: haptest baseline init REPORT",
    operands: .some(label: "init REPORT", count: 2...2), options: [output.definition, force.definition],
    discussion: [
      "REPORT is a file that haptest run --report-json wrote. The baseline has an entry for each case that failed. Each reason is empty: write there why the case fails. haptest run --baseline refuses a baseline with an empty reason.",
      "If the run had a baseline, entries that still apply keep their reason.",
    ],
    examples: [
      ("haptest baseline init report.json -o baseline.json", "write the entries, then fill in the reasons")
    ]
  ) { (arguments, console) throws(UsageError) in
    try haptest("baseline", console) {
      guard arguments.operands[0] == "init" else {
        throw UsageError("\(shown(arguments.operands[0])) is not known; there is: baseline init REPORT")
      }
      let draft = BaselineDraft(of: try readReport(arguments.operands[1]))
      guard let path = try arguments.value(output) else {
        console.show(draft.fileText)
        return .well
      }
      try writeFile(path, Array(draft.fileText.utf8), overwriting: arguments[force])
      let blank = draft.entries.count { $0.reason.isEmpty }
      console.print("\(path): entries: \(draft.entries.count), without a reason: \(blank)")
      return .well
    }
  }
}
