import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPModel
import HAPWorld

// What apps do.
extension HomeRun {
  /// Attaches an app, and compares the homes with what it knows.
  /// - Returns: whether it is attached.
  func attach(_ app: LabApp) async -> Bool {
    guard await app.attach() else { return false }
    check(app)
    return true
  }

  /// Compares the homes of an app with what it knows.
  func check(_ app: LabApp) {
    guard let snapshot = app.snapshot, let number = lab.apps.firstIndex(where: { $0 === app }) else { return }
    guard let home = snapshot.model.home(plan.home) else {
      return report(.commandsAreKept, "\(app.name): the home does not exist")
    }
    for (invariant, text) in ledger.compareRooms(of: number, home) { report(invariant, "\(app.name): \(text)") }
    for (name, id) in ledger.identities.sorted(by: { $0.key < $1.key }) {
      let found = home.actionSets.find(id)?.name.text ?? home.triggers.find(id)?.name.text
      if found != name { report(.identityIsKept, "\(app.name): \(name) does not have its identifier") }
    }
    guard number == 0 else { return }
    let isHome = snapshot.persons.first { $0.user == user }?.place == .home
    if let place = ledger.place, (place == .home) != isHome {
      report(.commandsAreKept, "the user is \(isHome ? "at home" : "away"), and was set to \(place)")
      ledger.place = nil
    }
  }

  /// Performs a random operation of an app.
  func act(_ number: Int, _ random: inout WorldRandom) async {
    let app = lab.apps[number]
    guard lab.hub.isUp, app.process?.isFrozen != true else { return }
    if !app.isAttached { if await attach(app) == false { return } }
    let operation = random.pick(Self.operations)
    note("\(app.name): \(operation.rawValue)")
    coverage.add(operation)
    switch operation {
    case .addRoom, .removeRoom, .renameRoom: await changeRooms(operation, number, app, &random)
    case .moveAccessory:
      let rooms = ledger.present(number)
      guard let accessory = app.home.accessories.first, let room = rooms.last else { return }
      _ = await ask(app, .perform(.moveAccessory(accessory.id, room: room.id)))
    case .execute: await execute(random.pick(plan.scenes), app)
    case .write: await write(number, app)
    case .read: await read(app, &random)
    case .subscribe, .unsubscribe:
      let ids = plan.motion.values.sorted() + plan.own.map(\.token)
      _ = await ask(app, operation == .subscribe ? .subscribe(ids) : .unsubscribe(ids))
    case .fire:
      guard let trigger = plan.triggers.first(where: { !$0.isPlanned }) else { return }
      ledger.caused([trigger], at: now)
      _ = await ask(app, .fire(trigger.id))
    case .place: if number == 0 { await place(app, random.chance(0.5)) }
    case .toggle: await toggle(random.pick(plan.triggers), app)
    case .explain: _ = await ask(app, .explain(random.pick(plan.triggers).id))
    case .identify:
      if let accessory = app.model.homes.first?.accessories.first { _ = await ask(app, .identify(accessory.id)) }
    case .search:
      _ = await ask(app, .search)
      if random.chance(0.5) { _ = await ask(app, .endSearch) }
    case .removeGuest, .addGuest: if number == 0 { await changeGuest(operation, app) }
    case .share, .renewShare, .changeRole, .removeUser: if number == 0 { await changeUsers(operation, app, &random) }
    case .visitorWrite: if number == 0 { await visitorWrites() }
    case .visitorRestart: if number == 0 { await restartVisitor() }
    case .status, .sensor: _ = await ask(app, .status)
    }
  }

  /// The operations of apps; a frequent one occurs several times.
  private static let operations: [HomeOperation] =
    HomeOperation.allCases.filter { $0 != .sensor }
    + [.execute, .execute, .write, .write, .write, .read, .place, .place]

  /// Sends a request. It must have an answer while the app lives.
  func ask(_ app: LabApp, _ request: HubRequest) async -> Result<HubAnswer, HomeError>? {
    let process = app.process
    let answer = await app.ask(request)
    if answer == nil, process?.isAlive == true, process?.isFrozen == false {
      report(.requestsAreAnswered, "\(app.name): no answer to \(request)")
    }
    coverage.add(answer == nil ? .unknownCommands : .commands)
    if case .failure(let error)? = answer { note("\(app.name): refused: \(error)") }
    return answer
  }

