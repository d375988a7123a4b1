import HAPHome
import HAPHomeEngine
import HAPModel
import HAPWire

// The parts of answers and events.

extension HubSnapshot {
  /// Reads the members `model`, `unreachable` and `persons`.
  init(membersOf node: JSONNode) throws(JSONProblem) {
    var unreachable: [HomeObjectID: String] = [:]
    for member in try node.required("unreachable").asObject() {
      guard let id = HomeObjectID(member.name), unreachable[id] == nil else {
        throw member.value.problem("\"\(member.name.shortened)\" is not the identifier of another accessory")
      }
      unreachable[id] = try member.value.asString()
    }
    self.init(
      model: try HomeModel(node.required("model")), unreachable: unreachable,
      persons: try node.required("persons").elements { node throws(JSONProblem) in try PersonState(node) })
    for (first, second) in zip(persons, persons.dropFirst()) where first.user >= second.user {
      throw try node.required("persons").problem("the users are in ascending order, each once")
    }
  }

  var members: [JSONMember] {
    [
      ("model", model.node),
      ("unreachable", .object(unreachable.sorted { $0.key < $1.key }.map { ($0.key.description, .text($0.value)) })),
      ("persons", .list(persons.map(\.json))),
    ]
  }
}

extension CharacteristicReading {
  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["characteristic", "value", "error"])
    self.init(
      try node.identifier(.characteristic),
      // null is a value, too.
      value: try node["value"].map { value throws(JSONProblem) in try Value(exact: value) },
      error: try node.optional("error") { error throws(JSONProblem) in try HomeError(error) })
  }

  /// Writes the member `values`.
  static func write(_ readings: [CharacteristicReading], to json: inout JSONWriter) {
    json.key("values")
    json.array { json in
      for reading in readings { json.object { json in reading.write(to: &json) } }
    }
  }

  private func write(to json: inout JSONWriter) {
    json.member("characteristic", characteristic)
    json.member("value", value?.exactNode)
    json.member("error", error?.node)
  }
}

// MARK: Executions

extension ExecutionResult {
  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["actions", "skipped", "error"])
    self.init(
      actions: try node.required("actions").elements { node throws(JSONProblem) in try Action(node) },
      skipped: try node.list("skipped") { node throws(JSONProblem) in try SkippedSet(node) },
      error: try node.optional("error") { error throws(JSONProblem) in try HomeError(error) })
  }

  /// Writes the member `result`.
  package func write(to json: inout JSONWriter) {
    json.key("result")
    json.object { json in
      json.key("actions")
      json.array { json in
        for action in actions { json.object { json in action.write(to: &json) } }
      }
      if !skipped.isEmpty { json.member("skipped", .list(skipped.map(\.node))) }
      json.member("error", error?.node)
    }
  }
}

extension ExecutionResult.Action {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["actionSet", "action", "outcome", "status", "error"])
    self.init(
      actionSet: try node.optional("actionSet", JSONNode.actionSet), action: try HomeAction(node.required("action")),
      outcome: try node.required("outcome").word("an outcome", of: ExecutionResult.Outcome.self),
      status: try node.optional("status") { status throws(JSONProblem) in try status.number() },
      error: try node.optional("error") { error throws(JSONProblem) in try HomeError(error) })
  }

  fileprivate func write(to json: inout JSONWriter) {
    if let actionSet { json.member("actionSet", actionSet) }
    json.key("action")
    json.object { json in
      json.member("characteristic", action.characteristic)
      json.member("value", action.value.exactNode)
    }
    json.key("outcome")
    json.string(outcome.rawValue)
    if let status { json.member("status", .integer(status)) }
    json.member("error", error?.node)
  }
}

extension ExecutionResult.SkippedSet {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["actionSet", "error"])
    self.init(try node.identifier(.actionSet), try HomeError(node.required("error")))
  }

  fileprivate var node: JSONNode { .members(("actionSet", .id(actionSet)), ("error", error.node)) }
}

extension EvaluationReport {
  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["trigger", "number", "time", "outcome", "text", "detail"])
    let detail = try node.required("detail")
    _ = try detail.asObject()
    self.init(
      trigger: try node.identifier(.trigger), number: try node.required("number").number(from: 0),
      time: try JSONNode.moment(try node.required("time")), outcome: try node.string("outcome"),
      text: try node.string("text"), detail: detail.compactText)
  }

  package var node: JSONNode {
    guard let detail = try? JSONNode.parse(Array(detail.utf8), depthLimit: JSONNode.homeDepthLimit) else {
      preconditionFailure("the detail of an evaluation is JSON")
    }
    return .members(
      ("trigger", .id(trigger)), ("number", .integer(number)), ("time", .moment(time)), ("outcome", .text(outcome)),
      ("text", .text(text)), ("detail", detail))
  }
}

// MARK: The network

extension NewAccessory {
  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["device", "name", "model", "category", "setupHash"])
    self.init(
      device: try node.device(), name: try node.string("name"), model: try node.optional("model", JSONNode.string),
      category: try node.optional("category") { category throws(JSONProblem) in try category.number() },
      setupHash: try node.optional("setupHash") { hash throws(JSONProblem) in try hash.bytes(4) })
  }

  package var node: JSONNode {
    .members(
      ("device", .text(device.text)), ("name", .text(name)), ("model", model.map { .text($0) }),
      ("category", category.map { .integer($0) }), ("setupHash", setupHash.map { .text(Base64.encode($0)) }))
  }
}

// MARK: The state of the hub

extension HubStatus {
  init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["version", "processID", "started", "devices", "apps", "problems"])
    self.init(
      version: try node.string("version"), processID: try node.required("processID").number(from: 0),
      started: try JSONNode.moment(try node.required("started")),
      devices: try node.required("devices").elements { node throws(JSONProblem) in try Device(node) },
      apps: try node.required("apps").elements { node throws(JSONProblem) in try App(node) },
      problems: try node.list("problems", of: JSONNode.string))
  }

  package var node: JSONNode {
    .members(
      ("version", .text(version)), ("processID", .integer(processID)), ("started", .moment(started)),
      ("devices", .list(devices.map(\.node))), ("apps", .list(apps.map(\.node))),
      ("problems", problems.isEmpty ? nil : .list(problems.map { .text($0) })))
  }
}

extension HubStatus.Device {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["device", "reachable", "why", "address", "subscriptions"])
    self.init(
      device: try node.device(), isReachable: try node.required("reachable").asBool(),
      why: try node.optional("why", JSONNode.string), address: try node.optional("address", JSONNode.string),
      subscriptions: try node.required("subscriptions").number(from: 0))
  }

  fileprivate var node: JSONNode {
    .members(
      ("device", .text(device.text)), ("reachable", .flag(isReachable)), ("why", why.map { .text($0) }),
      ("address", address.map { .text($0) }), ("subscriptions", .integer(subscriptions)))
  }
}

extension HubStatus.App {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["app", "processID", "subscriptions", "gaps"])
    self.init(
      name: try node.string("app"),
      processID: try node.optional("processID") { id throws(JSONProblem) in try id.number(from: 0) },
      subscriptions: try node.required("subscriptions").number(from: 0),
      gaps: try node.required("gaps").number(from: 0))
  }

  fileprivate var node: JSONNode {
    .members(
      ("app", .text(name)), ("processID", processID.map { .integer($0) }), ("subscriptions", .integer(subscriptions)),
      ("gaps", .integer(gaps)))
  }
}
