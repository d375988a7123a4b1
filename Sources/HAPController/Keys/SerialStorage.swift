import HAPStore
import Synchronization

/// A storage of a ``Controller``, which calls it from many tasks. Only one of them is in it at a time.
final class SerialStorage: PairingStorage {
  private let storage: any PairingStorage
  private let lock = Mutex(())

  init(_ storage: any PairingStorage) { self.storage = storage }

  func pairings() throws -> [StoredPairing] { try lock.withLock { _ in try storage.pairings() } }

  func store(_ pairing: StoredPairing) throws { try lock.withLock { _ in try storage.store(pairing) } }

  func removePairing(named name: String) throws { try lock.withLock { _ in try storage.removePairing(named: name) } }

  fileprivate func whole<T>(_ body: (any PairingStorage) throws -> T) rethrows -> T {
    try lock.withLock { _ in try body(storage) }
  }
}

extension PairingStorage {
  /// Stores a new pairing under its name, or under a free one if a pairing with another accessory has it: no keys are lost. Those of an
  /// earlier pairing with the same accessory are of no use, because it was reset.
  /// - Returns: the pairing with the name that it has now.
  func add(_ pairing: ControllerPairing) throws -> ControllerPairing {
    try atOnce { storage in
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
    try atOnce { storage in
      let names = try storage.pairings().map(\.name)
      var renamed = pairing
      renamed.alias = freeAlias(name, among: names.filter { $0 != pairing.alias })
      // Removed meanwhile, or named so already.
      if !names.contains(pairing.alias) || renamed.alias == pairing.alias { return pairing }
      try storage.store(StoredPairing(renamed))
      try storage.removePairing(named: pairing.alias)
      return renamed
    }
  }

  /// Stores the addresses of a pairing, unless it was removed or replaced meanwhile.
  func storeAddresses(of pairing: ControllerPairing) throws {
    try atOnce { storage in
      let stored = try storage.pairings().first { $0.name == pairing.alias }?.pairing
      guard let stored, stored.accessoryKey == pairing.accessoryKey, stored.controllerID == pairing.controllerID else {
        return
      }
      try storage.store(StoredPairing(pairing))
    }
  }

  private func atOnce<T>(_ body: (any PairingStorage) throws -> T) rethrows -> T {
    if let serial = self as? SerialStorage { return try serial.whole(body) }
    return try body(self)
  }
}
