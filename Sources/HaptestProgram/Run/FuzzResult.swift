import HAPConformance
import HAPFuzzing
import HAPWire

/// The result of `haptest fuzz --json`, one JSON document. `docs/guides/haptest-fuzz.md` has its members.
struct FuzzResult {
  enum Word: String {
    case nothing = "nothing-found"
    case finding
    /// A replay caused another failure than the one in its reproducer.
    case otherFinding = "other-finding"
    case interrupted
  }

  private let word: Word
  private let seed: UInt64
  private let outcome: FuzzSession.Outcome
  /// The path of the written reproducer; `nil`: none.
  var file: String?

  init(_ word: Word, seed: UInt64, _ outcome: FuzzSession.Outcome) {
    self.word = word
    self.seed = seed
    self.outcome = outcome
  }

  var json: String {
    JSONWriter.text { json in
      json.object { json in
        json.key("result")
        json.string(word.rawValue)
        json.key("seed")
        json.integer(seed)
        json.key("sent")
        write(outcome.tally, to: &json)
        if let finding = outcome.finding { write(finding, to: &json) }
        if let reproducer = outcome.reproducer {
          json.key("file")
          if let file { json.string(file) } else { json.null() }
          if let node = try? JSONNode.parse(reproducer.bytes) {
            json.key("reproducer")
            json.node(node)
          }
        }
        if let leftover = outcome.leftover {
          json.key("leftover")
          json.string(leftover)
        }
      }
    }
  }

  private func write(_ tally: FuzzTally, to json: inout JSONWriter) {
    json.object { json in
      for (name, count) in [
        ("rounds", tally.rounds), ("messages", tally.messages), ("bytes", tally.bytes), ("closed", tally.closed),
        ("reset", tally.resets), ("unanswered", tally.silences), ("unreadable", tally.garbage),
        ("notSent", tally.unprepared),
      ] {
        json.key(name)
        json.integer(count)
      }
      json.key("answers")
      json.object { json in
        for (status, count) in tally.answers.sorted(by: { $0.key < $1.key }) {
          json.key("\(status)")
          json.integer(count)
        }
      }
    }
  }

  private func write(_ finding: FuzzFinding, to json: inout JSONWriter) {
    json.key("finding")
    json.object { json in
      json.key("kind")
      json.string(finding.kind.rawValue)
      json.key("message")
      json.string(finding.message)
      json.key("details")
      json.array { json in for line in finding.details { json.string(line) } }
    }
  }
}
