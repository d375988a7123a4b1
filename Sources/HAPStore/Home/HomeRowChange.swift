/// One change of a row. `HomeStore.commit` stores several together.
package enum HomeRowChange: Equatable, Sendable {
  /// Adds a row at the end, or replaces the row with the same ID at its place.
  case keep(Row)
  /// Removes the row with this ID, if there is one.
  case remove(Table, id: String)
  /// Removes all objects of this home, also damaged ones.
  case removeHome(id: String)

  package enum Row: Equatable, Sendable {
    case object(HomeObjectRow)
    case triggerState(HomeStateRow)
    case person(HomeStateRow)
    case authorization(HomeStateRow)
    case owedPairing(HomeStateRow)
    case pageToken(HomeStateRow)
    case controller(HomeControllerRow)
    case pairing(HomePairingRow)
    case database(HomeDatabaseRow)
  }

  package enum Table: String, CaseIterable, Sendable {
    case objects
    case triggerStates = "trigger_states"
    case people, authorizations
    case owedPairings = "owed_pairings"
    case pageTokens = "page_tokens"
    case controllers
    case pairings
    case databases
  }
}

extension HomeRowChange {
  func apply(to database: Database) throws(SQLiteError) {
    switch self {
    case .remove(let table, let id): try database.run("DELETE FROM \(table.rawValue) WHERE id = ?", .text(id))
    case .removeHome(let id): try database.run("DELETE FROM objects WHERE home = ?", .text(id))
    case .keep(let row):
      let values = row.values
      let statement = try database.statement(Self.upsert(row.table))
      statement.bind(values)
      defer { statement.forget() }
      try statement.run()
    }
  }

  /// The order of rows is that of `position`, which a replaced row keeps.
  private static func upsert(_ table: Table) -> String {
    let columns = ["id"] + table.columns
    let updates = table.columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    return """
      INSERT INTO \(table.rawValue) (\(columns.joined(separator: ", ")))
      VALUES (\(columns.map { _ in "?" }.joined(separator: ", "))) ON CONFLICT (id) DO UPDATE SET \(updates)
      """
  }
}

extension HomeRowChange.Table {
  /// The columns after `id`, in the order of `HomeRowChange.Row.values` and of `HomeRowReader`.
  var columns: [String] {
    switch self {
    case .objects: ["home", "kind", "name", "json"]
    case .triggerStates, .people, .authorizations, .owedPairings, .pageTokens: ["json"]
    case .controllers: ["identifier", "public_key", "seed"]
    case .pairings: ["accessory_id", "accessory_key", "controller", "addresses"]
    case .databases: ["configuration_number", "body"]
    }
  }
}

extension HomeRowChange.Row {
  var table: HomeRowChange.Table {
    switch self {
    case .object: .objects
    case .triggerState: .triggerStates
    case .person: .people
    case .authorization: .authorizations
    case .owedPairing: .owedPairings
    case .pageToken: .pageTokens
    case .controller: .controllers
    case .pairing: .pairings
    case .database: .databases
    }
  }

  /// The values of `id` and of the table's columns.
  var values: [SQLiteValue] {
    switch self {
    case .object(let row): [.text(row.id), .text(row.home), .text(row.kind), .text(row.name), .text(row.json)]
    case .triggerState(let row), .person(let row), .authorization(let row), .owedPairing(let row), .pageToken(let row):
      [.text(row.id), .text(row.json)]
    case .controller(let row): row.values
    case .pairing(let row): row.values
    case .database(let row): [.text(row.device), .integer(Int64(row.configurationNumber)), .blob(row.body)]
    }
  }
}

extension HomeControllerRow {
  fileprivate var values: [SQLiteValue] {
    precondition(publicKey.count == 32, "an Ed25519 key is 32 bytes")
    let seed: SQLiteValue =
      switch key {
      case .own(let key): .secret(key.seed)
      case .foreign: .null
      }
    return [.text(id), .blob(identifier), .blob(publicKey), seed]
  }
}

extension HomePairingRow {
  fileprivate var values: [SQLiteValue] {
    precondition(accessoryKey.count == 32, "an Ed25519 key is 32 bytes")
    precondition(!addresses.contains { $0.contains("\n") }, "an address contains no newline")
    return [
      .text(device), .blob(accessoryID), .blob(accessoryKey), .text(controller),
      .text(addresses.joined(separator: "\n")),
    ]
  }
}
