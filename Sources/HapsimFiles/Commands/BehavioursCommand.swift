import HAPCommandLine
import HAPDevices
import HAPModel
import HAPWire

extension Command {
  /// `hapsim behaviours`
  package static let behaviours = Command(
    "behaviours", "list the simulated behaviours of services, and their parameters",
    operands: .some(label: "[SERVICE]", count: 0...1), options: [CommonOptions.json.definition],
    discussion: [
      "The parameters are the members of a service's behaviour in a profile. SERVICE is a name or a UUID, short or full; case, spaces and "
        + "hyphens are ignored. Without SERVICE, all behaviours are listed. Any other service, such as a custom one, can have a generic behaviour: "
        + "its current values follow its target values, as the profile defines. See docs/reference/behaviours.md."
    ],
    examples: [
      ("hapsim behaviours GarageDoorOpener", "shows the parameters of a garage door"),
      ("hapsim behaviours 8D930001-860E-4115-99CE-0CB5D9674D77", "shows the parameters of a custom service"),
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
        console.complain("hapsim behaviours: \(name) has no behaviour, and can't have one")
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

/// The behaviours to print.
struct BehavioursFound {
  var kinds: [BehaviourKind]
  /// The requested service, if it has no built-in behaviour.
  var without: TypeID?
}

extension [BehaviourKind] {
  /// The behaviours by name, with the generic one last.
  var ordered: [BehaviourKind] {
    sorted { a, b in
      guard let first = a.service?.identifier, let second = b.service?.identifier else { return a.service != nil }
      return first < second
    }
  }
}
