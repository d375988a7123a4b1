/// A storage of a controller's pairings: the accessories' keys, and the secret keys that prove the controller's
/// identity to them.
///
/// Calls may block. They come from any thread. A ``Controller`` makes a call only after the previous one has returned.
public protocol PairingStorage: Sendable {
  /// Returns all pairings, by name.
  func pairings() throws -> [StoredPairing]

  /// Stores a pairing durably. Replaces a pairing with the same name.
  func store(_ pairing: StoredPairing) throws

  /// Removes the pairing with this name, if there is one.
  func removePairing(named name: String) throws
}
