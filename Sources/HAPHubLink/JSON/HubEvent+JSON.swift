import HAPHome
import HAPHomeEngine
import HAPModel
import HAPWire

/// The names of the events in JSON, in the order in which messages and pages list them.
package enum HubEventName: String, CaseIterable, Sendable {
  case changed, values, reachability, evaluated, executed, person, found, gone, missed, stopping
}

extension HubEvent {
  package var name: HubEventName {
    switch self {
    case .changed: .changed
    case .values: .values
    case .reachability: .reachability
    case .evaluated: .evaluated
    case .executed: .executed
    case .person: .person
    case .found: .found
    case .gone: .gone
    case .missed: .missed
    case .stopping: .stopping
    }
  }

  /// Reads an event from an object.
  /// - Throws: the first mistake.
  package init(_ node: JSONNode) throws(JSONProblem) {
    let name = try node.required("event").word("an event", of: HubEventName.self)
    try node.refuseUnknownMembers(except: ["event"] + name.form.members.map(\.name))
    switch name {
    case .changed: self = .changed(try node.changes(), app: try node.optional("app", JSONNode.string))
    case .values: self = .values(try node.readings(), isCatchUp: try node.bool("catchUp", default: false))
    case .reachability:
      self = .reachability(
        try node.identifier(.accessory), isReachable: try node.required("reachable").asBool(),
        why: try node.optional("why", JSONNode.string))
    case .evaluated: self = .evaluated(try EvaluationReport(node.required("evaluation")))
    case .executed:
      self = .executed(
        try ExecutionResult(node.required("result")),
        sets: try node.required("actionSets").elements(JSONNode.actionSet),
        trigger: try node.optional("trigger") { node throws(JSONProblem) in try node.identifier(of: .trigger) },
        app: try node.optional("app", JSONNode.string))
    case .person: self = .person(try PersonState(node.required("person")))
    case .found: self = .found(try NewAccessory(node.required("accessory")))
    case .gone: self = .gone(try node.device())
    case .missed: self = .missed
    case .stopping: self = .stopping
    }
  }

  /// Writes the members of the object.
  package func write(to json: inout JSONWriter) {
    json.member("event", .text(name.rawValue))
    switch self {
    case .changed(let changes, let app):
      json.member("changes", .list(changes.map(\.node)))
      json.member("app", app.map { .text($0) })
    case .values(let readings, let isCatchUp):
      CharacteristicReading.write(readings, to: &json)
      if isCatchUp { json.member("catchUp", .flag(true)) }
    case .reachability(let accessory, let isReachable, let why):
      json.member("accessory", .id(accessory))
      json.member("reachable", .flag(isReachable))
      json.member("why", why.map { .text($0) })
    case .evaluated(let report): json.member("evaluation", report.node)
    case .executed(let result, let sets, let trigger, let app):
      result.write(to: &json)
      json.member("actionSets", .ids(sets))
      json.member("trigger", trigger.map { .id($0) })
      json.member("app", app.map { .text($0) })
    case .person(let person): json.member("person", person.json)
    case .found(let accessory): json.member("accessory", accessory.node)
    case .gone(let device): json.member("device", .text(device.text))
    case .missed, .stopping: break
    }
  }
}

// MARK: The table

extension HubEventName {
  private static let forms = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  package var form: HubForm<HubEventName> {
    guard let form = Self.forms[self] else { preconditionFailure("the table of events has no row for \(rawValue)") }
    return form
  }

  /// The forms of all events, in the order of the names.
  package static let all: [HubForm<HubEventName>] = [
    HubForm(
      .changed, [.changes, .app.optional], "another app, or the hub itself, changed the homes. Without `app`: the hub"),
    HubForm(.values, [.values, .catchUp.optional], "values of characteristics that this app subscribed to"),
    HubForm(
      .reachability, [.accessory, .reachable, .why.optional],
      "an accessory can be reached, or can't be reached any more"
    ),
    HubForm(
      .evaluated, [.evaluation],
      "a trigger was evaluated. An evaluation with the number of an earlier one of the same trigger replaces it"),
    HubForm(
      .executed, [.result, .actionSets, .trigger.optional, .app.optional],
      "action sets or writes ended. Without `app`: a trigger executed them"),
    HubForm(.person, [.person], "another app, or the hub itself, changed the place of a user"),
    HubForm(.found, [.newAccessory], "a new accessory appeared, or its record changed"),
    HubForm(.gone, [.device], "a new accessory disappeared, or was paired"),
    HubForm(.missed, [], "events were dropped, because the app read too slowly. The app has to attach again"),
    HubForm(.stopping, [], "the hub ends"),
  ]
}
