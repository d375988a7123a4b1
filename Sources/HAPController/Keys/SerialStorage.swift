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
  /// Stores a new pairing under its name, or under a free one if another pairing has it: no keys are lost.
  /// - Returns: the pairing with the name that it has now.
  func add(_ pairing: ControllerPairing) throws -> ControllerPairing {
    try atOnce { storage in
      var pairing = pairing
      pairing.alias = freeAlias(pairing.alias, among: try storage.pairings().map(\.name))
      try storage.store(StoredPairing(pairing))
      return pairing
    }
  }

  /// Gives a stored pairing another name, or a free one if another pairing has it.
  /// - Returns: the pairing with the name that it has now.
  func rename(_ pairing: ControllerPairing, to name: String) throws -> ControllerPairing {
    try atOnce { storage in
      var renamed = pairing
      renamed.alias = freeAlias(name, among: try storage.pairings().map(\.name).filter { $0 != pairing.alias })
      if renamed.alias == pairing.alias { return pairing }
      try storage.store(StoredPairing(renamed))
      try storage.removePairing(named: pairing.alias)
      return renamed
    }
  }

  /// Stores the addresses of a pairing, unless it was removed meanwhile.
  func storeAddresses(of pairing: ControllerPairing) throws {
    try atOnce { storage in
      let isThere = try storage.pairings().contains { $0.name == pairing.alias }
      if isThere { try storage.store(StoredPairing(pairing)) }
    }
  }

  private func atOnce<T>(_ body: (any PairingStorage) throws -> T) rethrows -> T {
    if let serial = self as? SerialStorage { return try serial.whole(body) }
    return try body(self)
  }
}
