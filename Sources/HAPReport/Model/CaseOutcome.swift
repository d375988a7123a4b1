/// The result of a case, with all details that reports need.
package struct CaseOutcome: Equatable, Sendable {
  package var description: CaseDescription
  package var verdict: Verdict
  /// One line: the failure, the reason of a skip, or the recorded observation. Empty for a plain pass.
  package var message: String
  /// For a failure: a readable summary of the last message sent ("POST /pair-setup M3, proof of 63 bytes").
  package var sent: String?
  /// The accepted answers, one line each.
  package var accepted: [String]
  /// The actual answer, for example "no answer within 10 s".
  package var got: String?
  /// The places in the suite of the failed steps, one for each failed variant: "read.yaml:33:9: cases[0].steps[2]".
  package var failedAt: [String] = []
  /// Accepted deviations, with the stacks that behave the same.
  package var deviations: [String]
  /// Observations worth recording.
  package var notes: [String]
  /// The variants that ran; empty if the case has none.
  package var variants: [Variant]
  /// The time since the start of the run.
  package var start: Duration
  package var duration: Duration
  /// The seed of the case.
  package var seed: UInt64
  /// The number of the repetition, from 0.
  package var turn = 0
  /// The verdict of each repetition; one element without `--repeat`.
  package var repetitions: [Verdict]
  /// The baseline's reason, for `xfail` and `xpass`.
  package var expected: String?
  /// The case that fails instead of this one, "PR-01"; `nil` unless the verdict is `blocked`.
  package var blockedBy: String?
  package var transcript: [TranscriptEntry]
  /// The keys of the encrypted sessions that the case opened.
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
