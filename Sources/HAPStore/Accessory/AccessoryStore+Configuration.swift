import HAPModel

extension AccessoryStore {
  /// `c#`: 1...65535, or 0 after a wrap with `wrapsToZero`. HAP R2 §6.4 "Discovery".
  package func configurationNumber() throws(StoreError) -> UInt16 { try configuration().number }

  /// `c#` and the hash of the database that was last advertised with it. The hash is `nil` before the first one.
  package func configuration() throws(StoreError) -> (number: UInt16, hash: [UInt8]?) {
    try read { database, row throws(SQLiteError) in try database.configuration(of: row) }
  }

  /// Increments `c#` if `hash` differs from the stored hash. The first hash doesn't change `c#`.
  ///
  /// - Parameter wrapsToZero: whether 65535 is followed by 0 instead of 1, as in some stacks.
  /// - Returns: the number to advertise.
  @discardableResult
  package func updateConfiguration(hash: [UInt8], wrapsToZero: Bool = false) throws(StoreError) -> UInt16 {
    // Most starts change nothing. They need no write to the disk.
    let before = try configuration()
    if before.hash == hash { return before.number }
    return try change { database, row throws(SQLiteError) in
      let before = try database.configuration(of: row)
      let number =
        if before.hash == nil || before.hash == hash { before.number } else if before.number == .max {
          UInt16(wrapsToZero ? 0 : 1)
        } else { before.number + 1 }
      try database.setConfiguration(of: row, number: number, hash: hash)
      return number
    }
  }

  /// - Parameter number: 1...65535.
  package func setConfiguration(number: UInt16, hash: [UInt8]?) throws(StoreError) {
    precondition(number >= 1, "c# starts at 1")
    try change { database, row throws(SQLiteError) in
      try database.setConfiguration(of: row, number: number, hash: hash)
    }
  }

  // MARK: Ids

  package func idMap() throws(StoreError) -> IDMap {
    try read { database, row throws(SQLiteError) in
      var map = IDMap()
      for (scope, next) in try database.rows(
        "SELECT scope, next FROM counters WHERE accessory = ?", row,
        row: { ($0.text(0), UInt64(bitPattern: $0.integer(1))) })
      {
        map.scopes[scope, default: .init()].next = next
      }
      for (scope, key, id) in try database.rows(
        "SELECT scope, key, id FROM ids WHERE accessory = ?", row,
        row: { ($0.text(0), $0.text(1), UInt64(bitPattern: $0.integer(2))) })
      {
        map.scopes[scope, default: .init()].ids[key] = id
      }
      return map
    }
  }

  /// Deletes the assigned ids, so that they are assigned again. A conformant accessory never does this.
  package func forgetIDs() throws(StoreError) {
    try change { database, row throws(SQLiteError) in
      for table in ["ids", "counters"] {
        let delete = try database.statement("DELETE FROM \(table) WHERE accessory = ?")
        delete.bind([row])
        try delete.run()
      }
    }
  }

  /// Replaces the stored map in one transaction. A scope's counter is never lowered, so freed ids are not reused.
  package func setIDMap(_ map: IDMap) throws(StoreError) {
    let before = try idMap()
    if before == map { return }
    try change { database, row throws(SQLiteError) in
      let setID = try database.statement("INSERT OR REPLACE INTO ids (accessory, scope, key, id) VALUES (?, ?, ?, ?)")
      let freeID = try database.statement("DELETE FROM ids WHERE accessory = ? AND scope = ? AND key = ?")
      let setNext = try database.statement("INSERT OR REPLACE INTO counters (accessory, scope, next) VALUES (?, ?, ?)")
      for (name, scope) in map.scopes.sorted(by: { $0.key < $1.key }) {
        let stored = before.scopes[name] ?? .init(next: 0)
        for (key, id) in scope.ids.filter({ stored.ids[$0.key] != $0.value }).sorted(by: { $0.value < $1.value }) {
          setID.bind([row, .text(name), .text(key), .integer(Int64(bitPattern: id))])
          try setID.run()
        }
        setNext.bind([row, .text(name), .integer(Int64(bitPattern: max(scope.next, stored.next)))])
        try setNext.run()
      }
      for (name, scope) in before.scopes.sorted(by: { $0.key < $1.key }) {
        for key in scope.ids.keys.sorted() where map.scopes[name]?.ids[key] == nil {
          freeID.bind([row, .text(name), .text(key)])
          try freeID.run()
        }
      }
    }
  }
}

extension Database {
  fileprivate func configuration(of row: SQLiteValue) throws(SQLiteError) -> (number: UInt16, hash: [UInt8]?) {
    let found = try rows(
      "SELECT configuration_number, configuration_hash FROM accessories WHERE id = ?", row
    ) { (UInt16(clamping: $0.integer(0)), $0.storage(1) == .null ? nil : $0.blob(1)) }
    return found.first ?? (1, nil)
  }

  fileprivate func setConfiguration(of row: SQLiteValue, number: UInt16, hash: [UInt8]?) throws(SQLiteError) {
    try run(
      "UPDATE accessories SET configuration_number = ?, configuration_hash = ? WHERE id = ?",
      .integer(Int64(number)), SQLiteValue(hash), row)
  }
}
