import HAPIP
import HAPModel
import HAPWire

/// The rule "one-request-at-a-time".
struct OneRequestAtATime: JudgeRule {
  static let description = RuleDescription(
    "one-request-at-a-time", .requests, .should,
    "waits for the answer to a request before it sends the next one on the same connection",
    source: "field reports: Bouke/HAP#77, HAP-NodeJS#592",
    impact:
      "Accessories with small buffers, or that handle one request at a time, mix up answers or close the connection.",
    chance: "two requests on one connection")

  /// The time after which the answer may be considered lost.
  private static let lost = Duration.seconds(5)

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    switch act {
    case .arrived:
      guard let (request, at) = connection.owed, !connection.hasArrived, scene.now - at < Self.lost else { return }
      findings.breach("more bytes were sent before \(request.name) was answered")
    case .asked(let request) where connection.requests > 0:
      if connection.hasArrived {
        findings.chance()
      } else {
        findings.breach("\(request.name) arrived together with the previous request")
      }
    default: break
    }
  }
}

/// The rule "readable".
struct Readable: JudgeRule {
  static let description = RuleDescription(
    "readable", .requests, .must,
    "sends valid HTTP/1.1 and, after Pair Verify, frames that authenticate and contain at most 1024 bytes",
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

/// The rule "host-field".
struct HostField: JudgeRule {
  static let description = RuleDescription(
    "host-field", .requests, .must, "sends the header field Host in each request",
    source: "RFC 9112 §3.2", impact: "Servers that use a general HTTP library answer 400.",
    chance: "a request")

  mutating func take(
    _ act: ControllerAct, on connection: JudgedConnection, _ scene: JudgeScene, _ findings: inout JudgeFindings
  ) {
    guard case .asked(let request) = act else { return }
    switch request.fields.count(where: { $0.name.lowercased() == "host" }) {
    case 1: findings.chance()
    case 0: findings.breach("\(request.name) has no field Host")
    default: findings.breach("\(request.name) has several fields Host")
    }
  }
}

/// The rule "body-type".
struct BodyType: JudgeRule {
  static let description = RuleDescription(
    "body-type", .requests, .must,
    "declares the type of a body: application/pairing+tlv8 for pairing, application/hap+json for the rest",
    source: "HAP R2 §5.6, §6.7.2", impact: "Accessories that check the type refuse the request.",
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
    findings.breach("the body type of \(request.name) is \(type ?? "missing"), not \(wanted)")
  }
}

/// The rule "known-endpoints".
struct KnownEndpoints: JudgeRule {
  static let description = RuleDescription(
    "known-endpoints", .requests, .must, "requests only the resources of HAP, each with its method",
    source: "HAP R2 table 5-1, table 6-1",
    impact: "The accessory answers 404 or 405, and some accessories close the connection.",
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
      return findings.breach("HAP has no \(request.path) (\(request.method))")
    }
    if methods.contains(request.method) { return findings.chance() }
    findings.breach("\(request.path) is requested with \(request.method), not \(methods.joined(separator: " or "))")
  }
}

/// The rule "query-form".
struct QueryForm: JudgeRule {
  static let description = RuleDescription(
    "query-form", .requests, .must,
    "reads characteristics with one list of different IDs, aid.iid in plain digits, and with meta, perms, type and ev as 0 or 1",
    source: "HAP R2 §6.7.4", impact: "Some accessories answer 400, others return unexpected data.",
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
      return lists.count > 1 ? "a read has several lists of IDs" : "a read has no ID"
    }
    var seen: Set<String> = []
    for text in lists[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      guard let id = AttributeID(text), id.description == text else { return "\"\(text)\" is not an ID" }
      if !seen.insert(text).inserted { return "\(text) is requested twice in one read" }
    }
    return nil
  }
}

/// The rule "write-form".
struct WriteForm: JudgeRule {
  static let description = RuleDescription(
    "write-form", .requests, .must,
    "writes with a list of entries that have aid, iid, and value or ev, each characteristic once",
    source: "HAP R2 §6.7.2", impact: "The accessory answers 400, or carries out only a part.", chance: "a write")

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
    guard let json = request.json else { return "the body of a write is not JSON" }
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
