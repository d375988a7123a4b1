import HAPCommandLine
import HAPHome
import HAPHomeSetup
import HAPHubLink
import HAPModel
import HAPWire

/// The commands that add accessories to a home.
extension HomeVerb {
  private static let code = Option<String>("code", "CODE", "the setup code, such as 031-45-154")
  private static let payload = Option<String>("payload", "X-HM://…", "the content of the QR code")
  private static let codeFile = Option<String>(
    "code-file", "FILE", "a file with the code or payload in the first line; - is standard input")
  private static let device = Option<String>(
    "device", "DEVICE", "the accessory: its device ID, or its name on the network")
  private static let accessoryName = Option<String>(
    "name", "NAME", "the name of the accessory, of a bridge itself (default: its own)")
  private static let room = Option<String>("room", "ROOM", "the room; a room that does not exist is added")
  private static let timeout = Option<Int>(
    "timeout", "SEC", in: 1...3600, "seconds to search for accessories (default: 5)")
  private static let watches = Flag("watch", "continue, and print accessories that appear and disappear")

  static let adding = [
    HomeVerb(
      "add", "pair with an accessory, and add it to a home", [.optional(.home, "HOME")],
      options: [
        .init(code), .init(payload), .init(codeFile, .file), .init(device), .init(accessoryName), .init(room, .room),
        .init(timeout),
      ],
      discussion: [
        "On a terminal, it asks for the code, the accessory, and then a name and a room for each service; 'back' returns to the step before, and 'cancel' ends it and removes the pairing. Ctrl-C after the pairing keeps the accessory. "
          + "Otherwise the options decide: without --device, the payload or the only accessory found.",
        "Other users of this machine can see a code on the command line. --code-file and the variable HAPHOME_SETUP_CODE hide it.",
      ],
      examples: [
        ("hapctl home add", "asks for everything"),
        ("hapctl home add --code 031-45-154 --device \"Hall Lamp\" --room Hall", "adds an accessory without questions"),
      ],
      json: "`{\"accessories\": [{\"id\", \"name\", \"room\", \"device\", \"aid\"}]}`", need: .accessories
    ) { session, arguments in
      var screen = try SetupScreen(
        session, home: try arguments.operands.first.map { try session.snapshot.model.home(named: $0).id },
        secret: try secret(arguments, session.console), device: try arguments.value(device),
        name: try arguments.value(accessoryName), room: try arguments.value(room),
        timeout: .seconds(try arguments.value(timeout) ?? 5))
      return try await screen.run()
    },
    HomeVerb(
      "discover", "list accessories on the network that can be added", options: [.init(watches), .init(timeout)],
      examples: [
        ("hapctl home discover", "searches for 5 seconds"), ("hapctl home discover --watch", "searches until Ctrl-C"),
      ],
      json:
        "`{\"accessories\": [{\"device\", \"name\", \"model\", \"category\", \"categoryNumber\"}]}`; with `--watch`, lines `{\"event\": \"found\", …}` and `{\"event\": \"gone\", \"device\"}`",
      need: .accessories
    ) { session, arguments in
      try await session.discover(for: .seconds(try arguments.value(timeout) ?? 5), watches: arguments[watches])
    },
    adoptVerb,
  ]

  private static func secret(_ arguments: Arguments, _ console: Console) throws -> String? {
    let given = [try arguments.value(code), try arguments.value(payload), try arguments.value(codeFile)]
    guard given.compactMap({ $0 }).count <= 1 else {
      throw UsageError("--code, --payload and --code-file exclude each other")
    }
    if let file = given[2] { return try firstLine(ofFile: file) }
    return given[0] ?? given[1] ?? console.environment("HAPHOME_SETUP_CODE")
  }
}

extension HomeSession {
  fileprivate func discover(for duration: Duration, watches: Bool) async throws -> ExitCode {
    let feed = HomeFeed(link, on: loop)
    defer { feed.close() }
    guard case .found(let first) = try await link.ask(.search) else { throw wrongAnswer }
    var found = first
    if watches { for accessory in first { show(accessory, event: "found") } }
    let isConnected = await feed.follow(for: watches ? nil : duration) { event in
      switch event {
      case .found(let accessory):
        found.removeAll { $0.device == accessory.device }
        found.append(accessory)
        if watches { show(accessory, event: "found") }
      case .gone(let device):
        found.removeAll { $0.device == device }
        if watches { showGone(device) }
      default: break
      }
      return event != .stopping
    }
    guard isConnected, !watches else { throw HomeFailure(.cannotRun, "the hub has ended") }
    _ = try await link.ask(.endSearch)
    if isJSON { print(.object([("accessories", .list(found.map { .object($0.members) }))])) }
    if !isJSON {
      for accessory in found.inNameOrder(\.text) { print(accessory.text) }
      if found.isEmpty { print("No accessory that can be added was found within \(duration.components.seconds) s.") }
    }
    return .well
  }

  private func show(_ accessory: NewAccessory, event: String) {
    isJSON ? print(.object([("event", .text(event))] + accessory.members)) : print(accessory.text)
  }

  private func showGone(_ device: DeviceID) {
    isJSON
      ? print(.object([("event", .text("gone")), ("device", .text(device.text))])) : print("\(device) is gone")
  }
}

extension NewAccessory {
  /// "Hall Lamp  Lightbulb, T-1  AA:BB:CC:00:00:01".
  var text: String {
    let kind = [category.flatMap { Catalogue.category(number: $0)?.name }, model].compactMap { $0 }
    return ([name] + (kind.isEmpty ? [] : [kind.joined(separator: ", ")]) + [device.text]).joined(separator: "  ")
  }

  var members: [JSONMember] {
    [
      ("device", .text(device.text)), ("name", .text(name)), ("model", model.map { .text($0) } ?? JSONNode(.null)),
      (
        "category",
        category.flatMap { Catalogue.category(number: $0) }.map { .text($0.slug) } ?? JSONNode(.null)
      ), ("categoryNumber", category.map { .integer($0) } ?? JSONNode(.null)),
    ]
  }

  var candidate: SetupCandidate { SetupCandidate(device: device, name: name, model: model, category: category) }
}
