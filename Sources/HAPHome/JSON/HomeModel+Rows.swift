import HAPModel

extension HomeModel {
  /// Reads a model from its stored rows.
  ///
  /// A row that is damaged or breaks a rule is left out. References to it are treated as if the object had been removed:
  /// an accessory without its room is in the room for the entire home, and a condition on an accessory that is not there
  /// is unknown. Bridged accessories are left out with their bridge, and objects with their home. docs/internals/home.md
  /// says which rules are checked.
  /// - Parameters:
  ///   - rows: the rows in the order in which they were first stored.
  ///   - problems: gets a problem for each row of which something was left out.
  package init(rows: [HomeRow], problems: inout [HomeRowProblem]) {
    var reader = HomeRowsReader(consequence: "; the row is left out")
    var contents: [HomeRowContent] = []
    contents.reserveCapacity(rows.count)
    for row in rows {
      do throws(HomeRowProblem) { contents.append(try row.content()) } catch { reader.problems.append(error) }
    }
    self = reader.model(contents)
    problems += reader.problems
  }

  /// Makes a model of homes.
  /// - Throws: the first object that breaks a rule, or refers to an object that is not there.
  package init(checking homes: [Home], primary: HomeObjectID?) throws(HomeRowProblem) {
    var reader = HomeRowsReader(consequence: "")
    self = reader.model(homes.flatMap(\.contents))
    if let problem = reader.problems.first { throw problem }
    primaryHome = primary
  }
}

extension Home {
  /// The home and its objects, as rows have them.
  fileprivate var contents: [HomeRowContent] {
    let own = Home(
      id: id, name: name, zone: zone, location: location, roomForEntireHome: roomForEntireHome,
      users: Array(users.prefix(1)), copy: copy)
    func content(_ id: HomeObjectID, _ object: HomeRowContent.Object) -> HomeRowContent {
      HomeRowContent(row: id.description, home: self.id, object: object)
    }
    return [content(id, .home(own))] + rooms.map { content($0.id, .room($0)) }
      + zones.map { content($0.id, .zone($0)) } + groups.map { content($0.id, .group($0)) }
      + accessories.map { content($0.id, .accessory($0)) } + actionSets.map { content($0.id, .actionSet($0)) }
      + triggers.map { content($0.id, .trigger($0)) } + users.dropFirst().map { content($0.id, .user($0)) }
  }
}

/// Collects the objects of rows into homes.
private struct HomeRowsReader {
  /// The end of the problem with an object that is left out.
  private let consequence: String
  var problems: [HomeRowProblem] = []
  private var homes: [Home] = []
  private var positions: [HomeObjectID: Int] = [:]
  /// What is in use in each home.
  private var registers: [HomeRegister] = []
  private var homeNames: Set<String> = []
  private var ids: Set<HomeObjectID> = []
  /// The home of each device, as a position.
  private var devices: [DeviceID: Int] = [:]
  private var addresses: Set<DeviceAddress> = []

  init(consequence: String) { self.consequence = consequence }

  private struct DeviceAddress: Hashable {
    let device: DeviceID
    let aid: UInt64
  }

  private struct Refusal: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  private mutating func addHome(_ content: HomeRowContent) {
    guard case .home(let home) = content.object else { return }
    attempt(content) { reader throws(Refusal) in
      guard home.id == content.home else { throw Refusal("\"home\" is not the identifier of the home itself") }
      guard !reader.homeNames.contains(home.name.key) else {
        throw Refusal("another home has the name \"\(home.name)\"")
      }
      var register = HomeRegister()
      register.insert(home.name)
      register.users.insert(HomeName(home.users[0].name).key)
      guard register.canInsert(home.roomForEntireHome.name) else {
        throw Refusal("the home and the room for the entire home have the same name")
      }
      register.insert(home.roomForEntireHome.name)
      try reader.claim([home.id, home.roomForEntireHome.id, home.users[0].id])
      reader.homeNames.insert(home.name.key)
      reader.positions[home.id] = reader.homes.count
      reader.homes.append(home)
      reader.registers.append(register)
    }
  }

  private mutating func addObject(_ content: HomeRowContent) {
    switch content.object {
    case .home, .primary: return
    case .room, .zone, .group, .accessory, .actionSet, .trigger, .user: break
    }
    attempt(content) { reader throws(Refusal) in
      guard let home = reader.positions[content.home] else { throw Refusal("its home \(content.home) is not there") }
      try reader.add(content.object, to: home)
    }
  }

  private mutating func attempt(
    _ content: HomeRowContent, _ body: (inout HomeRowsReader) throws(Refusal) -> Void
  ) {
    do throws(Refusal) { try body(&self) } catch {
      problems.append(HomeRowProblem(row: content.row, "\(error.reason)\(consequence)"))
    }
  }

