import HAPHome
import HAPHomeFile
import HAPHubLink
import HAPWeb
import HAPWire

extension HomeAPI {
  func listHomes(_ call: HomeCall) throws(WebProblem) -> WebAnswer {
    let snapshot = try snapshot
    let homes = try homes(call).map { home in
      let role = user(call, of: home).role
      return JSONNode.members(
        ("id", .id(home.id)), ("name", .text(home.name.text)),
        ("isPrimary", .flag(home.id == snapshot.model.primaryHome)), ("role", .text(role.rawValue)),
        ("sharedBy", role == .owner ? nil : .text(home.users[0].name)),
        ("accessories", .integer(home.accessories.count)),
        ("unreachable", .integer(home.accessories.count { snapshot.unreachable[$0.id] != nil })))
    }
    return .node(.object([("homes", .list(homes))]))
  }

  /// The body has the members of the command `add-home`.
  func addHome(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let command = try call.reading { (node) throws(JSONProblem) in
      try node.refuseUnknownMembers(exactly: HomeCommandForm[.addHome].members.map(\.name))
      return try HomeCommand(.addHome, of: node)
    }
    guard case .changed(let changes) = try await ask(.perform(command), for: call) else { wrongAnswer }
    let added = changes.lazy.compactMap { if case .homeAdded(let home) = $0.detail { home.id } else { nil } }.first
    return .node(
      .members(("home", added.map { .id($0) }), ("changes", .list(changes.map(\.node)))), 201)
  }

  func showHome(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let home = try home(call)
    let user = user(call, of: home)
    await followValues()
    let (snapshot, values, now, zoneRules, last) = (try snapshot, values, now, zoneRules, evaluations)
    return try await offLoop {
      let view = HomeView(home, user, snapshot, values: values, evaluations: last, now: now, zoneRules: zoneRules)
      return .json { json in view.write(to: &json) }
    }
  }

  /// The home as a `.hashome` file.
  func showFile(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let (home, zoneRules) = (try home(call), zoneRules)
    return try await offLoop {
      WebAnswer(200, contentType: "application/yaml", body: Array(HomeFile(of: home, zoneRules: zoneRules).yaml.utf8))
    }
  }

  func performCommand(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let command = try call.reading { (node) throws(JSONProblem) in
      let command = try HomeCommand(node)
      try node.refuseUnknownMembers(exactly: ["command"] + HomeCommandForm[command.name].members.map(\.name))
      return command
    }
    return try await changes(.perform(command), for: call)
  }

  /// Returns the changes of a request that has no other answer.
  func changes(_ request: HubRequest, for call: HomeCall) async throws(WebProblem) -> WebAnswer {
    guard case .changed(let changes) = try await ask(request, for: call) else { wrongAnswer }
    return .changes(changes)
  }

  func showStatus(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    guard case .status(let status) = try await ask(.status, for: call) else { wrongAnswer }
    return .node(status.node)
  }

  func showLog(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let home = try eventHome(call)
    await followValues()
    return try call.events(journal.log, in: home)
  }

  func followEvents(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let home = try eventHome(call)
    let answer = try call.events(journal.stream, in: home)
    await followValues()
    return answer
  }
}
