import HAPAlmanac
import HAPCommandLine
import HAPHome
import HAPWire

/// The commands for homes themselves.
extension HomeVerb {
  static let timeZone = Option<ZoneName>("zone", "ZONE", "the time zone of the home, such as Europe/Berlin") {
    (text: String) throws(UsageError) in
    guard let zone = ZoneName(text) else {
      throw UsageError("this is not the name of a time zone, such as Europe/Berlin")
    }
    return zone
  }
  static let place = Option<Coordinate>(
    "at", "LAT,LON", "the place of the home in degrees, which sunrise, sunset and regions need",
    read: { (text: String) throws(UsageError) in try coordinate(text) })
  private static let owner = Option<String>("owner", "NAME", "the name of the owner (default: Owner)")
  private static let noPlace = Flag("no-location", "remove the place of the home")
  private static let forgets = Flag(
    "forget", "remove the home although it has accessories; they keep their pairings, so they have to be reset")

  static let changesJSON = "`{\"changes\": [CHANGE…]}`"

  static let homes = [
    HomeVerb(
      "new", "add a home", [.init(.text, "NAME")],
      options: [.init(timeZone), .init(place), .init(owner)],
      discussion: ["The first home is the primary home, which commands without --home are about."],
      examples: [("hapctl home new \"My Home\" --zone Europe/Berlin --at 52.52,13.40", "adds a home in Berlin")],
      json: changesJSON
    ) { session, arguments in
      guard let zone = try arguments.value(timeZone) else {
        throw UsageError("--zone is missing: give the time zone of the home, such as --zone Europe/Berlin")
      }
      guard session.surroundings.zoneRules(zone) != nil else {
        throw HomeFailure(
          "this machine has no time zone \(zone): correct the name, or install the package tzdata")
      }
      return try await session.change([
        .addHome(
          name: arguments.operands[0], zone: zone, location: try arguments.value(place),
          owner: try arguments.value(owner) ?? "Owner")
      ])
    },
    HomeVerb(
      "list", "list the homes", examples: [("hapctl home list", "shows each home with its time zone")],
      json:
        "`{\"homes\": [{\"id\", \"name\", \"primary\", \"timeZone\", \"location\", \"rooms\", \"accessories\", \"sharedBy\"}]}`; `rooms` and `accessories` are numbers, and `sharedBy` is the name of the owner of another hub's home"
    ) { session, _ in try session.listHomes() },
    HomeVerb(
      "delete", "remove a home", [.init(.home, "HOME")], options: [.init(forgets)],
      discussion: [
        "A home with accessories is not removed: remove these first, which removes their pairings. A home of another hub is only forgotten here."
      ],
      examples: [("hapctl home delete \"Old Home\"", "removes a home without accessories")], json: changesJSON
    ) { session, arguments in
      let home = try session.snapshot.model.home(named: arguments.operands[0])
      if home.copy == nil, !home.accessories.isEmpty, !arguments[forgets] {
        throw HomeFailure(
          "the home \(home.name.text.quoted) has \(home.accessories.count) accessories: remove them with 'hapctl home remove', or use --forget"
        )
      }
      return try await session.change([.removeHome(home.id)])
    },
    HomeVerb(
      "primary", "make a home the primary one", [.init(.home, "HOME")],
      examples: [("hapctl home primary Cottage", "commands without --home are about Cottage from now on")],
      json: changesJSON
    ) { session, arguments in
      try await session.change([.setPrimaryHome(try session.snapshot.model.home(named: arguments.operands[0]).id)])
    },
    HomeVerb(
      "configure", "change the time zone or the place of a home",
      options: [.init(timeZone), .init(place), .init(noPlace)],
      examples: [("hapctl home configure --at 37.33,-122.03", "sets the place of the primary home")], json: changesJSON
    ) { session, arguments in try await session.configure(arguments, noPlace) },
    HomeVerb(
      "rename", "rename an object", [.init(.object, "OBJECT"), .init(.text, "NAME")],
      discussion: [
        "OBJECT is the name of a home, room, zone, group, accessory, scene or trigger, or the path ACCESSORY/SERVICE of a service."
      ],
      examples: [
        ("hapctl home rename \"Arrive Home\" \"hi house\"", "renames a scene"),
        ("hapctl home rename Strip/Left \"Desk Lamp\"", "renames a service"),
      ], json: changesJSON
    ) { session, arguments in try await session.rename(arguments.operands[0], arguments.operands[1]) },
  ]
}

/// Parses "37.33,-122.03".
func coordinate(_ text: String) throws(UsageError) -> Coordinate {
  let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
    Double(part.drop { $0 == " " })
  }
  guard parts.count == 2, let latitude = parts[0], let longitude = parts[1],
    let place = Coordinate(latitude: latitude, longitude: longitude)
  else {
    throw UsageError("expected the latitude (-90 to 90) and the longitude (-180 to 180), such as 37.33,-122.03")
  }
  return place
}

extension HomeSession {
  fileprivate func listHomes() throws -> ExitCode {
    let model = try snapshot.model
    if isJSON {
      print(
        .object([
          (
            "homes",
            .list(
              model.homes.map { home in
                .object([
                  ("id", .id(home.id)), ("name", .text(home.name.text)),
                  ("primary", .flag(home.id == model.primaryHome)),
                  ("timeZone", .text(home.zone.text)), ("location", home.location?.node ?? JSONNode(.null)),
                  ("rooms", .integer(home.rooms.count)), ("accessories", .integer(home.accessories.count)),
                  ("sharedBy", home.sharedBy.map { .text($0) } ?? JSONNode(.null)),
                ])
              })
          )
        ]))
      return .well
    }
    if model.homes.isEmpty { print("There is no home: add one with 'hapctl home new NAME --zone ZONE'.") }
    for home in model.homes.inNameOrder(\.name.text) {
      let shared = home.sharedBy.map { "  shared by \($0)" } ?? ""
      print("\(home.name)  \(home.zone)\(home.id == model.primaryHome ? "  primary" : "")\(shared)")
    }
    return .well
  }

  fileprivate func configure(_ arguments: Arguments, _ noPlace: Flag) async throws -> ExitCode {
    let home = try home
    var commands: [HomeCommand] = []
    if let zone = try arguments.value(HomeVerb.timeZone) {
      guard surroundings.zoneRules(zone) != nil else {
        throw HomeFailure("this machine has no time zone \(zone): correct the name, or install the package tzdata")
      }
      commands.append(.setTimeZone(home: home.id, zone))
    }
    let location = try arguments.value(HomeVerb.place)
    if location != nil, arguments[noPlace] { throw UsageError("--at and --no-location exclude each other") }
    if location != nil || arguments[noPlace] { commands.append(.setLocation(home: home.id, location)) }
    guard !commands.isEmpty else { throw UsageError("nothing to change: give --zone, --at or --no-location") }
    return try await change(commands)
  }

  /// Renames a home, an object of the home, or a service.
  func rename(_ text: String, _ name: String, _ kinds: [HomeObjectKind]? = nil) async throws -> ExitCode {
    let model = try snapshot.model
    if kinds == nil, homeText == nil, let home = try? model.home(named: text) {
      return try await change([.rename(home.id, name)])
    }
    let lookup = try lookup
    if kinds == nil, text.contains("/") || HomeObjectID(text).flatMap({ lookup.home.service($0) }) != nil {
      return try await change([.rename(try lookup.service(text).id, name)])
    }
    let all: [HomeObjectKind] = [.home, .room, .zone, .group, .accessory, .actionSet, .trigger]
    return try await change([.rename(try lookup.object(text, kinds ?? all).id, name)])
  }
}
