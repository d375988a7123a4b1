import HAPHome
import HAPHomeEngine
import HAPModel
import HAPWire

/// The names of the answers in JSON, in the order in which messages and pages list them.
package enum HubAnswerName: String, CaseIterable, Sendable {
  case attached, changed, added, executed, values, evaluated, explained, found, document, shared, status, done
}

extension HubAnswer {
  package var name: HubAnswerName {
    switch self {
    case .attached: .attached
    case .changed: .changed
    case .added: .added
    case .executed: .executed
    case .values: .values
    case .evaluated: .evaluated
    case .explained: .explained
    case .found: .found
    case .document: .document
    case .shared: .shared
    case .status: .status
    case .done: .done
    }
  }

  /// Reads an answer from an object.
  /// - Parameter others: the other members that the object may have.
  /// - Throws: the first mistake.
  package init(_ node: JSONNode, and others: [String] = []) throws(JSONProblem) {
    let name = try node.required("answer").word("an answer", of: HubAnswerName.self)
    try node.refuseUnknownMembers(except: ["answer"] + others + name.form.members.map(\.name))
    switch name {
    case .attached: self = .attached(try HubSnapshot(membersOf: node))
    case .changed: self = .changed(try node.changes())
    case .added: self = .added(try node.required("accessories").elements(JSONNode.accessory), try node.changes())
    case .executed: self = .executed(try ExecutionResult(node.required("result")))
    case .values: self = .values(try node.readings())
    case .evaluated: self = .evaluated(try EvaluationReport(node.required("evaluation")))
    case .explained:
      self = .explained(
        try node.required("evaluations").elements { node throws(JSONProblem) in try EvaluationReport(node) })
    case .found:
      self = .found(try node.required("accessories").elements { node throws(JSONProblem) in try NewAccessory(node) })
    case .document: self = .document(try node.string("document"))
    case .shared:
      self = .shared(
        SharedHome(
          user: try node.identifier(.user), document: try node.optionalString("document"),
          later: try node.required("later").elements(JSONNode.accessory), changes: try node.changes()))
    case .status: self = .status(try HubStatus(node.required("status")))
    case .done: self = .done
    }
  }

  /// The object in one line.
  package var compactText: String { JSONWriter.text { json in json.object { json in write(to: &json) } } }

  /// Writes the members of the object.
  func write(to json: inout JSONWriter) {
    json.member("answer", .text(name.rawValue))
    switch self {
    case .attached(let snapshot): json.members(snapshot.members)
    case .changed(let changes): json.member("changes", .list(changes.map(\.node)))
    case .added(let accessories, let changes):
      json.member("accessories", .ids(accessories))
      json.member("changes", .list(changes.map(\.node)))
    case .executed(let result): result.write(to: &json)
    case .values(let readings): CharacteristicReading.write(readings, to: &json)
    case .evaluated(let report): json.member("evaluation", report.node)
    case .explained(let reports): json.member("evaluations", .list(reports.map(\.node)))
    case .found(let accessories): json.member("accessories", .list(accessories.map(\.node)))
    case .document(let text): json.member("document", .text(text))
    case .shared(let shared):
      json.member("user", shared.user)
      json.member("document", shared.document.map { .text($0) })
      json.member("later", .ids(shared.later))
      json.member("changes", .list(shared.changes.map(\.node)))
    case .status(let status): json.member("status", status.node)
    case .done: break
    }
  }
}

extension JSONNode {
  func changes() throws(JSONProblem) -> [HomeChange] {
    try required("changes").elements { node throws(JSONProblem) in try HomeChange(node) }
  }

  func readings() throws(JSONProblem) -> [CharacteristicReading] {
    try required("values").elements { node throws(JSONProblem) in try CharacteristicReading(node) }
  }
}

// MARK: The table

extension HubAnswerName {
  private static let forms = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  package var form: HubForm<HubAnswerName> {
    guard let form = Self.forms[self] else { preconditionFailure("the table of answers has no row for \(rawValue)") }
    return form
  }

  /// The forms of all answers, in the order of the names.
  package static let all: [HubForm<HubAnswerName>] = [
    HubForm(.attached, [.model, .unreachable, .persons], "to `attach`: all homes and their state"),
    HubForm(
      .changed, [.changes],
      "to `perform`, `remove` and `accept-share`: the changes, which this app does not get as an event"),
    HubForm(.added, [.accessories, .changes], "to `add` and `adopt`: the new accessories, a bridge first"),
    HubForm(.executed, [.result], "to `execute` and `write`"),
    HubForm(.values, [.values], "to `read`, in the order of the request"),
    HubForm(.evaluated, [.evaluation], "to `fire`, after the writes have ended"),
    HubForm(.explained, [.evaluations], "to `explain`"),
    HubForm(.found, [.newAccessories], "to `search`"),
    HubForm(.document, [.document], "to `request-share` and `renew-share`: a file. To `page-token`: the token"),
    HubForm(
      .shared, [.user, .document.optional, .later, .changes],
      "to `share`: the new user, and the shared home for the user's hub. `accept-share` takes it there"),
    HubForm(.status, [.status], "to `status`"),
    HubForm(.done, [], "to all other requests"),
  ]
}
