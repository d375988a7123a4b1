import HAPAlmanac
import HAPModel
import HAPWire
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

@Suite("Rows of the store")
struct HomeRowsJSONTests {
  /// The rows as the store keeps them.
  private struct Table {
    private(set) var rows: [HomeRow]

    init(rows: [HomeRow]) { self.rows = rows }

    mutating func apply(_ updates: [HomeRowUpdate]) {
      for update in updates {
        switch update {
        case .keep(let row):
          if let index = rows.firstIndex(where: { $0.id == row.id }) { rows[index] = row } else { rows.append(row) }
        case .remove(let id): rows.removeAll { $0.id == id }
        case .removeHome(let id): rows.removeAll { $0.home == id }
        }
      }
    }

    /// The rows in the order of `HomeModel.rows`: home by home, kind by kind. Rows of one kind keep their order.
    var sorted: [HomeRow] {
      let homes = rows.filter { $0.kind == "home" }.map(\.id)
      let kinds = HomeRow.Kind.allCases.map(\.rawValue)
      let primary = rows.filter { $0.kind == "primary" }
      return homes.flatMap { home in
        kinds.dropLast().flatMap { kind in rows.filter { $0.home == home && $0.kind == kind } }
      } + primary
    }
  }

  private static func read(_ rows: [HomeRow]) -> (model: HomeModel, problems: [HomeRowProblem]) {
    var problems: [HomeRowProblem] = []
    let model = HomeModel(rows: rows, problems: &problems)
    return (model, problems)
  }

  @Test("For 8,000 random commands, the updated rows are those of the changed model, and are read as this model")
  func updates() throws {
    var counts: [HomeCommandName: Int] = [:]
    for seed in 0..<40 {
      var random = JSONRandomModel(seed: UInt64(seed))
      var table = Table(rows: random.model.rows)
      for step in 0..<200 {
        let before = random.model
        let (command, changes) = random.step()
        if let command {
          #expect(try HomeCommand(json: Array(command.json.utf8)) == command)
          if !changes.isEmpty { counts[command.name, default: 0] += 1 }
        }
        let read = try changes.map { try HomeChange(JSONNode.parse(Array($0.json.utf8), depthLimit: 128)) }
        #expect(read == changes)
        table.apply(HomeRowUpdate.updates(for: changes, from: before, to: random.model))
        guard step % 40 == 39 else { continue }
        #expect((table.sorted == random.model.rows) as Bool, "seed \(seed), step \(step)")
        let (model, problems) = Self.read(table.rows)
        #expect(problems == [], "seed \(seed), step \(step)")
        #expect((model == random.model) as Bool, "seed \(seed), step \(step)")
      }
    }
    for name in HomeCommandName.allCases {
      #expect(counts[name, default: 0] > 0, "\(name) changed no model")
    }
  }