  private mutating func add(_ object: HomeRowContent.Object, to home: Int) throws(Refusal) {
    switch object {
    case .home, .primary: preconditionFailure("these are read before")
    case .room(let room):
      try claim(room.id, room.name, in: home)
      homes[home].rooms.append(room)
    case .zone(let zone):
      try claim(zone.id, zone.name, in: home)
      homes[home].zones.append(zone)
    case .group(let group):
      try claim(group.id, group.name, in: home)
      homes[home].groups.append(group)
    case .accessory(let accessory):
      try claim(accessory, in: home)
      homes[home].accessories.append(accessory)
    case .actionSet(let set):
      guard !registers[home].builtInSets.contains(set.kind) else {
        throw Refusal("the home has another action set of the type \(set.kind.rawValue)")
      }
      if set.kind == .triggerOwned { try claim([set.id]) } else { try claim(set.id, set.name, in: home) }
      if set.kind.isBuiltIn { registers[home].builtInSets.insert(set.kind) }
      homes[home].actionSets.append(set)
    case .trigger(let trigger):
      try claim(trigger.id, trigger.name, in: home)
      homes[home].triggers.append(trigger)
    case .user(let user):
      let key = HomeName(user.name).key
      guard !registers[home].users.contains(key) else {
        throw Refusal("the home has another user \"\(user.name)\"")
      }
      try claim([user.id])
      registers[home].users.insert(key)
      homes[home].users.append(user)
    }
  }

  private mutating func claim(_ accessory: HomeAccessory, in home: Int) throws(Refusal) {
    let (device, aid) = (accessory.deviceID, accessory.aid)
    if let bridge = accessory.bridge {
      guard registers[home].devices[bridge] == device else { throw Refusal("its bridge \(bridge) is not there") }
      guard !accessory.isBlocked else { throw Refusal("a bridged accessory is blocked") }
    }
    guard (accessory.bridge == nil) == (aid == 1) else { throw Refusal("only the paired device itself has the aid 1") }
    guard devices[device] ?? home == home else {
      throw Refusal("the device \(device) is in another home")
    }
    guard !addresses.contains(DeviceAddress(device: device, aid: aid)) else {
      throw Refusal("another accessory has the aid \(aid) of the device \(device)")
    }
    guard registers[home].canInsert(accessory) else {
      throw Refusal("another object has the name of the accessory or of one of its services")
    }
    try claim([accessory.id] + accessory.services.flatMap { [$0.id] + $0.characteristics.map(\.id) })
    registers[home].insert(accessory)
    devices[device] = home
    addresses.insert(DeviceAddress(device: device, aid: aid))
  }

  private mutating func claim(_ id: HomeObjectID, _ name: HomeName, in home: Int) throws(Refusal) {
    guard registers[home].canInsert(name) else { throw Refusal("another object has the name \"\(name)\"") }
    try claim([id])
    registers[home].insert(name)
  }

  /// Reserves identifiers: all of them or, if one is in use, none.
  private mutating func claim(_ new: [HomeObjectID]) throws(Refusal) {
    for (index, id) in new.enumerated() where !ids.insert(id).inserted {
      for id in new[..<index] { ids.remove(id) }
      throw Refusal("the identifier \(id) occurs twice")
    }
  }

  /// Returns the model, with references only to objects that are there.
  mutating func model(_ contents: [HomeRowContent]) -> HomeModel {
    for content in contents { addHome(content) }
    for content in contents { addObject(content) }
    var model = HomeModel()
    for home in homes {
      var repair = HomeRepair(home)
      repair.run()
      problems += repair.problems
      model.homes.append(repair.home)
    }
    model.primaryHome = model.homes.first?.id
    for content in contents {
      guard case .primary = content.object else { continue }
      if positions[content.home] != nil {
        model.primaryHome = content.home
      } else {
        let reason = "the primary home \(content.home) is not there; the first home is the primary one"
        problems.append(HomeRowProblem(row: content.row, reason))
      }
    }
    return model
  }
}

/// What is in use in a home.
private struct HomeRegister {
  /// The keys of names in the namespace of the home (rule N2).
  private var names: Set<String> = []
  /// The keys of the users' names.
  var users: Set<String> = []
  /// The types of built-in action sets (rule S1).
  var builtInSets: Set<ActionSet.Kind> = []
  /// The devices of accessories that are not bridged.
  private(set) var devices: [HomeObjectID: DeviceID] = [:]

  func canInsert(_ name: HomeName) -> Bool { !names.contains(name.key) }

  mutating func insert(_ name: HomeName) { names.insert(name.key) }

  /// An accessory may have the name of one of its services.
  func canInsert(_ accessory: HomeAccessory) -> Bool {
    var own: Set<String> = []
    return canInsert(accessory.name)
      && accessory.services.allSatisfy {
        !$0.isUserInteractive || (canInsert($0.name) && own.insert($0.name.key).inserted)
      }
  }

  mutating func insert(_ accessory: HomeAccessory) {
    insert(accessory.name)
    for service in accessory.services where service.isUserInteractive { insert(service.name) }
    if accessory.bridge == nil { devices[accessory.id] = accessory.deviceID }
  }
}
