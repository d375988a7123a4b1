import HAPCommandLine
import HAPModel
import HAPWire

extension Command {
  /// `hapsim types`
  package static let types = Command(
    "types", "browse Apple's services, characteristics and categories",
    operands: .some(label: "[WORD]", count: 0...1), options: [CommonOptions.json.definition],
    discussion: [
      "WORD is a name, a part of one, or a UUID, short or full; case, spaces and hyphens don't matter. One that means a single type "
        + "shows all about it: what a service requires and allows, a characteristic's format, permissions, range, and the words "
        + "that a profile may write for its values. Without a WORD all are listed, but for those that Apple has withdrawn."
    ],
    examples: [
      ("hapsim types lock", "everything about locks"),
      ("hapsim types TargetDoorState", "the values of a garage door's target"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let word = arguments.operands.first
    let found = word.map { TypesFound(matching: $0) } ?? TypesFound.all
    if arguments[CommonOptions.json] {
      console.print(found.json)
    } else {
      for line in found.lines(width: console.output.textWidth, terminal: console.output) { console.print(line) }
    }
    guard let word, found.isEmpty else { return .well }
    let names =
      Catalogue.services.map(\.identifier) + Catalogue.characteristics.map(\.identifier)
      + Catalogue.categories.map(\.slug)
    let meant = nearestName(to: word, in: names)
    console.complain("hapsim types: nothing is named \(shown(word))" + (meant.map { "; did you mean \($0)?" } ?? ""))
    return .problem
  }
}

/// What a search of the catalogue came to.
struct TypesFound: Equatable {
  var services: [ServiceDefinition]
  var characteristics: [CharacteristicDefinition]
  var categories: [HAPModel.Category]

  /// The whole catalogue but what is withdrawn.
  static var all: TypesFound {
    TypesFound(
      services: Catalogue.services.filter { !$0.isWithdrawn },
      characteristics: Catalogue.characteristics.filter { !$0.isWithdrawn }, categories: Catalogue.categories)
  }

  var isEmpty: Bool { count == 0 }
  var count: Int { services.count + characteristics.count + categories.count }
}

extension TypesFound {
  /// What bears the name or UUID exactly; where nothing does, what has the word in its name.
  init(matching word: String) {
    let folded = foldedName(word)
    let type = TypeID(word)
    services = Catalogue.services.filter { [foldedName($0.identifier), foldedName($0.name)].contains(folded) }
    characteristics = Catalogue.characteristics.filter {
      [foldedName($0.identifier), foldedName($0.name)].contains(folded)
    }
    categories = Catalogue.categories.filter { foldedName($0.slug) == folded }
    if isEmpty, let type {
      services = Catalogue.service(type).map { [$0] } ?? []
      characteristics = Catalogue.characteristic(type).map { [$0] } ?? []
    }
    guard isEmpty, !folded.isEmpty else { return }
    services = Catalogue.services.filter { has(folded, $0.identifier, $0.name) }
    characteristics = Catalogue.characteristics.filter { has(folded, $0.identifier, $0.name) }
    categories = Catalogue.categories.filter { has(folded, $0.slug, $0.name) }
  }
}

private func has(_ folded: String, _ names: String...) -> Bool { names.contains { foldedName($0).contains(folded) } }
