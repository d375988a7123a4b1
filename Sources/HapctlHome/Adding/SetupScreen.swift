import HAPCommandLine
import HAPHome
import HAPHomeSetup
import HAPHubLink
import HAPLoop
import HAPModel
import HAPWire

/// Draws a `SetupFlow` on a terminal. Without a terminal, options answer its questions.
struct SetupScreen {
  private let session: HomeSession
  private let feed: HomeFeed
  private let timeout: Duration
  private let isTerminal: Bool
  /// The name of the accessory on the network, if the option has no device ID.
  private var deviceName: String?
  /// The name of the accessory from the options; nil: its own.
  private let name: String?
  /// The room of the options; nil: the default of each accessory.
  private let room: String?
  /// The code of the options; nil after it was used.
  private var secret: String?
  private var flow: SetupFlow
  /// Whether a problem was printed that a person would have corrected.
  private var hasProblem = false
  /// Whether the step came from an input: the problem of a step is printed once.
  private var isNew = true

  init(
    _ session: HomeSession, home: HomeObjectID?, secret: String?, device: String?, name: String?, room: String?,
    timeout: Duration
  ) throws {
    (self.session, self.secret, self.name, self.room, self.timeout) = (session, secret, name, room, timeout)
    isTerminal = session.console.errors.isTerminal
    let id = device.flatMap { DeviceID($0.uppercased()) }
    deviceName = id == nil ? device : nil
    let model = try session.snapshot.model
    let chosen = try home ?? (session.homeText == nil && isTerminal ? nil : try session.home.id)
    flow = try SetupFlow(model, home: chosen, device: id, name: name)
    feed = HomeFeed(session.link, on: session.loop)
  }

  mutating func run() async throws -> ExitCode {
    defer { feed.close() }
    try checkName()
    try await perform(flow.start())
    while !flow.isOver { try await draw() }
    switch flow.step {
    case .done(let ids):
      report(ids)
      return hasProblem ? .problem : .well
    case .failed(let error): throw error
    default: throw HomeFailure("cancelled: nothing was added")
    }
  }

  /// Refuses a name of the options before the accessory is paired.
  private func checkName() throws {
    guard let name, let home = flow.home else { return }
    var (draft, random) = (flow.model, LoopRandom(session.loop))
    let context = HomeContext(now: session.now, zoneRules: session.surroundings.zoneRules)
    _ = try draft.perform(.addRoom(home: home, name: name), in: context, using: &random)
  }

  private func report(_ ids: [HomeObjectID]) {
    guard let home = flow.home.flatMap({ flow.model.home($0) }) else { return }
    let accessories = ids.compactMap { home.accessories.find($0) }
    if session.isJSON {
      let nodes = accessories.map { accessory in
        JSONNode.object([
          ("id", .id(accessory.id)), ("name", .text(accessory.name.text)),
          ("room", .text(home.room(accessory.room)?.name.text ?? "")), ("device", .text(accessory.deviceID.text)),
          ("aid", .integer(accessory.aid)),
        ])
      }
      return session.print(.object([("accessories", .list(nodes))]))
    }
    for accessory in accessories {
      session.print(
        "Added \(accessory.name.text.quoted) in the room \((home.room(accessory.room)?.name.text ?? "").quoted).")
    }
  }

  // MARK: Steps

  private mutating func draw() async throws {
    switch flow.step {
    case .home: try await askHome()
    case .code(let problem): try await askCode(problem)
    case .choose(let problem): try await choose(problem)
    case .page(let page, let problem): try await ask(page, problem)
    case .verifying, .saving, .cancelling:
      throw session.wrongAnswer  // the answer to the action did not continue the flow
    case .done, .cancelled, .failed: break
    }
  }

  private mutating func enter(_ input: SetupFlow.Input) async throws {
    isNew = true
    try await perform(flow.receive(input))
  }

