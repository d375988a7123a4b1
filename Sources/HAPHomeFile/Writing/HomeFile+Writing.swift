import HAPAlmanac
import HAPHome
import HAPModel
import HAPWire
import HAPYAML

extension HomeFile {
  /// The document as YAML. `read` gives an equal document.
  package var yaml: String { node.yamlText }

  /// The document as indented JSON. `read` gives an equal document.
  package var json: String { node.indentedText + "\n" }

  private var node: JSONNode {
    var members: [(name: String, value: JSONNode)] = [("home", .text(home.value))]
    if let zone { members.append(("zone", .text(zone.value.text))) }
    if let location { members.append(("location", location.value.map(JSONNode.coordinate) ?? JSONNode(.null))) }
    if let rooms { members.append(("rooms", .list(rooms.map { .text($0.value) }))) }
    if let zones {
      members.append(
        ("zones", .object(zones.map { (name: $0.name.value, value: .list($0.rooms.map { .text($0.value) })) })))
    }
    if let accessories {
      members.append(("accessories", .object(accessories.map { (name: $0.name.value, value: $0.node) })))
    }
    if let groups {
      members.append(
        (
          "groups",
          .object(groups.map { (name: $0.name.value, value: .list($0.services.map { .text($0.value.description) })) })
        ))
    }
    if let scenes { members.append(("scenes", .object(scenes.map { (name: $0.name.value, value: $0.node) }))) }
    if let triggers { members.append(("triggers", .object(triggers.map { (name: $0.name.value, value: $0.node) }))) }
    return .object(members)
  }
}

extension JSONNode {
  fileprivate static func coordinate(_ place: Coordinate) -> JSONNode {
    .list([.number(place.latitude), .number(place.longitude)])
  }

  /// Data does not occur: it is base64 text.
  fileprivate static func value(_ value: Value) -> JSONNode {
    switch value {
    case .bool(let bool): JSONNode(.bool(bool))
    case .integer(let number): .integer(number)
    case .float(let number):
      // With a fraction, so that it is read as a fraction.
      JSONNode(.number(Number(text: number.description, isInteger: false, integer: nil, double: number)))
    case .string(let text): .text(text)
    case .null, .data: JSONNode(.null)
    }
  }
}

extension HomeFile.AccessoryEntry {
  fileprivate var node: JSONNode {
    var members: [(name: String, value: JSONNode)] = []
    if let device {
      members.append(("device", .text(device.text)))
      if aid != 1 { members.append(("aid", .integer(aid))) }
    }
    if let room { members.append(("room", .text(room.value))) }
    if !services.isEmpty {
      members.append(("services", .object(services.map { (name: $0.service.value.text, value: $0.node) })))
    }
    return .object(members)
  }
}

extension HomeFile.ServiceEntry {
  fileprivate var node: JSONNode {
    if let name, associatedType == nil { return .text(name.value) }
    var members: [(name: String, value: JSONNode)] = []
    if let name { members.append(("name", .text(name.value))) }
    if let associatedType {
      let type = associatedType.value.map { Catalogue.service($0)?.name ?? $0.wireForm }
      members.append(("associated", type.map { .text($0) } ?? JSONNode(.null)))
    }
    return .object(members)
  }
}

extension HomeFile.SceneEntry {
  fileprivate var node: JSONNode {
    var members: [(name: String, value: JSONNode)] = []
    if let builtIn { members.append(("type", .text(builtIn.rawValue))) }
    if let actions { members.append(("set", actions.node)) }
    return .object(members)
  }
}

extension [HomeFile.ActionEntry] {
  fileprivate var node: JSONNode {
    .object(map { (name: $0.characteristic.value.description, value: .value($0.value.value)) })
  }
}

// MARK: Triggers

extension HomeFile.TriggerEntry {
  fileprivate var node: JSONNode {
    var members: [(name: String, value: JSONNode)] = []
    switch kind {
    case .timer(let timer):
      members.append(("at", .text(timer.start.value.text)))
      if let period = timer.period { members.append(("every", .text(HomeFileText.text(period)))) }
      if let zone = timer.zone { members.append(("zone", .text(zone.value.text))) }
    case .event(let events): members += events.members
    case nil: break
    }
    if let run { members.append(("run", .list(run.map(\.node)))) }
    if let isEnabled { members.append(("enabled", JSONNode(.bool(isEnabled.value)))) }
    return .object(members)
  }
}

extension HomeFile.TimerEntry.Start {
  /// "2026-06-01T19:00", with seconds only if they are not zero.
  fileprivate var text: String {
    let (time, end) =
      switch self {
      case .civil(let time): (time, "")
      case .instant(let instant): (ZoneRules.utc.civilTime(at: instant), "Z")
      }
    let text = time.description
    return (time.second == 0 && time.nanosecond == 0 ? String(text.dropLast(3)) : text) + end
  }
}

extension HomeFile.RunEntry {
  fileprivate var node: JSONNode {
    switch self {
    case .scene(let name): .text(name.value)
    case .actions(let actions): .object([(name: "set", value: actions.node)])
    }
  }
}

