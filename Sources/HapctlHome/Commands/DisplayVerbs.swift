import HAPCommandLine
import HAPHome
import HAPHubLink
import HAPModel
import HAPWire

/// The commands that show a home, and what happens in it.
extension HomeVerb {
  private static let values = Flag("values", "also read the values of the characteristics from the accessories")
  private static let last = Option<Int>("last", "N", in: 1...1000, "print only the last N evaluations")
  static let count = Option<Int>("count", "N", in: 1...1_000_000, "stop after N lines")

  static let display = [
    HomeVerb(
      "show", "show a home, or an object of it", [.optional(.object, "OBJECT")], options: [.init(values)],
      discussion: [
        "OBJECT is a name, an identifier, or the path of a service. An accessory is shown with its characteristics."
      ],
      examples: [
        ("hapctl home show", "shows the rooms with their accessories, the scenes and the triggers"),
        ("hapctl home show \"Stereo Light\" --values", "shows an accessory with its present values"),
      ],
      json:
        "`{\"home\": HOME}`, with all objects as in a change `home-added`, or `{\"KIND\": OBJECT}`; also `unreachable`, a list of `{\"accessory\", \"name\", \"why\"}`, and with `--values`, `values` as of `get`",
      need: .accessories
    ) { session, arguments in try await session.show(arguments.operands.first, withValues: arguments[values]) },
    HomeVerb(
      "why", "explain what a trigger did, and why it did nothing", [.init(.trigger, "TRIGGER")],
      options: [.init(last)],
      discussion: ["The hub keeps the last 20 evaluations of each trigger since it started."],
      examples: [("hapctl home why \"arrived home\"", "shows each event, and the value of each condition")],
      json: "`{\"evaluations\": [{\"trigger\", \"name\", \"number\", \"time\", \"outcome\", \"text\", \"detail\"}]}`"
    ) { session, arguments in
      let lookup = try session.lookup
      let trigger = try lookup.trigger(arguments.operands[0])
      guard case .explained(let all) = try await session.link.ask(.explain(trigger.id)) else {
        throw session.wrongAnswer
      }
      let reports = all.suffix(try arguments.value(last) ?? all.count)
      if session.isJSON {
        let text = ResultText(lookup.home)
        session.print(.object([("evaluations", .list(reports.map { .object(text.members($0)) }))]))
        return .well
      }
      if reports.isEmpty {
        let state = trigger.isEnabled ? "" : " It is disabled."
        session.print(
          try await session.isHub
            ? "No hub runs, so no trigger is evaluated: start 'hapctl hub run'.\(state)"
            : "The trigger \(trigger.name.text.quoted) was not evaluated since the hub started.\(state)")
      }
      for report in reports { for line in report.text.split(separator: "\n") { session.print(String(line)) } }
      return .well
    },
    HomeVerb(
      "watch", "print what happens in a home until Ctrl-C", [.any(.path, "PATH")], options: [.init(count)],
      discussion: [
        "It prints changes of the home, values, reachability, executions of scenes, evaluations of triggers and places of users. PATH limits the values; without it, all characteristics with events are watched.",
        "With --json, each line is an object with the member `event`.",
      ],
      examples: [
        ("hapctl home watch", "prints everything"),
        ("hapctl home watch \"Front Door Lock/Lock Current State\" --json", "prints changes of a lock for a program"),
      ],
      json:
        "lines: `{\"event\": \"changed\", \"app\", \"changes\": [CHANGE…]}`, `{\"event\": \"value\", \"characteristic\", \"path\", \"value\", \"text\", \"error\", \"catchUp\"}`, `{\"event\": \"reachability\", \"accessory\", \"name\", \"reachable\", \"why\"}`, `{\"event\": \"evaluated\", …}` as of `why`, `{\"event\": \"executed\", \"scenes\", \"trigger\", \"app\", …}` as of `run`, `{\"event\": \"person\", \"user\", \"name\", \"place\"}`, `{\"event\": \"missed\"}` and `{\"event\": \"stopping\"}`",
      need: .accessories
    ) { session, arguments in
      try await session.watch(arguments.operands, atMost: try arguments.value(count))
    },
  ]
}

