/// The tables of one database file, and the steps to upgrade an older file.
///
/// `PRAGMA user_version` counts the steps applied to a file. Never change a released step; append a new one.
struct Schema {
  /// Marks a file as ours in its header ("Haps" and a letter), so that another program's database is not overwritten.
  let applicationID: Int32
  let steps: [String]

  var version: Int { steps.count }

  /// Identity, pairings and ids, which must survive a power cut.
  static let state = Schema(
    applicationID: 0x4861_7053,
    steps: [
      """
      CREATE TABLE accessories (
        id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused: it also names the lock
        key TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        device_id TEXT, key_seed BLOB,
        setup_code TEXT, setup_id TEXT, srp_salt BLOB, srp_verifier BLOB,
        failed_tries INTEGER NOT NULL DEFAULT 0,
        configuration_number INTEGER NOT NULL DEFAULT 1,
        configuration_hash BLOB
      ) STRICT;
      CREATE TABLE pairings (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        accessory INTEGER NOT NULL REFERENCES accessories ON DELETE CASCADE,
        identifier BLOB NOT NULL,
        public_key BLOB NOT NULL,
        is_admin INTEGER NOT NULL,
        UNIQUE (accessory, identifier)
      ) STRICT;
      CREATE TABLE ids (
        accessory INTEGER NOT NULL REFERENCES accessories ON DELETE CASCADE,
        scope TEXT NOT NULL,
        key TEXT NOT NULL,
        id INTEGER NOT NULL,  -- the bits of an unsigned number
        PRIMARY KEY (accessory, scope, key)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE counters (
        accessory INTEGER NOT NULL REFERENCES accessories ON DELETE CASCADE,
        scope TEXT NOT NULL,
        next INTEGER NOT NULL,  -- the bits of an unsigned number
        PRIMARY KEY (accessory, scope)
      ) STRICT, WITHOUT ROWID;
      """,
      """
      CREATE TABLE front_ends (
        accessory INTEGER NOT NULL REFERENCES accessories ON DELETE CASCADE,
        name TEXT NOT NULL,
        bytes BLOB NOT NULL,
        survives_reset INTEGER NOT NULL,
        PRIMARY KEY (accessory, name)
      ) STRICT;
      """,
    ])

  /// The paired accessories of a controller, with the controller's keys for each one.
  static let controller = Schema(
    applicationID: 0x4861_7043,
    steps: [
      """
      CREATE TABLE pairings (
        alias TEXT NOT NULL PRIMARY KEY,
        accessory_id BLOB NOT NULL, accessory_key BLOB NOT NULL,
        controller_id BLOB NOT NULL, controller_seed BLOB NOT NULL,
        addresses TEXT NOT NULL  -- where it was last, one HOST:PORT a line
      ) STRICT;
      """
    ])

  /// The data of a hub. The order of rows is that of `position`. References between objects are in `json`.
  static let home = Schema(
    applicationID: 0x4861_7048,
    steps: [
      """
      CREATE TABLE objects (
        position INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE, home TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
        json TEXT NOT NULL
      ) STRICT;
      CREATE TABLE trigger_states (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, json TEXT NOT NULL) STRICT;
      CREATE TABLE people (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, json TEXT NOT NULL) STRICT;
      CREATE TABLE controllers (
        position INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,  -- the user
        identifier BLOB NOT NULL, public_key BLOB NOT NULL,
        seed BLOB  -- NULL: the person has another hub
      ) STRICT;
      CREATE TABLE pairings (
        position INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,  -- the device ID
        accessory_id BLOB NOT NULL, accessory_key BLOB NOT NULL,
        controller TEXT NOT NULL,
        addresses TEXT NOT NULL  -- the last known ones, one HOST:PORT a line
      ) STRICT;
      CREATE TABLE databases (
        position INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,  -- the device ID
        configuration_number INTEGER NOT NULL, body BLOB NOT NULL
      ) STRICT;
      """,
      """
      CREATE TABLE authorizations (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, json TEXT NOT NULL) STRICT;
      """,
      """
      CREATE TABLE owed_pairings (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, json TEXT NOT NULL) STRICT;
      """,
      """
      CREATE TABLE page_tokens (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, json TEXT NOT NULL) STRICT;
      """,
    ])

