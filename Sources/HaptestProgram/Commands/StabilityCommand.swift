import HAPCommandLine
import HAPConformance
import HAPReport

extension Command {
  static let stability = Command(
    "stability", "run the suites several times and print the verdicts that differ between the runs",
    operands: .some(label: "[HOST:PORT|NAME]", count: 0...1),
    options: [StabilityRuns.count.definition] + RunRequest.stabilityOptions,
    discussion: [
      "Each run is a whole run with a different seed. A verdict that differs comes from a race: in the accessory, or in the test.",
      "Exit status: 0 if all verdicts agree, 1 if some differ, 3 if a run was not possible.",
    ],
    examples: [
      (
        "haptest stability --runs 5 --exec \"hapsim run lamp.hasaccessory --commands --interface lo\" --interface lo",
        "five runs, each against a newly started accessory"
      )
    ]
  ) { (arguments, console) throws(UsageError) in
    try haptest("stability", console) {
      try StabilityRuns(arguments, console).run(OwnLoop())
    }
  }
}

/// Several whole runs against one accessory.
struct StabilityRuns {
  static let count = Option("runs", "N", in: 2...1000, "the number of runs (default: 5)")

  private let count: Int
  private let request: RunRequest
  private let console: Console
  private let printsJSON: Bool

  init(_ arguments: Arguments, _ console: Console) throws {
    count = try arguments.value(Self.count) ?? 5
    var request = try RunRequest(arguments, console)
    printsJSON = request.printsJSON
    // Hides the cases of each run.
    request.printsJSON = true
    self.request = request
    self.console = console
  }

  func run(_ place: any LoopPlace) throws -> ExitCode {
    var reports: [RunReport] = []
    var redaction = Redaction.none
    for number in 1...count {
      var session = request.session
      session.options.seed = session.options.seed &+ UInt64(number - 1)
      guard let run = try RunCommand("stability", request, console).gather(session, place) else { return .cannotRun }
      reports.append(run.report)
      redaction = run.redaction
      if !printsJSON { console.print("run \(number) of \(count): \(run.report.tally.text)") }
      if run.report.isInterrupted { return .cannotRun }
    }
    let stability = ReportStability(reports)
    if printsJSON {
      console.show(stability.json(redaction: redaction))
    } else {
      console.show(stability.text(redaction: redaction))
    }
    return stability.isStable ? .well : .problem
  }
}
