/// A deviation of an accessory from the rules that a controller tolerated. It is reported for the accessory's
/// developer.
package struct Deviation: Equatable, Sendable, CustomStringConvertible {
  /// The maximum number that is kept per accessory, so that a hostile accessory can't fill the memory.
  static let most = 10_000

  /// The location: a path such as "accessories[0].services[2].iid", or a request.
  package var place: String
  package var message: String

  package init(_ place: String, _ message: String) {
    self.place = place
    self.message = message
  }

  package var description: String { place.isEmpty ? message : "\(place): \(message)" }
}
