import HAPWire

/// A table of cases × devices: the same suites, run against several accessories.
package struct ReportMatrix: Sendable {
  private struct Row {
    var description: CaseDescription
    /// One cell for each report; `nil`: the report does not have the case.
    var cells: [ReportedCase?]

    var differs: Bool { Set(cells.map { $0?.word }).count > 1 }
  }

  private let names: [String]
  private let tallies: [Tally]
  private var rows: [Row] = []
  private var notes: [String] = []

  /// - Parameter reports: reports with their names; a name of `nil` is replaced by the target.
  package init(_ reports: [(name: String?, report: RunReport)], redaction: Redaction) {
    let redacted = reports.map { $0.report.redactedWithoutTranscripts(by: redaction) }
    names = zip(reports, redacted).enumerated().map { index, pair in
      let (given, report) = pair
      return given.name.map { redaction($0) } ?? report.header?.target ?? "report \(index + 1)"
    }
    tallies = redacted.map(\.tally)
    var places: [String: Int] = [:]
    for (column, report) in redacted.enumerated() {
      for reported in report.cases {
        let id = reported.description.id
        let place = places[id] ?? rows.count
        if place == rows.count {
          places[id] = place
          rows.append(Row(description: reported.description, cells: Array(repeating: nil, count: redacted.count)))
        }
        rows[place].cells[column] = reported
      }
      if report.lost != nil { notes.append("\(names[column]): the accessory was lost, so not all of the cases ran.") }
      if report.isInterrupted {
        notes.append("\(names[column]): the run was interrupted, so not all of the cases ran.")
      }
    }
  }

  /// The rows by area, in the order of the reports.
  private var areas: [(name: String, rows: [Row])] {
    var areas: [(name: String, rows: [Row])] = []
    for row in rows {
      if let place = areas.firstIndex(where: { $0.name == row.description.area }) {
        areas[place].rows.append(row)
      } else {
        areas.append((row.description.area, [row]))
      }
    }
    return areas
  }

  package var markdown: String {
    let titles = ["case", "", "level"] + names.map { $0.oneLine.markdownEscaped }
    var text = "# Conformance matrix\n\n"
    for note in notes { text += "- \(note.oneLine.markdownEscaped)\n" }
    if !notes.isEmpty { text += "\n" }
    text += "| " + titles.joined(separator: " | ") + " |\n" + String(repeating: "| --- ", count: titles.count) + "|\n"
    text += "| **all** | | | " + tallies.map(\.text).joined(separator: " | ") + " |\n"
    for area in areas {
      text += "| **\(area.name.oneLine.markdownEscaped)** |" + String(repeating: " |", count: titles.count - 1) + "\n"
      for row in area.rows {
        let cells = row.cells.map { cell in cell.map { $0.verdict?.isBad == true ? "**\($0.label)**" : $0.label } ?? "–"
        }
        let head = [row.description.id, row.description.name, row.description.level.rawValue].map {
          $0.oneLine.markdownEscaped
        }
        text += "| " + (head + cells).joined(separator: " | ") + " |\n"
      }
    }
    return text
  }

  package var html: String {
    let title = "Conformance matrix: \(counted(rows.count, "case")), \(counted(names.count, "device"))"
    var text =
      "<header class=\"top\"><div class=\"wide\"><p class=\"wordmark\">haptest</p><h1>\(title.htmlEscaped)</h1>\n"
    for note in notes { text += "<p class=\"notice is-error\">\(note.oneLine.htmlEscaped)</p>\n" }
    text +=
      "</div></header>\n<main class=\"wide\"><p><label><input type=\"checkbox\" id=\"only\"> only cases that differ</label></p>\n"
    text += "<div class=\"matrix\"><table>\n<thead><tr><th>case</th><th></th><th>level</th>"
    text += zip(names, tallies).map { "<th>\($0.oneLine.htmlEscaped)<br><small>\($1.text)</small></th>" }.joined()
    text += "</tr></thead>\n<tbody>\n"
    for area in areas {
      text += "<tr class=\"area\"><th colspan=\"\(names.count + 3)\">\(area.name.oneLine.htmlEscaped)</th></tr>\n"
      for row in area.rows {
        text += "<tr data-case\(row.differs ? " data-differs" : "")>"
        text += "<td>\(row.description.id.oneLine.htmlEscaped)</td><td>\(row.description.name.oneLine.htmlEscaped)</td>"
        text += "<td>\(row.description.level.rawValue)</td>\(row.cells.map(cell).joined())</tr>\n"
      }
    }
    text += "</tbody></table></div></main>"
    return HTMLReport.filled(ReportPage.matrix, with: [title.htmlEscaped, text])
  }

  private func cell(_ reported: ReportedCase?) -> String {
    guard let reported else { return "<td>–</td>" }
    let message = reported.outcome.message.oneLine.htmlEscaped
    return "<td><span class=\"badge is-\(reported.word)\" title=\"\(message)\">\(reported.label)</span></td>"
  }
}
