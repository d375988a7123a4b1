import HAPHome
import HAPHomeSetup
import HAPHubLink
import HAPLoop
import HAPModel
import HAPWeb
import HAPWire

/// A setup that a client began. Confined to the API.
struct SetupRun {
  var flow: SetupFlow
  /// Searches and pairs for this setup alone.
  let app: HubListener
  /// Cancels a setup that no client continues.
  let timer: LoopTimer
  /// Whether it does not exist for clients any more. It is forgotten when it is over.
  var isDeleted = false
}

/// The addition of accessories in steps: `SetupFlow`, with the page at the other end of HTTP.
extension HomeAPI {
  /// The greatest number of setups of a user.
  private static let mostSetups = 16
  /// The time without a request after which a setup is cancelled, and forgotten when it is over.
  private static let setupPatience = Duration.seconds(600)

  func startSetup(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let (homeText, device, name) = try call.reading { (node) throws(JSONProblem) in
      try node.refuseUnknownMembers(exactly: ["home", "device", "name"])
      return (
        try node["home"].map { home throws(JSONProblem) in try home.asString() },
        try node["device"].map { device throws(JSONProblem) in try JSONNode.deviceID(device) },
        try node["name"].map { name throws(JSONProblem) in try name.asString() }
      )
    }
    try checkMayAdd(call)
    let homes = try homes(call).filter { $0.copy == nil }
    let ids = Set(homes.map(\.id))
    let model = try snapshot.model.filtered { ids.contains($0.id) }
    let chosen = try homeText.map { text throws(WebProblem) in
      try find(text, "home", in: homes, \.id, \.name.text).id
    }
    let own = call.user == nil ? nil : homes.first?.id
    await dropOldSetup(of: call)
    guard setups.values.count(where: { $0.app.user == call.user }) < Self.mostSetups else {
      throw WebProblem(
        409, "too-many-setups", "\(Self.mostSetups) accessories are being added: end one of these setups")
    }
    let flow: SetupFlow
    do throws(HomeError) {
      if let name { _ = try HomeName.checked(name, HomePolicy()) }
      flow = try SetupFlow(model, home: chosen ?? own, device: device, name: name)
    } catch {
      throw WebProblem(error)
    }
    lastSetup += 1
    let id = lastSetup
    let app = HubListener(processID: nil, user: call.user) { [weak self] event in
      self?.assumeIsolated { $0.hear(event, setup: id) }
    }
    let timer = LoopTimer(loop) { [weak self] in self?.assumeIsolated { $0.abandon(id) } }
    setups[id] = SetupRun(flow: flow, app: app, timer: timer)
    timer.start(after: Self.setupPatience)
    await hub.connect(app)
    _ = try? await ask(.attach(app: "page of homes, adding an accessory"), as: app)
    guard let actions = setups[id]?.flow.start() else { throw WebProblem(.hubEnds) }
    // Waits, so that the answer has the accessories that are known.
    for action in actions { await perform(action, id) }
    return .node(try state(id).node, 201)
  }

  func showSetup(_ call: HomeCall) throws(WebProblem) -> WebAnswer { .node(try state(setup(call)).node) }

  func answerSetup(_ call: HomeCall) throws(WebProblem) -> WebAnswer {
    let id = try setup(call)
    take(try call.reading { (node) throws(JSONProblem) in try SetupFlow.Input(answer: node) }, id)
    return .node(try state(id).node)
  }

  /// Cancels a setup, and forgets it. A pairing that was made is removed.
  func cancelSetup(_ call: HomeCall) throws(WebProblem) -> WebAnswer {
    let id = try setup(call)
    drop(id)
    return .node(try state(id).node)
  }

  /// Returns the number in the path.
  private func setup(_ call: HomeCall) throws(WebProblem) -> Int {
    let text = call.parameter("setup")
    guard let id = Int(text), "\(id)" == text, let setup = setups[id], setup.app.user == call.user, !setup.isDeleted
    else {
      throw .unknown("setup", text)
    }
    setup.timer.start(after: Self.setupPatience)
    return id
  }

  private func state(_ id: Int) throws(WebProblem) -> SetupState {
    guard let flow = setups[id]?.flow else { throw .unknown("setup", "\(id)") }
    return SetupState(id: id, flow: flow)
  }

  // MARK: The flow

  /// Passes an input, reports the step, and performs the actions.
  private func take(_ input: SetupFlow.Input, _ id: Int) {
    guard var flow = setups[id]?.flow else { return }
    let before = (flow.step, flow.candidates)
    let actions = flow.receive(input)
    setups[id]?.flow = flow
    if before != (flow.step, flow.candidates) {
      journal.append(.setup(SetupState(id: id, flow: flow).node, home: flow.home))
    }
    perform(actions, id)
    guard flow.isOver, let setup = setups[id] else { return }
    let hub = hub
    loop.startTask { if setup.isDeleted { await self.forget(id) } else { await hub.disconnect(setup.app) } }
  }

