import HAPCommandLine
import HAPController
import HAPMisbehaviour
import HAPModel
import HAPStore
import HAPWire

extension Command {
  private static let stay = Option<Int>(
    "stay", "SEC", in: 1...600,
    "seconds to wait for an event of the accessory, or to omit a required action (default: 20)")
  private static let listFlag = Flag("list", "list the rules that can be violated, and exit")

  /// `hapctl misbehave`
  static let misbehave = Command(
    "misbehave", "violate controller rules on purpose",
    operands: .some(label: "TARGET RULE…", count: 0...100),
    options: [listFlag.definition, stay.definition, CommonOptions.json.definition] + CommonOptions.all,
    discussion: [
      "Each RULE is a rule of 'hapsim judge', which then reports its violation. This tests the judge, and shows how an accessory reacts. "
        + "Pairings that are added are removed again.",
      "Cause an event on the accessory for these rules: a lost connection for reconnects and resubscribes, a changed value for survives-events, late answers for patience, "
        + "a failed read for keeps-connection, a new c# for reads-new-database.",
    ],
    examples: [
      ("hapctl misbehave --list", "lists the rules"),
      ("hapctl misbehave garage known-ids query-form", "violates two rules"),
    ]
  ) { (arguments, console) throws(UsageError) in
    if arguments[listFlag] {
      tellViolations(arguments[CommonOptions.json], console)
      return .well
    }
    guard arguments.operands.count >= 2 else { throw UsageError("TARGET RULE… is missing") }
    var violations: [ControllerViolation] = []
    for word in arguments.operands.dropFirst() {
      guard let violation = ControllerViolation.all.first(where: { $0.rule == word }) else {
        let meant = nearestName(to: word, in: ControllerViolation.all.map(\.rule)).map { ": did you mean \"\($0)\"?" }
        throw UsageError("there is no rule \(shown(word))\(meant ?? "; --list shows all rules")")
      }
      violations.append(violation)
    }
    let visit = try Visit("misbehave", to: try Target(arguments.operands[0]), arguments, console)
    let time = Duration.seconds(try arguments.value(stay) ?? 20)
    let chosen = violations
    return visit.run { loop in
      let pairing = try visit.store().pairings().pairing(for: visit.target)
      let controller = MisbehavingController(on: loop, pairing, timeout: visit.timeout, stay: time)
      for violation in chosen {
        try await violation.perform(controller)
        console.print("\(violation.rule): \(violation.what)")
      }
      return .well
    }
  }
}

private func tellViolations(_ isJSON: Bool, _ console: Console) {
  if isJSON {
    let text = JSONWriter.text { json in
      json.array { json in
        for violation in ControllerViolation.all {
          json.object { json in
            json.key("rule")
            json.string(violation.rule)
            json.key("what")
            json.string(violation.what)
          }
        }
      }
    }
    return console.print(text)
  }
  let width = ControllerViolation.all.map(\.rule.count).max() ?? 0
  for violation in ControllerViolation.all {
    let gap = String(repeating: " ", count: width - violation.rule.count + 2)
    console.print("\(console.output.styled(violation.rule, .bold))\(gap)\(violation.what)")
  }
}