  @Test("An update names only the rows that changed")
  func small() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    let (hall, floor) = (try bench.addRoom("Hall", to: home), try bench.addZone("Floor", to: home))
    func ids(_ command: HomeCommand) throws -> [String] {
      let before = bench.model
      let changes = try bench.perform(command)
      return HomeRowUpdate.updates(for: changes, from: before, to: bench.model).map { update in
        switch update {
        case .keep(let row): row.id
        case .remove(let id): "-\(id)"
        case .removeHome(let id): "-home \(id)"
        }
      }
    }
    #expect(try ids(.addRoomToZone(room: hall, zone: floor)) == ["\(floor)"])
    #expect(try ids(.rename(hall, "Lobby")) == ["\(hall)"])
    #expect(try ids(.removeRoom(hall)) == ["\(floor)", "-\(hall)"])
    #expect(try ids(.setTimeZone(home: home, .utc)).isEmpty)
    try bench.perform(.addHome(name: "Other", zone: .utc, location: nil, owner: "Bert"))
    #expect(try ids(.setPrimaryHome(bench.model.homes[1].id)) == ["primary"])
    #expect(try ids(.removeHome(home)) == ["-home \(home)"])
    let other = bench.model.homes[0].id
    #expect(try ids(.removeHome(other)) == ["-home \(other)", "-primary"])
  }

  // MARK: Damage

  /// A home with objects of each kind, and its rows by their names.
  private struct Sample {
    var bench = HomeBench()
    var home: HomeObjectID
    var lamp: HomeAccessory
    var rows: [HomeRow] { bench.model.rows }

    init() throws {
      home = try bench.addHome()
      let (hall, floor) = (try bench.addRoom("Hall", to: home), try bench.addZone("Floor", to: home))
      try bench.perform(.addRoomToZone(room: hall, zone: floor))
      lamp = try bench.add(.light(1), to: home)
      _ = try bench.add(.bridge(2, lights: ["Left", "Right"]), to: home)
      try bench.perform(.moveAccessory(lamp.id, room: hall))
      let group = try bench.addGroup("Night", to: home)
      try bench.perform(.addServiceToGroup(service: lamp.services[1].id, group: group))
      let set = try bench.addSet("Scene", to: home)
      try bench.perform(.addAction(actionSet: set, HomeAction(lamp.id(0x25), true)))
      try bench.perform(.addUser(home: home, name: "Bert", role: .guest))
      let bert = bench.model.homes[0].users[1].id
      let events = EventTrigger(
        events: [
          .characteristic(lamp.id(0x25), equals: true), .presence(PresenceEvent(.everyEntry, of: .users([bert]))),
        ],
        condition: .any([
          .characteristic(lamp.id(0x8), .less, 5), .presence(PresenceEvent(.firstEntry, of: .users([bert]))),
        ]))
      let trigger = try bench.addTrigger("Automation", .event(events), to: home)
      try bench.perform(.addActionSetToTrigger(actionSet: set, trigger: trigger))
      try bench.perform(.addOwnedActionSet(trigger: trigger, [HomeAction(lamp.id(0x8), 7)]))
      try bench.perform(.enableTrigger(trigger))
      try bench.perform(.addHome(name: "Other", zone: .utc, location: nil, owner: "Carla"))
    }

    func row(_ name: String, _ kind: HomeRow.Kind) -> Int {
      rows.firstIndex { $0.name == name && $0.kind == kind.rawValue }!
    }

    /// Reads the rows without one of them.
    func without(_ name: String, _ kind: HomeRow.Kind) -> (model: HomeModel, problems: [HomeRowProblem]) {
      var rows = rows
      rows.remove(at: row(name, kind))
      return HomeRowsJSONTests.read(rows)
    }
  }

  @Test("What refers to a missing row is changed as if the object had been removed, and is reported")
  func missingRows() throws {
    let sample = try Sample()
    let whole = sample.bench.model.homes[0]
    #expect(Self.read(sample.rows).model == sample.bench.model)

    var (model, problems) = sample.without("Hall", .room)
    #expect(model.homes[0].accessories[0].room == whole.roomForEntireHome.id && model.homes[0].zones[0].rooms == [])
    #expect(problems.map(\.row) == [sample.lamp.id, whole.zones[0].id].map(\.description))

    (model, problems) = sample.without("Lamp", .accessory)
    var home = model.homes[0]
    #expect(home.accessories.map(\.name.text) == ["Bridge", "Left", "Right"] && home.groups[0].services == [])
    #expect(home.actionSets.allSatisfy { $0.actions == [] } && home.actionSets.count == whole.actionSets.count)
    guard case .event(let events) = home.triggers[0].kind, case .event(let old) = whole.triggers[0].kind else {
      Issue.record("no events")
      return
    }
    #expect(events.events == [old.events[1]] && home.triggers[0].isEnabled)
    guard case .any(let parts)? = events.condition, case .any(let oldParts)? = old.condition else {
      Issue.record("no condition")
      return
    }
    #expect(parts == [.unknown, oldParts[1]])
    #expect(problems.count == 4)

    (model, problems) = sample.without("Bert", .user)
    home = model.homes[0]
    guard case .event(let rest) = home.triggers[0].kind else {
      Issue.record("no events")
      return
    }
    #expect(rest.events == [old.events[0]] && rest.condition == .any([oldParts[0], .unknown]) && problems.count == 1)

    (model, problems) = sample.without("Bridge", .accessory)
    #expect(model.homes[0].accessories.map(\.name.text) == ["Lamp"] && problems.count == 2)
    #expect(problems.allSatisfy { $0.reason.contains("its bridge") && $0.reason.hasSuffix("the row is left out") })

    (model, problems) = sample.without("Automation", .trigger)
    #expect(model.homes[0].actionSets == whole.actionSets.filter { $0.kind != .triggerOwned } && problems.count == 1)

    (model, problems) = sample.without("Scene", .actionSet)
    home = model.homes[0]
    #expect(home.triggers[0].actionSets.count == 1 && home.triggers[0].isEnabled && problems.count == 1)

    (model, problems) = sample.without("My Home", .home)
    #expect(model.homes.map(\.name.text) == ["Other"] && model.primaryHome == model.homes[0].id)
    // The home's own row is the missing one.
    #expect(problems.count == sample.rows.filter { $0.home == "\(sample.home)" }.count - 1)

    (model, problems) = sample.without("", .primary)
    #expect(model == sample.bench.model && problems == [])
  }

  private typealias Damage = (row: Int, reason: String, change: (inout HomeRow) -> Void)

  private static func damagedSets(of sample: Sample) -> [Damage] {
    let scene = sample.row("Scene", .actionSet)
    let hall = sample.row("Hall", .room)
    return [
      (scene, "there is no kind \"scene\"", { $0.kind = "scene" }),
      (scene, "not the identifier of an object", { $0.id = "7" }),
      (scene, "not the identifier of a home", { $0.home = "" }),
      (scene, "its home", { $0.home = "\(JSONRandom.fixedID)" }),
      (scene, "a name has 1 to 64 characters", { $0.name = "" }), (scene, "a name has", { $0.name = "' '" }),
      (scene, "a name has", { $0.name = String(repeating: "x", count: 65) }),
      (scene, "not JSON: ", { $0.json = "" }), (scene, "not JSON: ", { $0.json = "{" }),
      (scene, "not JSON: ", { $0.json = String(repeating: "[", count: 1_000_000) }),
      (scene, "an object is expected, not a list (at 1:1)", { $0.json = "[]" }),
      (scene, "\"type\" is missing", { $0.json = "{}" }),
      (scene, "type: \"x\" is not a type", { $0.json = #"{"type":"x","actions":[]}"# }),
      (scene, "\"actions\" is missing", { $0.json = #"{"type":"user-defined"}"# }),
      (scene, "more: there is no member", { $0.json = #"{"type":"user-defined","actions":[],"more":1}"# }),
      (
        scene, "the trigger that the action set belongs to is not there",
        {
          $0.json = #"{"type":"trigger-owned","actions":[]}"#; $0.id = "\(JSONRandom.fixedID)"
        }
      ),
      (scene, "has another action set of the type sleep", { $0.json = #"{"type":"sleep","actions":[]}"# }),
      (scene, "the name \"floor\"", { $0.name = "floor" }),
      (scene, "occurs twice", { [id = sample.rows[hall].id] in $0.id = id }),
      (hall, "name: there is no member", { $0.json = #"{"name":"x"}"# }),
      (hall, "the identifier \(sample.home) occurs twice", { $0.id = "\(sample.home)" }),
    ]
  }

  private static func damagedAccessories(of sample: Sample) -> [Damage] {
    let other = sample.bench.model.homes[1]
    return [
      (sample.row("Bert", .user), "the owner is the member \"owner\" of the home", { $0.json = #"{"role":"owner"}"# }),
      (sample.row("Bert", .user), "has another user \"anna\"", { $0.name = "anna" }),
      (
        sample.row("Left", .accessory), "only the paired device itself has the aid 1",
        { $0.json = $0.json.replacing("\"aid\":2", with: "\"aid\":1") }
      ),
      (
        sample.row("Left", .accessory), "a bridged accessory is blocked",
        { $0.json = $0.json.replacing("\"aid\":2", with: "\"aid\":2,\"blocked\":true") }
      ),
      (
        sample.row("Right", .accessory), "another accessory has the aid 2",
        { $0.json = $0.json.replacing("\"aid\":3", with: "\"aid\":2") }
      ),
      (
        sample.row("Right", .accessory), "occurs twice in the accessory",
        { $0.json = $0.json.replacing("\"iid\":11", with: "\"iid\":10") }
      ),
      (
        sample.row("Right", .accessory), "has the name of the accessory or of one of its services",
        { $0.json = $0.json.replacing("\"name\":\"Right\"", with: "\"name\":\"left\"") }
      ),
      (
        sample.row("Right", .accessory), "bridge: the identifier of an accessory is expected",
        { $0.json = $0.json.replacing("\"bridge\":\"", with: "\"bridge\":\"0") }
      ),
      (
        sample.row("Bridge", .accessory), "is in another home",
        { [id = other.id] in
          $0.home = "\(id)"; $0.json = $0.json.replacing("00:00:02", with: "00:00:01")
        }
      ),
    ]
  }

  private static func damagedHomes(of sample: Sample) -> [Damage] {
    [
      (sample.row("Automation", .trigger), "(rule T8)", { $0.json = #"{"when":[{"after":"1min"}],"run":[]}"# }),
      (sample.row("Automation", .trigger), "(rule T1)", { $0.json = #"{"at":"2026-01-01T00:00:01Z","run":[]}"# }),
      (
        sample.row("Automation", .trigger), "(rule T2)",
        { $0.json = #"{"at":"2026-01-01T00:00:00Z","every":"1min","run":[]}"# }
      ),
      (sample.row("Other", .home), "\"home\" is not the identifier of the home itself", { $0.home = "\(sample.home)" }),
      (sample.row("Other", .home), "another home has the name", { $0.name = "my home" }),
      (sample.row("Other", .home), "have the same name", { $0.name = "Default Room" }),
      (
        sample.row("Other", .home), "owner: \"id\" is missing",
        { $0.json = $0.json.replacing("\"owner\":{\"id\"", with: "\"owner\":{\"x-id\"") }
      ),
      (sample.rows.count - 1, "the row of the primary home has another identifier", { $0.id = "x" }),
      (
        sample.rows.count - 1, "the primary home \(JSONRandom.fixedID) is not there",
        { $0.home = "\(JSONRandom.fixedID)" }
      ),
    ]
  }

  @Test("A damaged row is left out with a reason; nothing else is lost")
  func damagedRows() throws {
    let sample = try Sample()
    let rows = Self.damagedSets(of: sample) + Self.damagedAccessories(of: sample) + Self.damagedHomes(of: sample)
    for (index, reason, change) in rows {
      var changed = sample.rows
      change(&changed[index])
      #expect(changed[index] != sample.rows[index], "\(reason)")
      let (model, problems) = Self.read(changed)
      #expect(problems.contains { $0.description.contains(reason) }, "\(reason): \(problems)")
      try Self.checkRest(model, problems, without: [index], of: sample.rows)
    }
  }

  @Test("Rows with random damage: no trap, valid references, and each row that depends on no damaged one is read")
  func randomDamage() throws {
    for seed in 0..<300 {
      var model = JSONRandomModel(seed: UInt64(seed % 30))
      for _ in 0..<120 { _ = model.step() }
      var random = JSONRandom(seed: UInt64(seed))
      let rows = model.model.rows
      var damaged = rows
      var changed: Set<Int> = []
      for _ in 0...random.number(0...3) {
        let index = random.number(0...rows.count - 1)
        changed.insert(index)
        Self.damage(&damaged[index], &random)
      }
      if random.flag() { damaged.remove(at: changed.min()!) }
      let (read, problems) = Self.read(damaged)
      try Self.checkRest(read, problems, without: changed, of: rows)
    }
  }

  static func damage(_ row: inout HomeRow, _ random: inout JSONRandom) {
    switch random.number(0...5) {
    case 0: row.json = String(row.json.dropLast())
    case 1: row.id = "\(random.id())"
    case 2: row.kind = random.pick(HomeRow.Kind.allCases).rawValue
    case 3: row.home = "\(random.id())"
    case 4:
      var bytes = Array(row.json.utf8)
      let index = random.number(0...bytes.count - 1)
      bytes[index] = UInt8(random.number(0...127))
      row.json = String(decoding: bytes, as: UTF8.self)
    default: row.json = "{}"
    }
  }

  /// Checks that the model has valid references, and that each row which does not depend on a changed one is in it.
  private static func checkRest(
    _ model: HomeModel, _ problems: [HomeRowProblem], without changed: Set<Int>, of rows: [HomeRow]
  ) throws {
    // A model that is read without problems has valid references only.
    let (again, remaining) = read(model.rows)
    #expect(remaining == [])
    #expect((again == model) as Bool)
    let found = Set(model.rows.map(\.id))
    let lost = changed.map { rows[$0] }
    for (index, row) in rows.enumerated() where !changed.contains(index) && !found.contains(row.id) {
      let dependsOnLost = lost.contains { lost in
        // Its home, its bridge or its trigger.
        row.home == lost.id || row.json.contains("\"bridge\":\"\(lost.id)\"")
          || (row.json.contains("\"trigger-owned\"") && lost.json.contains(row.id))
      }
      // A changed row may have the identifier, the name or the address of another one.
      let reason = problems.first { $0.row == row.id }?.reason ?? ""
      let conflicts = reason.contains("another") || reason.contains("occurs twice")
      #expect(dependsOnLost || conflicts, "lost \(row): \(reason)")
    }
  }

  @Test("The order of rows of different kinds does not matter")
  func order() throws {
    for seed in 0..<20 {
      var model = JSONRandomModel(seed: UInt64(seed))
      for _ in 0..<150 { _ = model.step() }
      let kinds = HomeRow.Kind.allCases.map(\.rawValue).shuffled(using: &model.random.generator)
      let rows = kinds.flatMap { kind in model.model.rows.filter { $0.kind == kind } }
      let (read, problems) = Self.read(rows)
      #expect(problems == [])
      #expect((read == model.model) as Bool)
    }
  }
}
