import HAPStore

/// A storage of pairings in a folder, in the database `controller.db` that hapctl also uses. Only the owner can read it
/// (0700, 0600).
public struct PairingFolder: PairingStorage {
  /// The folder. The first call creates it if necessary.
  public let path: String
  private let files: any StoreFiles

  /// - Parameter path: the full path of the folder, for example that of `~/.local/state/hapctl`.
  public init(_ path: String) { self.init(path, files: SystemFiles()) }

  package init(_ path: String, files: any StoreFiles) {
    self.path = path
    self.files = files
  }

  private func open() throws(StoreError) -> ControllerStore { try ControllerStore(folder: path, files: files) }

  /// Returns all pairings, by name.
  public func pairings() throws -> [StoredPairing] { try open().pairings().map(StoredPairing.init) }

  /// Stores a pairing durably. Replaces a pairing with the same name.
  public func store(_ pairing: StoredPairing) throws { try open().keep(pairing.pairing) }

  /// Removes the pairing with this name, if there is one.
  public func removePairing(named name: String) throws { try open().remove(alias: name) }
}
