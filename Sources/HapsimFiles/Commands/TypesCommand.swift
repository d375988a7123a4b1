import HAPCommandLine
import HAPModel
import HAPWire

extension Command {
  /// `hapsim types`
  package static let types = Command(
    "types", "browse Apple's services, characteristics and categories",
    operands: .some(label: "[WORD]", count: 0...1), options: [CommonOptions.json.definition],
    discussion: [
      "WORD is a name, a part of a name, or a UUID, short or full; case, spaces and hyphens are ignored. If it matches a single type, "
        + "all data of the type is printed. A service is printed with its characteristics. A characteristic is printed with format, permissions, range, and the "
        + "names that a profile may use for its values. Without WORD, all types are listed except those that Apple has withdrawn."
    ],
    examples: [
      ("hapsim types lock", "shows all types for locks"),
      ("hapsim types TargetDoorState", "shows the values of a garage door's target state"),
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
    console.complain("hapsim types: no type is named \(shown(word))" + (meant.map { "; did you mean \($0)?" } ?? ""))
    return .problem
  }
}

/// The result of a search in the catalogue.
struct TypesFound: Equatable {
  var services: [ServiceDefinition]
  var characteristics: [CharacteristicDefinition]
  var categories: [HAPModel.Category]

  /// The whole catalogue without withdrawn types.
  static var all: TypesFound {
    TypesFound(
      services: Catalogue.services.filter { !$0.isWithdrawn },
      characteristics: Catalogue.characteristics.filter { !$0.isWithdrawn }, categories: Catalogue.categories)
  }

  var isEmpty: Bool { count == 0 }
  var count: Int { services.count + characteristics.count + categories.count }
}

extension TypesFound {
  /// The types with exactly this name or UUID; if there are none, those whose name contains the text.
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
