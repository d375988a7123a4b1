import HAPAlmanac
import HAPModel

/// Removes references to objects that are not in the home, as the commands that remove objects do.
struct HomeRepair {
  private(set) var home: Home
  private(set) var problems: [HomeRowProblem] = []
  private let characteristics: [HomeObjectID: HomeCharacteristic]
  private let services: Set<HomeObjectID>

  init(_ home: Home) {
    self.home = home
    let all = home.accessories.flatMap(\.services)
    services = Set(all.map(\.id))
    // The identifiers were checked before: each occurs once.
    characteristics = Dictionary(uniqueKeysWithValues: all.flatMap(\.characteristics).map { ($0.id, $0) })
  }

  mutating func run() {
    repairPlaces()
    for index in home.actionSets.indices { repairActions(index) }
    repairTriggers()
    removeSetsWithoutTrigger()
    addBuiltInSets()
  }

  private mutating func report(_ id: HomeObjectID, _ reason: String) {
    problems.append(HomeRowProblem(row: id.description, reason))
  }

  private mutating func repairPlaces() {
    let rooms = Set(home.rooms.map(\.id))
    for index in home.accessories.indices {
      let accessory = home.accessories[index]
      guard !rooms.contains(accessory.room), accessory.room != home.roomForEntireHome.id else { continue }
      report(accessory.id, "its room \(accessory.room) is not there; the accessory is in the room for the entire home")
      home.accessories[index].room = home.roomForEntireHome.id
    }
    for index in home.zones.indices {
      for room in home.zones[index].rooms where !rooms.contains(room) {
        report(home.zones[index].id, "the room \(room) is not there; it is left out of the zone")
      }
      home.zones[index].rooms.removeAll { !rooms.contains($0) }
    }
    for index in home.groups.indices {
      for service in home.groups[index].services where !services.contains(service) {
        report(home.groups[index].id, "the service \(service) is not there; it is left out of the group")
      }
      home.groups[index].services.removeAll { !services.contains($0) }
    }
  }

  private mutating func repairActions(_ index: Int) {
    let set = home.actionSets[index]
    let actions = set.actions.filter { action in
      characteristics[action.characteristic].map { $0.takes(action.value) } ?? false
    }
    guard actions.count < set.actions.count else { return }
    let count = set.actions.count - actions.count
    report(set.id, "\(count) of the actions have no characteristic that takes the value; they are left out")
    home.actionSets[index].actions = actions
  }

  // MARK: Triggers

  private mutating func repairTriggers() {
    let kinds = Dictionary(uniqueKeysWithValues: home.actionSets.map { ($0.id, $0.kind) })
    var owned: Set<HomeObjectID> = []
    let triggers = home.triggers
    home.triggers = []
    for var trigger in triggers {
      repairReferences(&trigger)
      if let error = violation(of: trigger.kind) {
        report(trigger.id, "\(error); the trigger is left out")
        continue
      }
      let sets = trigger.actionSets.filter { id in
        kinds[id].map { $0 != .triggerOwned || owned.insert(id).inserted } ?? false
      }
      if sets.count < trigger.actionSets.count {
        report(trigger.id, "an action set is not there, or belongs to another trigger; it is left out of the trigger")
        trigger.actionSets = sets
      }
      if trigger.isEnabled, trigger.actionSets.isEmpty || trigger.hasNoEvents {
        report(trigger.id, "the trigger has no event or no action set; it is disabled")
        trigger.isEnabled = false
      }
      home.triggers.append(trigger)
    }
  }

  private mutating func removeSetsWithoutTrigger() {
    let used = Set(home.triggers.flatMap(\.actionSets))
    for set in home.actionSets where set.kind == .triggerOwned && !used.contains(set.id) {
      report(set.id, "the trigger that the action set belongs to is not there; the row is left out")
    }
    home.actionSets.removeAll { $0.kind == .triggerOwned && !used.contains($0.id) }
  }

  /// Adds the built-in sets that are missing (rule S1): no command could add them. Their identifiers are derived from that
  /// of the home, so that they are the same at each start.
  private mutating func addBuiltInSets() {
    for (number, (kind, name)) in CommandRun<NoGenerator>.builtInSets.enumerated() {
      if home.actionSets.contains(where: { $0.kind == kind }) { continue }
      report(home.id, "the action set of the type \(kind.rawValue) is not there; it is added without actions")
      var (names, iid) = (TakenNames(in: home), UInt64(number) + 1)
      // A set whose type was changed in the store may have the identifier.
      while home.kind(of: home.id.part(iid: iid)) != nil { iid += 4 }
      let id = home.id.part(iid: iid)
      home.actionSets.append(ActionSet(id: id, name: names.unique(HomeName(name)), kind: kind))
    }
  }

