import Foundation
import HAPWorld
import Testing

@testable import HAPStore

@Suite("Damaged files of homes", .onBothDisks)
struct HomeDamageTests {
  let temporary = TemporaryFolder()

  private func open() throws(StoreError) -> HomeStore {
    try HomeStore(folder: temporary.state, files: temporary.files)
  }

  /// A store with all kinds of rows.
  private func fill() throws -> HomeRows {
    let store = try open()
    for command in HomeCommands.all[..<11] { try store.commit(command) }
    let rows = try store.load()
    #expect(rows.damaged == [] && rows.objects.count == 6)
    return rows
  }

  @Test(
    "A damaged row is reported with its table and ID; all others are read; storing it again replaces it",
    arguments: [
      ("objects", "json = CAST(x'22ff22' AS TEXT) WHERE id = 'id-2'", "id-2", "json is not a text in UTF-8"),
      ("objects", "name = CAST(x'c3' AS TEXT) WHERE id = 'id-5'", "id-5", "name is not a text in UTF-8"),
      ("trigger_states", "json = CAST(x'80' AS TEXT)", "id-5", "json is not a text in UTF-8"),
      ("people", "json = CAST(x'fe' AS TEXT)", "anna", "json is not a text in UTF-8"),
      ("controllers", "seed = x'00' WHERE id = 'anna'", "anna", "seed is not 32 bytes long"),
      ("controllers", "seed = x'' WHERE id = 'anna'", "anna", "seed is not 32 bytes long"),
      ("controllers", "public_key = x'01' WHERE id = 'ben'", "ben", "public_key is not 32 bytes long"),
      (
        "controllers", "public_key = zeroblob(32) WHERE id = 'anna'", "anna", "public_key is not the key of the seed"
      ),
      ("pairings", "accessory_key = zeroblob(31)", "AA:BB:CC:DD:EE:01", "accessory_key is not 32 bytes long"),
      ("pairings", "controller = CAST(x'ff' AS TEXT)", "AA:BB:CC:DD:EE:01", "controller is not a text in UTF-8"),
      (
        "databases", "configuration_number = -1", "AA:BB:CC:DD:EE:01", "configuration_number is not a number of 32 bits"
      ),
      (
        "databases", "configuration_number = 4294967296", "AA:BB:CC:DD:EE:01",
        "configuration_number is not a number of 32 bits"
      ),
    ])
  func row(_ table: String, _ change: String, _ id: String, _ reason: String) throws {
    let rows = try fill()
    do { try temporary.database("home.db").execute("UPDATE \(table) SET \(change)") }
    let store = try open()
    let damaged = try store.load()
    #expect(damaged.damaged == [DamagedHomeRow(table: table, id: id, reason: reason)])
    let table = try #require(HomeRowChange.Table(rawValue: table))
    var expected = table == .objects || table == .controllers ? rows : rows.after([.remove(table, id: id)])
    expected.objects.removeAll { table == .objects && $0.id == id }
    expected.controllers.removeAll { table == .controllers && $0.id == id }
    expected.damaged = damaged.damaged
    #expect(damaged == expected)
    try store.commit(try #require(Self.row(table, id, of: rows)))
    try #expect(store.load() == rows)
  }

  private static func row(_ table: HomeRowChange.Table, _ id: String, of rows: HomeRows) -> [HomeRowChange]? {
    switch table {
    case .objects: rows.objects.first { $0.id == id }.map { [.keep(.object($0))] }
    case .triggerStates: rows.triggerStates.first { $0.id == id }.map { [.keep(.triggerState($0))] }
    case .people: rows.people.first { $0.id == id }.map { [.keep(.person($0))] }
    case .authorizations: rows.authorizations.first { $0.id == id }.map { [.keep(.authorization($0))] }
    case .owedPairings: rows.owedPairings.first { $0.id == id }.map { [.keep(.owedPairing($0))] }
    case .pageTokens: rows.pageTokens.first { $0.id == id }.map { [.keep(.pageToken($0))] }
    case .controllers: rows.controllers.first { $0.id == id }.map { [.keep(.controller($0))] }
    case .pairings: rows.pairings.first { $0.device == id }.map { [.keep(.pairing($0))] }
    case .databases: rows.databases.first { $0.device == id }.map { [.keep(.database($0))] }
    }
  }

  @Test("A row with a damaged ID is reported with a repaired one, and can be removed by no command")
  func damagedID() throws {
    var rows = try fill()
    do { try temporary.database("home.db").execute("UPDATE objects SET id = CAST(x'41ff' AS TEXT) WHERE id = 'id-3'") }
    let store = try open()
    rows.objects.removeAll { $0.id == "id-3" }
    rows.damaged = [DamagedHomeRow(table: "objects", id: "A\u{FFFD}", reason: "id is not a text in UTF-8")]
    try #expect(store.load() == rows)
    try store.commit([.remove(.objects, id: "A\u{FFFD}")])
    try #expect(store.load() == rows)
  }

  @Test("Values of other types in a table that another program made are reported row by row")
  func otherTypes() throws {
    _ = try fill()
    do {
      let database = try temporary.database("home.db")
      try database.execute(
        """
        DROP TABLE objects; CREATE TABLE objects (position INTEGER PRIMARY KEY, id UNIQUE, home, kind, name, json);
        INSERT INTO objects VALUES (1, 'a', 'H', 'room', 'Hall', '{}'), (2, 7, 'H', 'room', 'x', '{}'),
          (3, NULL, 'H', 'room', 'x', '{}'), (4, 'b', 1.5, 'room', 'x', '{}'), (5, 'c', 'H', 'room', 'x', x'00'),
          (6, replace(hex(zeroblob(500)), '00', 'long'), 'H', NULL, 'x', '{}'), (7, 'd', 'H', 'room', 'Den', '{}');
        DROP TABLE controllers; CREATE TABLE controllers (position INTEGER PRIMARY KEY, id UNIQUE, identifier, public_key, seed);
        INSERT INTO controllers VALUES (1, 'a', 'text', zeroblob(32), NULL), (2, 'b', x'00', 'text', NULL),
          (3, 'c', x'00', zeroblob(32), 1);
        DROP TABLE databases; CREATE TABLE databases (position INTEGER PRIMARY KEY, id UNIQUE, configuration_number, body);
        INSERT INTO databases VALUES (1, 'a', 1, 'text'), (2, 'b', 'one', x'00'), (3, 'c', 1.0, x'00')
        """)
    }
    let rows = try open().load()
    #expect(rows.objects.map(\.id) == ["a", "d"])
    #expect(rows.controllers.isEmpty && rows.databases.isEmpty && rows.pairings.count == 1)
    #expect(
      rows.damaged.map { "\($0.table) \($0.id.prefix(4)) \($0.reason)" } == [
        "objects 7 id is not a text in UTF-8", "objects  id is not a text in UTF-8",
        "objects b home is not a text in UTF-8", "objects c json is not a text in UTF-8",
        "objects long kind is not a text in UTF-8",
        "controllers a identifier does not consist of bytes", "controllers b public_key does not consist of bytes",
        "controllers c seed does not consist of bytes", "databases a body does not consist of bytes",
        "databases b configuration_number is not a number of 32 bits",
        "databases c configuration_number is not a number of 32 bits",
      ])
    #expect(rows.damaged.map(\.id.count).max() == 200)
  }

