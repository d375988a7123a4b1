import HAPModel
import HAPPairing
import HAPWire

/// Holds what came against what a step expects. It changes nothing: what follows from a fit is in its result.
package struct Judgement {
  let view: AnswerView
  /// The procedures as they stand, by the names that the step may use.
  let setup: SetupProcedure?
  let verify: VerifyProcedure?
  let accessory: PairedAccessory?

  package init(view: AnswerView, setup: SetupProcedure?, verify: VerifyProcedure?, accessory: PairedAccessory?) {
    self.view = view
    self.setup = setup
    self.verify = verify
    self.accessory = accessory
  }

  /// What a fit leads to.
  package struct Fit {
    package var setup: SetupProcedure?
    package var verify: VerifyProcedure?
    package var setupStep: String?
    package var verifyStep: String?
  }

  package enum Result {
    case fits(Fit)
    /// What doesn't fit, in words.
    case differs(String)
  }

  package func judge(_ expectation: JSONNode) throws -> Result {
    var fit = Fit()
    switch view.arrival {
    case .silence(let limit):
      return expectation["silent"]?.boolValue == true ? .fits(fit) : .differs("no answer within \(limit.roundText)")
    case .closed(let reset, _):
      let word = reset ? "reset" : "fin"
      if let closed = expectation["closed"], closed.boolValue == true || closed.stringValue == word {
        return .fits(fit)
      }
      return .differs(reset ? "the connection was reset" : "the connection was closed")
    case .garbage(let reason, let bytes, _):
      if let pattern = expectation["garbage"] {
        if pattern.boolValue == true { return .fits(fit) }
        if let problem = try Pattern.mismatch(.text(String(decoding: bytes, as: UTF8.self)), pattern, at: "what came") {
          return .differs(problem)
        }
        return .fits(fit)
      }
      return .differs(reason)
    case .message(let message):
      if let problem = try problem(of: message, expectation, &fit) { return .differs(problem) }
      return .fits(fit)
    }
  }

  private func problem(of message: WireMessage, _ expectation: JSONNode, _ fit: inout Fit) throws -> String? {
    for name in ["closed", "silent", "garbage"] where expectation[name] != nil {
      if expectation[name]?.boolValue == false { continue }
      return "an answer came: \(view.summary)"
    }
    for name in ["status", "version", "type", "chunked", "sealed", "frames", "time", "text"] {
      guard let pattern = expectation[name] else { continue }
      if let problem = try Pattern.mismatch(view.value(name), pattern, at: name) { return problem }
    }
    for member in expectation["headers"]?.members ?? [] {
      let value = message.field(member.name.lowercased()).map { JSONNode.text($0) }
      if let problem = try Pattern.mismatch(value, member.value, at: "header \(member.name)") { return problem }
    }
    if let pattern = expectation["body"] {
      if pattern.stringValue == "empty" {
        if !message.body.isEmpty { return "the body has \(message.body.count) bytes, not none" }
      } else if let problem = try Pattern.mismatch(view.value("body"), pattern, at: "body") {
        return problem
      }
    }
    if let pattern = expectation["tlv"], let problem = try tlvProblem(message, pattern) { return problem }
    if let pattern = expectation["json"] {
      let json = view.json
      if json == nil, pattern.stringValue != "$absent" { return "the body is no JSON: \(jsonProblem(message))" }
      if let problem = try Pattern.mismatch(json, pattern) { return problem }
    }
    if view.json == nil, message.type?.contains("json") == true, !message.body.isEmpty,
      !["json", "text", "body"].contains(where: { expectation[$0] != nil })
    {
      return "the body is announced as JSON and is none: \(jsonProblem(message))"
    }
    if let entries = expectation["entries"], let problem = try Self.entriesProblem(view.json, entries, isWhole: true) {
      return problem
    }
    if expectation["database"]?.boolValue == true, view.json?["accessories"]?.elements == nil {
      return "the body is no database"
    }
    if let step = expectation["setup"]?.stringValue {
      guard var setup else { return "no Pair Setup is under way" }
      if let problem = pairing(message, step) { return problem }
      guard let tlv = try? TLV(decoding: message.body) else { return "the body is no TLV8" }
      if let problem = setup.take(step, tlv) { return "\(step): \(problem)" }
      fit.setup = setup
      fit.setupStep = step
    }
    if let step = expectation["verify"]?.stringValue {
      guard var verify else { return "no Pair Verify is under way" }
      if let problem = pairing(message, step) { return problem }
      guard let tlv = try? TLV(decoding: message.body) else { return "the body is no TLV8" }
      if let problem = verify.take(step, tlv, from: accessory) { return "\(step): \(problem)" }
      fit.verify = verify
      fit.verifyStep = step
    }
    return nil
  }

  private func pairing(_ message: WireMessage, _ step: String) -> String? {
    message.status == 200 ? nil : "\(step): the status is \(message.status), not 200"
  }

  private func tlvProblem(_ message: WireMessage, _ pattern: JSONNode) throws -> String? {
    do { _ = try TLV(decoding: message.body) } catch { return "the body is no TLV8: \(error)" }
    if message.body.isEmpty { return "there is no TLV8 in the body" }
    return try Pattern.mismatch(view.tlv, pattern, at: "")
  }

  private func jsonProblem(_ message: WireMessage) -> String {
    do {
      _ = try JSONNode.parse(message.body)
      return ""
    } catch { return "\(error.message) at \(error.place)" }
  }

  /// Entries of `characteristics` against patterns by id, in any order.
  /// - Parameter isWhole: whether each entry must be meant by a pattern.
  package static func entriesProblem(_ json: JSONNode?, _ patterns: JSONNode, isWhole: Bool) throws -> String? {
    guard let json else { return "the body is no JSON" }
    guard let entries = json["characteristics"]?.elements else { return "the body has no \"characteristics\"" }
    var left = entries
    for pattern in (patterns.elements ?? []).flatMap(forEachID) {
      let parts = (pattern.members ?? []).filter { $0.name != "id" }
      var wanted = parts
      if let id = pattern["id"] {
        guard let attribute = AttributeID(Scope.text(id)) else {
          throw StepError(id, "an id is aid.iid, not \(Scope.text(id))")
        }
        wanted.append(.init(name: "aid", place: id.place, value: .integer(attribute.aid)))
        wanted.append(.init(name: "iid", place: id.place, value: .integer(attribute.iid)))
      }
      let ids = wanted.filter { $0.name == "aid" || $0.name == "iid" }
      func isMeant(_ entry: JSONNode) -> Bool {
        ids.allSatisfy { part in entry[part.name].map { Pattern.equal($0, part.value) } ?? false }
      }
      let candidates = left.indices.filter { isMeant(left[$0]) }
      if candidates.isEmpty { return "there is no entry for \(name(ids))" }
      var first: String?
      var found: Int?
      for index in candidates where found == nil {
        if let problem = try Pattern.mismatch(
          left[index], JSONNode(.object(parts), place: pattern.place, path: pattern.path), at: "entry \(name(ids))")
        {
          first = first ?? problem
        } else {
          found = index
        }
      }
      guard let found else { return first }
      left.remove(at: found)
    }
    if isWhole, let stray = left.first { return "there is one entry too many: \(Pattern.shown(stray))" }
    return nil
  }

  /// A pattern whose `id` is a list, as one for each of them.
  private static func forEachID(_ pattern: JSONNode) -> [JSONNode] {
    guard let id = pattern["id"], id.stringValue == nil else { return [pattern] }
    return Scope.ids(id).map { text in
      let members = (pattern.members ?? []).map { member in
        member.name == "id"
          ? JSONNode.Member(
            name: "id", place: member.place, value: JSONNode(.string(text), place: id.place, path: id.path))
          : member
      }
      return JSONNode(.object(members), place: pattern.place, path: pattern.path)
    }
  }

  private static func name(_ ids: [JSONNode.Member]) -> String {
    let aid = ids.first { $0.name == "aid" }.map { Scope.text($0.value) } ?? "?"
    let iid = ids.first { $0.name == "iid" }.map { Scope.text($0.value) } ?? "?"
    return "\(aid).\(iid)"
  }

  /// An expectation in words, for reports.
  package static func describe(_ expectation: JSONNode) -> String {
    let idle: Set<String> = ["on", "within", "save", "deviation", "record", "procedure", "any", "secure", "is"]
    let parts = (expectation.members ?? []).filter { !idle.contains($0.name) }.map { member -> String in
      switch member.name {
      case "closed" where member.value.boolValue == true: "the connection ends"
      case "silent" where member.value.boolValue == true: "no answer"
      case "setup", "verify": "a good \(Scope.text(member.value))"
      case "body" where member.value.stringValue == "empty": "no body"
      case "tlv", "json": "\(member.name.uppercased()) \(Pattern.words(member.value))"
      case "type": "content type \(Pattern.words(member.value))"
      default: "\(member.name) \(Pattern.words(member.value))"
      }
    }
    let text = parts.isEmpty ? "any answer" : parts.joined(separator: ", ")
    return text + (expectation["deviation"].map { " (not strict: \(Scope.text($0)))" } ?? "")
  }
}
