import HAPCrypto

/// A pairing as stored by a controller: the accessory, and the controller's keys for it.
package struct ControllerPairing: Sendable {
  /// The user's name for the accessory. It is unique in a store.
  package var alias: String
  /// The identifier that the accessory sent in M6. It should be its device ID as text.
  package var accessoryID: [UInt8]
  /// 32 bytes.
  package var accessoryKey: [UInt8]
  package var controllerID: [UInt8]
  package var controllerKey: SigningKey
  /// Its last known addresses: "192.0.2.7:51826", "[fe80::1%eth0]:51826".
  package var addresses: [String]

  package init(
    alias: String, accessoryID: [UInt8], accessoryKey: [UInt8], controllerID: [UInt8], controllerKey: SigningKey,
    addresses: [String]
  ) {
    self.alias = alias
    self.accessoryID = accessoryID
    self.accessoryKey = accessoryKey
    self.controllerID = controllerID
    self.controllerKey = controllerKey
    self.addresses = addresses
  }

  /// The device ID as text.
  package var accessoryName: String { String(decoding: accessoryID, as: UTF8.self) }
}

/// A controller's pairings: `controller.db` in a folder, accessible only to its owner (folder 0700, file 0600). Changes are durable when a
/// call returns. All calls block.
package final class ControllerStore: Sendable {
  private let database: DurableDatabase

  /// Opens the store, and creates it if necessary.
  /// - Parameter files: the disk with the folder.
  /// - Throws: `unwritable`, `corrupt`, `foreign`, `newerSchema` (then no file was changed), `busy`, `full`.
  package init(folder: String, files: any StoreFiles = SystemFiles()) throws(StoreError) {
    try files.makeFolder(folder)
    database = try files.exclusively(folder + "/open.lock") { () throws(StoreError) in
      try DurableDatabase(.controller, path: folder + "/controller.db", files: files)
    }
  }

  /// All pairings, by alias.
  /// - Throws: also `corrupt` if a key is invalid.
  package func pairings() throws(StoreError) -> [ControllerPairing] {
    let rows = try database.read { database throws(SQLiteError) in
      try database.rows(
        """
        SELECT alias, accessory_id, accessory_key, controller_id, controller_seed, addresses FROM pairings ORDER BY alias
        """
      ) {
        (text: $0.text(0), ids: ($0.blob(1), $0.blob(3)), key: $0.blob(2), seed: $0.secret(4), addresses: $0.text(5))
      }
    }
    return try rows.map { row throws(StoreError) in
      guard row.key.count == 32, row.seed.count == 32 else {
        throw StoreError(.corrupt, path: database.path, detail: "a key of \"\(row.text)\" is not 32 bytes long")
      }
      return ControllerPairing(
        alias: row.text, accessoryID: row.ids.0, accessoryKey: row.key, controllerID: row.ids.1,
        controllerKey: SigningKey(seed: row.seed), addresses: row.addresses.split(separator: "\n").map(String.init))
    }
  }

  /// Stores a pairing. It replaces a pairing with the same alias.
  package func keep(_ pairing: ControllerPairing) throws(StoreError) { try keep([pairing]) }

  /// Stores all of the pairings, or none if it throws.
  package func keep(_ pairings: [ControllerPairing]) throws(StoreError) {
    try database.change { database throws(SQLiteError) in
      for pairing in pairings { try Self.keep(pairing, in: database) }
    }
  }

  private static func keep(_ pairing: ControllerPairing, in database: Database) throws(SQLiteError) {
    try database.run(
      """
      INSERT OR REPLACE INTO pairings (alias, accessory_id, accessory_key, controller_id, controller_seed, addresses)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      .text(pairing.alias), .blob(pairing.accessoryID), .blob(pairing.accessoryKey), .blob(pairing.controllerID),
      .secret(pairing.controllerKey.seed), .text(pairing.addresses.joined(separator: "\n")))
  }

  /// - Returns: whether the pairing existed.
  @discardableResult
  package func remove(alias: String) throws(StoreError) -> Bool {
    try database.change { database throws(SQLiteError) in
      try database.run("DELETE FROM pairings WHERE alias = ?", .text(alias)) > 0
    }
  }
}
