/// A failure in plain lines, for reports whose readers show text.
enum FailureText {
  static func lines(of outcome: CaseOutcome) -> [String] {
    let description = outcome.description
    var lines = ["\(description.requirement) (\(description.section), \(description.level.rawValue))"]
    for (title, text) in [("seen", outcome.message.withShortHex())] + facts(of: outcome) where !text.isEmpty {
      lines.append("\(title): \(text)")
    }
    return lines
  }

  /// Returns the facts beyond the requirement and the message. Texts may be empty.
  static func facts(of outcome: CaseOutcome) -> [(title: String, text: String)] {
    let description = outcome.description
    var facts: [(title: String, text: String)] = []
    func add(_ title: String, _ text: String?) { if let text { facts.append((title, text.withShortHex())) } }
    add("baseline", outcome.expected)
    for variant in outcome.variants where variant.verdict.isBad {
      add("variant", "\(variant.name): \(variant.message)")
    }
    add("sent", outcome.sent)
    for (index, accepted) in outcome.accepted.enumerated() { add(index == 0 ? "accepted" : "or", accepted) }
    add("got", outcome.got)
    if outcome.verdict == .fail || outcome.verdict == .flaky {
      add("why it matters", description.impact)
      add("usual cause", description.cause)
      add("how to fix", description.fix)
    }
    add("more", description.more)
    return facts
  }
}