  /// Asks a question. "cancel" and the end of the input cancel the flow, "back" goes to the step before.
  /// - Returns: nil if the answer was one of these.
  private mutating func question(_ text: String) async throws -> String? {
    let answer = await session.ask(text)?.trimmed
    switch answer {
    case nil, "cancel": try await enter(.cancel)
    case "back":
      if !flow.canGoBack { session.complain("there is no question before this one; 'cancel' ends the command") }
      try await enter(.back)
    default: return answer
    }
    return nil
  }

  private mutating func complain(_ problem: HomeError?) {
    if let problem, isNew { session.complain("\(problem)") }
    isNew = false
  }

  private mutating func askHome() async throws {
    let homes = flow.model.homes.inNameOrder(\.name.text)
    for (index, home) in homes.enumerated() { session.console.complain("\(index + 1)  \(home.name.text.oneLine)") }
    guard let answer = try await question("Which home?") else { return }
    if let number = Int(answer), homes.indices.contains(number - 1) {
      return try await enter(.home(homes[number - 1].id))
    }
    let home: Home
    do throws(HomeFailure) { home = try flow.model.home(named: answer) } catch {
      return session.complain(error.lines.joined(separator: "; "))
    }
    try await enter(.home(home.id))
  }

  private mutating func askCode(_ problem: HomeError?) async throws {
    if let problem, !isTerminal { throw problem }
    complain(problem)
    if let secret {
      self.secret = nil
      return try await enter(.code(secret))
    }
    guard isTerminal else {
      throw UsageError("the setup code is missing: give --code, --payload or --code-file, or set HAPHOME_SETUP_CODE")
    }
    guard let answer = try await question("Setup code (such as 031-45-154, or X-HM://…):") else { return }
    if !answer.isEmpty { try await enter(.code(answer)) }
  }

  private mutating func choose(_ problem: HomeError?) async throws {
    if let problem, !isTerminal { throw problem }
    complain(problem)
    session.console.complain("Searching for accessories…")
    try await search()
    let candidates = flow.candidates.inNameOrder { "\($0.name) \($0.device)" }
    if problem == nil, let wanted = deviceName {
      // If the person goes back, another accessory can be chosen.
      deviceName = nil
      let found = candidates.filter { HomeName($0.name).key == HomeName(wanted).key }
      if found.count == 1 { return try await enter(.choose(found[0].device)) }
      guard isTerminal else { throw notFound(wanted, found, candidates) }
    }
    guard isTerminal else {
      if candidates.count == 1 { return try await enter(.choose(candidates[0].device)) }
      throw notFound(nil, candidates, candidates)
    }
    for (index, candidate) in candidates.enumerated() {
      let kind = candidate.category.flatMap { Catalogue.category(number: $0)?.name }.map { "  \($0)" } ?? ""
      session.console.complain("\(index + 1)  \(candidate.name.oneLine)\(kind)  \(candidate.device)")
    }
    if candidates.isEmpty { session.console.complain("No accessory that can be added was found.") }
    guard let answer = try await question("Which accessory? (a number; Enter searches again)") else { return }
    if answer.isEmpty { return }
    guard let number = Int(answer), candidates.indices.contains(number - 1) else {
      return session.complain("\(answer.quoted) is not a number from 1 to \(candidates.count)")
    }
    try await enter(.choose(candidates[number - 1].device))
  }

  private func notFound(
    _ wanted: String?, _ found: [SetupCandidate], _ all: [SetupCandidate]
  ) -> HomeFailure {
    let list = all.map { "\($0.name.quoted) (\($0.device))" }.joined(separator: ", ")
    let seconds = timeout.components.seconds
    if all.isEmpty {
      return HomeFailure(
        .cannotRun, "no accessory that can be added was found within \(seconds) s; --timeout searches longer")
    }
    guard let wanted, found.count < 2 else {
      return HomeFailure(.usage, "\(found.count) accessories can be added: \(list); choose one with --device")
    }
    return HomeFailure(.cannotRun, "no accessory \(wanted.quoted) was found within \(seconds) s; there are \(list)")
  }

