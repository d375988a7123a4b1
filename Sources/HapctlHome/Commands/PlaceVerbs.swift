import HAPCommandLine
import HAPHome
import HAPWire

/// The commands for rooms, zones, groups and users.
extension HomeVerb {
  static let rooms = [
    lister(
      "room", "rooms",
      json:
        "`{\"rooms\": [{\"id\", \"name\", \"accessories\": [NAME…]}]}`; the last one is the room for the entire home, which accessories without another room are in"
    ) { lookup, object in
      [("accessories", lookup.home.accessories.filter { $0.room == object.id }.map(\.name.text))]
    },
    adder("room", "rooms") { .addRoom(home: $0, name: $1) },
    remover("room", .room, "The accessories of a removed room move to the room for the entire home.") {
      .removeRoom($0)
    },
    renamer("room", .room),
  ]

  static let zones =
    [
      lister("zone", "zones", json: "`{\"zones\": [{\"id\", \"name\", \"rooms\": [NAME…]}]}`") { lookup, object in
        let zone = lookup.home.zones.find(object.id)
        return [("rooms", (zone?.rooms ?? []).compactMap { lookup.home.room($0)?.name.text })]
      },
      HomeVerb(
        "zone add", "add a zone, with rooms", [.init(.text, "NAME"), .any(.room, "ROOM")],
        examples: [("hapctl home zone add Downstairs Hall Kitchen", "adds a zone with two rooms")], json: changesJSON
      ) { session, arguments in
        let rooms = try session.rooms(arguments.operands.dropFirst())
        let home = try session.home
        return try await session.addTogether(.addZone(home: home.id, name: arguments.operands[0])) { zone in
          rooms.map { .addRoomToZone(room: $0, zone: zone) }
        } undo: {
          .removeZone($0)
        }
      },
      remover("zone", .zone, "Its rooms stay.") { .removeZone($0) },
      renamer("zone", .zone),
    ]
    + members("zone", .zone, .room, "ROOM") { session, texts in
      try session.rooms(texts)
    } add: {
      .addRoomToZone(room: $0, zone: $1)
    } remove: {
      .removeRoomFromZone(room: $0, zone: $1)
    }

  static let groups =
    [
      lister("group", "groups", json: "`{\"groups\": [{\"id\", \"name\", \"services\": [PATH…]}]}`") { lookup, object in
        let group = lookup.home.groups.find(object.id)
        return [("services", (group?.services ?? []).map { lookup.path(ofService: $0) })]
      },
      HomeVerb(
        "group add", "add a group, with services", [.init(.text, "NAME"), .any(.service, "SERVICE")],
        examples: [
          ("hapctl home group add \"Night Lights\" \"Stereo Light\" Strip/Left", "adds a group of two services")
        ],
        json: changesJSON
      ) { session, arguments in
        let services = try session.services(arguments.operands.dropFirst())
        let home = try session.home
        return try await session.addTogether(.addGroup(home: home.id, name: arguments.operands[0])) { group in
          services.map { .addServiceToGroup(service: $0, group: group) }
        } undo: {
          .removeGroup($0)
        }
      },
      remover("group", .group, "Its services stay.") { .removeGroup($0) },
      renamer("group", .group),
    ]
    + members("group", .group, .service, "SERVICE") { session, texts in
      try session.services(texts)
    } add: {
      .addServiceToGroup(service: $0, group: $1)
    } remove: {
      .removeServiceFromGroup(service: $0, group: $1)
    }

  // MARK: Users

  private static let role = Option<HomeUser.Role>(
    "role", "administrator|guest", "what the user may do: edit the home, or only control it (default: guest)",
    read: { (text: String) throws(UsageError) in try readRole(text) })

  static func readRole(_ text: String) throws(UsageError) -> HomeUser.Role {
    guard let role = HomeUser.Role(rawValue: text), role != .owner else {
      throw UsageError("expected administrator or guest")
    }
    return role
  }