  /// Removes events, and makes conditions unknown, whose characteristic or users are not there.
  private mutating func repairReferences(_ trigger: inout Trigger) {
    guard case .event(var events) = trigger.kind else { return }
    let before = events
    let users = Set(home.users.map(\.id))
    func remaining(_ presence: PresenceEvent) -> PresenceEvent? {
      guard case .users(let all) = presence.users else { return presence }
      let found = all.intersection(users)
      return found.isEmpty ? nil : PresenceEvent(presence.kind, of: .users(found))
    }
    func remaining(_ event: HomeEvent) -> HomeEvent? {
      switch event {
      case .characteristic(let id, equals: _), .threshold(let id, _):
        characteristics[id].flatMap { $0.violation(of: event) == nil ? event : nil }
      case .presence(let presence): remaining(presence).map { .presence($0) }
      case .calendar, .sun, .location, .duration: event
      }
    }
    events.events = events.events.compactMap(remaining)
    events.endEvents = events.endEvents.compactMap(remaining)
    events.condition = events.condition?.mapLeaves { leaf in
      switch leaf {
      case .characteristic(let id, _, _):
        characteristics[id].flatMap { $0.violation(of: leaf) == nil ? leaf : nil } ?? .unknown
      case .presence(let presence): remaining(presence).map { .presence($0) } ?? .unknown
      case .all, .any, .not, .time, .sun, .unknown: leaf
      }
    }
    guard events != before else { return }
    report(
      trigger.id,
      "an event or a condition has no characteristic that fits, or no user; the event is left out, the condition is unknown"
    )
    trigger.kind = .event(events)
  }

  /// Returns the rule that a trigger breaks whose references are valid.
  private func violation(of kind: Trigger.Kind) -> HomeError? {
    // Too many objects are kept, but a condition of any depth could not be written in each form.
    var policy = HomePolicy()
    policy.objects = .max
    // A stored timer may be over, and its zone may be missing on this machine.
    let context = HomeContext(now: .distantPast, policy: policy) { _ in .utc }
    var kind = kind
    var used: Set<HomeObjectID> = []
    if case .event(var events) = kind {
      used = Set((events.events + events.endEvents).compactMap(\.characteristic))
      used.formUnion(events.condition?.characteristics ?? [])
      // A stored trigger may have lost its events.
      if events.events.isEmpty { events.events = [.sun(SunEvent.sunrise.moment)] }
      kind = .event(events)
    }
    let home = home(with: used.compactMap { characteristics[$0] })
    let run = CommandRun(model: HomeModel(), context: context, generator: NoGenerator())
    do throws(HomeError) {
      try run.check(kind, in: home)
      return nil
    } catch { return error }
  }

  /// Returns a home with a location, and with no other characteristics than these: a check looks for each of them.
  private func home(with characteristics: [HomeCharacteristic]) -> Home {
    var home = Home(
      id: home.id, name: home.name, zone: home.zone, location: Coordinate(latitude: 0, longitude: 0),
      roomForEntireHome: home.roomForEntireHome, users: home.users)
    let service = HomeService(
      id: home.id.part(iid: 1), iid: 1, type: 0x43, name: home.name, associatedType: nil, isPrimary: true,
      isUserInteractive: true, linked: [], characteristics: characteristics)
    guard let device = DeviceID(bytes: [0, 0, 0, 0, 0, 0]) else { preconditionFailure("an ID has 6 bytes") }
    home.accessories = [
      HomeAccessory(
        id: home.id.part(iid: 2), name: home.name, room: home.roomForEntireHome.id, category: 0,
        transport: .hap(device, aid: 1), bridge: nil, services: [service], information: AccessoryInformation(),
        configurationNumber: 1)
    ]
    return home
  }
}

/// A check creates no identifiers.
private struct NoGenerator: RandomNumberGenerator {
  mutating func next() -> UInt64 { preconditionFailure("a check creates no identifiers") }
}

extension Trigger {
  /// Whether all events were removed.
  fileprivate var hasNoEvents: Bool {
    switch kind {
    case .timer: false
    case .event(let events): events.events.isEmpty
    }
  }
}
