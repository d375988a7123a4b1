import HAPModel
import HAPWire

/// A request for a service, and for the characteristics to state explicitly: `LightBulb:Brightness,Hue`.
package struct ServiceRequest: Equatable, Sendable {
  /// The type as the profile states it.
  package let spelling: String
  let type: TypeID
  /// `nil` for a vendor's type.
  let definition: ServiceDefinition?
  let characteristics: [CharacteristicDefinition]

  /// - Parameter text: an identifier or UUID of the catalogue, or a vendor's full UUID. After a colon it can list characteristics of the
  ///   catalogue, separated by commas.
  package init(_ text: String) throws(ServiceRequestError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let named = Catalogue.service(named: parts[0]) ?? TypeID(parts[0]).flatMap { Catalogue.service($0) }
    if let named {
      (spelling, type, definition) = (named.identifier, named.type, named)
    } else if parts[0].utf8.count == 36, let type = TypeID(parts[0]) {
      (spelling, self.type, definition) = (type.uuid, type, nil)
    } else {
      let names = Catalogue.services.filter { !$0.isWithdrawn }.map(\.identifier)
      throw ServiceRequestError("there is no service \"\(parts[0])\"" + meant(parts[0], names))
    }
    var wanted: [CharacteristicDefinition] = []
    for word in parts.dropFirst().flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
      let found = try CharacteristicDefinition(requested: String(word), of: named)
      guard !wanted.contains(found) else { throw ServiceRequestError("\(found.identifier) occurs twice") }
      wanted.append(found)
    }
    characteristics = wanted
  }
}

/// The error for a name that the catalogue doesn't have: one sentence without a full stop.
package struct ServiceRequestError: Error, Equatable, Sendable {
  package var message: String

  init(_ message: String) { self.message = message }
}

extension CharacteristicDefinition {
  /// Finds a characteristic by identifier, name or UUID. The error suggests a similar name, preferably a characteristic of the service.
  init(requested word: String, of service: ServiceDefinition?) throws(ServiceRequestError) {
    if let found = Catalogue.characteristic(named: word) ?? TypeID(word).flatMap({ Catalogue.characteristic($0) }) {
      self = found
      return
    }
    let own = service.map { ($0.required + $0.optional).compactMap { Catalogue.characteristic($0)?.identifier } } ?? []
    let all = Catalogue.characteristics.filter { !$0.isWithdrawn }.map(\.identifier)
    let hint = meant(word, own)
    throw ServiceRequestError("there is no characteristic \"\(word)\"" + (hint.isEmpty ? meant(word, all) : hint))
  }
}

/// "; did you mean On?", or an empty string.
func meant(_ word: String, _ names: [String]) -> String {
  nearestName(to: word, in: names).map { "; did you mean \($0)?" } ?? ""
}
