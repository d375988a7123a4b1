import HAPModel

extension AccessoryStore {
  /// The data of front ends, sorted by name.
  package func frontEndData() throws(StoreError) -> [FrontEndData] {
    try read { database, row throws(SQLiteError) in
      try database.rows(
        "SELECT name, bytes, survives_reset FROM front_ends WHERE accessory = ? ORDER BY name", row
      ) { FrontEndData(name: $0.text(0), bytes: $0.blob(1), survivesReset: $0.integer(2) != 0) }
    }
  }

  /// Adds data of a front end, or replaces the data with the name.
  package func keep(_ data: FrontEndData) throws(StoreError) {
    try change { database, row throws(SQLiteError) in
      try database.run(
        "INSERT OR REPLACE INTO front_ends (accessory, name, bytes, survives_reset) VALUES (?, ?, ?, ?)",
        row, .text(data.name), .blob(data.bytes), .integer(data.survivesReset ? 1 : 0))
    }
  }
}