  /// Values of characteristics. An accessory is identified by its key, so that the file stays valid with another state.db.
  static let values = Schema(
    applicationID: 0x4861_7056,
    steps: [
      """
      CREATE TABLE owners (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE characteristic_values (
        owner INTEGER NOT NULL,
        aid INTEGER NOT NULL,  -- the bits of an unsigned number, as iid
        iid INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        value ANY,
        PRIMARY KEY (owner, aid, iid)
      ) STRICT, WITHOUT ROWID;
      """
    ])
}

extension Schema {
  /// Opens a database, creates it if necessary (mode 0600), checks it and upgrades its schema. A file that can't be used is left unchanged.
  ///
  /// - Parameter path: `nil` in memory.
  func open(_ path: String?, files: any StoreFiles) throws(StoreError) -> Database {
    let name = path ?? StateFolder.memory
    if let path, (1..<512).contains(try files.makePrivate(path)) {
      // SQLite would treat such a short file as empty and overwrite it.
      throw StoreError(.corrupt, path: path, detail: "it is shorter than a database header")
    }
    let database: Database
    do { database = try Database(path: path, vfs: files.vfs) } catch { throw StoreError(error, path: name) }
    try prepare(database, path: name)
    return database
  }

  /// Opens an existing database for a copy, and checks it. Neither the file nor its schema is changed.
  func openUnchanged(_ path: String, files: any StoreFiles) throws(StoreError) -> Database {
    guard let size = try files.size(of: path) else {
      throw StoreError(.failed, path: path, detail: "there is no such file")
    }
    guard size >= 512 else { throw StoreError(.corrupt, path: path, detail: "it is shorter than a database header") }
    let database: Database
    do { database = try Database(path: path, vfs: files.vfs) } catch { throw StoreError(error, path: path) }
    database.keepLogOnClose(true)
    guard try judge(database, path: path) > 0 else { throw StoreError(.corrupt, path: path, detail: "it is empty") }
    return database
  }

  private func prepare(_ database: Database, path: String) throws(StoreError) {
    database.keepLogOnClose(true)  // no change until the file is known to be ours
    let found = try judge(database, path: path)
    database.keepLogOnClose(false)
    do throws(SQLiteError) {
      // Sixteen pages. The frequently written data is in two or three, and the rest is read once.
      try database.execute(
        "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cache_size = 16")
      guard found < version else { return }
      try database.transaction { () throws(SQLiteError) in
        for step in steps[found...] { try database.execute(step) }
        try database.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
      }
    } catch { throw StoreError(error, path: path) }
  }

  /// Checks a database without writing to it. Returns its schema version.
  private func judge(_ database: Database, path: String) throws(StoreError) -> Int {
    let found: Int, application: Int32, tables: Int64, complaint: String
    do throws(SQLiteError) {
      found = Int(try database.number("PRAGMA user_version"))
      application = Int32(truncatingIfNeeded: try database.number("PRAGMA application_id"))
      tables = try database.number("SELECT count(*) FROM sqlite_schema")
      complaint = try database.rows("PRAGMA quick_check(1)") { $0.text(0) }.first ?? "ok"
    } catch { throw StoreError(error, path: path) }
    guard tables == 0 || application == applicationID else {
      throw StoreError(.foreign, path: path, detail: "it has tables of another program")
    }
    guard found <= version else {
      throw StoreError(.newerSchema(found: found, supported: version), path: path, detail: "")
    }
    guard complaint == "ok" else { throw StoreError(.corrupt, path: path, detail: complaint) }
    guard found >= 0, (found == 0) == (tables == 0) else {
      throw StoreError(.corrupt, path: path, detail: "its schema version is lost")
    }
    return found
  }
}
