import HAPCommandLine
import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPModel
import HAPWire

/// The commands that act on accessories now.
extension HomeVerb {
  private static let executionJSON =
    "`{\"actions\": [{\"scene\", \"characteristic\", \"path\", \"value\", \"outcome\", \"status\", \"error\"}], \"skipped\": [{\"scene\", \"name\", \"error\"}], \"error\"}`; `outcome` is done, refused, not-sent or unknown"
  private static let pathHelp =
    "A path of a place means all characteristics there: Kitchen/On, zone:Downstairs/On, \"Night Lights/Light Bulb/Brightness\". The prefixes accessory:, room:, zone:, group: and home: are optional, because a name belongs to one object."

  static let control = [
    HomeVerb(
      "get", "read characteristics from their accessories", [.several(.path, "PATH")], discussion: [pathHelp],
      examples: [("hapctl home get \"Front Door Lock/Lock Current State\"", "prints the state of the lock")],
      json: "`{\"values\": [{\"characteristic\", \"path\", \"value\", \"text\", \"error\"}]}`", need: .accessories
    ) { session, arguments in try await session.get(arguments.operands) },
    HomeVerb(
      "set", "write characteristics", [.several(.path, "PATH VALUE")],
      discussion: [
        "VALUE is a name of a value such as open, a number, on or off, text, or base64. All values are written at once. "
          + pathHelp
      ],
      examples: [
        ("hapctl home set \"Stereo Light/On\" on \"Stereo Light/Hue\" 120", "writes two values"),
        ("hapctl home set zone:Downstairs/On off", "switches everything in a zone off"),
      ], json: executionJSON, need: .accessories
    ) { session, arguments in
      let actions = try session.actions(arguments.operands[...])
      let home = try session.home
      return try session.report(try await session.link.ask(.write(home: home.id, actions)), home)
    },
    HomeVerb(
      "run", "run scenes, all of them together", [.several(.scene, "SCENE")],
      examples: [("hapctl home run \"hi house\"", "runs a scene")], json: executionJSON, need: .accessories
    ) { session, arguments in
      let lookup = try session.lookup
      let sets = try arguments.operands.map { try lookup.scene($0).id }
      return try session.report(try await session.link.ask(.execute(sets)), lookup.home)
    },
    HomeVerb(
      "fire", "activate a trigger now: its condition is evaluated, and its scenes run", [.init(.trigger, "TRIGGER")],
      examples: [("hapctl home fire \"arrived home\"", "shows whether the trigger would run, and runs it")],
      json: "`{\"evaluation\": {\"trigger\", \"name\", \"number\", \"time\", \"outcome\", \"text\", \"detail\"}}`",
      need: .accessories
    ) { session, arguments in
      let lookup = try session.lookup
      let trigger = try lookup.trigger(arguments.operands[0])
      guard case .evaluated(let report) = try await session.link.ask(.fire(trigger.id)) else {
        throw session.wrongAnswer
      }
      if session.isJSON {
        session.print(.object([("evaluation", .object(ResultText(lookup.home).members(report)))]))
      } else {
        for line in report.text.split(separator: "\n") { session.print(String(line)) }
      }
      let writes = (try? JSONNode.parse(Array(report.detail.utf8)))?["writes"]
      let hasFailures = ((try? writes?.list("failed")) ?? []).isEmpty == false
      return report.outcome == "executed" && !hasFailures ? .well : .problem
    },
    HomeVerb(
      "enable", "enable triggers", [.several(.trigger, "TRIGGER")],
      examples: [("hapctl home enable evening", "lets the trigger fire")], json: changesJSON
    ) { session, arguments in
      let lookup = try session.lookup
      return try await session.change(try arguments.operands.map { .enableTrigger(try lookup.trigger($0).id) })
    },
    HomeVerb(
      "disable", "disable triggers", [.several(.trigger, "TRIGGER")],
      examples: [("hapctl home disable evening", "the trigger no longer fires")], json: changesJSON
    ) { session, arguments in
      let lookup = try session.lookup
      return try await session.change(try arguments.operands.map { .disableTrigger(try lookup.trigger($0).id) })
    },
    HomeVerb(
      "person", "report where a user is",
      [
        .init(.user, "USER"), .init(.words(["arrive", "leave", "at"]), "arrive|leave|at"), .optional(.text, "LAT,LON"),
      ],
      discussion: ["Triggers with presence or regions count it. A user who was never reported is away."],
      examples: [
        ("hapctl home person anna arrive", "Anna comes home"),
        ("hapctl home person anna at 37.33,-122.03", "Anna is at this place"),
      ], json: "`{\"user\", \"name\", \"place\": \"home\" or \"away\" or [LAT, LON]}`", need: .accessories
    ) { session, arguments in try await session.place(arguments.operands) },
  ]
}

extension HomeSession {
  /// Prints the result of an execution.
  fileprivate func report(_ answer: HubAnswer, _ home: Home) throws -> ExitCode {
    guard case .executed(let result) = answer else { throw wrongAnswer }
    let text = ResultText(home)
    if isJSON {
      print(.object(text.members(result)))
    } else {
      for line in text.lines(result) { print(line) }
      if let error = result.error { complain("\(error)") }
    }
    return result.error == nil && result.skipped.isEmpty ? .well : .problem
  }

  fileprivate func get(_ paths: [String]) async throws -> ExitCode {
    let lookup = try lookup
    var ids: [HomeObjectID] = []
    for path in paths {
      for target in try lookup.targets(path, for: .pairedRead) where !ids.contains(target.characteristic.id) {
        ids.append(target.characteristic.id)
      }
    }
    let readings = try await read(ids)
    let text = ResultText(lookup.home)
    if isJSON {
      print(.object([("values", .list(readings.map { .object(text.members($0)) }))]))
    } else {
      for reading in readings {
        if reading.error == nil { print(text.line(reading)) } else { complain(text.line(reading)) }
      }
    }
    return readings.allSatisfy { $0.error == nil } ? .well : .problem
  }

  /// Reads characteristics.
  func read(_ ids: [HomeObjectID]) async throws -> [CharacteristicReading] {
    guard case .values(let readings) = try await link.ask(.read(ids)) else { throw wrongAnswer }
    return readings
  }

  fileprivate func place(_ words: [String]) async throws -> ExitCode {
    let user = try lookup.user(words[0])
    let place: PersonState.Place
    switch words[1] {
    case "arrive": place = .home
    case "leave": place = .away
    case "at":
      guard words.count == 3 else { throw UsageError("'at' needs a place: at LAT,LON") }
      place = .position(try coordinate(words[2]))
    default: throw UsageError("\(shown(words[1])): expected arrive, leave or at LAT,LON")
    }
    if words.count == 3, words[1] != "at" {
      throw UsageError("'\(words[1])' takes no place: unexpected argument \(shown(words[2]))")
    }
    _ = try await link.ask(.place(PersonState(user.id, place)))
    if isJSON {
      print(.object([("user", .id(user.id)), ("name", .text(user.name)), ("place", place.shortNode)]))
    } else {
      print("\(user.name) is \(place.text).")
    }
    return .well
  }
}
