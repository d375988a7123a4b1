import HAPAlmanac
import HAPHome
import HAPModel

/// The parts of a home that its triggers need.
struct HomePlan: Sendable {
  let id: HomeObjectID
  let zoneName: ZoneName
  /// Nil: the machine has no data of the zone.
  let zone: ZoneRules?
  let location: Coordinate?
  /// The users, the owner first.
  let users: [HomeObjectID]
  /// The user who owns the hub.
  let owner: HomeObjectID?
  let actions: [HomeObjectID: [HomeAction]]
  /// The characteristics that triggers, action sets and effects use.
  let characteristics: [HomeObjectID: CharacteristicPlan]

  /// - Parameter values: the characteristics whose values effects will restore.
  init(_ home: Home, zone: ZoneRules?, restoring values: Set<HomeObjectID>) {
    id = home.id
    zoneName = home.zone
    self.zone = zone
    location = home.location
    users = home.users.map(\.id)
    owner = home.users.first { $0.role == .owner }?.id
    actions = Dictionary(home.actionSets.map { ($0.id, $0.actions) }) { first, _ in first }
    var used = values
    for set in home.actionSets { used.formUnion(set.actions.lazy.map(\.characteristic)) }
    for trigger in home.triggers { used.formUnion(trigger.kind.characteristics) }
    var characteristics: [HomeObjectID: CharacteristicPlan] = [:]
    for service in home.accessories.lazy.flatMap(\.services) {
      for characteristic in service.characteristics where used.contains(characteristic.id) {
        characteristics[characteristic.id] = CharacteristicPlan(characteristic)
      }
    }
    self.characteristics = characteristics
  }

  /// The writes of action sets. Of two writes to one characteristic, the last one counts.
  func writes(of sets: [HomeObjectID]) -> [HomeObjectID: Value] {
    let all = sets.flatMap { actions[$0] ?? [] }
    return Dictionary(all.map { ($0.characteristic, $0.value) }) { $1 }
  }

  /// The users of this home whose presence counts for an event.
  func users(of event: PresenceEvent) -> [HomeObjectID] {
    switch event.users {
    case .currentUser: owner.map { [$0] } ?? []
    case .homeUsers: users
    case .users(let chosen): users.filter(chosen.contains)
    }
  }

  /// Whether a place is at home.
  func isHome(_ place: PersonState.Place, within radius: Double) -> Bool {
    switch place {
    case .home: true
    case .away: false
    case .position(let position): location.map { position.distance(to: $0) <= radius } ?? false
    }
  }

  /// The position of a place; nil: unknown.
  func position(of place: PersonState.Place) -> Coordinate? {
    switch place {
    case .home: location
    case .away: nil
    case .position(let position): position
    }
  }
}

/// A characteristic as far as triggers need it.
struct CharacteristicPlan: Sendable {
  let rules: ValueRules
  let canNotify: Bool
  /// Whether each event counts, also with the same value, and reads give no value: a button.
  let isEventOnly: Bool

  init(_ characteristic: HomeCharacteristic) {
    rules = characteristic.rules
    canNotify = characteristic.permissions.contains(.events)
    isEventOnly = characteristic.type == CharacteristicDefinition.programmableSwitchEvent.type
  }
}

extension Trigger.Kind {
  /// The events; empty for a timer.
  var events: [HomeEvent] { if case .event(let event) = self { event.events } else { [] } }

  /// The end events; empty for a timer.
  var endEvents: [HomeEvent] { if case .event(let event) = self { event.endEvents } else { [] } }

  /// The condition of an event trigger.
  var condition: Condition? { if case .event(let event) = self { event.condition } else { nil } }

  /// The characteristics of events, end events and the condition.
  var characteristics: Set<HomeObjectID> {
    Set((events + endEvents).compactMap(\.characteristic)).union(condition?.characteristics ?? [])
  }
}
