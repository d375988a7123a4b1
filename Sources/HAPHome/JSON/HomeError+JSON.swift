import HAPWire

extension HomeError {
  /// Reads an error: `{"code": 31, "rule": "N2", "message": "…"}`.
  package init(_ node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["code", "rule", "message"])
    let member = try node.required("code")
    let number = try member.number(as: Int.self)
    guard let code = Code(rawValue: number) else { throw member.problem("there is no error \(number)") }
    self.init(
      code, try node.optional("rule") { node throws(JSONProblem) in try node.word("a rule", of: HomeRule.self) },
      try node.string("message"))
  }

  /// The object of the error.
  package var node: JSONNode {
    .members(
      ("code", .integer(code.rawValue)), ("rule", rule.map { .text($0.rawValue) }), ("message", .text(message)))
  }
}
