import HAPWire

/// Workflow commands of GitHub Actions for failures, one line each. GitHub shows the first ten of a step; the others appear only
/// in its log.
package enum GitHubAnnotations {
  package static func lines(of report: RunReport, redaction: Redaction) -> [String] {
    let report = report.redactedWithoutTranscripts(by: redaction)
    var lines = report.cases.filter { $0.verdict?.isBad == true }.map { reported in
      let title = "\(reported.label) \(reported.description.title)"
      let text = FailureText.lines(of: reported.outcome).joined(separator: "\n")
      return "::error title=\(title.oneLine.commandProperty)::\(text.commandData)"
    }
    if let lost = report.lost {
      lines.append("::error title=The accessory was lost::\("\(lost.reason); sent last: \(lost.lastSent)".commandData)")
    }
    if report.isInterrupted { lines.append("::error title=The run was interrupted::\(report.tally.text)") }
    return lines
  }
}

extension String {
  /// The text with line ends and the escape character escaped.
  fileprivate var commandData: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "%": text += "%25"
      case "\r": text += "%0D"
      case "\n": text += "%0A"
      case _ where scalar.isInvisible: text += String(scalar).visible
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The text for a property, with commas and colons also escaped.
  fileprivate var commandProperty: String {
    commandData.unicodeScalars.map { $0 == ":" ? "%3A" : $0 == "," ? "%2C" : String($0) }.joined()
  }
}
