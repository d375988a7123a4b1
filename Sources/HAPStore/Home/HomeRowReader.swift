import HAPCrypto

/// Reads the rows of a home store. A row that another program changed or that is damaged is reported, and the other rows are read.
struct HomeRowReader {
  private struct Damage: Error { var reason: String }
  private var damaged: [DamagedHomeRow] = []

  /// Returns all rows of `database`.
  static func rows(of database: Database) throws(SQLiteError) -> HomeRows {
    var reader = HomeRowReader()
    var rows = HomeRows()
    rows.objects = try reader.rows(.objects, of: database) { row throws(Damage) in
      try HomeObjectRow(id: row.text(0), home: row.text(1), kind: row.text(2), name: row.text(3), json: row.text(4))
    }
    rows.triggerStates = try reader.states(.triggerStates, of: database)
    rows.people = try reader.states(.people, of: database)
    rows.authorizations = try reader.states(.authorizations, of: database)
    rows.owedPairings = try reader.states(.owedPairings, of: database)
    rows.pageTokens = try reader.states(.pageTokens, of: database)
    rows.controllers = try reader.rows(.controllers, of: database) { row throws(Damage) in
      try HomeControllerRow(id: row.text(0), identifier: row.blob(1), key: row.controllerKey())
    }
    rows.pairings = try reader.rows(.pairings, of: database) { row throws(Damage) in
      try HomePairingRow(
        device: row.text(0), accessoryID: row.blob(1), accessoryKey: row.key(2), controller: row.text(3),
        addresses: row.text(4).split(separator: "\n").map(String.init))
    }
    rows.databases = try reader.rows(.databases, of: database) { row throws(Damage) in
      try HomeDatabaseRow(device: row.text(0), configurationNumber: row.configurationNumber(1), body: row.blob(2))
    }
    rows.damaged = reader.damaged
    return rows
  }

  private mutating func states(
    _ table: HomeRowChange.Table, of database: Database
  ) throws(SQLiteError) -> [HomeStateRow] {
    try rows(table, of: database) { row throws(Damage) in try HomeStateRow(id: row.text(0), json: row.text(1)) }
  }

  private mutating func rows<R>(
    _ table: HomeRowChange.Table, of database: Database, _ read: (Row) throws(Damage) -> R
  ) throws(SQLiteError) -> [R] {
    let columns = ["id"] + table.columns
    let statement = try database.statement(
      "SELECT \(columns.joined(separator: ", ")) FROM \(table.rawValue) ORDER BY position")
    defer { statement.reset() }
    var rows: [R] = []
    while try statement.step() {
      do throws(Damage) { rows.append(try read(Row(statement: statement, columns: columns))) } catch {
        damaged.append(
          DamagedHomeRow(table: table.rawValue, id: String(statement.text(0).prefix(200)), reason: error.reason))
      }
    }
    return rows
  }

  /// The current row of a statement.
  private struct Row {
    let statement: Statement
    let columns: [String]

    func text(_ column: Int) throws(Damage) -> String {
      guard let text = statement.validText(Int32(column)) else {
        throw Damage(reason: "\(columns[column]) is not a text in UTF-8")
      }
      return text
    }

    func blob(_ column: Int) throws(Damage) -> [UInt8] {
      guard statement.storage(Int32(column)) == .blob else {
        throw Damage(reason: "\(columns[column]) does not consist of bytes")
      }
      return statement.blob(Int32(column))
    }

    func key(_ column: Int) throws(Damage) -> [UInt8] {
      let key = try blob(column)
      guard key.count == 32 else { throw Damage(reason: "\(columns[column]) is not 32 bytes long") }
      return key
    }

    /// The columns `public_key` and `seed`.
    func controllerKey() throws(Damage) -> HomeControllerRow.Key {
      let publicKey = try key(2)
      switch statement.storage(3) {
      case .null: return .foreign(publicKey)
      case .blob:
        let seed = statement.secret(3)
        guard seed.count == 32 else { throw Damage(reason: "seed is not 32 bytes long") }
        let key = SigningKey(seed: seed)
        guard key.publicKey == publicKey else { throw Damage(reason: "public_key is not the key of the seed") }
        return .own(key)
      case .integer, .real, .text: throw Damage(reason: "seed does not consist of bytes")
      }
    }

    func configurationNumber(_ column: Int) throws(Damage) -> UInt32 {
      guard statement.storage(Int32(column)) == .integer,
        let number = UInt32(exactly: statement.integer(Int32(column)))
      else { throw Damage(reason: "\(columns[column]) is not a number of 32 bits") }
      return number
    }
  }
}
