import HAPModel
import HAPWire

/// A service as a person asks for it, with characteristics that are to be written out: `LightBulb:Brightness,Hue`.
package struct ServiceWish: Equatable, Sendable {
  /// As the profile names it.
  package let spelling: String
  let type: TypeID
  /// Nil for a vendor's own.
  let definition: ServiceDefinition?
  let characteristics: [CharacteristicDefinition]

  /// - Parameter text: an identifier or UUID of the catalogue, or a vendor's full UUID; then, after a colon, characteristics of the
  ///   catalogue with commas between.
  package init(_ text: String) throws(WishError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let named = Catalogue.service(named: parts[0]) ?? TypeID(parts[0]).flatMap { Catalogue.service($0) }
    if let named {
      (spelling, type, definition) = (named.identifier, named.type, named)
    } else if parts[0].utf8.count == 36, let type = TypeID(parts[0]) {
      (spelling, self.type, definition) = (type.uuid, type, nil)
    } else {
      let names = Catalogue.services.filter { !$0.isWithdrawn }.map(\.identifier)
      throw WishError("there is no service \"\(parts[0])\"" + meant(parts[0], names))
    }
    var wanted: [CharacteristicDefinition] = []
    for word in parts.dropFirst().flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
      let found = try CharacteristicDefinition(wished: String(word), of: named)
      guard !wanted.contains(found) else { throw WishError("\(found.identifier) is there twice") }
      wanted.append(found)
    }
    characteristics = wanted
  }
}

/// A word that nothing in the catalogue bears: one sentence for people, without a full stop.
package struct WishError: Error, Equatable, Sendable {
  package var message: String

  init(_ message: String) { self.message = message }
}

extension CharacteristicDefinition {
  /// One of the catalogue, by identifier, name or UUID; what was probably meant is looked for among those of the service first.
  init(wished word: String, of service: ServiceDefinition?) throws(WishError) {
    if let found = Catalogue.characteristic(named: word) ?? TypeID(word).flatMap({ Catalogue.characteristic($0) }) {
      self = found
      return
    }
    let own = service.map { ($0.required + $0.optional).compactMap { Catalogue.characteristic($0)?.identifier } } ?? []
    let all = Catalogue.characteristics.filter { !$0.isWithdrawn }.map(\.identifier)
    let hint = meant(word, own)
    throw WishError("there is no characteristic \"\(word)\"" + (hint.isEmpty ? meant(word, all) : hint))
  }
}

/// "; did you mean On?", or nothing.
func meant(_ word: String, _ names: [String]) -> String {
  nearestName(to: word, in: names).map { "; did you mean \($0)?" } ?? ""
}
