import Synchronization

/// A storage of pairings in memory, for tests.
public final class PairingMemory: PairingStorage {
  private let stored: Mutex<[String: StoredPairing]>

  /// - Parameter pairings: the initial pairings; if several have one name, the last is kept.
  public init(_ pairings: [StoredPairing] = []) {
    stored = Mutex(Dictionary(pairings.map { ($0.name, $0) }) { $1 })
  }

  /// Returns all pairings, by name.
  public func pairings() -> [StoredPairing] {
    stored.withLock { $0.values.sorted { $0.name < $1.name } }
  }

  /// Stores a pairing. Replaces a pairing with the same name.
  public func store(_ pairing: StoredPairing) { stored.withLock { $0[pairing.name] = pairing } }

  /// Removes the pairing with this name, if there is one.
  public func removePairing(named name: String) { _ = stored.withLock { $0.removeValue(forKey: name) } }
}
