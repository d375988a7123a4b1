/// An event of a run in progress. All reports are made from these events.
package enum RunEvent: Equatable, Sendable {
  /// The first event.
  case began(RunHeader)
  /// All cases of the selection in their planned order. Cases that will not run have a reason.
  case planned([PlannedCase])
  case caseBegan(id: String)
  case caseEnded(CaseOutcome)
  /// A note that belongs to no case, such as "paired" or "waiting for the hook".
  case note(String)
  /// The accessory is lost, and no further case runs. `lastSent`: a readable summary of the last message sent; `bytes`: its bytes.
  case lost(reason: String, lastSent: String, bytes: [UInt8])
  /// A person or the system ended the run early.
  case interrupted
  /// The last event.
  case ended(RunSummary)
}

package struct RunHeader: Equatable, Sendable {
  package var program: ReportProgram
  /// The program's version.
  package var version: String
  /// A name for people: "127.0.0.1:51826", "Kitchen Sink".
  package var target: String
  /// Facts about the accessory known before any case ran: name, model, category, device ID, `c#`…
  package var facts: [(name: String, value: String)]
  package var seed: UInt64
  /// The time of day such as "2026-11-21T13:00:00Z"; empty if it was not read.
  package var time: String
  /// The command line without secrets.
  package var arguments: [String]
  /// Whether some cases of the suites were not selected, so that the plan is incomplete.
  package var isPartial: Bool

  package init(
    version: String, target: String, facts: [(name: String, value: String)] = [], seed: UInt64, time: String = "",
    arguments: [String] = [], program: ReportProgram = .haptest, isPartial: Bool = false
  ) {
    self.isPartial = isPartial
    self.program = program
    self.version = version
    self.target = target
    self.facts = facts
    self.seed = seed
    self.time = time
    self.arguments = arguments
  }

  package static func == (a: RunHeader, b: RunHeader) -> Bool {
    a.program == b.program && a.version == b.version && a.target == b.target && a.seed == b.seed && a.time == b.time
      && a.arguments == b.arguments && a.isPartial == b.isPartial
      && a.facts.elementsEqual(b.facts) { $0.name == $1.name && $0.value == $1.value }
  }
}

package struct PlannedCase: Equatable, Sendable {
  package var description: CaseDescription
  /// The reason to skip the case; `nil`: it will run.
  package var skipReason: String?

  package init(_ description: CaseDescription, skipReason: String? = nil) {
    self.description = description
    self.skipReason = skipReason
  }
}

package struct RunSummary: Equatable, Sendable {
  package var duration: Duration
  /// The number of cases by verdict. Verdicts without a case have no entry.
  package var counts: [Verdict: Int]
  /// Differences between the accessory's initial and final state; empty: none.
  package var leftovers: [String]

  package init(duration: Duration, counts: [Verdict: Int], leftovers: [String] = []) {
    self.duration = duration
    self.counts = counts
    self.leftovers = leftovers
  }
}
