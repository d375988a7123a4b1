import HAPCrypto
import HAPModel
import Synchronization

/// The stored state of one accessory, and its right to run. No other store can be opened for the accessory until this one is closed or
/// deallocated.
///
/// A change is on the disk when its call returns, and has not happened if the call throws. Calls block for the disk, so they belong on
/// a work pool. They can be made on any thread.
package final class AccessoryStore: Sendable {
  package let key: String
  /// Current values of characteristics. Access is fast enough for the loop.
  package let values: ValueStore
  let folder: StateFolder
  let row: Int64
  private let isOpen = Atomic(true)

  init(folder: StateFolder, row: Int64, key: String, values: ValueStore) {
    self.folder = folder
    self.row = row
    self.key = key
    self.values = values
  }

  deinit { close() }

  /// Allows other stores to run the accessory. The store must not be used afterwards.
  package func close() {
    if isOpen.exchange(false, ordering: .relaxed) { folder.locks.release(row) }
  }

  // MARK: Identity

  /// The identity of the accessory. `make` creates one on the first run and after a factory reset.
  package func identity(orMake make: () -> StoredIdentity) throws(StoreError) -> StoredIdentity {
    let found = try read { database, row throws(SQLiteError) in
      try database.rows("SELECT device_id, key_seed FROM accessories WHERE id = ?", row) { row in
        DeviceID(row.text(0)).map { StoredIdentity(deviceID: $0, keySeed: row.secret(1)) }
      }
    }
    if let identity = found.first ?? nil, identity.keySeed.count == 32 { return identity }
    let identity = make()
    try replaceIdentity(identity)
    return identity
  }

  package func replaceIdentity(_ identity: StoredIdentity) throws(StoreError) {
    precondition(identity.keySeed.count == 32, "the seed of an Ed25519 key has 32 bytes")
    try change { database, row throws(SQLiteError) in
      try database.run(
        "UPDATE accessories SET device_id = ?, key_seed = ? WHERE id = ?",
        .text(identity.deviceID.description), .secret(identity.keySeed), row)
    }
  }

  /// The setup code and the verifier derived from it, if it is stored. `make` creates them on the first run.
  package func setup(orMake make: () -> StoredSetup) throws(StoreError) -> StoredSetup {
    let found = try read { database, row throws(SQLiteError) in
      try database.rows(
        "SELECT setup_code, setup_id, srp_salt, srp_verifier FROM accessories WHERE id = ?", row
      ) { row -> StoredSetup? in
        guard let code = try? SetupCode(row.text(0)), let id = SetupID(row.text(1)) else { return nil }
        return StoredSetup(
          code: code, id: id, salt: row.blob(2), verifier: row.storage(3) == .null ? nil : row.secret(3))
      }
    }
    if let setup = found.first ?? nil { return setup }
    let setup = make()
    try replaceSetup(setup)
    return setup
  }

  package func replaceSetup(_ setup: StoredSetup) throws(StoreError) {
    try change { database, row throws(SQLiteError) in
      try database.run(
        "UPDATE accessories SET setup_code = ?, setup_id = ?, srp_salt = ?, srp_verifier = ? WHERE id = ?",
        .text(setup.code.text), .text(setup.id.text), .blob(setup.salt),
        setup.verifier.map { .secret($0) } ?? .null, row)
    }
  }

  // MARK: Factory reset

  /// Performs a factory reset. Identity, pairings, failed tries, configuration and values are removed. The setup code and setup ID of the
  /// label stay, and so do the assigned ids, which are never reused for anything else, and data of front ends that survives a reset.
  package func reset() throws(StoreError) {
    try values.removeAll()  // first: if this fails, the pairings still exist and the reset can be repeated
    try change { database, row throws(SQLiteError) in
      try database.run("DELETE FROM pairings WHERE accessory = ?", row)
      try database.run(
        """
        UPDATE accessories SET device_id = NULL, key_seed = NULL, failed_tries = 0,
          configuration_number = 1, configuration_hash = NULL WHERE id = ?
        """, row)
      try database.run("DELETE FROM front_ends WHERE accessory = ? AND survives_reset = 0", row)
    }
  }

  // MARK: Access

  /// Makes one change durable.
  package func keep(_ change: StoredChange) throws(StoreError) {
    switch change {
    case .upsert(let pairing): try upsert(pairing)
    case .remove(let identifiers): try removePairings(identifiers)
    case .failedAttempts(let count): try setFailedTries(count)
    case .frontEnd(let data): try keep(data)
    }
  }

  func read<R: Sendable>(
    _ body: (Database, _ row: SQLiteValue) throws(SQLiteError) -> R
  ) throws(StoreError) -> R {
    try folder.state.read { database throws(SQLiteError) in try body(database, .integer(row)) }
  }

  @discardableResult
  func change<R: Sendable>(
    _ body: (Database, _ row: SQLiteValue) throws(SQLiteError) -> R
  ) throws(StoreError) -> R {
    try folder.state.change { database throws(SQLiteError) in try body(database, .integer(row)) }
  }
}
