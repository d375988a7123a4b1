import HAPCommandLine
import HAPWire

extension HomeVerb {
  /// All commands below `hapctl home`, in the order of help. Commands of one group are next to each other.
  package static let all: [HomeVerb] =
    homes + display + control + rooms + zones + groups + scenes + triggers + rehearsals
    + users + sharing + accessories + adding + files + care

  /// The commands that are possible in a home of another hub: completion offers only these.
  package static let namesForCopies: Set<String> = [
    "new", "list", "delete", "primary", "show", "watch", "get", "set", "run", "identify", "unblock", "lint", "rehearse",
    "room list", "zone list", "group list", "scene list", "trigger list", "user list", "user request", "user accept",
    "export", "diff", "discover", "drop", "status", "complete",
  ]

  /// The groups, and their summaries.
  package static let groupSummaries: [(name: String, summary: String)] = [
    ("room", "list, add, remove and rename rooms"),
    ("zone", "list, add and change zones, which are groups of rooms such as a floor"),
    ("group", "list, add and change groups of services, such as all night lights"),
    ("scene", "list, add and change scenes: values that are written together"),
    ("trigger", "list, add and change triggers, which run scenes at a time or after an event"),
    ("user", "list, add and remove the users of a home, and share it with the hub of a user"),
  ]
}

extension Command {
  /// `hapctl home`
  /// - Parameter place: where the commands find their hub.
  package static func home(_ place: HomePlace) -> Command {
    var commands: [Command] = []
    var names: Set<String> = []
    for verb in HomeVerb.all {
      guard names.insert(verb.words[0]).inserted else { continue }
      guard let group = HomeVerb.groupSummaries.first(where: { $0.name == verb.words[0] }) else {
        commands.append(Command(verb, place))
        continue
      }
      let members = HomeVerb.all.filter { $0.words[0] == group.name }
      commands.append(Command(group.name, group.summary, commands: members.map { Command($0, place) }))
    }
    return Command(
      "home", "control homes: rooms, scenes, triggers, people and their accessories", commands: commands,
      printer: HomeCompletion.verb,
      discussion: [
        "The commands go to the hub of the folder ('hapctl hub run'). If no hub runs, the command works as a hub until it ends.",
        "A name is written without regard to case, spaces and apostrophes. Instead of a name, each command takes an identifier. "
          + "A path of a characteristic is ACCESSORY/CHARACTERISTIC or ACCESSORY/SERVICE/CHARACTERISTIC. "
          + "PLACE/CHARACTERISTIC means all services in a room, a zone, a group or the home.",
      ],
      examples: [
        ("hapctl home new \"My Home\" --zone Europe/Berlin", "adds a home"),
        ("hapctl home add --code 031-45-154", "pairs with an accessory, and adds it to the home"),
        ("hapctl home set Kitchen/On off", "switches everything in the kitchen off"),
      ])
  }

  fileprivate init(_ verb: HomeVerb, _ place: HomePlace) {
    self.init(
      verb.words[verb.words.count - 1], verb.summary,
      operands: verb.operands.isEmpty ? .none : .some(label: verb.usage, count: verb.count),
      options: (verb.options + HomeOptions.all).map(\.definition), discussion: verb.discussion, examples: verb.examples
    ) { (arguments, console) throws(UsageError) in
      try verb.perform(arguments, console, place)
    }
    rewrite = verb.rewrite
  }
}

extension HomeVerb {
  fileprivate func perform(
    _ arguments: Arguments, _ console: Console, _ place: HomePlace
  ) throws(UsageError) -> ExitCode {
    let folder = try hubFolder(given: try arguments.value(HomeOptions.folder), console.environment)
    let homeText = try arguments.value(HomeOptions.home)
    if name == HomeCompletion.verb, !place.hasHomes(folder) {
      HomeCompletion(nil, homeText: homeText).show(arguments, console)
      return .well
    }
    return place.run(folder, need, { report($0, console) }) { surroundings in
      let session = HomeSession(
        surroundings: surroundings, console: console, name: name, isJSON: arguments[HomeOptions.json],
        homeText: homeText, folder: folder)
      _ = try await session.link.ask(.attach(app: "hapctl home \(words[0])"))
      return try await run(session, arguments)
    }
  }

  private func report(_ error: any Error, _ console: Console) -> ExitCode {
    if let error = error as? UsageError {
      console.complain("hapctl home \(name): \(error.message)")
      if error.code == .usage { console.complain("Try 'hapctl home \(name) --help'.") }
      return error.code
    }
    let failure = HomeFailure(error)
    for line in failure.lines { console.complain("hapctl home \(name): \(line.visible)") }
    return failure.code
  }
}
