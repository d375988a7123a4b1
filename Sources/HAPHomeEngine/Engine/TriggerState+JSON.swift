import HAPAlmanac
import HAPHome
import HAPModel
import HAPWire

// The JSON form, in which the hub's store keeps states. Times are texts in UTC.

extension TriggerState {
  /// Parses the JSON form.
  /// - Throws: the first mistake with its place.
  package init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["trigger", "settled", "started", "running"])
    self.init(try HomeObjectID(required: "trigger", of: node))
    settled = try Instant(optional: "settled", of: node)
    started = try node.list("started", of: Started.init)
    if let running = node["running"] { self.running = try Running(running) }
  }

  /// The JSON form.
  package var json: JSONNode {
    .members(
      ("trigger", .text(trigger.description)), ("settled", settled.map(\.json)),
      ("started", started.isEmpty ? nil : .list(started.map(\.json))), ("running", running?.json))
  }
}

extension TriggerState.Started {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["time", "end"])
    self.init(time: try Instant(node.required("time")), isEnd: try node.bool("end", default: false))
  }

  fileprivate var json: JSONNode { .members(("time", time.json), ("end", isEnd ? .flag(true) : nil)) }
}

extension TriggerState.Running {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["values", "end"])
    self.init(
      values: try node.required("values").list(of: RestorableValue.init), end: try Instant(optional: "end", of: node))
    // In another order, or with a value twice, it would not be clear which value is restored.
    for (index, (first, second)) in zip(values, values.dropFirst()).enumerated()
    where first.characteristic >= second.characteristic {
      let place = try node.required("values").asList()[index + 1]
      throw place.problem("the characteristics are in ascending order, each once")
    }
  }

  fileprivate var json: JSONNode { .members(("values", .list(values.map(\.json))), ("end", end.map(\.json))) }
}

extension RestorableValue {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["characteristic", "before", "written"])
    let before = try node["before"].map { value throws(JSONProblem) in try Value(restorable: value) }
    self.init(
      try HomeObjectID(required: "characteristic", of: node), before: before,
      written: try Value(restorable: node.required("written")))
  }

  fileprivate var json: JSONNode {
    .members(
      ("characteristic", .text(characteristic.description)), ("before", before?.exactNode),
      ("written", written.exactNode))
  }
}

extension Value {
  fileprivate init(restorable node: JSONNode) throws(JSONProblem) {
    guard !node.isNull else { throw node.problem("null can't be written: leave out a value that is not known") }
    try self.init(exact: node)
  }
}

extension PersonState {
  /// Parses the JSON form.
  /// - Throws: the first mistake with its place.
  package init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["user", "place"])
    self.init(try HomeObjectID(required: "user", of: node), try Place(node.required("place")))
  }

  /// The JSON form.
  package var json: JSONNode { .members(("user", .text(user.description)), ("place", place.json)) }
}

extension PersonState.Place {
  /// Parses the JSON form: `"home"`, `"away"` or `[latitude, longitude]`.
  /// - Throws: the first mistake with its place.
  package init(_ node: JSONNode) throws(JSONProblem) {
    self =
      if node.stringValue != nil {
        try node.meaning("a place", [("home", .home), ("away", .away)])
      } else {
        .position(try node.coordinate())
      }
  }

  /// The JSON form.
  package var json: JSONNode {
    switch self {
    case .home: .text("home")
    case .away: .text("away")
    case .position(let position): position.node
    }
  }
}

extension HomeObjectID {
  fileprivate init(required name: String, of node: JSONNode) throws(JSONProblem) {
    self = try node.required(name).parsed("an identifier, a UUID", HomeObjectID.init)
  }
}

extension Instant {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    self = try node.parsed("a time in UTC such as \"2026-06-01T19:00:00Z\"", HomeText.instant)
  }

  fileprivate init?(optional name: String, of node: JSONNode) throws(JSONProblem) {
    guard let member = node[name] else { return nil }
    try self.init(member)
  }

  fileprivate var json: JSONNode { .text(HomeText.instantText(self)) }
}

extension JSONNode {
  fileprivate func list<T>(of element: (JSONNode) throws(JSONProblem) -> T) throws(JSONProblem) -> [T] {
    var result: [T] = []
    for node in try asList() { result.append(try element(node)) }
    return result
  }
}
