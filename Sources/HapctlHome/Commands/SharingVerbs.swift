import HAPCommandLine
import HAPHome
import HAPHubLink
import HAPWire

/// The commands that share a home with a user of another hub.
extension HomeVerb {
  private static let role = Option<HomeUser.Role>(
    "role", "administrator|guest",
    "what the user may do: also change the pairings of accessories, or only control the home (default: guest)",
    read: { (text: String) throws(UsageError) in try readRole(text) })
  private static let outputs: [HomeOption] = [.init(output, .file), .init(overwrites)]
  /// The greatest length of a file, in bytes: a request of that length fits into a line of the hub's socket.
  private static let fileLimit = 12 << 20

  static let sharing = [
    HomeVerb(
      "user request", "write a request to share a home with this hub's user", [.init(.text, "NAME")], options: outputs,
      discussion: [
        "NAME is the name of the user in the home. Give the file to the owner of the home, who shares it with 'user share'. The file contains no secret."
      ],
      examples: [("hapctl home user request Ben -o ben.json", "writes the request of Ben's hub")],
      json: "the request itself"
    ) { session, arguments in
      guard case .document(let text) = try await session.link.ask(.requestShare(name: arguments.operands[0])) else {
        throw session.wrongAnswer
      }
      return try session.write(text, arguments)
    },
    HomeVerb(
      "user share", "share the home with the user of a request", [.init(.file, "FILE")],
      options: [.init(role, .words(["administrator", "guest"]))] + outputs,
      discussion: [
        "The accessories get the user's pairing: those that can't be reached get it when they return. If one refuses, nothing is shared.",
        "The command writes the shared home for the user's hub, which takes it over with 'user accept'. Only that hub can open it.",
      ],
      examples: [("hapctl home user share ben.json -o \"My Home.hashare\"", "shares the primary home with Ben")],
      json:
        "`{\"user\", \"later\": [ACCESSORY…], \"changes\": [CHANGE…]}` with --output; without it, the shared home itself",
      need: .accessories
    ) { session, arguments in
      let home = try session.home
      let before = try session.snapshot.model
      let path = try session.checkedOutput(arguments)
      let sharing = HomeSharing(
        home: home.id, request: try readText(arguments.operands[0]), role: try arguments.value(role) ?? .guest)
      guard case .shared(let shared) = try await session.link.ask(.share(sharing)) else { throw session.wrongAnswer }
      guard let document = shared.document else {
        throw HomeFailure(
          "the home is shared, but could not be written: write it with 'hapctl home user renew'")
      }
      guard let path else { return try session.write(document, arguments) }
      try writeFile(path, Array(document.utf8), overwriting: arguments[overwrites])
      try session.report(shared, path, since: before)
      return .well
    },
    HomeVerb(
      "user renew", "write the shared home again for a user, because it has changed", [.init(.user, "USER")],
      options: outputs,
      examples: [("hapctl home user renew Ben -o \"My Home.hashare\"", "writes the home as it is now")],
      json: "the shared home itself"
    ) { session, arguments in
      let user = try session.lookup.user(arguments.operands[0])
      guard case .document(let text) = try await session.link.ask(.renewShare(user: user.id)) else {
        throw session.wrongAnswer
      }
      return try session.write(text, arguments)
    },
    HomeVerb(
      "user accept", "take over a home that another hub shares, or its present state", [.init(.file, "FILE")],
      discussion: [
        "This hub can control the home, and run its scenes. It can't change it, and its triggers run at the owner's hub. 'hapctl home delete' leaves the home."
      ],
      examples: [("hapctl home user accept \"My Home.hashare\"", "adds the home, or brings its changes")],
      json: changesJSON, need: .accessories
    ) { session, arguments in
      let before = try session.snapshot.model
      let text = try readText(arguments.operands[0])
      guard case .changed(let changes) = try await session.link.ask(.acceptShare(text)) else {
        throw session.wrongAnswer
      }
      session.report(changes, since: before)
      return .well
    },
  ]

  private static func readText(_ path: String) throws -> String {
    let bytes = try readFile(path, limit: fileLimit)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw HomeFailure("\(path) is not a text in UTF-8")
    }
    return text
  }
}

extension HomeSession {
  /// The file for the output; nil: standard output. It is checked before anything is shared.
  fileprivate func checkedOutput(_ arguments: Arguments) throws -> String? {
    let path = try arguments.value(HomeVerb.output)
    if let path, !arguments[HomeVerb.overwrites], fileExists(path) {
      throw HomeFailure("\(path) exists: choose another name, or overwrite it with --force")
    }
    return path
  }

  fileprivate func write(_ text: String, _ arguments: Arguments) throws -> ExitCode {
    guard let path = try arguments.value(HomeVerb.output) else {
      console.show(text)
      return .well
    }
    try writeFile(path, Array(text.utf8), overwriting: arguments[HomeVerb.overwrites])
    if !isJSON { print("Wrote \(path).") }
    return .well
  }

  fileprivate func report(_ shared: SharedHome, _ path: String, since before: HomeModel) throws {
    if isJSON {
      return print(
        .object([
          ("user", .id(shared.user)), ("later", .ids(shared.later)), ("changes", .list(shared.changes.map(\.node))),
        ]))
    }
    report(shared.changes, since: before)
    for id in shared.later {
      if let accessory = try home.accessories.find(id) {
        print("\(accessory.name.text.quoted) can't be reached: it learns of the user when it returns.")
      }
    }
    print("Wrote \(path): give it to the user.")
  }
}
