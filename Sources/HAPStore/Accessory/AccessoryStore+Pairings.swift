import HAPModel

extension AccessoryStore {
  /// The paired controllers, oldest first.
  package func pairings() throws(StoreError) -> [Pairing] {
    try folder.state.read { database throws(SQLiteError) in try database.pairings(of: row) }
  }

  /// Adds a controller. If the identifier exists, its key and rights are replaced and its position is kept.
  package func upsert(_ pairing: Pairing) throws(StoreError) {
    try change { database, row throws(SQLiteError) in
      try database.run(
        """
        INSERT INTO pairings (accessory, identifier, public_key, is_admin) VALUES (?, ?, ?, ?)
        ON CONFLICT (accessory, identifier) DO UPDATE SET public_key = excluded.public_key, is_admin = excluded.is_admin
        """, row, .blob(pairing.identifier), .blob(pairing.publicKey), .integer(pairing.isAdmin ? 1 : 0))
    }
  }

  /// - Returns: whether the controller existed.
  @discardableResult
  package func removePairing(_ identifier: [UInt8]) throws(StoreError) -> Bool {
    try change { database, row throws(SQLiteError) in
      try database.run("DELETE FROM pairings WHERE accessory = ? AND identifier = ?", row, .blob(identifier)) > 0
    }
  }

  /// Removes controllers together: all of them, or none if it throws. Unknown controllers are ignored.
  package func removePairings(_ identifiers: [[UInt8]]) throws(StoreError) {
    try change { database, row throws(SQLiteError) in
      for identifier in identifiers {
        try database.run("DELETE FROM pairings WHERE accessory = ? AND identifier = ?", row, .blob(identifier))
      }
    }
  }

  package func removeAllPairings() throws(StoreError) {
    try change { database, row throws(SQLiteError) in try database.run("DELETE FROM pairings WHERE accessory = ?", row)
    }
  }

  /// The number of Pair Setup attempts with a wrong code since the last correct one.
  package func failedTries() throws(StoreError) -> Int {
    try read { database, row throws(SQLiteError) in
      try database.rows("SELECT failed_tries FROM accessories WHERE id = ?", row) { Int($0.integer(0)) }.first ?? 0
    }
  }

  package func setFailedTries(_ count: Int) throws(StoreError) {
    precondition(count >= 0, "tries are counted from 0")
    try change { database, row throws(SQLiteError) in
      try database.run("UPDATE accessories SET failed_tries = ? WHERE id = ?", .integer(Int64(count)), row)
    }
  }
}

extension Database {
  func pairings(of accessory: Int64) throws(SQLiteError) -> [Pairing] {
    try rows(
      "SELECT identifier, public_key, is_admin FROM pairings WHERE accessory = ? ORDER BY position", .integer(accessory)
    ) { Pairing(identifier: $0.blob(0), publicKey: $0.blob(1), isAdmin: $0.integer(2) != 0) }
  }
}