  private func perform(_ actions: [SetupFlow.Action], _ id: Int) {
    if actions.isEmpty { return }
    loop.startTask { for action in actions { await self.perform(action, id) } }
  }

  private func perform(_ action: SetupFlow.Action, _ id: Int) async {
    guard let app = setups[id]?.app else { return }
    do throws(HomeError) {
      switch action {
      case .search:
        guard case .found(let accessories) = try await ask(.search, as: app) else { wrongAnswer }
        for accessory in accessories { take(.found(accessory.candidate), id) }
      case .endSearch: _ = try await ask(.endSearch, as: app)
      case .pair(let home, let device, let code):
        let addition = AccessoryAddition(home: home, device: device, code: code)
        guard case .added(let ids, let changes) = try await ask(.add(addition), as: app) else { wrongAnswer }
        take(.paired(ids, changes), id)
      case .perform(let command): try await change(.perform(command), app, id)
      case .remove(let accessory): try await change(.remove(accessory, forgets: false), app, id)
      }
    } catch { take(.refused(error), id) }
  }

  private func change(_ request: HubRequest, _ app: HubListener, _ id: Int) async throws(HomeError) {
    guard case .changed(let changes) = try await ask(request, as: app) else { wrongAnswer }
    take(.performed(changes), id)
  }

  private func hear(_ event: HubEvent, setup id: Int) {
    switch event {
    case .found(let accessory): take(.found(accessory.candidate), id)
    case .gone(let device): take(.gone(device), id)
    case .changed(let changes, app: _):
      // The flow knows the homes of its user alone.
      let own = changes.filter { setups[id]?.flow.model.home($0.home) != nil }
      if !own.isEmpty { take(.changed(own), id) }
    default: break
    }
  }

  // MARK: The end

  /// Cancels a setup that no client continues, and forgets one that is over. An accessory that is in the home already stays: people see and
  /// use it there.
  private func abandon(_ id: Int) {
    guard let setup = setups[id] else { return }
    if setup.flow.isOver || setup.flow.paired != nil {
      loop.startTask { await self.forget(id) }
    } else {
      setup.timer.start(after: Self.setupPatience)
      take(.cancel, id)
    }
  }

  /// Forgets the oldest setup that is over, if there is no room for another one.
  private func dropOldSetup(of call: HomeCall) async {
    let own = setups.filter { $0.value.app.user == call.user }
    guard own.count >= Self.mostSetups,
      let old = own.keys.sorted().first(where: { setups[$0]?.flow.isOver == true })
    else { return }
    await forget(old)
  }

  /// Cancels a setup, and forgets it as soon as it is over.
  func drop(_ id: Int) {
    setups[id]?.isDeleted = true
    take(.cancel, id)
    if setups[id]?.flow.isOver == true { loop.startTask { await self.forget(id) } }
  }

  func forget(_ id: Int) async {
    guard let setup = setups.removeValue(forKey: id) else { return }
    setup.timer.close()
    await hub.disconnect(setup.app)
  }
}

extension SetupFlow.Input {
  /// Reads the answer of a person: `{"code": "031-45-154"}`, for example.
  init(answer node: JSONNode) throws(JSONProblem) {
    enum Form: String, CaseIterable { case home, code, choose, name, back }
    switch try node.form("an answer", of: Form.self, and: ["room", "newRoom"]) {
    case .home:
      try node.refuseUnknownMembers(exactly: ["home"])
      self = .home(try node.identifier(.home))
    case .code:
      try node.refuseUnknownMembers(exactly: ["code"])
      self = .code(try node.required("code").asString())
    case .choose:
      try node.refuseUnknownMembers(exactly: ["choose"])
      self = .choose(try JSONNode.deviceID(node.required("choose")))
    case .name:
      try node.refuseUnknownMembers(exactly: ["name", "room", "newRoom"])
      let name = try node.required("name").asString()
      if let new = node["newRoom"] {
        if let room = node["room"] { throw room.problem("an answer has either \"room\" or \"newRoom\"") }
        self = .answer(name: name, room: .new(try new.asString()))
      } else {
        self = .answer(name: name, room: .existing(try node.identifier(.room)))
      }
    case .back:
      try node.refuseUnknownMembers(exactly: ["back"])
      let back = try node.required("back")
      guard try back.asBool() else { throw back.problem("true is expected: leave out \"back\" for another answer") }
      self = .back
    }
  }
}

extension NewAccessory {
  fileprivate var candidate: SetupCandidate {
    SetupCandidate(device: device, name: name, model: model, category: category)
  }
}