  // MARK: Files

  /// Damages `home.db`, and expects that it is refused with `expected` and unchanged.
  private func refused(_ expected: StoreError.Code, damage: (inout Data) -> Void) throws {
    _ = try fill()
    var data = try #require(temporary.bytes("home.db"))
    damage(&data)
    try temporary.write(data, "home.db")
    #expect {
      _ = try open()
    } throws: {
      ($0 as? StoreError)?.code == expected && ($0 as? StoreError)?.path == temporary.state + "/home.db"
    }
    #expect(temporary.bytes("home.db") == data)
  }

  @Test("A truncated file is named and left unchanged", arguments: [1, 100, 4096, 10_000])
  func truncated(_ length: Int) throws { try refused(.corrupt) { $0 = $0.prefix(length) } }

  @Test("A file with a damaged page is named and left unchanged", arguments: 0..<8)
  func page(_ page: Int) throws {
    try refused(.corrupt) { data in
      let start = page * 4096 + (page == 0 ? 100 : 0)
      data.replaceSubrange(start..<start + 2000, with: repeatElement(0xA5, count: 2000))
    }
  }

  @Test("A file of a newer hub is named and left unchanged")
  func newer() throws {
    try refused(.newerSchema(found: 9, supported: Schema.home.version)) {
      $0.replaceSubrange(60..<64, with: [0, 0, 0, 9])
    }
  }

  @Test("A file without a schema version is named and left unchanged")
  func lostVersion() throws { try refused(.corrupt) { $0.replaceSubrange(60..<64, with: [0, 0, 0, 0]) } }

  @Test("Another program's file is refused and left unchanged")
  func foreign() throws { try refused(.foreign) { $0.replaceSubrange(68..<72, with: [1, 2, 3, 4]) } }
}
