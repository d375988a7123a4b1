import HAPAlmanac
import HAPModel
import HAPTestSupport
import HAPWire
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

/// The rules that are checked, or not, when a model is read from rows.
@Suite("Rules for rows of the store")
struct HomeRowsRulesTests {
  private static func read(_ rows: [HomeRow]) -> (model: HomeModel, problems: [HomeRowProblem]) {
    var problems: [HomeRowProblem] = []
    let model = HomeModel(rows: rows, problems: &problems)
    return (model, problems)
  }

  @Test("An identifier in another form is refused, because an update would store a second row")
  func otherForms() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    _ = try bench.addRoom("Hall", to: home)
    let rows = bench.model.rows
    let hall = try #require(rows.firstIndex { $0.kind == "room" })
    var changed = rows
    changed[hall].id = changed[hall].id.lowercased()
    var (model, problems) = Self.read(changed)
    #expect(model.homes[0].rooms.isEmpty)
    #expect(problems.map(\.reason) == ["\"id\" is not the identifier of an object"])
    changed = rows
    changed[hall].home = changed[hall].home.lowercased()
    (model, problems) = Self.read(changed)
    #expect(model.homes[0].rooms.isEmpty)
    #expect(problems.map(\.reason) == ["\"home\" is not the identifier of a home"])
  }

  @Test("A row can be read for each name that an accessory sends")
  func suppliedNames() throws {
    let names = [
      String(repeating: " ", count: 70) + "Lamp", String(repeating: "'", count: 64) + "x", "a\u{0}b", "\u{0}",
      "\u{200B}", "a" + String(repeating: "\u{301}", count: 3000), String(repeating: "🇩🇪", count: 70), "\r\n",
      "\u{FEFF}",
      String(repeating: "ß", count: 64), "",
    ]
    for name in names {
      var bench = HomeBench()
      let home = try bench.addHome()
      for number in 1...2 { _ = try bench.add(.light(UInt8(number), name), to: home) }
      let (model, problems) = Self.read(bench.model.rows)
      #expect(problems == [], "\(name.unicodeScalars.first.map { "\($0.value)" } ?? "empty")")
      #expect(model == bench.model)
    }
  }

  @Test("HOME.L1 the deepest condition is read in each form: command, change, and row")
  func deepest() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let deepest = (1..<32).reduce(Condition.sun(.before(SunMoment(.sunset, offset: 60)!))) { part, _ in .all([part]) }
    let added = HomeCommand.addTrigger(home: home, name: "T", .on(.calendar(.hour(1)), if: deepest))
    #expect(try HomeCommand(json: Array(added.json.utf8)) == added)
    let changes = try bench.perform(added)
    for change in changes + [HomeChange(home, .homeAdded(bench.model.homes[0]))] {
      let node = try JSONNode.parse(Array(change.json.utf8), depthLimit: JSONNode.homeDepthLimit)
      #expect(try HomeChange(node) == change)
    }
    let (model, problems) = Self.read(bench.model.rows)
    #expect(problems == [] && model == bench.model)
  }

  @Test("HOME.L1 a stored condition with too many levels is left out; too many objects are kept")
  func limits() throws {
    var bench = HomeBench()
    (bench.policy.objects, bench.policy.users) = (1001, 18)
    (bench.policy.actions, bench.policy.homes) = (1001, 101)
    let home = try bench.addHome()
    _ = try bench.addTrigger("Deep", .on(.calendar(.hour(1)), if: .unknown), to: home)
    let wide = Condition.any(Array(repeating: .unknown, count: 999))
    _ = try bench.addTrigger("Wide", .on(.calendar(.hour(1)), if: wide), to: home)
    for number in 0..<1001 { _ = try bench.addRoom("Room \(number)", to: home) }
    for number in 0..<17 { try bench.perform(.addUser(home: home, name: "User \(number)", role: .guest)) }
    for number in 0..<100 { _ = try bench.addHome("Home \(number)") }
    var rows = bench.model.rows
    let deep = try #require(rows.firstIndex { $0.name == "Deep" })
    let (open, close) = (String(repeating: "{\"not\":", count: 32), String(repeating: "}", count: 32))
    rows[deep].json = rows[deep].json.replacing("{\"unknown\":true}", with: "\(open){\"unknown\":true}\(close)")
    let (model, problems) = Self.read(rows)
    #expect(problems.count == 1 && problems[0].reason.contains("(rule L1); the trigger is left out"))
    let read = model.homes[0]
    #expect(read.triggers.map(\.name.text) == ["Wide"])
    #expect(read.rooms.count == 1001 && read.users.count == 18 && model.homes.count == 101)
    // Commands with the default policy add nothing more, and remove objects.
    (bench.model, bench.policy) = (model, HomePolicy())
    #expect(bench.refusal(.addRoom(home: home, name: "More")) == Refusal(49, .l1))
    #expect(try bench.perform(.removeRoom(read.rooms[0].id)).count == 1)
  }

  @Test("HOME.S1 a built-in set whose row is missing is added again, with the same identifier each time")
  func builtIn() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let sleep = try #require(bench.model.homes[0].actionSets.first { $0.kind == .sleep })
    var rows = bench.model.rows
    rows.removeAll { $0.id == "\(sleep.id)" }
    let (model, problems) = Self.read(rows)
    #expect(problems.count == 1 && problems[0].row == "\(home)" && problems[0].reason.contains("sleep"))
    let added = try #require(model.homes[0].actionSets.first { $0.kind == .sleep })
    #expect(added.name.text == "Good Night" && added.actions == [] && added.id != sleep.id)
    #expect(Self.read(rows).model == model)
    #expect(InvariantChecker(model: model, policy: HomePolicy()).violations() == [])
    // The name may be taken.
    bench.model = model
    try bench.perform(.rename(added.id, "Night"))
    _ = try bench.addRoom("good night", to: home)
    rows = bench.model.rows.filter { $0.name != "Night" }
    let again = Self.read(rows).model.homes[0].actionSets.first { $0.kind == .sleep }
    #expect(again?.name.text == "Good Night 2" && again?.id == added.id)
    // The added set may have got another type in the store.
    rows = bench.model.rows
    let night = try #require(rows.firstIndex { $0.name == "Night" })
    rows[night].json = rows[night].json.replacing("\"sleep\"", with: "\"user-defined\"")
    let sets = Self.read(rows).model.homes[0].actionSets
    #expect(sets.count == 5 && Set(sets.map(\.id)).count == 5 && sets.contains { $0.kind == .sleep })
  }

  @Test("Rows with random damage make models in which all rules hold")
  func damagedModels() throws {
    for seed in 0..<150 {
      var model = JSONRandomModel(seed: UInt64(seed % 30))
      for _ in 0..<120 { _ = model.step() }
      var random = JSONRandom(seed: UInt64(seed))
      var rows = model.model.rows
      for _ in 0...random.number(0...5) {
        let index = random.number(0...rows.count - 1)
        if random.flag() { rows.remove(at: index) } else { HomeRowsJSONTests.damage(&rows[index], &random) }
      }
      let (read, _) = Self.read(rows)
      #expect(InvariantChecker(model: read, policy: HomePolicy()).violations() == [], "seed \(seed)")
    }
  }

  @Test("The removal of a home removes all of its rows, also those that could not be read")
  func removedHome() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    _ = try bench.addHome("Other")
    let before = bench.model
    let changes = try bench.perform(.removeHome(home))
    let updates = HomeRowUpdate.updates(for: changes, from: before, to: bench.model)
    #expect(updates.first == .removeHome(id: "\(home)"))
    guard updates.count == 2, case .keep(let row) = updates[1] else {
      Issue.record("\(updates)")
      return
    }
    #expect(row.id == HomeRow.primaryID && row.home == "\(bench.model.homes[0].id)")
  }
}
