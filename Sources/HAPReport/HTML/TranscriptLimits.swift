/// How much of the transcripts one page holds. What went wrong comes first.
package struct TranscriptLimits: Equatable, Sendable {
  package var entriesInCase = 400
  /// Of the readable content; what is longer is cut.
  package var charactersInEntry = 20_000
  package var bytesInEntry = 4096
  /// Of a case in which nothing went wrong, a tenth of that is enough to see what was said.
  package var shareOfGood = 10
  /// Characters and bytes of all entries together; a case that doesn't fit in has no transcript.
  package var sizeInAll = 12_000_000

  package init() {}

  /// The run within the limits, and what was left out of it, if anything, in a sentence.
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
      sentences.append("The transcripts of \(counted(dropped, "case")) are left out, for the page's size.")
    }
    return (limited, sentences.isEmpty ? nil : sentences.joined(separator: " ") + " The evidence has all of it.")
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
          title: "… \(transcript.count - entriesInCase) more are left out"))
    }
    return entries
  }
}