  static let users = [
    HomeVerb(
      "user list", "list the users, and where they are",
      examples: [("hapctl home user list", "shows each user with the role")],
      json: "`{\"users\": [{\"id\", \"name\", \"role\", \"place\": \"home\" or \"away\" or [LAT, LON]}]}`"
    ) { session, _ in try session.listUsers() },
    HomeVerb(
      "user add", "add a user", [.init(.text, "NAME")], options: [.init(role, .words(["administrator", "guest"]))],
      examples: [("hapctl home user add Ben --role guest", "adds a user who may control the home")], json: changesJSON
    ) { session, arguments in
      let role = try arguments.value(role) ?? .guest
      return try await session.change([
        .addUser(home: try session.home.id, name: arguments.operands[0], role: role)
      ])
    },
    remover("user", .user, "Triggers no longer count this user.") { .removeUser($0) },
    HomeVerb(
      "user role", "change the role of a user",
      [.init(.user, "USER"), .init(.words(["administrator", "guest"]), "ROLE")],
      examples: [("hapctl home user role Ben administrator", "lets Ben edit the home")], json: changesJSON
    ) { session, arguments in
      let user = try session.lookup.user(arguments.operands[0])
      return try await session.change([.setRole(user: user.id, try readRole(arguments.operands[1]))])
    },
  ]
}

// MARK: Shared forms

extension HomeVerb {
  /// `KIND list`
  /// - Parameter facts: the lists of names that belong to an object, by their members in JSON.
  static func lister(
    _ kind: String, _ plural: String, json: String,
    facts: @escaping @Sendable (HomeLookup, NamedObject) -> [(name: String, values: [String])]
  ) -> HomeVerb {
    HomeVerb(
      "\(kind) list", "list the \(plural)",
      examples: [("hapctl home \(kind) list", "shows each \(kind) with its contents")],
      json: json
    ) { session, _ in
      let lookup = try session.lookup
      var objects = HomeObjectKind.allCases.first { $0.title == kind }.map(lookup.objects) ?? []
      // The room for the entire home comes last, and people see it only with its accessories (rule R1).
      if let index = objects.firstIndex(where: { $0.id == lookup.home.roomForEntireHome.id }) {
        let room = objects.remove(at: index)
        if session.isJSON || !lookup.accessories(of: room).isEmpty { objects.append(room) }
      }
      if session.isJSON {
        let nodes = objects.map { object in
          JSONNode.object(
            [("id", .id(object.id)), ("name", .text(object.name))]
              + facts(lookup, object).map { ($0.name, .list($0.values.map { .text($0) })) })
        }
        session.print(.object([(plural, .list(nodes))]))
        return .well
      }
      if objects.isEmpty { session.print("The home \(lookup.home.name.text.quoted) has no \(plural).") }
      // The room for the entire home stays the last one.
      let last = objects.filter { $0.id == lookup.home.roomForEntireHome.id }
      for object in objects.filter({ !last.contains($0) }).inNameOrder(\.name) + last {
        let contents = facts(lookup, object).flatMap(\.values).inNameOrder(\.self).joined(separator: ", ")
        session.print(contents.isEmpty ? object.name : "\(object.name): \(contents)")
      }
      return .well
    }
  }

  /// `KIND add NAME…`
  static func adder(
    _ kind: String, _ plural: String, command: @escaping @Sendable (HomeObjectID, String) -> HomeCommand
  ) -> HomeVerb {
    HomeVerb(
      "\(kind) add", "add \(plural)", [.several(.text, "NAME")],
      examples: [("hapctl home \(kind) add Kitchen Hall", "adds two \(plural)")], json: changesJSON
    ) { session, arguments in
      let home = try session.home
      return try await session.change(arguments.operands.map { command(home.id, $0) })
    }
  }

  /// `KIND remove NAME…`
  static func remover(
    _ kind: String, _ object: HomeObjectKind, _ effect: String,
    command: @escaping @Sendable (HomeObjectID) -> HomeCommand
  ) -> HomeVerb {
    HomeVerb(
      "\(kind) remove", "remove \(kind)s", [.several(object.operandKind, kind.uppercased())], discussion: [effect],
      examples: [("hapctl home \(kind) remove NAME", "removes the \(kind) of this name")], json: changesJSON
    ) { session, arguments in
      let lookup = try session.lookup
      return try await session.change(try arguments.operands.map { command(try lookup.object($0, [object]).id) })
    }
  }

  /// `KIND rename OLD NEW`
  static func renamer(_ kind: String, _ object: HomeObjectKind) -> HomeVerb {
    HomeVerb(
      "\(kind) rename", "rename a \(kind)", [.init(object.operandKind, kind.uppercased()), .init(.text, "NAME")],
      examples: [("hapctl home \(kind) rename OLD NEW", "renames the \(kind)")], json: changesJSON
    ) { session, arguments in try await session.rename(arguments.operands[0], arguments.operands[1], [object]) }
  }

