/// What a run tells while it goes on. Every report is made from these alone.
package enum RunEvent: Equatable, Sendable {
  /// First of all.
  case began(RunHeader)
  /// Every case of the selection, in the order in which they are meant to run; those that won't run have a reason.
  case planned([PlannedCase])
  case caseBegan(id: String)
  case caseEnded(CaseOutcome)
  /// Something worth saying that belongs to no case: "paired", "waiting for the hook".
  case note(String)
  /// The accessory is gone; nothing more runs. `lastSent`: what was sent last, readable, and its bytes.
  case lost(reason: String, lastSent: String, bytes: [UInt8])
  /// A person or the system ended the run early.
  case interrupted
  /// Last of all.
  case ended(RunSummary)
}

package struct RunHeader: Equatable, Sendable {
  package var program: ReportProgram
  /// The program's version.
  package var version: String
  /// As a person would name it: "127.0.0.1:51826", "Kitchen Sink".
  package var target: String
  /// What is known of the accessory before anything ran: name, model, category, device ID, `c#`…
  package var facts: [(name: String, value: String)]
  package var seed: UInt64
  /// "2026-11-21T13:00:00Z"; empty where nobody asked the clock.
  package var time: String
  /// The command line, secrets left out.
  package var arguments: [String]
  /// Whether some cases of the suites were not selected, so that the plan has not all of them.
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
  /// Why it won't run; nil: it will.
  package var skipReason: String?

  package init(_ description: CaseDescription, skipReason: String? = nil) {
    self.description = description
    self.skipReason = skipReason
  }
}

package struct RunSummary: Equatable, Sendable {
  package var duration: Duration
  /// How many ended which way; a verdict that didn't occur has no entry.
  package var counts: [Verdict: Int]
  /// Whether the accessory was left as it was found; otherwise what is different.
  package var leftovers: [String]

  package init(duration: Duration, counts: [Verdict: Int], leftovers: [String] = []) {
    self.duration = duration
    self.counts = counts
    self.leftovers = leftovers
  }
}