  /// Takes events until the time is over, or the wanted accessory is found.
  private mutating func search() async throws {
    var flow = flow
    let isConnected = await feed.follow(for: timeout) { event in
      switch event {
      case .found(let accessory): _ = flow.receive(.found(accessory.candidate))
      case .gone(let device): _ = flow.receive(.gone(device))
      case .changed(let changes, app: _): _ = flow.receive(.changed(changes))
      default: break
      }
      let isFound = deviceName.map { name in flow.candidates.contains { HomeName($0.name).key == HomeName(name).key } }
      return !(isFound ?? false) && !flow.isOver && event != .stopping
    }
    self.flow = flow
    guard isConnected else { throw HomeFailure(.cannotRun, "the hub has ended") }
  }

  // MARK: Pages

  private mutating func ask(_ page: SetupPage, _ problem: HomeError?) async throws {
    guard let home = flow.home.flatMap({ flow.model.home($0) }), let found = home.service(page.service) else {
      throw session.wrongAnswer
    }
    complain(problem)
    guard isTerminal else {
      if problem != nil { hasProblem = true }
      return try await enter(.answer(name: page.name, room: room(problem == nil ? room : nil, page, home)))
    }
    let title = "\(found.service.typeText) of \(found.accessory.name)"
    guard let name = try await question("Name of the \(title.oneLine) [\(page.name.oneLine)]:") else { return }
    let rooms = home.rooms.map(\.name.text.oneLine).inNameOrder(\.self) + [home.roomForEntireHome.name.text.oneLine]
    let defaultRoom = room ?? home.room(page.room)?.name.text ?? ""
    let answer = await session.ask(
      "Room (\(rooms.joined(separator: ", ")), or a new one) [\(defaultRoom.oneLine)]:")?.trimmed
    // The question before is the name of the same page.
    if answer == "back" { return }
    guard let answer, answer != "cancel" else { return try await enter(.cancel) }
    let chosen = room(answer.isEmpty ? room : answer, page, home)
    try await enter(.answer(name: name.isEmpty ? page.name : name, room: chosen))
  }

  private func room(_ text: String?, _ page: SetupPage, _ home: Home) -> SetupRoom {
    guard let text else { return .existing(page.room) }
    let key = HomeName(text).key
    let rooms = [home.roomForEntireHome] + home.rooms
    return rooms.first { $0.name.key == key || $0.id.description == text }.map { .existing($0.id) } ?? .new(text)
  }

  // MARK: Actions

  private mutating func perform(_ actions: [SetupFlow.Action]) async throws {
    var actions = actions[...]
    var isPaired = false
    while let action = actions.popFirst() {
      let input: SetupFlow.Input?
      do throws(HomeError) { input = try await answer(action) } catch { input = .refused(error) }
      if let input { actions += flow.receive(input) }
      if case .paired? = input { isPaired = true }
    }
    if isPaired { announce() }
  }

  /// Prints that the accessory is paired, before the questions about it.
  private func announce() {
    guard isTerminal, let home = flow.home.flatMap({ flow.model.home($0) }), let accessory = flow.paired else { return }
    session.console.complain(
      "\(accessory.name.text.quoted) is in the home \(home.name.text.quoted) now. Ctrl-C keeps it; 'cancel' removes it."
    )
  }

  private mutating func answer(_ action: SetupFlow.Action) async throws(HomeError) -> SetupFlow.Input? {
    switch action {
    case .search:
      if case .found(let accessories) = try await session.link.ask(.search) {
        for accessory in accessories { _ = flow.receive(.found(accessory.candidate)) }
      }
    case .endSearch: _ = try await session.link.ask(.endSearch)
    case .pair(let home, let device, let code):
      session.console.complain("Pairing…")
      let answer = try await session.link.ask(.add(AccessoryAddition(home: home, device: device, code: code)))
      if case .added(let ids, let changes) = answer { return .paired(ids, changes) }
    case .perform(let command):
      if case .changed(let changes) = try await session.link.ask(.perform(command)) { return .performed(changes) }
    case .remove(let id):
      if case .changed(let changes) = try await session.link.ask(.remove(id, forgets: false)) {
        return .performed(changes)
      }
    }
    return nil
  }
}
