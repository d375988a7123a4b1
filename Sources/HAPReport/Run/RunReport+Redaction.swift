extension RunReport {
  /// Returns the run without secrets and without transcripts. Redacting transcripts would take most of the time.
  package func redactedWithoutTranscripts(by redaction: Redaction) -> RunReport {
    withTranscripts { _ in false }.redacted(by: redaction)
  }

  /// Returns the run without session keys and secrets.
  package func redacted(by redaction: Redaction) -> RunReport {
    mapping(
      header: { $0.redacted(by: redaction) },
      plan: { planned in
        var planned = planned
        planned.skipReason = planned.skipReason.map { redaction($0) }
        return planned
      },
      outcome: { $0.redacted(by: redaction) }, text: { redaction($0) }, bytes: { redaction($0) })
  }

  /// The run without the transcripts of cases that did not fail. They are most of a report, and are rarely read.
  package var withTranscriptsOfBadCases: RunReport { withTranscripts { $0.verdict.isBad } }

  private func withTranscripts(of isKept: (CaseOutcome) -> Bool) -> RunReport {
    mapping(
      header: { $0 }, plan: { $0 },
      outcome: { outcome in
        if isKept(outcome) { return outcome }
        var outcome = outcome
        outcome.transcript = []
        return outcome
      },
      text: { $0 }, bytes: { $0 })
  }
}

extension RunHeader {
  package func redacted(by redaction: Redaction) -> RunHeader {
    var header = self
    header.target = redaction(target)
    header.facts = facts.map { ($0.name, redaction($0.value)) }
    header.arguments = arguments.map { redaction($0) }
    return header
  }
}

extension CaseOutcome {
  package func redacted(by redaction: Redaction) -> CaseOutcome {
    var outcome = self
    outcome.message = redaction(message)
    outcome.sent = sent.map { redaction($0) }
    outcome.accepted = accepted.map { redaction($0) }
    outcome.got = got.map { redaction($0) }
    outcome.deviations = deviations.map { redaction($0) }
    outcome.notes = notes.map { redaction($0) }
    outcome.variants = variants.map {
      .init(name: redaction($0.name), verdict: $0.verdict, message: redaction($0.message))
    }
    outcome.expected = expected.map { redaction($0) }
    outcome.transcript = transcript.map { $0.redacted(by: redaction) }
    outcome.sessionKeys = []
    return outcome
  }
}

extension TranscriptEntry {
  package func redacted(by redaction: Redaction) -> TranscriptEntry {
    var entry = self
    entry.title = redaction(title)
    entry.decoded = redaction(decoded)
    entry.bytes = redaction(bytes)
    entry.size = size
    return entry
  }
}