extension HomeSession {
  fileprivate func show(_ text: String?, withValues: Bool) async throws -> ExitCode {
    let lookup = try lookup
    let target =
      try text.map { try shownObject($0, lookup) } ?? NamedObject(.home, lookup.home.id, lookup.home.name.text)
    let accessories = lookup.accessories(of: target)
    var values: [HomeObjectID: CharacteristicReading] = [:]
    let ids = accessories.flatMap(\.services).filter { target.kind != .service || $0.id == target.id }
      .filter(\.isUserInteractive).flatMap(\.characteristics).filter { $0.permissions.contains(.pairedRead) }.map(\.id)
    if withValues, !ids.isEmpty { for reading in try await read(ids) { values[reading.characteristic] = reading } }
    let unreachable = try snapshot.unreachable
    guard isJSON else {
      let tree = HomeTree(lookup, unreachable: unreachable, values: values)
      for line in try lines(target, tree) { print(line) }
      return .well
    }
    var members: [JSONMember] = [(target.kind.word, lookup.node(target))]
    members.append(
      (
        "unreachable",
        .list(
          accessories.compactMap { accessory in
            unreachable[accessory.id].map {
              .object([("accessory", .id(accessory.id)), ("name", .text(accessory.name.text)), ("why", .text($0))])
            }
          })
      ))
    if withValues {
      let text = ResultText(lookup.home)
      members.append(("values", .list(ids.compactMap { values[$0] }.map { .object(text.members($0)) })))
    }
    print(.object(members))
    return .well
  }

  private func shownObject(_ text: String, _ lookup: HomeLookup) throws -> NamedObject {
    if text.contains("/") || HomeObjectID(text).flatMap({ lookup.home.service($0) }) != nil {
      let service = try lookup.service(text)
      return NamedObject(.service, service.id, service.name.text)
    }
    return try lookup.object(text, [.home, .room, .zone, .group, .accessory, .actionSet, .trigger, .user])
  }

  private func lines(_ target: NamedObject, _ tree: HomeTree) throws -> [String] {
    let lookup = tree.lookup
    switch target.kind {
    case .trigger:
      return lines(try lookup.trigger(target.id.description), lookup, next: try plan.nextTime(of: target.id))
    case .user:
      let place = try snapshot.persons.first { $0.user == target.id }?.place ?? .away
      return ["\(target.name): \(lookup.home.users.find(target.id)?.role.rawValue ?? ""), \(place.text)"]
    case .home:
      return tree.overview()
    default: return tree.lines(target)
    }
  }
}

extension HomeLookup {
  /// The accessories that an object contains, or that it belongs to.
  func accessories(of object: NamedObject) -> [HomeAccessory] {
    switch object.kind {
    case .home: return home.accessories
    case .room: return home.accessories.filter { $0.room == object.id }
    case .zone:
      let rooms = Set(home.zones.find(object.id)?.rooms ?? [])
      return home.accessories.filter { rooms.contains($0.room) }
    case .accessory: return home.accessories.filter { $0.id == object.id }
    case .group, .service:
      let services = Set(home.groups.find(object.id)?.services ?? [object.id])
      return home.accessories.filter { $0.services.contains { services.contains($0.id) } }
    case .characteristic, .actionSet, .trigger, .user: return []
    }
  }

  /// The object in JSON, as changes have it.
  func node(_ object: NamedObject) -> JSONNode {
    let all = home.node
    func element(_ list: String, _ id: HomeObjectID) -> JSONNode? {
      all[list]?.elements?.first { $0["id"]?.stringValue == id.description }
    }
    switch object.kind {
    case .home: return all
    case .room: return element("rooms", object.id) ?? all["roomForEntireHome"] ?? JSONNode(.null)
    case .zone: return element("zones", object.id) ?? JSONNode(.null)
    case .group: return element("groups", object.id) ?? JSONNode(.null)
    case .accessory: return element("accessories", object.id) ?? JSONNode(.null)
    case .actionSet: return element("actionSets", object.id) ?? JSONNode(.null)
    case .trigger: return element("triggers", object.id) ?? JSONNode(.null)
    case .user: return element("users", object.id) ?? all["owner"] ?? JSONNode(.null)
    case .service:
      guard let found = home.service(object.id) else { return JSONNode(.null) }
      return element("accessories", found.accessory.id)?["services"]?.elements?.first {
        $0["iid"]?.integerValue == Int128(found.service.iid)
      } ?? JSONNode(.null)
    case .characteristic: return JSONNode(.null)
    }
  }
}
