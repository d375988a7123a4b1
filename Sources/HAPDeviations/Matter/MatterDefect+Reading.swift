import HAPWire
import MatterModel
import MatterWire

extension MatterDefect {
  /// The members of a defect of Matter, besides its id.
  static let members = ["what", "rule", "controller", "matter"]

  /// Reads the members of a defect.
  init(_ node: JSONNode) throws(JSONProblem) {
    rule = try node.string("rule")
    controller = try node.string("controller")
    let section = try node.required("matter")
    try section.refuseUnknownMembers(except: ["rules", "attestation"])
    rules = try section.each("rules") { (node) throws(JSONProblem) in try MatterRule(node) }
    attestation =
      try section["attestation"].map { (node) throws(JSONProblem) in try MatterAttestation(node) }
      ?? MatterAttestation()
    guard !rules.isEmpty || attestation != MatterAttestation() else {
      throw section.problem("it changes nothing: it needs rules or attestation")
    }
  }
}

extension MatterAttestation {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["dac", "pai", "paa", "declaration"])
    device = try node["dac"]?.word()
    intermediate = try node["pai"]?.word()
    authority = try node["paa"]?.word()
    declaration = try node["declaration"]?.word()
  }
}

extension MatterRule {
  private static let effects = ["drop", "code", "status", "wrong", "answer", "fail-safe"]

  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["when"] + Self.effects)
    let when = try node.required("when")
    (subject, count) = (try Subject(when), try when["nth"]?.position())
    let names = Self.effects.filter { node[$0] != nil }
    guard names.count == 1, let name = names.first else {
      throw node.problem("a rule has one of \(Self.effects.joined(separator: ", "))")
    }
    effect = try subject.effect(name, try node.required(name))
  }
}

extension MatterRule.Subject {
  fileprivate init(_ when: JSONNode) throws(JSONProblem) {
    try when.refuseUnknownMembers(except: ["request", "answer", "report", "nth"])
    let isReport = try when.bool("report", default: false)
    switch (when["request"], when["answer"], isReport) {
    case (let request?, nil, false): self = .request(try request.word())
    case (nil, let answer?, false): self = .answer(try answer.word())
    case (nil, nil, true): self = .report
    default: throw when.problem("it needs one of request, answer and report: true")
    }
  }

  /// Reads an effect, and checks that messages of this kind can have it.
  fileprivate func effect(_ name: String, _ node: JSONNode) throws(JSONProblem) -> MatterEffect {
    switch (self, name) {
    case (.request(let request), "answer"): return try Self.refusal(of: request, node)
    case (.request, "fail-safe"):
      guard node.stringValue == "expire" else { throw node.problem("it must be expire") }
      return .expireFailSafe
    case (.answer, "drop"), (.report, "drop"): return .drop(try Self.lostTransmissions(node))
    case (.answer(let request), "code"): return .code(try Self.code(of: request, node))
    case (.answer(let request), "status"): return .status(try MatterEffect.Status(node, of: request))
    case (.answer(let request), "wrong"):
      let part: MatterEffect.Part = try node.word()
      guard request.parts.contains(part) else {
        throw node.problem("the answer to \(request.rawValue) has no \(part.rawValue)")
      }
      return .wrong(part)
    case (.request, _):
      throw node.problem("a rule for a request has answer or fail-safe; for the answer, write answer in when")
    case (.answer, _):
      throw node.problem("a rule for an answer has drop, code, status or wrong; for the request, write request in when")
    case (.report, _): throw node.problem("a rule for reports has drop")
    }
  }

  private static func refusal(of request: MatterRequest, _ node: JSONNode) throws(JSONProblem) -> MatterEffect {
    try node.refuseUnknownMembers(except: ["code", "status"])
    switch (node["code"], node["status"]) {
    case (let code?, nil): return .refuseWithCode(try Self.code(of: request, code))
    case (nil, let status?): return .refuse(try MatterEffect.Status(status, of: request))
    default: throw node.problem("an answer has code or status")
    }
  }

  /// The most transmissions of a message. After them, its sender gives up.
  private static let mostTransmissions: Int128 = 5

  private static func lostTransmissions(_ node: JSONNode) throws(JSONProblem) -> Int {
    if node.boolValue == true { return .max }
    guard node.numberValue != nil else { throw node.problem("it must be true or a number of transmissions") }
    return Int(try node.asInteger(in: 1...mostTransmissions))
  }

  private static func code(of request: MatterRequest, _ node: JSONNode) throws(JSONProblem) -> UInt8 {
    guard request.hasCode else {
      let having = MatterRequest.allCases.filter(\.hasCode).map(\.rawValue).joined(separator: ", ")
      throw node.problem("the response to \(request.rawValue) has no code; those to \(having) have one")
    }
    return UInt8(try node.asInteger(in: 0...255))
  }
}

extension MatterEffect.Status {
  /// Reads the name of a status, as `InteractionStatus.Code` and `StatusReport.SecureChannelCode` have it.
  fileprivate init(_ node: JSONNode, of request: MatterRequest) throws(JSONProblem) {
    self =
      request.isHandshake
      ? .secureChannel(try Self.named(node, in: StatusReport.SecureChannelCode.allCases))
      : .interaction(try Self.named(node, in: InteractionStatus.Code.allCases))
  }

  private static func named<Code>(_ node: JSONNode, in codes: [Code]) throws(JSONProblem) -> Code {
    let text = try node.asString()
    guard let code = codes.first(where: { "\($0)" == text }) else {
      throw node.problem("it must be one of \(codes.map { "\($0)" }.joined(separator: ", ")), not \"\(text)\"")
    }
    return code
  }
}
