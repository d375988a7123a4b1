/// Something an accessory did against the rules, and a controller lived with: said, because whoever makes the accessory wants to know.
package struct Tolerated: Equatable, Sendable, CustomStringConvertible {
  /// So many are kept of one accessory: a hostile one is not to fill the memory.
  static let most = 10_000

  /// Where: a path such as "accessories[0].services[2].iid", or a request.
  package var place: String
  package var message: String

  package init(_ place: String, _ message: String) {
    self.place = place
    self.message = message
  }

  package var description: String { place.isEmpty ? message : "\(place): \(message)" }
}
