import HAPExpectation
import HAPLint
import HAPWire

extension CaseRun {
  func find(_ node: JSONNode) throws {
    guard let database = device.database else { throw StepError(node, "no database has been read") }
    let finder = SubjectFinder(database: database)
    for member in node.members ?? [] {
      let wish = try scope.resolve(member.value)
      switch try finder.find(wish, among: { scope[$0] }) {
      case .found(let value, _): scope[member.name] = value
      case .nothing(let reason): throw CaseSkip(reason: reason)
      case .busy: preconditionFailure("nothing is taken")
      }
    }
  }

  func readDatabase(_ node: JSONNode) async throws {
    let name = name(of: node["on"] == nil ? nil : node)
    let connection = try await connection(name)
    if !connection.isSecured { try await pairVerify(on: name, as: device.owner ?? device.admin) }
    let answer = try await request("GET", "/accessories", on: connection, name)
    guard answer.status == 200 else {
      throw CaseFailure(
        "GET /accessories: the status is \(answer.status)", sent: "GET /accessories", accepted: ["status 200"],
        got: AnswerView(arrival: .message(answer), took: .zero).summary)
    }
    device.databaseBytes = answer.body
    do throws(JSONProblem) {
      let view = try DatabaseView(answer.body)
      device.database = view
      scope["database"] = view.node
      used.save(["save", "bytes"].compactMap { node[$0]?.stringValue } + ["database"], from: [.database])
      if let variable = node["save"]?.stringValue { scope[variable] = view.node }
      if let variable = node["bytes"]?.stringValue { scope[variable] = .text(Hexadecimal.text(answer.body)) }
    } catch {
      throw CaseFailure(
        "GET /accessories: \(error.message) at \(error.place)", sent: "GET /accessories", accepted: ["a database"],
        got: AnswerView(arrival: .message(answer), took: .zero).summary)
    }
  }

  /// Holds the database against rules. What is not strict is a deviation; what only says something is noted.
  func lint(_ node: JSONNode) throws {
    let bytes: [UInt8]
    if let given = node["of"] {
      bytes = try maker.bytes(given)
    } else if let read = device.databaseBytes {
      bytes = read
    } else {
      throw StepError(node, "no database has been read")
    }
    let rules = (node["rules"]?.elements ?? []).compactMap(\.stringValue)
    for rule in rules where DatabaseLint.rule(rule) == nil { throw StepError(node, "the lint has no rule \"\(rule)\"") }
    var facts = LintFacts(isReadOverIP: true)
    facts.category = device.txt?.first { $0.key == "ci" }.flatMap { Int($0.value) }
    if let again = node["again"] { facts.nullAgain = DatabaseLint.nulls(in: try maker.bytes(again)) }
    var wrong: [LintFinding] = []
    for finding in DatabaseLint(bytes).findings(rules: Set(rules), facts: facts) {
      switch finding.severity {
      case .must: wrong.append(finding)
      // A case of what must be doesn't fail for what should be.
      case .should: if definition.level == .must { deviate(finding.message) } else { wrong.append(finding) }
      case .nonStrict: deviate(finding.message)
      case .info: note(finding.message)
      }
    }
    guard let first = wrong.first else { return }
    let more = wrong.count > 1 ? " (and \(wrong.count - 1) more)" : ""
    throw CaseFailure(
      first.message + more, sent: "GET /accessories",
      accepted: ["a database that keeps \(rules.joined(separator: ", "))"],
      got: wrong.prefix(20).map { "\($0.message) (\($0.path))" }.joined(separator: "\n"))
  }

  func compare(_ node: JSONNode) throws {
    guard let old = node["old"], let new = node["new"] else { throw StepError(node, "two databases are compared") }
    let (before, after) = (try maker.bytes(old), try maker.bytes(new))
    let differences: [String]
    switch node["what"]?.stringValue {
    case "reused-ids": differences = DatabaseLint.reusedIDs(old: before, new: after)
    case "values":
      guard let old = ValueTable(before), let new = ValueTable(after) else {
        throw StepError(node, "there are no values in one of the two")
      }
      let again = try node["again"].map { try ValueTable(maker.bytes($0)) } ?? old
      differences = old.differences(from: new, whereAlso: again ?? old)
    default: differences = DatabaseLint.structuralDifferences(between: before, and: after)
    }
    if let name = node["save"]?.stringValue {
      scope[name] = .list(differences.map { .text($0) })
      return
    }
    guard let first = differences.first else { return }
    let more = differences.count > 1 ? " (and \(differences.count - 1) more)" : ""
    throw CaseFailure(first + more, accepted: ["no difference"], got: differences.prefix(20).joined(separator: "\n"))
  }
}
