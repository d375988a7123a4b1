import HAPModel
import HAPWire

/// The answer that an `expect` waits for.
package struct Expectation: Equatable, Sendable {
  package var on: String
  /// `nil`: the default time for an answer.
  package var within: Duration?
  package var procedure: String
  /// For M6 of Pair Setup: the controller that is paired by it.
  package var controller: String?
  /// The accepted alternatives; the first that fits counts.
  package var alternatives: [AnswerPattern]
  package var save: [SavedValue]
  /// Whether a correct M4 of Pair Verify secures the connection.
  package var secures: Bool
}

/// The event that an `event` waits for.
package struct EventExpectation: Equatable, Sendable {
  package var on: String
  package var within: Duration?
  /// Whether the event remains queued for the next step.
  package var keeps: Bool
  package var alternatives: [AnswerPattern]
  package var save: [SavedValue]
}

/// A collection of events.
package struct EventCollection: Equatable, Sendable {
  package var on: String
  /// The characteristics whose entries count; `nil`: all.
  package var ids: Set<String>?
  /// The number of entries to wait for.
  package var least: Int
  /// The time to wait for them.
  package var within: Duration?
  /// The time in which further events are collected.
  package var rest: Duration
  package var save: [SavedValue]
}

/// A period in which nothing may arrive.
package struct Silence: Equatable, Sendable {
  package var on: String
  package var duration: Duration
  /// Whether answers count as well as events.
  package var isWhole: Bool
  /// The characteristics whose events count; `nil`: all.
  package var ids: Set<String>?
  package var deviation: String?
}

/// One accepted form of an answer or an event.
package struct AnswerPattern: Equatable, Sendable {
  /// A requirement. The parts are judged in the order of `rank`, and described in the order of the suite.
  package enum Part: Equatable, Sendable {
    case field(AnswerField, JSONNode)
    case headers([NamedPattern])
    case emptyBody
    case body(JSONNode)
    case items(JSONNode)
    case json(JSONNode)
    /// - Parameters:
    ///   - isWhole: whether the answer may have no other entries.
    ///   - written: the list as the suite writes it.
    case entries([EntryPattern], isWhole: Bool, written: JSONNode)
    case database
    case setup(PairingStep)
    case verify(PairingStep)
    case closed(ConnectionClose)
    /// Bytes that are not an HTTP message; `nil`: any.
    case garbage(JSONNode?)
    case silent

    /// Whether the part describes something other than an answer.
    package var isNoAnswer: Bool {
      switch self {
      case .closed, .garbage, .silent: true
      default: false
      }
    }

    fileprivate var rank: Int {
      switch self {
      case .closed, .garbage, .silent: 0
      case .field(let field, _): 1 + (AnswerField.allCases.firstIndex(of: field) ?? 0)
      case .headers: 20
      case .emptyBody, .body: 21
      case .items: 22
      case .json: 23
      case .entries: 24
      case .database: 25
      case .setup: 26
      case .verify: 27
      }
    }
  }

  /// The parts in the order of the suite.
  package var parts: [Part]
  /// The stacks that behave like this. An answer that fits is accepted as a deviation.
  package var deviation: String?
  /// A note for the report.
  package var record: String?

  /// The parts in the order in which they are judged.
  package var ranked: [Part] { parts.sorted { $0.rank < $1.rank } }
}

/// A property of an answer that a pattern judges.
package enum AnswerField: String, CaseIterable, Sendable {
  case status, version, type, chunked, sealed, frames, time, text
}

package enum ConnectionClose: String, CaseIterable, Sendable {
  case anyhow, reset, fin
}

/// A pattern of an entry of `characteristics`.
package struct EntryPattern: Equatable, Sendable {
  package var id: AttributeID?
  /// An object of patterns, `id` excluded.
  package var pattern: JSONNode

  /// Returns the pattern once for each of its ids.
  fileprivate static func list(_ node: JSONNode) throws(StepError) -> [EntryPattern] {
    let members = (node.members ?? []).filter { $0.name != "id" }
    let pattern = JSONNode(.object(members), place: node.place, path: node.path)
    guard let ids = node["id"] else { return [EntryPattern(id: nil, pattern: pattern)] }
    var result: [EntryPattern] = []
    for text in Scope.ids(ids) {
      guard let id = AttributeID(text) else { throw StepError(ids, "an id is aid.iid, not \(text)") }
      result.append(EntryPattern(id: id, pattern: pattern))
    }
    return result
  }
}

