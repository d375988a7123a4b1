import HAPCommandLine
import HAPDevices
import HAPModel
import HAPWire

extension Command {
  /// `hapsim behaviours`
  package static let behaviours = Command(
    "behaviours", "list the services that move by themselves, and what can be said about how",
    operands: .some(label: "[SERVICE]", count: 0...1), options: [CommonOptions.json.definition],
    discussion: [
      "The parameters are the members of a service's behaviour in a profile. SERVICE is a name or a UUID, short or full; case, spaces and "
        + "hyphens don't matter. Without it all are listed. A service without a behaviour of its own, your own ones too, can be given one: "
        + "its currents follow its targets as the profile says. More about each: docs/behaviours.md."
    ],
    examples: [
      ("hapsim behaviours GarageDoorOpener", "what a garage door can be told"),
      ("hapsim behaviours 8D930001-860E-4115-99CE-0CB5D9674D77", "what a service of your own can be told"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let found: BehavioursFound
    if let word = arguments.operands.first {
      guard let type = Catalogue.service(named: word)?.type ?? TypeID(word) else {
        let meant = nearestName(to: word, in: Catalogue.services.map(\.identifier))
        console.complain(
          "hapsim behaviours: no service is named \(shown(word))" + (meant.map { "; did you mean \($0)?" } ?? ""))
        return .problem
      }
      guard let kind = BehaviourRegistry.standard.kind(for: type) else {
        let name = Catalogue.service(type)?.identifier ?? shown(word)
        console.complain("hapsim behaviours: \(name) has no behaviour, and can't be given one")
        return .problem
      }
      found = BehavioursFound(kinds: [kind], without: kind.service == nil ? type : nil)
    } else {
      found = BehavioursFound(kinds: BehaviourRegistry.standard.kinds.ordered)
    }
    if arguments[CommonOptions.json] {
      console.print(found.json)
    } else {
      for line in found.lines(width: console.output.textWidth, terminal: console.output) { console.print(line) }
    }
    return .well
  }
}

/// Behaviours to be shown.
struct BehavioursFound {
  var kinds: [BehaviourKind]
  /// The service that was asked for, where it has none of its own.
  var without: TypeID?
}

extension [BehaviourKind] {
  /// By name, and the one for any service in the end.
  var ordered: [BehaviourKind] {
    sorted { a, b in
      guard let first = a.service?.identifier, let second = b.service?.identifier else { return a.service != nil }
      return first < second
    }
  }
}
