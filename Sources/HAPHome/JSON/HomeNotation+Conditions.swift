import HAPAlmanac
import HAPModel
import HAPWire

/// The member that decides about the form of a condition.
package enum ConditionWord: String, CaseIterable, Sendable {
  /// `{"all": [CONDITION…]}`.
  case all
  /// `{"any": [CONDITION…]}`.
  case any
  /// `{"not": CONDITION}`.
  case not
  /// `{"characteristic": …, "is": VALUE}`, or another comparison instead of `is`.
  case characteristic
  /// `{"before": "18:00"}`, `{"before": "sunset"}`, `{"before": {"sun": "sunset", "offset": "-30min"}}`.
  case before
  /// `{"on": {"weekday": "mon"}}`.
  case on
  /// As `before`.
  case after
  /// `{"between": ["22:00", "06:00"]}`: two times, or two moments of the sun.
  case between
  /// `{"presence": "first-entry", "users": "home-users"}`.
  case presence
  /// `{"unknown": true}`: the remainder of a condition on something that was removed.
  case unknown

  /// The other members of the condition.
  var members: [String] {
    switch self {
    case .characteristic: Comparison.allCases.map(\.word)
    case .presence: ["users"]
    case .all, .any, .not, .before, .on, .after, .between, .unknown: []
    }
  }
}

extension HomeNotation {
  // MARK: Reading

  /// Reads a condition. Its depth is limited by that of the document.
  package func condition(_ node: JSONNode) throws(JSONProblem) -> Condition {
    let word = try node.form("a condition", of: ConditionWord.self, and: ConditionWord.allCases.flatMap(\.members))
    try node.refuseUnknownMembers(except: [word.rawValue] + word.members)
    let member = try node.required(word.rawValue)
    switch word {
    case .all: return .all(try member.elements { node throws(JSONProblem) in try condition(node) })
    case .any: return .any(try member.elements { node throws(JSONProblem) in try condition(node) })
    case .not: return .not(try condition(member))
    case .characteristic: return try comparison(node)
    case .on: return .time(.on(try member.dateParts()))
    case .before:
      if let moment = try member.optionalSunMoment() { return .sun(.before(moment)) }
      return .time(.before(try member.dateParts()))
    case .after:
      if let moment = try member.optionalSunMoment() { return .sun(.after(moment)) }
      return .time(.after(try member.dateParts()))
    case .between: return try between(member)
    case .presence: return .presence(try presence(node))
    case .unknown:
      guard try member.asBool() else { throw member.problem("an unknown condition is written as true") }
      return .unknown
    }
  }

  private func comparison(_ node: JSONNode) throws(JSONProblem) -> Condition {
    let id = try reference(try node.required("characteristic"), to: .characteristic)
    let found = Comparison.allCases.compactMap { comparison in node[comparison.word].map { (comparison, $0) } }
    guard let (comparison, value) = found.first, found.count == 1 else {
      throw node.problem(
        "a comparison with a characteristic has one of the members \(Comparison.allCases.map(\.word).alternatives)")
    }
    return .characteristic(id, comparison, try self.value(value, of: id))
  }

  private func between(_ node: JSONNode) throws(JSONProblem) -> Condition {
    guard let ends = node.elements, ends.count == 2 else {
      throw node.problem("\"between\" has a list of two times, such as [\"22:00\", \"06:00\"]")
    }
    switch (try ends[0].optionalSunMoment(), try ends[1].optionalSunMoment()) {
    case (let first?, let second?): return .sun(.between(first, second))
    case (nil, nil): return .time(.between(try ends[0].dateParts(), try ends[1].dateParts()))
    case (nil, _?), (_?, nil):
      throw node.problem("\"between\" has two times of the day, or two moments of the sun, not one of each")
    }
  }

  // MARK: Writing

  /// Writes a condition.
  package func written(_ condition: Condition) -> JSONNode {
    switch condition {
    case .all(let parts): .object([("all", .list(parts.map { written($0) }))])
    case .any(let parts): .object([("any", .list(parts.map { written($0) }))])
    case .not(let part): .object([("not", written(part))])
    case .characteristic(let id, let comparison, let value):
      .object([("characteristic", written(id, .characteristic)), (comparison.word, written(value, of: id))])
    case .time(.before(let parts)): .object([("before", parts.node)])
    case .time(.on(let parts)): .object([("on", parts.node)])
    case .time(.after(let parts)): .object([("after", parts.node)])
    case .time(.between(let first, let second)): .object([("between", .list([first.node, second.node]))])
    case .sun(.before(let moment)): .object([("before", moment.shortNode)])
    case .sun(.after(let moment)): .object([("after", moment.shortNode)])
    case .sun(.between(let first, let second)):
      .object([("between", .list([first.shortNode, second.shortNode]))])
    case .presence(let presence): written(presence)
    case .unknown: .object([("unknown", .flag(true))])
    }
  }
}

extension JSONNode {
  /// Reads "sunset", or an object with the member `sun`; nil for anything else, which may be a time.
  fileprivate func optionalSunMoment() throws(JSONProblem) -> SunMoment? {
    if let event = stringValue.flatMap(SunEvent.init(rawValue:)) { return event.moment }
    guard self["sun"] != nil else { return nil }
    try refuseUnknownMembers(except: ["sun", "offset"])
    return try sunMoment()
  }
}

extension SunMoment {
  /// The event alone if there is no offset.
  fileprivate var shortNode: JSONNode { offset == 0 ? .text(event.rawValue) : node }
}