// MARK: Reading

extension AnswerPattern {
  /// - Parameters:
  ///   - node: an alternative of an `expect` or of an `event`, with its inherited members; resolved.
  ///   - isWhole: whether further entries are refused by default; `only` overrides it. An event may have further entries, an answer may not.
  init(_ node: JSONNode, isWhole: Bool = true) throws(StepError) {
    parts = []
    for member in node.members ?? [] { try add(member, of: node, isWhole: isWhole) }
    deviation = node.optionalText("deviation")
    record = node.optionalText("record")
  }

  private mutating func add(
    _ member: JSONNode.Member, of node: JSONNode, isWhole: Bool
  ) throws(StepError) {
    let value = member.value
    if let field = AnswerField(rawValue: member.name) { return parts.append(.field(field, value)) }
    switch member.name {
    case "headers": parts.append(.headers(NamedPattern.list(value)))
    case "body": parts.append(value.stringValue == "empty" ? .emptyBody : .body(value))
    case "tlv": parts.append(.items(value))
    case "json": parts.append(.json(value))
    case "entries":
      var entries: [EntryPattern] = []
      for element in value.elements ?? [] { entries += try EntryPattern.list(element) }
      parts.append(.entries(entries, isWhole: try node.flag("only") ?? isWhole, written: value))
    case "database": if try node.flag("database") == true { parts.append(.database) }
    case "setup": try node.word("setup", of: [PairingStep.m2, .m4, .m6]).map { parts.append(.setup($0)) }
    case "verify": try node.word("verify", of: [PairingStep.m2, .m4]).map { parts.append(.verify($0)) }
    case "closed": try addClosed(node)
    case "garbage": if value.boolValue != false { parts.append(.garbage(value.boolValue == true ? nil : value)) }
    case "silent": if try node.flag("silent") == true { parts.append(.silent) }
    // Members of the step, or of all alternatives.
    default: break
    }
  }

  private mutating func addClosed(_ node: JSONNode) throws(StepError) {
    switch node["closed"]?.boolValue {
    case true?: parts.append(.closed(.anyhow))
    case false?: break
    case nil: try node.word("closed", of: [ConnectionClose.reset, .fin]).map { parts.append(.closed($0)) }
    }
  }
}

extension EventExpectation {
  /// - Parameter node: the content of an `event`, resolved.
  init(_ node: JSONNode) throws(StepError) {
    on = node.connection
    within = try node.duration("within")
    keeps = try node.flag("keep") ?? false
    alternatives = []
    for alternative in node["any"]?.elements ?? [node] {
      alternatives.append(try AnswerPattern(alternative.inheriting(node, except: ["any"]), isWhole: false))
    }
    save = try node.saved()
  }
}

extension EventCollection {
  init(_ node: JSONNode) throws(StepError) {
    on = node.connection
    ids = node["id"] == nil ? nil : Set(try node.texts("id"))
    least = try node.count("least") ?? 0
    within = try node.duration("within")
    rest = try node.duration("for") ?? .zero
    save = try node.saved()
  }
}

extension Silence {
  init(_ node: JSONNode) throws(StepError) {
    on = node.connection
    duration = try node.duration("for") ?? .seconds(1)
    isWhole = try node.word("of", in: ["events", "everything"]) == "everything"
    ids = node["id"] == nil ? nil : Set(try node.texts("id"))
    deviation = node.optionalText("deviation")
  }
}

extension JSONNode {
  /// Returns an object with its members, and those members of another object that it lacks.
  func inheriting(_ other: JSONNode, except names: Set<String> = []) -> JSONNode {
    let own = members ?? []
    let inherited = (other.members ?? []).filter { member in
      !names.contains(member.name) && !own.contains { $0.name == member.name }
    }
    return JSONNode(.object(own + inherited), place: place, path: path)
  }
}
