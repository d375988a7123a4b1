import HAPWire

// The procedures that steps use.
extension Procedure {
  /// The procedures that a step uses whatever its content. For an `expect` they depend on the request before it, and for a `check` on the origin
  /// of its values.
  package static func used(by step: StepName) -> [Procedure] {
    switch step {
    case .event, .events, .silence: [.event, .subscribe]
    case .pair: [.pairSetup, .busy]
    case .verify: [.pairVerify, .firstRequest, .sessions]
    case .controller: [.addPairing, .pairVerify, .firstRequest]
    case .unpair: [.removePairing, .pairVerify, .firstRequest]
    case .database, .lint: [.database, .session, .pairVerify, .firstRequest]
    case .reachable: [.restart]
    case .mdns, .txt: [.discovery]
    case .connect, .close, .secure, .reading, .settle, .send, .expect, .forget, .let, .make, .collect, .check, .find,
      .compare, .record, .deviation, .fail, .skip, .mark, .repeat, .each, .if, .together, .wait, .try, .do, .finally,
      .hook, .alive, .claims:
      []
    }
  }

  /// The members of a `send` that make its message the case's own stimulus.
  private static let ownStimuli = [
    "alter", "corrupt", "inner", "identifier", "signed-by", "nonce", "seal-key", "ephemeral", "secret", "public-key",
    "zero-secret", "method-item", "flags-item", "frame", "plain", "method", "headers", "host", "length", "version",
    "header-form", "raw", "text", "bytes", "body", "tlv", "json", "code", "batch", "until", "finish", "size",
  ]

  /// Returns the procedures that a `send` uses. A message that the step alters is the case's own stimulus and uses none.
  /// - Parameter node: the content of the step.
  static func used(byRequest node: JSONNode) -> [Procedure] {
    guard !ownStimuli.contains(where: { node[$0] != nil }) else { return [] }
    if node["read"] != nil { return [.read] }
    if node["write"] != nil { return node["pid"] == nil ? [.write] : [.prepare, .write] }
    if node["subscribe"] != nil || node["unsubscribe"] != nil { return [.subscribe] }
    if node["prepare"] != nil { return [.prepare] }
    switch node["pairings"]?.stringValue {
    case "list"?: return [.listPairings]
    case "add"?: return [.addPairing]
    case "remove"?: return [.removePairing]
    default: break
    }
    switch node["setup"]?.stringValue {
    case "M1"?: return [.pairSetup, .busy]
    case .some: return [.pairSetup]
    case nil: break
    }
    if node["verify"] != nil { return [.pairVerify, .firstRequest] }
    if node["path"]?.stringValue == "/accessories" { return [.database] }
    return []
  }

  /// Returns all procedures that a case uses and does not judge, in the order of the documentation.
  package static func used(by definition: CaseDefinition) -> [Procedure] {
    var used = Set(definition.causes.uses)
    for step in definition.steps { collect(step.node, &used) }
    used.subtract(definition.causes.owns)
    return allCases.filter(used.contains)
  }

  private static func collect(_ node: JSONNode, _ used: inout Set<Procedure>) {
    for element in node.elements ?? [] { collect(element, &used) }
    for member in node.members ?? [] {
      if let step = StepName(rawValue: member.name) { used.formUnion(Procedure.used(by: step)) }
      if member.name == StepName.send.rawValue { used.formUnion(Procedure.used(byRequest: member.value)) }
      if member.name == StepName.hook.rawValue,
        ["reboot", "power-cut", "factory-reset"].contains(member.value["name"]?.stringValue)
      {
        used.insert(.restart)
      }
      // The content of a `send` has members that are also names of steps.
      if member.name != StepName.send.rawValue, member.name != StepName.expect.rawValue {
        collect(member.value, &used)
      }
    }
  }
}
