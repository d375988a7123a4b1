import HAPCommandLine
import HAPController
import HAPMisbehaviour
import HAPModel
import HAPStore
import HAPWire

extension Command {
  private static let stay = Option<Int>(
    "stay", "SEC", in: 1...600, "how long to stay where something ought to be done, and isn't (default: 20)")
  private static let listFlag = Flag("list", "list what can be done wrong, and do nothing")

  /// `hapctl misbehave`
  static let misbehave = Command(
    "misbehave", "do what a controller should not do, on purpose",
    operands: .some(label: "TARGET RULE…", count: 0...100),
    options: [listFlag.definition, stay.definition, CommonOptions.json.definition] + CommonOptions.all,
    discussion: [
      "Each RULE is one of 'hapsim judge', which finds it broken then; so this proves the judge, and shows how an accessory takes it. "
        + "Nothing is left behind: what is added to the pairings is removed again.",
      "Some want the accessory to do something: reconnects and resubscribes, that it loses the connection; survives-events, that a value changes; patience, that answers are late; "
        + "keeps-connection, that a read fails; reads-new-database, that c# changes.",
    ],
    examples: [
      ("hapctl misbehave --list", "what there is"),
      ("hapctl misbehave garage known-ids query-form", "two of them"),
    ]
  ) { (arguments, console) throws(UsageError) in
    if arguments[listFlag] {
      tellMisdeeds(arguments[CommonOptions.json], console)
      return .well
    }
    guard arguments.operands.count >= 2 else { throw UsageError("TARGET RULE… is missing") }
    var misdeeds: [Misdeed] = []
    for word in arguments.operands.dropFirst() {
      guard let misdeed = Misdeed.all.first(where: { $0.rule == word }) else {
        let meant = nearestName(to: word, in: Misdeed.all.map(\.rule)).map { ": did you mean \"\($0)\"?" }
        throw UsageError("there is no rule \(shown(word))\(meant ?? "; --list has them all")")
      }
      misdeeds.append(misdeed)
    }
    let visit = try Visit("misbehave", to: try Target(arguments.operands[0]), arguments, console)
    let time = Duration.seconds(try arguments.value(stay) ?? 20)
    let chosen = misdeeds
    return visit.run { loop in
      let pairing = try visit.store().pairings().pairing(for: visit.target)
      let mischief = Mischief(on: loop, pairing, timeout: visit.timeout, stay: time)
      for misdeed in chosen {
        try await misdeed.perform(mischief)
        console.print("\(misdeed.rule): \(misdeed.what)")
      }
      return .well
    }
  }
}

private func tellMisdeeds(_ isJSON: Bool, _ console: Console) {
  if isJSON {
    let text = JSONWriter.text { json in
      json.array { json in
        for misdeed in Misdeed.all {
          json.object { json in
            json.key("rule")
            json.string(misdeed.rule)
            json.key("what")
            json.string(misdeed.what)
          }
        }
      }
    }
    return console.print(text)
  }
  let width = Misdeed.all.map(\.rule.count).max() ?? 0
  for misdeed in Misdeed.all {
    let gap = String(repeating: " ", count: width - misdeed.rule.count + 2)
    console.print("\(console.output.styled(misdeed.rule, .bold))\(gap)\(misdeed.what)")
  }
}
