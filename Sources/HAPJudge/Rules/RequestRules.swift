import HAPIP
import HAPModel
import HAPWire

/// "one-request-at-a-time"
struct OneRequestAtATime: JudgeRule {
  static let description = RuleDescription(
    "one-request-at-a-time", .requests, .should,
    "waits for the answer to a request before it sends the next one on the same connection",
    source: "field reports: Bouke/HAP#77, HAP-NodeJS#592",
    impact: "Accessories with small buffers, or with one request in hand at a time, mix answers up or close.",
    chance: "two requests on one connection")

  /// Longer ago than this, the answer may be taken for lost.
  private static let lost = Duration.seconds(5)

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    switch act {
    case .arrived:
      guard let (request, at) = connection.owed, !connection.hasArrived, scene.now - at < Self.lost else { return }
      findings.breach("more was sent while \(request.name) had no answer yet")
    case .asked(let request) where connection.requests > 0:
      if connection.hasArrived {
        findings.chance()
      } else {
        findings.breach("\(request.name) came together with the request before it")
      }
    default: break
    }
  }
}

/// "readable"
struct Readable: JudgeRule {
  static let description = RuleDescription(
    "readable", .requests, .must,
    "sends HTTP/1.1 that can be read, and, once verified, frames that authenticate and hold at most 1024 bytes",
    source: "HAP R2 §6.5.2; RFC 9112", impact: "The accessory closes the connection.", chance: "a request")

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    switch act {
    case .asked: findings.chance()
    case .unreadable(let reason): findings.breach(reason)
    default: break
    }
  }
}

/// "host-field"
struct HostField: JudgeRule {
  static let description = RuleDescription(
    "host-field", .requests, .must, "says in each request, in the field Host, whom it speaks to",
    source: "RFC 9112 §3.2", impact: "Servers that are made with a general HTTP library answer 400.",
    chance: "a request")

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard case .asked(let request) = act else { return }
    switch request.fields.count(where: { $0.name.lowercased() == "host" }) {
    case 1: findings.chance()
    case 0: findings.breach("\(request.name) has no Host")
    default: findings.breach("\(request.name) has several Hosts")
    }
  }
}

/// "body-type"
struct BodyType: JudgeRule {
  static let description = RuleDescription(
    "body-type", .requests, .must,
    "says what a body is: application/pairing+tlv8 for pairing, application/hap+json for the rest",
    source: "HAP R2 §5.6, §6.7.2", impact: "Accessories that look at the type refuse the request.",
    chance: "a request with a body")

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard case .asked(let request) = act, !request.body.isEmpty else { return }
    let wanted: String
    switch request.path {
    case "/pair-setup", "/pair-verify", "/pairings": wanted = "application/pairing+tlv8"
    case "/characteristics", "/prepare", "/resource": wanted = "application/hap+json"
    default: return
    }
    let type = request["Content-Type"]
    let plain = type.map { $0.prefix { $0 != ";" }.lowercased().filter { $0 != " " } }
    if plain == wanted { return findings.chance() }
    findings.breach("the body of \(request.name) is said to be \(type ?? "nothing"), not \(wanted)")
  }
}

/// "known-endpoints"
struct KnownEndpoints: JudgeRule {
  static let description = RuleDescription(
    "known-endpoints", .requests, .must, "asks for nothing but the resources of HAP, each with its own method",
    source: "HAP R2 table 5-1, table 6-1", impact: "The accessory answers 404 or 405, and some close.",
    chance: "a request")

  private static let methods: [String: [String]] = [
    "/accessories": ["GET"], "/characteristics": ["GET", "PUT"], "/prepare": ["PUT"], "/identify": ["POST"],
    "/pair-setup": ["POST"], "/pair-verify": ["POST"], "/pairings": ["POST"], "/resource": ["POST"],
    "/secure-message": ["POST"], "/configured": ["POST"],
  ]

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard case .asked(let request) = act else { return }
    guard let methods = Self.methods[request.path] else {
      return findings.breach("there is no \(request.path) in HAP (\(request.method))")
    }
    if methods.contains(request.method) { return findings.chance() }
    findings.breach("\(request.path) is asked for with \(request.method), not \(methods.joined(separator: " or "))")
  }
}

/// "query-form"
struct QueryForm: JudgeRule {
  static let description = RuleDescription(
    "query-form", .requests, .must,
    "asks for characteristics by a list of different ids, aid.iid in plain digits, and by meta, perms, type and ev of 0 or 1",
    source: "HAP R2 §6.7.4", impact: "Some accessories answer 400, others something else than was meant.",
    chance: "a read")

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard case .asked(let request) = act, request.name == "GET /characteristics" else { return }
    if let problem = problem(request.query) { findings.breach(problem) } else { findings.chance() }
  }

  private func problem(_ query: [(name: String, value: String)]) -> String? {
    for (name, value) in query where name != "id" {
      guard ["meta", "perms", "type", "ev"].contains(name) else { return "a read has no parameter \"\(name)\"" }
      if value != "0" && value != "1" { return "\(name) is \"\(value)\", not 0 or 1" }
    }
    let lists = query.filter { $0.name == "id" }.map(\.value)
    guard lists.count == 1, !lists[0].isEmpty else {
      return lists.count > 1 ? "a read has several lists of ids" : "a read names no id"
    }
    var seen: Set<String> = []
    for text in lists[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      guard let id = AttributeID(text), id.description == text else { return "\"\(text)\" is no id" }
      if !seen.insert(text).inserted { return "\(text) is asked for twice in one request" }
    }
    return nil
  }
}

/// "write-form"
struct WriteForm: JudgeRule {
  static let description = RuleDescription(
    "write-form", .requests, .must,
    "writes with a list of entries that have aid, iid and what is to be done, each characteristic once",
    source: "HAP R2 §6.7.2", impact: "The accessory answers 400, or does half of it.", chance: "a write")

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard case .asked(let request) = act else { return }
    switch request.name {
    case "PUT /characteristics":
      if let problem = problem(request) { findings.breach(problem) } else { findings.chance() }
    case "PUT /prepare":
      let json = request.json
      if json?["ttl"]?.integerValue ?? 0 >= 1, json?["pid"]?.integerValue.flatMap({ UInt64(exactly: $0) }) != nil {
        findings.chance()
      } else {
        findings.breach("PUT /prepare needs a ttl in milliseconds and a pid")
      }
    default: break
    }
  }

  private func problem(_ request: PlainMessage) -> String? {
    guard let json = request.json else { return "the body of a write is no JSON" }
    guard let entries = json["characteristics"]?.elements, !entries.isEmpty else {
      return "a write has no list of characteristics"
    }
    var seen: Set<AttributeID> = []
    for (index, entry) in entries.enumerated() {
      guard let id = entry.attributeID else { return "entry \(index) of a write has no aid and iid" }
      guard entry["value"] != nil || entry["ev"] != nil else { return "the entry of \(id) has neither value nor ev" }
      if entry["ev"] != nil, entry.flag("ev") == nil { return "ev of \(id) is neither true nor false" }
      if !seen.insert(id).inserted { return "\(id) is written twice in one request" }
    }
    return nil
  }
}
