import CSQLite
import Foundation
import HAPModel
import Testing

@testable import HAPStore

@Suite("Files of earlier versions")
struct MigrationTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Schemas")

  /// Creates a database from a dump, as an earlier hapsim left it.
  private func restore(_ dump: String, to path: String) throws {
    let sql = try String(contentsOf: Self.folder.appending(path: dump), encoding: .utf8)
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let database = try Database(path: path)
    try database.execute(sql)
  }

  @Test("There is a dump of each version, and the newest is the current one")
  func complete() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
    let wanted =
      (1...Schema.state.version).map { "state-\($0).sql" } + (1...Schema.values.version).map { "values-\($0).sql" }
      + (1...Schema.controller.version).map { "controller-\($0).sql" }
      + (1...Schema.home.version).map { "home-\($0).sql" }
    #expect(names == wanted.sorted(), "a released version is never changed; a new one needs a new dump")
  }

  @Test("The data of earlier versions is kept", arguments: 1...Schema.state.version, 1...Schema.values.version)
  func migrates(state: Int, values: Int) throws {
    let temporary = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: temporary.state, withIntermediateDirectories: true)
    try restore("state-\(state).sql", to: temporary.state + "/state.db")
    try restore("values-\(values).sql", to: temporary.state + "/values.db")
    let folder = try StateFolder.open(path: temporary.state)
    try #expect(folder.list().map(\.name) == ["Garage", "Lamp"])
    let store = try folder.accessory(key: "garage")
    try #expect(store.identity(orMake: { fatalError("it has one") }).deviceID == DeviceID("AA:BB:CC:DD:EE:01"))
    try #expect(store.setup(orMake: { fatalError("it has one") }).code == SetupCode("031-45-154"))
    try #expect(store.pairings() == [.test(1), .test(2, isAdmin: false)])
    try #expect(store.failedTries() == 3)
    try #expect(store.configurationNumber() == 7)
    let data = FrontEndData(name: "matter.fabrics", bytes: [1, 2], survivesReset: false)
    try #expect(store.frontEndData() == (state < 2 ? [] : [data]))
    try #expect(store.idMap().scopes["aid"]?.ids == ["garage": 1, "lamp": .max])
    try #expect(
      store.values.load() == [AttributeID(aid: 1, iid: 9): .bool(true), AttributeID(aid: 1, iid: 10): .integer(1)])
    // The file now has the current version: it can be changed and reopened.
    try store.upsert(.test(3))
    store.close()
    try #expect(StateFolder.open(path: temporary.state).accessory(key: "garage").pairings().count == 3)
  }

  @Test("The data of an earlier hapctl is kept", arguments: 1...Schema.controller.version)
  func migratesController(version: Int) throws {
    let temporary = TemporaryFolder()
    try restore("controller-\(version).sql", to: temporary.path + "/controller.db")
    let store = try ControllerStore(folder: temporary.path)
    var pairing = try #require(try store.pairings().first)
    #expect(pairing.alias == "garage" && pairing.accessoryName == "AA:BB:CC:DD:EE:FF")
    #expect(pairing.addresses == ["127.0.0.1:1"])
    pairing.alias = "door"
    try store.keep(pairing)
    #expect(try ControllerStore(folder: temporary.path).pairings().map(\.alias) == ["door", "garage"])
  }

  @Test("The homes of an earlier hub are kept", arguments: 1...Schema.home.version)
  func migratesHome(version: Int) throws {
    let temporary = TemporaryFolder()
    try restore("home-\(version).sql", to: temporary.path + "/home.db")
    let store = try HomeStore(folder: temporary.path)
    let rows = try store.load()
    #expect(
      rows.objects == [
        HomeObjectRow(id: "H", home: "H", kind: "home", name: "My Home", json: #"{"zone":"Europe/Berlin"}"#),
        HomeObjectRow(id: "R", home: "H", kind: "room", name: "Hall", json: "{}"),
      ])
    #expect(rows.triggerStates == [HomeStateRow(id: "T", json: #"{"lastFire":1}"#)])
    #expect(rows.people == [HomeStateRow(id: "anna", json: #"{"isHome":true}"#)])
    #expect(rows.controllers == [.anna, .ben])
    #expect(rows.pairings == [.test])
    #expect(rows.databases == [.test()])
    #expect(rows.damaged == [])
    // The file now has the current version: it can be changed and reopened.
    try store.commit([.keep(.object(.test(3)))])
    store.close()
    try #expect(HomeStore(folder: temporary.path).load() == rows.after([.keep(.object(.test(3)))]))
  }

  @Test("A new migration step is applied once to files of all earlier versions")
  func nextStep() throws {
    let temporary = TemporaryFolder()
    let next = Schema(
      applicationID: Schema.state.applicationID,
      steps: Schema.state.steps + ["ALTER TABLE accessories ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'"])
    for version in 0...Schema.state.version {
      let path = temporary.path + "/\(version).db"
      if version > 0 { try restore("state-\(version).sql", to: path) }
      for _ in 0..<2 {
        let database = try next.open(path, files: SystemFiles())
        try #expect(database.number("PRAGMA user_version") == Int64(next.version))
        if version > 0 {
          try #expect(database.rows("SELECT DISTINCT colour FROM accessories") { $0.text(0) } == ["red"])
          try #expect(database.number("SELECT count(*) FROM pairings") == 2)
        }
      }
      #expect(
        code { _ = try Schema.state.open(path, files: SystemFiles()) }
          == .newerSchema(found: next.version, supported: Schema.state.version))
    }
  }

  @Test("A failed step leaves the file unchanged")
  func failingStep() throws {
    let temporary = TemporaryFolder()
    let path = temporary.path + "/state.db"
    try restore("state-1.sql", to: path)
    let broken = Schema(
      applicationID: Schema.state.applicationID,
      steps: Schema.state.steps + ["ALTER TABLE accessories ADD COLUMN colour TEXT; DROP TABLE nothing"])
    #expect(throws: StoreError.self) { try broken.open(path, files: SystemFiles()) }
    let database = try Schema.state.open(path, files: SystemFiles())
    try #expect(database.number("PRAGMA user_version") == Int64(Schema.state.version))
    try #expect(database.number("SELECT count(*) FROM pairings") == 2)
  }
}
