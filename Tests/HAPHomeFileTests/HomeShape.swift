import HAPAlmanac
import HAPHome
import HAPModel

/// A home as text without identifiers, for comparison. It is independent of the exporter: objects of accessories are named by device, aid
/// and iid.
///
/// Names of services that are not shown to people, and the place of a trigger's own sets among the sets, are left out.
struct HomeShape: Equatable, CustomStringConvertible {
  var lines: [String] = []

  var description: String { lines.joined(separator: "\n") }

  /// The lines that only one of two shapes has.
  func difference(from other: HomeShape) -> [String] {
    lines.filter { !other.lines.contains($0) }.map { "- " + $0 }
      + other.lines.filter { !lines.contains($0) }.map { "+ " + $0 }
  }

  /// The shape without the order of objects.
  var unordered: HomeShape { HomeShape(lines: lines.sorted()) }

  init(lines: [String]) { self.lines = lines }

  init(_ home: Home) {
    let names = Self.names(home)
    func name(_ id: HomeObjectID) -> String { names[id] ?? "unknown \(id)" }
    lines = ["home \(home.name) \(home.zone) \(home.location.map { "\($0)" } ?? "nowhere")"]
    lines += home.rooms.map { "room \($0.name)" }
    lines += home.zones.map { "zone \($0.name): \($0.rooms.map(name).sorted())" }
    for accessory in home.accessories {
      lines.append("accessory \(name(accessory.id)) \(accessory.name) in \(name(accessory.room))")
      for service in accessory.services where service.isUserInteractive {
        lines.append("service \(name(service.id)) \(service.name) \(service.associatedType.map { "\($0)" } ?? "-")")
      }
    }
    lines += home.groups.map { "group \($0.name): \($0.services.map(name).sorted())" }
    func actions(_ set: ActionSet) -> [String] {
      set.actions.map { "\(name($0.characteristic)) = \($0.value)" }.sorted()
    }
    lines += home.listedActionSets.map { "scene \($0.name) \($0.kind): \(actions($0))" }
    for trigger in home.triggers {
      let sets = trigger.actionSets.map { id -> String in
        let set = home.actionSets.first { $0.id == id }!
        return set.kind == .triggerOwned ? "\(actions(set))" : "\(set.name)"
      }
      lines.append("trigger \(trigger.name) \(trigger.isEnabled) runs \(sets.sorted())")
      lines.append("  " + Self.text(trigger.kind, name))
    }
  }

  private static func names(_ home: Home) -> [HomeObjectID: String] {
    var names = [home.roomForEntireHome.id: "the default room"]
    for room in home.rooms { names[room.id] = "\(room.name)" }
    for user in home.users { names[user.id] = user.name }
    for accessory in home.accessories {
      let name = "\(accessory.deviceID) \(accessory.aid)"
      names[accessory.id] = name
      for service in accessory.services {
        names[service.id] = "\(name).\(service.iid)"
        for characteristic in service.characteristics { names[characteristic.id] = "\(name).\(characteristic.iid)" }
      }
    }
    return names
  }

  private static func text(_ kind: Trigger.Kind, _ name: (HomeObjectID) -> String) -> String {
    switch kind {
    case .timer(let timer):
      return "\(timer.fireDate) \(String(describing: timer.recurrence)) \(timer.zone.map { "\($0)" } ?? "-")"
    case .event(let trigger):
      let days = trigger.weekdays.map(\.rawValue).sorted()
      let condition = trigger.condition.map { text($0, name) } ?? "-"
      let events = (trigger.events.map { text($0, name) }, trigger.endEvents.map { text($0, name) })
      return "\(events.0) ends \(events.1) on \(days) if \(condition) once \(trigger.executesOnce)"
    }
  }

  private static func text(_ event: HomeEvent, _ name: (HomeObjectID) -> String) -> String {
    switch event {
    case .characteristic(let id, equals: let value): "\(name(id)) becomes \(String(describing: value))"
    case .threshold(let id, let range): "\(name(id)) in \(range)"
    case .presence(let presence): text(presence, name)
    case .calendar, .sun, .location, .duration: "\(event)"
    }
  }

  private static func text(_ presence: PresenceEvent, _ name: (HomeObjectID) -> String) -> String {
    guard case .users(let users) = presence.users else { return "\(presence)" }
    return "\(presence.kind) \(users.map(name).sorted())"
  }

  private static func text(_ condition: Condition, _ name: (HomeObjectID) -> String) -> String {
    switch condition {
    case .all(let parts): "all\(parts.map { text($0, name) })"
    case .any(let parts): "any\(parts.map { text($0, name) })"
    case .not(let part): "not \(text(part, name))"
    case .characteristic(let id, let comparison, let value): "\(name(id)) \(comparison) \(value)"
    case .presence(let presence): text(presence, name)
    case .time, .sun, .unknown: "\(condition)"
    }
  }
}
