import HAPModel
import HAPPairing
import HAPSuite
import HAPWire

/// Compares an arrival with the answer that a step expects. It has no side effects; its result contains the consequences of a fit.
package struct AnswerComparison {
  let view: AnswerView
  /// The current procedures, by the names that the step may use.
  let setup: SetupProcedure?
  let verify: VerifyProcedure?
  let accessory: PairedAccessory?

  package init(view: AnswerView, setup: SetupProcedure?, verify: VerifyProcedure?, accessory: PairedAccessory?) {
    self.view = view
    self.setup = setup
    self.verify = verify
    self.accessory = accessory
  }

  /// The consequences of a fit.
  package struct Fit {
    package var setup: SetupProcedure?
    package var verify: VerifyProcedure?
    package var setupStep: PairingStep?
    package var verifyStep: PairingStep?
  }

  package enum Result {
    case fits(Fit)
    /// The mismatch, for reports.
    case differs(String)
  }

  /// - Throws: if a pattern is invalid.
  package func judge(_ pattern: AnswerPattern) throws(StepError) -> Result {
    switch view.arrival {
    case .silence(let limit):
      return pattern.parts.contains(.silent) ? .fits(Fit()) : .differs("no answer within \(limit.roundText)")
    case .closed(let reset, _):
      let isExpected = [.anyhow, reset ? .reset : .fin].contains { pattern.parts.contains(.closed($0)) }
      if isExpected { return .fits(Fit()) }
      return .differs(reset ? "the connection was reset" : "the connection was closed")
    case .garbage(let reason, let bytes, _): return try judge(garbage: bytes, reason, pattern)
    case .message(let message):
      var fit = Fit()
      if let problem = try problem(of: message, pattern, &fit) { return .differs(problem) }
      return .fits(fit)
    }
  }

  private func judge(garbage bytes: [UInt8], _ reason: String, _ pattern: AnswerPattern) throws(StepError) -> Result {
    for case .garbage(let wanted) in pattern.parts {
      guard let wanted else { return .fits(Fit()) }
      let text = JSONNode.text(String(decoding: bytes, as: UTF8.self))
      return try Pattern.mismatch(text, wanted, at: "the received data").map { .differs($0) } ?? .fits(Fit())
    }
    return .differs(reason)
  }

  private func problem(
    of message: WireMessage, _ pattern: AnswerPattern, _ fit: inout Fit
  ) throws(StepError) -> String? {
    if pattern.parts.contains(where: \.isNoAnswer) { return "an answer came: \(view.summary)" }
    let ranked = pattern.ranked
    let judgesBody = ranked.contains { part in
      switch part {
      case .json, .emptyBody, .body, .field(.text, _): true
      default: false
      }
    }
    for part in ranked {
      // An answer that announces JSON must be JSON, even if the pattern names only some members.
      if part.isInJSON, !judgesBody, let problem = falseJSON(message) { return problem }
      if let problem = try problem(of: message, part, &fit) { return problem }
    }
    return judgesBody ? nil : falseJSON(message)
  }

  private func falseJSON(_ message: WireMessage) -> String? {
    guard view.json == nil, message.type?.contains("json") == true, !message.body.isEmpty else { return nil }
    return "Content-Type announces JSON, but the body isn't JSON: \(jsonProblem(message))"
  }

  /// Why an event does not fit; `nil`: it fits.
  package static func problem(of event: WireMessage, _ pattern: AnswerPattern) throws(StepError) -> String? {
    let view = AnswerView(arrival: .message(event), took: .zero)
    let judgement = AnswerComparison(view: view, setup: nil, verify: nil, accessory: nil)
    var fit = Fit()
    for part in pattern.ranked {
      if let problem = try judgement.problem(of: event, part, &fit) { return problem }
    }
    return nil
  }

  /// Why a part of the pattern does not fit; `nil`: it fits.
  private func problem(
    of message: WireMessage, _ part: AnswerPattern.Part, _ fit: inout Fit
  ) throws(StepError) -> String? {
    switch part {
    case .closed, .garbage, .silent: return "an answer came: \(view.summary)"
    case .field(let field, let pattern):
      return try Pattern.mismatch(view.value(field.rawValue), pattern, at: field.rawValue)
    case .headers(let fields):
      for field in fields {
        let value = message.field(field.name.lowercased()).map { JSONNode.text($0) }
        if let problem = try Pattern.mismatch(value, field.pattern, at: "header \(field.name)") { return problem }
      }
      return nil
    case .emptyBody: return message.body.isEmpty ? nil : "the body has \(message.body.count) bytes, not none"
    case .body(let pattern): return try Pattern.mismatch(view.value("body"), pattern, at: "body")
    case .items(let pattern): return try tlvProblem(message, pattern)
    case .json(let pattern):
      let json = view.json
      if json == nil, pattern.stringValue != "$absent" { return "the body isn't JSON: \(jsonProblem(message))" }
      return try Pattern.mismatch(json, pattern)
    case .entries(let entries, let isWhole, _): return try Self.entriesProblem(view.json, entries, isWhole: isWhole)
    case .database: return view.json?["accessories"]?.elements == nil ? "the body isn't a database" : nil
    case .setup(let step):
      guard var setup else { return "no Pair Setup is in progress" }
      let problem = pairingProblem(message, step) { setup.take(step.rawValue, $0) }
      (fit.setup, fit.setupStep) = (setup, step)
      return problem
    case .verify(let step):
      guard var verify else { return "no Pair Verify is in progress" }
      let problem = pairingProblem(message, step) { verify.take(step.rawValue, $0, from: accessory) }
      (fit.verify, fit.verifyStep) = (verify, step)
      return problem
    }
  }

  private func pairingProblem(_ message: WireMessage, _ step: PairingStep, _ take: (TLV) -> String?) -> String? {
    guard message.status == 200 else { return "\(step.rawValue): the status is \(message.status), not 200" }
    guard let tlv = try? TLV(decoding: message.body) else { return "the body isn't TLV8" }
    return take(tlv).map { "\(step.rawValue): \($0)" }
  }

  private func tlvProblem(_ message: WireMessage, _ pattern: JSONNode) throws(StepError) -> String? {
    do { _ = try TLV(decoding: message.body) } catch { return "the body isn't TLV8: \(error)" }
    if message.body.isEmpty { return "there is no TLV8 in the body" }
    return try Pattern.mismatch(view.tlv, pattern, at: "")
  }

  private func jsonProblem(_ message: WireMessage) -> String {
    do {
      _ = try JSONNode.parse(message.body)
      return ""
    } catch { return "\(error.message) at \(error.place)" }
  }

  /// Compares entries of `characteristics` with patterns by ID, in any order.
  /// - Parameter isWhole: whether each entry must match a pattern.
  package static func entriesProblem(
    _ json: JSONNode?, _ patterns: [EntryPattern], isWhole: Bool
  ) throws(StepError) -> String? {
    guard let json else { return "the body isn't JSON" }
    guard let entries = json["characteristics"]?.elements else { return "the body has no \"characteristics\"" }
    var left = entries
    for pattern in patterns {
      let candidates = left.indices.filter { pattern.isMeant(left[$0]) }
      if candidates.isEmpty { return "there is no entry for \(pattern.name)" }
      var first: String?
      var found: Int?
      for index in candidates where found == nil {
        if let problem = try Pattern.mismatch(left[index], pattern.pattern, at: "entry \(pattern.name)") {
          first = first ?? problem
        } else {
          found = index
        }
      }
      guard let found else { return first }
      left.remove(at: found)
    }
    if isWhole, let stray = left.first { return "there is an unexpected entry: \(Pattern.shown(stray))" }
    return nil
  }

  /// Returns a pattern as text, for reports.
  package static func describe(_ pattern: AnswerPattern) -> String {
    let words = pattern.parts.map(words)
    return (words.isEmpty ? "any answer" : words.joined(separator: ", "))
      + (pattern.deviation.map { " (not strict: \($0))" } ?? "")
  }

  private static func words(_ part: AnswerPattern.Part) -> String {
    switch part {
    case .field(.type, let pattern): "content type \(Pattern.words(pattern))"
    case .field(let field, let pattern): "\(field.rawValue) \(Pattern.words(pattern))"
    case .headers(let fields): "headers \(Pattern.words(.object(fields.map { ($0.name, $0.pattern) })))"
    case .emptyBody: "no body"
    case .body(let pattern): "body \(Pattern.words(pattern))"
    case .items(let pattern): "TLV \(Pattern.words(pattern))"
    case .json(let pattern): "JSON \(Pattern.words(pattern))"
    case .entries(_, _, let written): "entries \(Pattern.words(written))"
    case .database: "a database"
    case .setup(let step), .verify(let step): "a valid \(step.rawValue)"
    case .closed(.anyhow): "the connection ends"
    case .closed(let how): "closed \(how.rawValue)"
    case .garbage(let pattern): "garbage \(pattern.map { Pattern.words($0) } ?? "true")"
    case .silent: "no answer"
    }
  }
}

extension AnswerPattern.Part {
  /// Whether the part judges the contents of a body in its format: JSON, or the TLV8 of a pairing procedure.
  fileprivate var isInJSON: Bool {
    switch self {
    case .entries, .database, .setup, .verify: true
    default: false
    }
  }
}

extension EntryPattern {
  /// The IDs that select the entry, by name.
  private var ids: [(name: String, value: JSONNode)] {
    let own = ["aid", "iid"].compactMap { name in pattern[name].map { (name: name, value: $0) } }
    return own + (id.map { [("aid", .integer($0.aid)), ("iid", .integer($0.iid))] } ?? [])
  }

  fileprivate func isMeant(_ entry: JSONNode) -> Bool {
    ids.allSatisfy { part in entry[part.name].map { Pattern.equal($0, part.value) } ?? false }
  }

  /// The ID as text, such as "1.10".
  fileprivate var name: String {
    func text(_ name: String) -> String { ids.first { $0.name == name }.map { Scope.text($0.value) } ?? "?" }
    return "\(text("aid")).\(text("iid"))"
  }
}
