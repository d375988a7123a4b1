/// Limits on the transcripts in one page. Failed cases take precedence.
package struct TranscriptLimits: Equatable, Sendable {
  package var entriesInCase = 400
  /// The limit on the readable content of an entry. Longer content is cut.
  package var charactersInEntry = 20_000
  package var bytesInEntry = 4096
  /// The divisor of the limits for a case without a failure: a tenth is enough to show its exchange.
  package var shareOfGood = 10
  /// The limit on the characters and bytes of all entries. A case beyond it has no transcript.
  package var sizeInAll = 12_000_000

  package init() {}

  /// Returns the run within the limits, and a sentence about omissions, if any.
  func applied(to report: RunReport) -> (report: RunReport, leftOut: String?) {
    var left = sizeInAll
    var kept: [String: [TranscriptEntry]] = [:]
    var cut = 0
    var dropped = 0
    let badFirst = report.outcomes.filter(\.verdict.isBad) + report.outcomes.filter { !$0.verdict.isBad }
    for outcome in badFirst where !outcome.transcript.isEmpty {
      var isCut = false
      let entries = (outcome.verdict.isBad ? self : ofGood).within(outcome.transcript, isCut: &isCut)
      let size = entries.reduce(0) { $0 + $1.decoded.utf8.count + $1.title.utf8.count + $1.bytes.count + 200 }
      guard size <= left else {
        dropped += 1
        kept[outcome.description.id] = []
        continue
      }
      left -= size
      if isCut { cut += 1 }
      kept[outcome.description.id] = entries
    }
    let limited = report.mapping(
      header: { $0 }, plan: { $0 },
      outcome: { outcome in
        var outcome = outcome
        outcome.transcript = kept[outcome.description.id] ?? []
        return outcome
      },
      text: { $0 }, bytes: { $0 })
    var sentences: [String] = []
    if cut > 0 { sentences.append("The transcripts of \(counted(cut, "case")) are cut.") }
    if dropped > 0 {
      sentences.append("The transcripts of \(counted(dropped, "case")) are omitted, to limit the size of the page.")
    }
    return (limited, sentences.isEmpty ? nil : sentences.joined(separator: " ") + " The evidence is complete.")
  }

  private var ofGood: TranscriptLimits {
    var limits = self
    limits.entriesInCase = max(1, entriesInCase / shareOfGood)
    limits.charactersInEntry = max(1, charactersInEntry / shareOfGood)
    limits.bytesInEntry = max(1, bytesInEntry / shareOfGood)
    return limits
  }

  private func within(_ transcript: [TranscriptEntry], isCut: inout Bool) -> [TranscriptEntry] {
    var entries = transcript.prefix(entriesInCase).map { entry in
      var entry = entry
      if entry.bytes.count > bytesInEntry {
        let size = entry.size
        entry.bytes = Array(entry.bytes.prefix(bytesInEntry))
        entry.size = size
        isCut = true
      }
      if entry.decoded.unicodeScalars.count > charactersInEntry {
        let more = entry.decoded.unicodeScalars.count - charactersInEntry
        entry.decoded = String(String.UnicodeScalarView(entry.decoded.unicodeScalars.prefix(charactersInEntry)))
        entry.decoded += "\n… \(more) more characters"
        isCut = true
      }
      if entry.title.utf8.count > 1000 { entry.title = entry.title.clipped(to: 300) }
      return entry
    }
    if transcript.count > entriesInCase {
      isCut = true
      entries.append(
        TranscriptEntry(
          time: transcript[entriesInCase].time, kind: .note,
          title: "… \(transcript.count - entriesInCase) more entries are omitted"))
    }
    return entries
  }
}