  /// Whether a request certainly had no effect: it was refused for a reason other than the end of the hub or an error
  /// of its disk.
  func isRefused(_ answer: Result<HubAnswer, HomeError>?) -> Bool {
    guard case .failure(let error) = answer else { return false }
    return error.code != .noHomeHub && error.code != .unexpectedError
  }

  private func changeRooms(
    _ operation: HomeOperation, _ number: Int, _ app: LabApp, _ random: inout WorldRandom
  ) async {
    let present = ledger.present(number)
    var before: (name: String, state: HomeLedger.RoomState)?
    let command: HomeCommand
    var new: String?
    if operation == .addRoom || present.isEmpty || present.count < 2 && operation == .removeRoom {
      let name = ledger.newRoom(number)
      new = name
      command = .addRoom(home: plan.home, name: name)
    } else {
      let room = random.pick(present)
      before = (room.name, .present(room.id))
      if operation == .removeRoom {
        command = .removeRoom(room.id)
      } else {
        let name = ledger.newRoom(number)
        new = name
        command = .rename(room.id, name)
      }
    }
    if let before { ledger.rooms[number, default: [:]][before.name] = .unknown }
    if let new { ledger.rooms[number, default: [:]][new] = .unknown }
    let answer = await ask(app, .perform(command))
    if case .success = answer {
      if let before { ledger.rooms[number, default: [:]][before.name] = .absent }
      if let new { ledger.rooms[number, default: [:]][new] = .present(nil) }
      if app.isAttached { check(app) }
    } else if isRefused(answer) {
      if let before { ledger.rooms[number, default: [:]][before.name] = before.state }
      if let new { ledger.rooms[number, default: [:]][new] = .absent }
    }
  }

  @discardableResult
  func execute(_ scene: PlannedScene, _ app: LabApp) async -> ExecutionResult? {
    ledger.executions[scene.id, default: []].append(now)
    guard case .success(.executed(let result)) = await ask(app, .execute([scene.id])) else { return nil }
    coverage.add(.scenes)
    return result
  }

  private func write(_ number: Int, _ app: LabApp) async {
    let (value, slot) = (ledger.newToken(), plan.own[number])
    ledger.writes.append(HomeLedger.TokenWrite(value: value, slot: slot, start: now))
    let place = ledger.writes.count - 1
    let answer = await ask(
      app, .write(home: plan.home, [HomeAction(slot.token, .integer(Int128(value)))]))
    if case .success(.executed(let result)) = answer {
      ledger.writes[place].outcome = result.actions.first?.outcome
    } else if isRefused(answer) {
      ledger.writes[place].outcome = .notSent
    }
    ledger.writes[place].isEnded = true
  }

  private func read(_ app: LabApp, _ random: inout WorldRandom) async {
    let ids = app.home.accessories.flatMap(\.services).flatMap(\.characteristics).filter {
      $0.permissions.contains(.pairedRead)
    }.map(\.id)
    _ = await ask(app, .read(random.chance(0.5) ? ids : [random.pick(ids)]))
  }

  func place(_ app: LabApp, _ isHome: Bool) async {
    if isHome { ledger.caused(plan.triggers.filter { $0.cause == .arrival }, at: now) }
    ledger.place = nil
    let answer = await ask(app, .place(PersonState(user, isHome ? .home : .away)))
    if case .success = answer { ledger.place = isHome ? .home : .away }
  }

  private func toggle(_ trigger: PlannedTrigger, _ app: LabApp) async {
    let isEnabled = app.home.triggers.find(trigger.id)?.isEnabled ?? false
    if isEnabled {
      _ = await ask(app, .perform(.disableTrigger(trigger.id)))
    } else {
      await enable(trigger, app)
    }
  }

  func enable(_ trigger: PlannedTrigger, _ app: LabApp) async {
    ledger.enabled[trigger.id, default: 0] += 1
    _ = await ask(app, .perform(.enableTrigger(trigger.id)))
  }

  private func changeGuest(_ operation: HomeOperation, _ app: LabApp) async {
    guard let guest else { return }
    if operation == .removeGuest {
      guard let id = app.home.accessories.first(where: { isGuest($0) && $0.bridge == nil })?.id else { return }
      _ = await ask(app, .remove(id, forgets: true))
    } else {
      _ = await ask(
        app, .add(AccessoryAddition(home: plan.home, device: guest.deviceID, code: LabProfile.code)))
    }
  }

  /// Whether an accessory is that of the guest, also before a factory reset.
  func isGuest(_ accessory: HomeAccessory) -> Bool {
    !lab.devices.contains { $0 !== guest && $0.deviceID == accessory.deviceID }
  }
}
