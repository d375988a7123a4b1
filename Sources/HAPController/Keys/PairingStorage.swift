/// Keeps the pairings of a controller: the keys of accessories, and the secret keys by which the controller proves itself to them.
///
/// Calls may block. They come from any thread. A ``Controller`` waits for the end of one call before it makes the next.
public protocol PairingStorage: Sendable {
  /// All pairings, by name.
  func pairings() throws -> [StoredPairing]

  /// Stores a pairing durably. A pairing of the same name is replaced.
  func store(_ pairing: StoredPairing) throws

  /// Removes the pairing of this name, if there is one.
  func removePairing(named name: String) throws
}