extension HomeFile.EventsEntry {
  fileprivate var members: [(name: String, value: JSONNode)] {
    var members: [(name: String, value: JSONNode)] = [("when", .list(events.value.map(\.node)))]
    if let condition {
      members.append(
        ("if", condition.depth <= HomeFile.ConditionEntry.longFormDepth ? condition.node : condition.shortNode))
    }
    if !weekdays.isEmpty {
      let days = HomeFileText.weekdays.filter { weekdays.contains($0.day) }
      members.append(("weekdays", .list(days.map { .text($0.word) })))
    }
    if !endEvents.isEmpty { members.append(("end", .list(endEvents.map(\.node)))) }
    if executesOnce { members.append(("once", JSONNode(.bool(true)))) }
    return members
  }
}

extension HomeFile.EventEntry {
  fileprivate var node: JSONNode {
    switch self {
    case .characteristic(let path, equals: let value):
      .object(
        [("characteristic", .text(path.value.description))] + (value.map { [("is", .value($0.value))] } ?? []))
    case .threshold(let path, let range):
      .object(
        [("characteristic", .text(path.value.description))] + (range.min.map { [("at-least", .number($0))] } ?? [])
          + (range.max.map { [("at-most", .number($0))] } ?? []))
    case .presence(let presence): .object(presence.members)
    case .other(let event): .object(Self.members(event))
    }
  }

  private static func members(_ event: HomeEvent) -> [(name: String, value: JSONNode)] {
    switch event {
    case .calendar(let parts): return [("time", .parts(parts))]
    case .sun(let moment): return JSONNode.members(moment)
    case .duration(let seconds): return [("after", .text(HomeFileText.text(seconds: seconds)))]
    case .location(let region, let onEntry, let onExit):
      var members = [("location", JSONNode.coordinate(region.centre)), ("radius", .number(region.radius))]
      if !onEntry { members.append(("entry", JSONNode(.bool(false)))) }
      if !onExit { members.append(("exit", JSONNode(.bool(false)))) }
      return members
    case .characteristic, .threshold, .presence: preconditionFailure("these refer to objects")
    }
  }
}

extension HomeFile.PresenceEntry {
  fileprivate var members: [(name: String, value: JSONNode)] {
    let presence = [("presence", JSONNode.text(kind.rawValue))]
    switch users {
    case .all: return presence
    case .current: return presence + [("users", .text("current"))]
    case .named(let names): return presence + [("users", .list(names.map { .text($0.value) }))]
    }
  }
}

extension HomeFile.ConditionEntry {
  /// Deeper conditions are written as lists, because a document has at most 64 levels.
  fileprivate static let longFormDepth = 24

  fileprivate var depth: Int {
    switch self {
    case .all(let parts), .any(let parts): 1 + (parts.map(\.depth).max() ?? 0)
    case .not(let part): 1 + part.depth
    case .characteristic, .presence, .other: 1
    }
  }

  fileprivate var node: JSONNode {
    switch self {
    case .all(let parts): .object([("all", .list(parts.map(\.node)))])
    case .any(let parts): .object([("any", .list(parts.map(\.node)))])
    case .not(let part): .object([("not", part.node)])
    case .characteristic(let path, let comparison, let value):
      .object([
        ("characteristic", .text(path.value.description)),
        (HomeFileText.comparisons.first { $0.comparison == comparison }?.word ?? "is", .value(value.value)),
      ])
    case .presence(let presence): .object(presence.members)
    case .other(let condition): .object([Self.member(condition)])
    }
  }

  /// The form with lists, which has one level for each level of the condition.
  fileprivate var shortNode: JSONNode {
    switch self {
    case .all(let parts): .list([.text("all")] + parts.map(\.shortNode))
    case .any(let parts): .list([.text("any")] + parts.map(\.shortNode))
    case .not(let part): .object([("not", part.shortNode)])
    case .characteristic, .presence, .other: node
    }
  }

  private static func member(_ condition: Condition) -> (name: String, value: JSONNode) {
    switch condition {
    case .time(.before(let parts)): ("before", .parts(parts))
    case .time(.after(let parts)): ("after", .parts(parts))
    case .time(.on(let parts)): ("on", .parts(parts))
    case .time(.between(let first, let second)): ("between", .list([.parts(first), .parts(second)]))
    case .sun(.before(let moment)): ("before", .moment(moment))
    case .sun(.after(let moment)): ("after", .moment(moment))
    case .sun(.between(let first, let second)): ("between", .list([.moment(first), .moment(second)]))
    case .unknown: ("unknown", JSONNode(.bool(true)))
    case .all, .any, .not, .characteristic, .presence: preconditionFailure("these have parts or refer to objects")
    }
  }
}

extension JSONNode {
  fileprivate static func members(_ moment: SunMoment) -> [(name: String, value: JSONNode)] {
    let sun = [("sun", JSONNode.text(moment.event.rawValue))]
    return moment.offset == 0 ? sun : sun + [("offset", .text(HomeFileText.text(seconds: moment.offset)))]
  }

  fileprivate static func moment(_ moment: SunMoment) -> JSONNode {
    moment.offset == 0 ? .text(moment.event.rawValue) : .object(members(moment))
  }

  fileprivate static func parts(_ parts: DateParts) -> JSONNode {
    if let text = HomeFileText.timeOfDay(parts) { return .text(text) }
    let numbers: [(String, Int?)] = [
      ("year", parts.year), ("month", parts.month), ("day", parts.day), ("hour", parts.hour), ("minute", parts.minute),
      ("second", parts.second),
    ]
    var members: [(name: String, value: JSONNode)] = numbers.compactMap { name, number in
      number.map { (name: name, value: .integer($0)) }
    }
    if let day = parts.weekday { members.append(("weekday", .text(HomeFileText.word(day)))) }
    return .object(members)
  }
}
