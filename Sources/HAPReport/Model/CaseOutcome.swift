/// How a case ended, with all that a report may want to tell about it.
package struct CaseOutcome: Equatable, Sendable {
  package var description: CaseDescription
  package var verdict: Verdict
  /// One line: what was wrong, why it was skipped, what was recorded. Empty for a plain pass.
  package var message: String
  /// For a failure: what was sent last, as a person would say it ("POST /pair-setup M3, proof of 63 bytes").
  package var sent: String?
  /// What would have been accepted, one line each.
  package var accepted: [String]
  /// What came instead; "no answer within 10 s".
  package var got: String?
  /// Where in the suite the steps stand at which it failed, one for each variant that did: "read.yaml:33:9: cases[0].steps[2]".
  package var failedAt: [String] = []
  /// Deviations that were accepted: what, and who else does it.
  package var deviations: [String]
  /// What was seen and is worth keeping.
  package var notes: [String]
  /// The variants that the case went through; empty where it has none.
  package var variants: [Variant]
  /// From the start of the run.
  package var start: Duration
  package var duration: Duration
  /// Of the case's own chance.
  package var seed: UInt64
  /// Which of the repetitions it was, from 0.
  package var turn = 0
  /// The verdict of each repetition; one element without `--repeat`.
  package var repetitions: [Verdict]
  /// The baseline's reason, for `xfail` and `xpass`.
  package var expected: String?
  /// The case that fails instead of this one, "PR-01"; `nil` unless the verdict is `blocked`.
  package var blockedBy: String?
  package var transcript: [TranscriptEntry]
  /// Of the encrypted sessions that it opened.
  package var sessionKeys: [SessionKeyRecord]

  package struct Variant: Equatable, Sendable {
    package var name: String
    package var verdict: Verdict
    package var message: String

    package init(name: String, verdict: Verdict, message: String) {
      self.name = name
      self.verdict = verdict
      self.message = message
    }
  }

  package init(
    _ description: CaseDescription, _ verdict: Verdict, message: String = "", sent: String? = nil,
    accepted: [String] = [], got: String? = nil, deviations: [String] = [], notes: [String] = [],
    variants: [Variant] = [], start: Duration = .zero, duration: Duration = .zero, seed: UInt64 = 0,
    repetitions: [Verdict] = [], expected: String? = nil, transcript: [TranscriptEntry] = [],
    sessionKeys: [SessionKeyRecord] = []
  ) {
    self.description = description
    self.verdict = verdict
    self.message = message
    self.sent = sent
    self.accepted = accepted
    self.got = got
    self.deviations = deviations
    self.notes = notes
    self.variants = variants
    self.start = start
    self.duration = duration
    self.seed = seed
    self.repetitions = repetitions
    self.expected = expected
    self.transcript = transcript
    self.sessionKeys = sessionKeys
  }
}
