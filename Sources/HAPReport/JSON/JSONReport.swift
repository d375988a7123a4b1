import HAPWire

/// The run as a JSON document, without the bytes of transcripts and the keys of sessions. `docs/reference/report.schema.json` describes
/// the format; `RunReport.init(json:)` reads it.
package enum JSONReport {
  package static let format = 1

  /// - Parameter conclusion: the conclusion of the exit status; `nil`: the conclusion without options such as `--fail-on`.
  package static func text(
    of report: RunReport, redaction: Redaction, conclusion: RunConclusion? = nil
  ) -> String {
    JSONWriter.text { write(report.redacted(by: redaction), conclusion, to: &$0) } + "\n"
  }

  /// - Parameter bytes: writes the bytes of an entry after its other members; by default nothing.
  static func write(
    _ report: RunReport, _ conclusion: RunConclusion?, to json: inout JSONWriter,
    bytes: (TranscriptEntry, inout JSONWriter) -> Void = { _, _ in }
  ) {
    var order: [String: Int] = [:]
    for (index, outcome) in report.outcomes.enumerated() { order[outcome.description.id] = index }
    let planned = Dictionary(uniqueKeysWithValues: report.plan.map { ($0.description.id, $0) })
    json.object { json in
      json.key("format")
      json.integer(format)
      json.key("conclusion")
      json.string((conclusion ?? report.conclusion()).rawValue)
      if let header = report.header {
        json.key("run")
        write(header, to: &json)
      }
      json.key("cases")
      json.array { json in
        for reported in report.cases {
          json.object { json in
            json.key("result")
            json.string(reported.word)
            write(reported.description, to: &json)
            json.key("planned")
            json.bool(planned[reported.description.id] != nil)
            json.text("skipReason", planned[reported.description.id]?.skipReason)
            if let order = order[reported.description.id] {
              json.key("outcome")
              write(reported.outcome, order: order, to: &json, bytes: bytes)
            }
          }
        }
      }
      json.texts("running", report.running)
      json.texts("notes", report.notes)
      writeEnd(of: report, to: &json)
    }
  }

  private static func writeEnd(of report: RunReport, to json: inout JSONWriter) {
    if let lost = report.lost {
      json.key("lost")
      json.object { json in
        json.text("reason", lost.reason)
        json.text("lastSent", lost.lastSent)
        json.text("bytes", Hexadecimal.text(lost.bytes))
      }
    }
    json.key("interrupted")
    json.bool(report.isInterrupted)
    guard let summary = report.summary else { return }
    json.key("summary")
    json.object { json in
      json.seconds("duration", summary.duration)
      json.key("counts")
      json.object { json in
        for verdict in Verdict.allCases {
          guard let count = summary.counts[verdict] else { continue }
          json.key(verdict.rawValue)
          json.integer(count)
        }
      }
      json.texts("leftovers", summary.leftovers)
    }
  }

  private static func write(_ header: RunHeader, to json: inout JSONWriter) {
    json.object { json in
      if header.program != .haptest { json.text("program", header.program.rawValue) }
      json.text("version", header.version)
      json.text("target", header.target)
      json.key("facts")
      json.array { json in
        for fact in header.facts {
          json.object { json in
            json.text("name", fact.name)
            json.text("value", fact.value)
          }
        }
      }
      json.text("seed", String(header.seed))
      json.text("time", header.time)
      json.texts("arguments", header.arguments)
      if header.isPartial {
        json.key("partial")
        json.bool(true)
      }
    }
  }

  private static func write(_ description: CaseDescription, to json: inout JSONWriter) {
    json.text("id", description.id)
    json.text("name", description.name)
    json.text("area", description.area)
    json.text("level", description.level.rawValue)
    json.text("requirement", description.requirement)
    json.text("section", description.section)
    json.text("cause", description.cause)
    json.text("fix", description.fix)
    json.text("impact", description.impact)
    json.key("stacks")
    json.array { json in
      for stack in description.stacks {
        json.object { json in
          json.text("name", stack.name)
          json.text("behaviour", stack.behaviour)
          json.text("source", stack.source)
        }
      }
    }
    json.texts("aliases", description.aliases)
  }

  private static func write(
    _ outcome: CaseOutcome, order: Int, to json: inout JSONWriter, bytes: (TranscriptEntry, inout JSONWriter) -> Void
  ) {
    json.object { json in
      json.key("order")
      json.integer(order)
      json.text("verdict", outcome.verdict.rawValue)
      json.text("message", outcome.message)
      json.text("sent", outcome.sent)
      json.texts("accepted", outcome.accepted)
      json.text("got", outcome.got)
      if !outcome.failedAt.isEmpty { json.texts("failedAt", outcome.failedAt) }
      json.texts("deviations", outcome.deviations)
      json.texts("notes", outcome.notes)
      json.key("variants")
      json.array { json in
        for variant in outcome.variants {
          json.object { json in
            json.text("name", variant.name)
            json.text("verdict", variant.verdict.rawValue)
            json.text("message", variant.message)
          }
        }
      }
      json.seconds("start", outcome.start)
      json.seconds("duration", outcome.duration)
      json.text("seed", String(outcome.seed))
      json.texts("repetitions", outcome.repetitions.map(\.rawValue))
      json.text("expected", outcome.expected)
      json.text("blockedBy", outcome.blockedBy)
      json.key("transcript")
      json.array { json in
        for entry in outcome.transcript {
          json.object { json in
            write(entry, to: &json)
            bytes(entry, &json)
          }
        }
      }
    }
  }

  private static func write(_ entry: TranscriptEntry, to json: inout JSONWriter) {
    json.seconds("time", entry.time)
    json.text("kind", entry.kind.rawValue)
    json.text("direction", entry.direction.rawValue)
    json.text("connection", entry.connection)
    json.text("title", entry.title)
    json.text("decoded", entry.decoded)
    json.key("size")
    json.integer(entry.size)
    json.key("frames")
    json.array { json in
      for frame in entry.frames {
        json.object { json in
          json.text("counter", String(frame.counter))
          json.key("count")
          json.integer(frame.count)
        }
      }
    }
    json.text("localAddress", entry.localAddress)
    json.text("peerAddress", entry.peerAddress)
  }
}

extension JSONWriter {
  /// Writes no member for `nil`.
  mutating func text(_ name: String, _ text: String?) {
    guard let text else { return }
    key(name)
    string(text)
  }

  mutating func texts(_ name: String, _ texts: [String]) {
    key(name)
    array { json in for text in texts { json.string(text) } }
  }

  /// Writes a decimal number, exact to the attosecond.
  mutating func seconds(_ name: String, _ duration: Duration) {
    key(name)
    guard let number = try? JSONNode.parse(Array(duration.decimalSeconds.utf8)) else {
      preconditionFailure("a decimal number is JSON")
    }
    node(number)
  }
}
