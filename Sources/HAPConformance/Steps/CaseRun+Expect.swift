import HAPExpectation
import HAPModel
import HAPSuite
import HAPWire

extension CaseRun {
  func expect(_ raw: JSONNode) async throws {
    let node = try merged(raw)
    let name = name(of: node)
    let connection = try await connection(name)
    let limit = try duration(node["within"], default: world.answerLimit)
    let arrival = await connection.next(within: limit)
    if Task.isCancelled { throw CaseInterrupted() }
    let time: Duration
    switch arrival {
    case .message(let message): time = message.time
    case .garbage(_, _, let at), .closed(_, let at): time = at
    case .silence: time = recorder.now
    }
    let view = AnswerView(arrival: arrival, took: time - connection.lastSent)
    try settle(node, view, on: connection, name, limit)
  }

  /// Finds the alternative that fits, and does what follows from it.
  private func settle(
    _ node: JSONNode, _ view: AnswerView, on connection: WireConnection, _ name: String, _ limit: Duration
  ) throws {
    let procedure = node["procedure"]?.stringValue ?? name
    let judgement = Judgement(
      view: view, setup: setups[procedure], verify: verifies[procedure], accessory: device.identity)
    var problems: [String] = []
    var accepted: [String] = []
    for alternative in try alternatives(node) {
      accepted.append(Judgement.describe(alternative))
      switch try judgement.judge(alternative) {
      case .differs(let problem): problems.append(problem)
      case .fits(let fit):
        if let setup = fit.setup { setups[procedure] = setup }
        if let verify = fit.verify { verifies[procedure] = verify }
        follow(fit, node, on: connection, procedure)
        if let who = alternative["deviation"] {
          deviate("\(view.summary.prefix(200)) (so do \(Scope.text(who)))")
        }
        if let text = alternative["record"] { note(Scope.text(text)) }
        try save(node["save"], from: used.request(on: name)) { view.value($0) }
        return
      }
    }
    var isSilence = false
    if case .silence = view.arrival { isSilence = true }
    let message = problems.count == 1 ? problems[0] : "none of what is accepted: \(problems.first ?? "")"
    var failure = CaseFailure(
      isSilence ? "no answer within \(limit.roundText)" : message, sent: lastRequest[name], accepted: accepted,
      got: view.summary, isSilence: isSilence)
    if case .message(let answer) = view.arrival {
      failure.pairingError = (try? TLV(decoding: answer.body))?.byte(TLVType.error)
    }
    throw failure
  }

  private func follow(_ fit: Judgement.Fit, _ node: JSONNode, on connection: WireConnection, _ procedure: String) {
    if fit.setupStep == "M6", let identity = fit.setup?.accessory {
      device.identity = identity
      // Whoever it was: the first one is an admin.
      if device.owner == nil { device.owner = (try? controller(node["as"])) ?? device.admin }
      if scope["device"] != nil { scope["device"] = device.variable }
    }
    if fit.verifyStep == "M4", node["secure"]?.boolValue ?? true, let keys = fit.verify?.sessionKeys {
      connection.secure(keys)
    }
  }

  // MARK: Expectations

  /// The expectation with what it names put in, and variables resolved.
  private func merged(_ raw: JSONNode) throws -> JSONNode {
    let node = try scope.resolve(raw)
    if let name = node.stringValue { return try named(name, node) }
    guard let name = node["is"] else { return node }
    return try joined(node, with: named(Scope.text(name), name))
  }

  private func named(_ name: String, _ node: JSONNode) throws -> JSONNode {
    guard let expectation = expectations[name] else {
      throw StepError(node, "the suite has no expectation \"\(name)\"")
    }
    let resolved = try scope.resolve(expectation)
    guard let base = resolved["is"] else { return resolved }
    return try joined(resolved, with: named(Scope.text(base), base))
  }

  /// Members of the first win.
  private func joined(_ node: JSONNode, with base: JSONNode) -> JSONNode {
    let own = (node.members ?? []).filter { $0.name != "is" }
    let inherited = (base.members ?? []).filter { member in !own.contains { $0.name == member.name } }
    return JSONNode(.object(own + inherited), place: node.place, path: node.path)
  }

  private static let shared: Set<String> = ["on", "within", "procedure", "any", "save", "secure", "is", "as"]

  /// The ways to be right; what stands beside `any` is part of each.
  private func alternatives(_ node: JSONNode) throws -> [JSONNode] {
    guard let list = node["any"]?.elements else { return [node] }
    let common = JSONNode(
      .object((node.members ?? []).filter { !Self.shared.contains($0.name) }), place: node.place, path: node.path)
    var result: [JSONNode] = []
    for element in list {
      var alternative = element
      if let name = element.stringValue {
        alternative = try named(name, element)
      } else if let name = element["is"] {
        alternative = try joined(element, with: named(Scope.text(name), name))
      }
      alternative = joined(alternative, with: common)
      result += alternative["any"] == nil ? [alternative] : try alternatives(alternative)
    }
    return result
  }

  /// Gives variables what paths lead to; what leads nowhere is null.
  /// - Parameter procedures: those that the values come from.
  func save(_ node: JSONNode?, from procedures: [Procedure], _ value: (String) -> JSONNode?) throws {
    used.save((node?.members ?? []).map(\.name), from: procedures)
    for member in node?.members ?? [] {
      guard let path = member.value.stringValue else { throw StepError(member.value, "a path is expected") }
      scope[member.name] = value(path) ?? JSONNode(.null)
    }
  }
}
