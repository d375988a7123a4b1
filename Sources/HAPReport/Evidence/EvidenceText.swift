import HAPWire

/// The complete transcript of a case as text. It includes secrets, because evidence needs them.
package enum EvidenceText {
  package static func transcript(of outcome: CaseOutcome, header: RunHeader?) -> String {
    let description = outcome.description
    var lines = ["\(description.title): \(outcome.verdict.label)".oneLine]
    if let header { lines.append("haptest \(header.version), \(header.target), \(header.time)".oneLine) }
    lines.append(
      "case seed \(outcome.seed), \(outcome.start.decimalSeconds) s after the start of the run, took \(outcome.duration.briefly)"
    )
    lines.append("This file contains secrets.")
    lines.append("")
    lines += FailureText.lines(of: outcome).flatMap(\.lines).map(\.visible)
    for entry in outcome.transcript {
      lines.append("")
      lines.append(head(of: entry, start: outcome.start))
      if !entry.decoded.isEmpty { lines += entry.decoded.lines.map { "    " + $0.visible } }
      lines += HexDump.lines(entry.bytes).map { "    " + $0 }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func head(of entry: TranscriptEntry, start: Duration) -> String {
    let arrow =
      switch entry.direction {
      case .sent: "-->"
      case .received: "<--"
      case .none: "   "
      }
    var text =
      "\((entry.time - start).thousandths) s \(arrow) \(entry.connection.isEmpty ? entry.kind.rawValue : entry.connection)"
    text += ": \(entry.title)"
    if entry.size > 0 { text += " (\(counted(entry.size, "byte")))" }
    if let first = entry.frames.first, let last = entry.frames.last {
      text += first == last ? " frame \(first.counter)" : " frames \(first.counter)-\(last.counter)"
    }
    if !entry.localAddress.isEmpty { text += " [\(entry.localAddress) - \(entry.peerAddress)]" }
    return text.oneLine
  }

  /// Returns one line for each key, with tabs between the fields: connection, "sent" or "received", the key in hexadecimal.
  /// Lines with a "#" are comments.
  package static func sessionKeys(of outcome: CaseOutcome) -> String {
    var text =
      "# \(outcome.description.id.oneLine): connection, direction that the key seals, key (ChaCha20-Poly1305)\n"
    for record in outcome.sessionKeys {
      text += "\(record.connection.oneLine)\t\(record.direction.rawValue)\t\(Hexadecimal.text(record.key))\n"
    }
    return text
  }
}
