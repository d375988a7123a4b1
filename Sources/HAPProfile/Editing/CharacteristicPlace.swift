import HAPModel
import HAPWire

/// A characteristic of a service, found by a name.
enum CharacteristicPlace {
  /// A characteristic that the document contains.
  case written(JSONNode, CharacteristicDefinition?)
  /// A characteristic that the document doesn't contain but the service has, because the service requires it.
  case required(CharacteristicDefinition)
}

extension ServicePlace {
  /// The characteristics that the document contains.
  var characteristics: [JSONNode] { node["characteristics"]?.elements ?? [] }

  /// Finds a characteristic by its type or by a vendor's description.
  func characteristic(_ words: String) throws(JSONProblem) -> CharacteristicPlace {
    let type = Catalogue.characteristic(named: words)?.type ?? TypeID(words)
    let written = characteristics
    let found =
      written.first { type != nil && $0.characteristicType == type }
      ?? written.first { $0["description"]?.stringValue.map(foldedName) == foldedName(words) }
    if let found { return .written(found, found.characteristicType.flatMap { Catalogue.characteristic($0) }) }
    let required = (definition?.required ?? []).compactMap { Catalogue.characteristic($0) }
    if let known = required.first(where: { $0.type == type }) { return .required(known) }
    if let known = type.flatMap({ Catalogue.characteristic($0) }) {
      throw node.problem("\(identifier) has no \(known.identifier) here: add-characteristic adds it")
    }
    let names =
      written.flatMap { node in
        [
          node.characteristicType.flatMap { Catalogue.characteristic($0)?.identifier },
          node["description"]?.stringValue,
        ]
        .compactMap { $0 }
      } + required.map(\.identifier)
    let hint = nearestName(to: words, in: names).map { ": did you mean \"\($0)\"?" } ?? ""
    throw node.problem("\(identifier) has no characteristic \"\(words)\"\(hint)")
  }
}

extension JSONNode {
  /// `nil` if the document has no valid type here.
  var characteristicType: TypeID? {
    guard let text = self["type"]?.stringValue else { return nil }
    return Catalogue.characteristic(named: text)?.type ?? TypeID(text)
  }
}