  /// `KIND add-to NAME MEMBER…` and `KIND remove-from NAME MEMBER…`
  private static func members(
    _ kind: String, _ object: HomeObjectKind, _ member: HomeOperand.Kind, _ label: String,
    find: @escaping @Sendable (HomeSession, ArraySlice<String>) throws -> [HomeObjectID],
    add: @escaping @Sendable (HomeObjectID, HomeObjectID) -> HomeCommand,
    remove: @escaping @Sendable (HomeObjectID, HomeObjectID) -> HomeCommand
  ) -> [HomeVerb] {
    let noun = label.lowercased() + "s"
    return [("add-to", "add \(noun) to a \(kind)", add), ("remove-from", "remove \(noun) from a \(kind)", remove)].map {
      word, summary, command in
      HomeVerb(
        "\(kind) \(word)", summary, [.init(object.operandKind, kind.uppercased()), .several(member, label)],
        examples: [("hapctl home \(kind) \(word) \(kind.uppercased()) \(label)", summary.replacingVerb)],
        json: changesJSON
      ) { session, arguments in
        let target = try session.lookup.object(arguments.operands[0], [object])
        return try await session.change(
          try find(session, arguments.operands.dropFirst()).map { command($0, target.id) })
      }
    }
  }
}

extension String {
  /// "add rooms to a zone" as "adds rooms to a zone".
  fileprivate var replacingVerb: String {
    let words = split(separator: " ", maxSplits: 1)
    return "\(words[0])s \(words[1])"
  }
}

extension HomeObjectKind {
  var operandKind: HomeOperand.Kind {
    switch self {
    case .home: .home
    case .room: .room
    case .zone: .zone
    case .group: .group
    case .accessory: .accessory
    case .service: .service
    case .characteristic: .path
    case .trigger: .trigger
    case .user: .user
    case .actionSet: .scene
    }
  }
}

extension HomeSession {
  fileprivate func rooms(_ texts: ArraySlice<String>) throws -> [HomeObjectID] {
    let lookup = try lookup
    return try texts.map { try lookup.room($0).id }
  }

  fileprivate func services(_ texts: ArraySlice<String>) throws -> [HomeObjectID] {
    let lookup = try lookup
    return try texts.map { try lookup.service($0).id }
  }

  /// Adds an object, and performs the commands that complete it. If one of them is refused, the object is removed again.
  /// - Parameters:
  ///   - rest: the other commands, for the identifier of the new object.
  ///   - undo: removes the object.
  func addTogether(
    _ first: HomeCommand, then rest: (HomeObjectID) throws -> [HomeCommand], undo: (HomeObjectID) -> HomeCommand
  ) async throws -> ExitCode {
    let before = try snapshot.model
    var changes = try await perform(first)
    guard let id = changes.lazy.compactMap(\.detail.addedObject).first else { throw wrongAnswer }
    do {
      for command in try rest(id) { changes += try await perform(command) }
    } catch {
      _ = try await perform(undo(id))
      throw error
    }
    report(changes, since: before)
    await noteMissingHub(changes, since: before)
    return .well
  }

  fileprivate func listUsers() throws -> ExitCode {
    let snapshot = try snapshot
    let users = try home.users.map { user in (user, snapshot.persons.first { $0.user == user.id }?.place ?? .away) }
    if isJSON {
      let nodes = users.map { user, place in
        JSONNode.object([
          ("id", .id(user.id)), ("name", .text(user.name)), ("role", .text(user.role.rawValue)),
          ("place", place.shortNode),
        ])
      }
      print(.object([("users", .list(nodes))]))
      return .well
    }
    for (user, place) in users.inNameOrder(\.0.name) { print("\(user.name)  \(user.role.rawValue)  \(place.text)") }
    return .well
  }
}

extension HomeChange.Detail {
  /// The identifier of an object that was added.
  var addedObject: HomeObjectID? {
    switch self {
    case .homeAdded(let home): home.id
    case .roomAdded(let room): room.id
    case .zoneAdded(let zone): zone.id
    case .groupAdded(let group): group.id
    case .actionSetAdded(let set): set.id
    case .triggerAdded(let trigger): trigger.id
    case .userAdded(let user): user.id
    default: nil
    }
  }
}
