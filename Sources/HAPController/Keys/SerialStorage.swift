import HAPStore
import Synchronization

/// Calls a `PairingStorage` from many tasks, one call or one change of several calls at a time.
package final class SerialStorage: Sendable {
  private let storage: any PairingStorage
  private let lock = Mutex(())

  package init(_ storage: any PairingStorage) { self.storage = storage }

  /// All pairings, by name.
  func pairings() throws -> [StoredPairing] { try lock.withLock { _ in try storage.pairings() } }

  /// Removes the pairing of this name, if there is one.
  package func removePairing(named name: String) throws {
    try lock.withLock { _ in try storage.removePairing(named: name) }
  }

  /// Stores a new pairing under its name, or under a free one if a pairing with another accessory has it: no keys are lost. Those of an
  /// earlier pairing with the same accessory are of no use, because it was reset.
  /// - Returns: the pairing with the name that it has now.
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
  /// - Returns: the pairing with the name that it has now.
  func rename(_ pairing: ControllerPairing, to name: String) throws -> ControllerPairing {
    try lock.withLock { _ in
      let names = try storage.pairings().map(\.name)
      var renamed = pairing
      renamed.alias = freeAlias(name, among: names.filter { $0 != pairing.alias })
      // The pairing was removed during the search for its name, or has the name already.
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
