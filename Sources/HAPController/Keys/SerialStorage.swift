import HAPStore
import Synchronization

/// A `PairingStorage` for many tasks. It runs one call, or one change that consists of several calls, at a time.
package final class SerialStorage: Sendable {
  private let storage: any PairingStorage
  private let lock = Mutex(())

  package init(_ storage: any PairingStorage) { self.storage = storage }

  /// Returns all pairings, by name.
  func pairings() throws -> [StoredPairing] { try lock.withLock { _ in try storage.pairings() } }

  /// Removes the pairing with this name, if there is one.
  package func removePairing(named name: String) throws {
    try lock.withLock { _ in try storage.removePairing(named: name) }
  }

  /// Stores a new pairing under its name, or under a free name if another accessory's pairing has it. Thus no keys are
  /// lost. An earlier pairing with the same accessory is replaced, because the accessory was reset.
  /// - Returns: the pairing with its final name.
  func add(_ pairing: ControllerPairing) throws -> ControllerPairing {
    try lock.withLock { _ in
      var pairing = pairing
      let others = try storage.pairings().filter { $0.pairing.accessoryID != pairing.accessoryID }
      pairing.alias = freeAlias(pairing.alias, among: others.map(\.name))
      try storage.store(StoredPairing(pairing))
      return pairing
    }
  }

  /// Gives a stored pairing another name, or a free one if another pairing has it.
  /// - Returns: the pairing with its final name.
  func rename(_ pairing: ControllerPairing, to name: String) throws -> ControllerPairing {
    try lock.withLock { _ in
      let names = try storage.pairings().map(\.name)
      var renamed = pairing
      renamed.alias = freeAlias(name, among: names.filter { $0 != pairing.alias })
      // The pairing was removed while its name was read, or already has the name.
      if !names.contains(pairing.alias) || renamed.alias == pairing.alias { return pairing }
      try storage.store(StoredPairing(renamed))
      try storage.removePairing(named: pairing.alias)
      return renamed
    }
  }

  /// Stores the addresses of a pairing, unless the pairing was removed or replaced during the search for them.
  func storeAddresses(of pairing: ControllerPairing) throws {
    try lock.withLock { _ in
      let stored = try storage.pairings().first { $0.name == pairing.alias }?.pairing
      guard let stored, stored.accessoryKey == pairing.accessoryKey, stored.controllerID == pairing.controllerID else {
        return
      }
      try storage.store(StoredPairing(pairing))
    }
  }
}
