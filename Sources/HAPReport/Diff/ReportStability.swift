import HAPWire

/// The cases with different results in several whole runs against one accessory.
package struct ReportStability: Equatable, Sendable {
  package struct Row: Equatable, Sendable {
    package var id: String
    package var name: String
    /// The result of the case in each run, such as "pass" or "not-run"; empty: the run did not have the case.
    package var results: [String]
    /// The first message of each further result, in the order of the runs.
    package var messages: [String]
  }

  /// The number of compared runs.
  package private(set) var runs: Int
  /// The number of cases in the runs.
  package private(set) var cases: Int
  /// The rows in the order of the first run.
  package private(set) var rows: [Row] = []

  /// - Parameter reports: reports of whole runs, in order.
  package init(_ reports: [RunReport]) {
    runs = reports.count
    let ends = reports.map { report in
      Dictionary(report.cases.map { ($0.description.id, $0) }, uniquingKeysWith: { first, _ in first })
    }
    var seen: Set<String> = []
    for reported in reports.flatMap(\.cases) where seen.insert(reported.description.id).inserted {
      let id = reported.description.id
      let results = ends.map { $0[id]?.word ?? "" }
      guard Set(results).count > 1 else { continue }
      var messages: [String] = []
      for (index, result) in results.enumerated() where results.firstIndex(of: result) == index {
        let message = ends[index][id]?.outcome.message ?? ""
        if !message.isEmpty { messages.append("\(result): \(message)") }
      }
      rows.append(Row(id: id, name: reported.description.name, results: results, messages: messages))
    }
    cases = seen.count
  }

  package var isStable: Bool { rows.isEmpty }

  /// Returns "0 of 350 verdicts differ between 5 runs", then a line for each case that differs.
  package func text(redaction: Redaction) -> String {
    var lines = [
      "\(rows.count) of \(counted(cases, "verdict")) \(rows.count == 1 ? "differs" : "differ") between \(runs) runs."
    ]
    for row in rows {
      let results = row.results.map { $0.isEmpty ? "-" : $0.uppercased() }.joined(separator: " ")
      lines.append("  \(row.id) \(row.name): \(results)".oneLine)
      lines += row.messages.map { "      \(redaction($0).oneLine.withShortHex())" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  package func json(redaction: Redaction) -> String {
    JSONWriter.text { json in
      json.object { json in
        json.key("runs")
        json.integer(runs)
        json.key("cases")
        json.integer(cases)
        json.key("differing")
        json.array { json in
          for row in rows {
            json.object { json in
              json.text("id", row.id)
              json.text("name", row.name)
              json.texts("results", row.results)
              json.texts("messages", row.messages.map { redaction($0) })
            }
          }
        }
      }
    } + "\n"
  }
}
