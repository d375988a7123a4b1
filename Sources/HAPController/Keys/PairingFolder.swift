import HAPStore

/// Keeps pairings in a folder, in the database `controller.db` that hapctl uses too. Only its owner can read it (0700, 0600).
public struct PairingFolder: PairingStorage {
  /// The folder. The first call makes it if need be.
  public let path: String
  private let files: any StoreFiles

  /// - Parameter path: the folder, for example `~/.local/state/hapctl` in full.
  public init(_ path: String) { self.init(path, files: SystemFiles()) }

  package init(_ path: String, files: any StoreFiles) {
    self.path = path
    self.files = files
  }

  private func open() throws(StoreError) -> ControllerStore { try ControllerStore(folder: path, files: files) }

  /// All pairings, by name.
  public func pairings() throws -> [StoredPairing] { try open().pairings().map(StoredPairing.init) }

  /// Stores a pairing durably. A pairing of the same name is replaced.
  public func store(_ pairing: StoredPairing) throws { try open().keep(pairing.pairing) }

  /// Removes the pairing of this name, if there is one.
  public func removePairing(named name: String) throws { try open().remove(alias: name) }
}
