import HAPHome
import HAPHomeEngine
import HAPHubLink
import HAPWeb
import HAPWire

extension HomeAPI {
  func fireTrigger(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let trigger = try trigger(call, in: home(call))
    guard case .evaluated(let report) = try await ask(.fire(trigger.id), for: call) else { wrongAnswer }
    return .node(.object([("evaluation", report.node)]))
  }

  func listEvaluations(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let trigger = try trigger(call, in: home(call))
    guard case .explained(let reports) = try await ask(.explain(trigger.id), for: call) else { wrongAnswer }
    return .node(.object([("evaluations", .list(reports.map(\.node)))]))
  }

  // MARK: People

  /// Sets the place of a user: `{"place": "home"}`.
  func placeUser(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let user = try user(call, in: home(call))
    let place = try call.reading { (node) throws(JSONProblem) -> PersonState.Place in
      try node.refuseUnknownMembers(exactly: ["place"])
      return try PersonState.Place(node.required("place"))
    }
    _ = try await ask(.place(PersonState(user.id, place)), for: call)
    return .done
  }

  func shareHome(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let home = try home(call)
    let sharing = try call.reading { (node) throws(JSONProblem) -> HomeSharing in
      try node.refuseUnknownMembers(exactly: ["shareRequest", "role"])
      return try HomeSharing(membersOf: node, home: home.id)
    }
    guard case .shared(let shared) = try await ask(.share(sharing), for: call) else { wrongAnswer }
    return .node(
      .members(
        ("user", .id(shared.user)), ("document", shared.document.map { .text($0) }), ("later", .ids(shared.later)),
        ("changes", .list(shared.changes.map(\.node)))), 201)
  }

  func renewShare(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    try await document(.renewShare(user: user(call, in: home(call)).id), for: call)
  }

  func requestShare(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    try await document(.requestShare(name: text("name", of: call)), for: call)
  }

  private func document(_ request: HubRequest, for call: HomeCall) async throws(WebProblem) -> WebAnswer {
    guard case .document(let text) = try await ask(request, for: call) else { wrongAnswer }
    return .node(.object([("document", .text(text))]))
  }

  /// Returns the token with which a user opens the page. `{"renew": true}` replaces it.
  func showToken(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    let home = try home(call)
    // The owner of a copy is the owner of another hub.
    if home.copy != nil { throw WebProblem(HomeError.copy(home)) }
    let user = try user(call, in: home)
    let renews = try call.reading { (node) throws(JSONProblem) -> Bool in
      try node.refuseUnknownMembers(exactly: ["renew"])
      return try node.bool("renew", default: false)
    }
    let holder = user.role == .owner ? nil : user.id
    guard case .document(let token) = try await ask(.pageToken(user: holder, renews: renews), for: call) else {
      wrongAnswer
    }
    return .node(.object([("token", .text(token))]))
  }

  func acceptShare(_ call: HomeCall) async throws(WebProblem) -> WebAnswer {
    try await changes(.acceptShare(text("share", of: call)), for: call)
  }

  /// Returns the only member of a body.
  private func text(_ name: String, of call: HomeCall) throws(WebProblem) -> String {
    try call.reading { (node) throws(JSONProblem) -> String in
      try node.refuseUnknownMembers(exactly: [name])
      return try node.required(name).asString()
    }
  }
}
