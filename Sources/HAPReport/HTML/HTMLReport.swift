import HAPWire

/// The run as one self-contained page that works from disk.
///
/// The run is embedded as JSON without a `<`, and the page's script inserts it only as text. The page's policy allows only its own script
/// and style, by their hashes.
package enum HTMLReport {
  /// - Parameter conclusion: the conclusion of the exit status; `nil`: the conclusion without options such as `--fail-on`.
  package static func text(
    of report: RunReport, redaction: Redaction, conclusion: RunConclusion? = nil,
    limits: TranscriptLimits = TranscriptLimits()
  ) -> String {
    let (report, leftOut) = limits.applied(to: report.redacted(by: redaction))
    let data = JSONWriter.bytes { json in
      json.object { json in
        json.text("leftOut", leftOut)
        json.key("report")
        JSONReport.write(report, conclusion, to: &json) { entry, json in
          guard !entry.bytes.isEmpty else { return }
          json.key("bytes")
          json.base64(entry.bytes)
        }
      }
    }
    let target = report.header?.target ?? "a run that did not start"
    let words = [
      "haptest: \(target)".oneLine.htmlEscaped, withoutScript(report), String(decoding: harmless(data), as: UTF8.self),
    ]
    return filled(ReportPage.report, with: words)
  }

  /// Returns the pieces of a page with a text between each two.
  static func filled(_ pieces: [String], with words: [String]) -> String {
    precondition(pieces.count == words.count + 1)
    return zip(pieces, words + [""]).map { $0 + $1 }.joined()
  }

  /// Escapes bytes that HTML treats specially. In JSON they occur only in strings, where `\u003c` is equivalent, so no end of a script remains.
  private static func harmless(_ json: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(json.count + json.count / 16)
    for byte in json {
      switch byte {
      case UInt8(ascii: "<"): bytes += "\\u003c".utf8
      case UInt8(ascii: ">"): bytes += "\\u003e".utf8
      case UInt8(ascii: "&"): bytes += "\\u0026".utf8
      default: bytes.append(byte)
      }
    }
    return bytes
  }

  private static func withoutScript(_ report: RunReport) -> String {
    var text =
      "<p>\(report.tally.text.htmlEscaped). This page needs JavaScript to show all details.</p>\n<ul>\n"
    for reported in report.cases where reported.verdict?.isBad != false {
      let line =
        "\(reported.label) \(reported.description.title): \(reported.outcome.message)"
      text += "<li>\(line.oneLine.htmlEscaped)</li>\n"
    }
    return text + "</ul>"
  }
}
