import HAPExpectation
import HAPLint
import HAPSuite
import HAPWire

extension CaseRun {
  func find(_ subjects: [NamedSubject]) throws {
    guard let database = device.database else { throw StepProblem("no database has been read") }
    let finder = SubjectFinder(database: database)
    for wanted in subjects {
      switch finder.find(try wanted.subject(in: scope), among: { scope[$0] }) {
      case .found(let value, _): scope[wanted.name] = value
      case .nothing(let reason): throw CaseSkip(reason: reason)
      case .busy: preconditionFailure("nothing is taken")
      }
    }
  }

  func readDatabase(_ reading: DatabaseReading) async throws {
    let name = reading.on
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
      used.save([reading.save, reading.bytes].compactMap { $0 } + ["database"], from: [.database])
      if let variable = reading.save { scope[variable] = view.node }
      if let variable = reading.bytes { scope[variable] = .text(Hexadecimal.text(answer.body)) }
    } catch {
      throw CaseFailure(
        "GET /accessories: \(error.message) at \(error.place)", sent: "GET /accessories", accepted: ["a database"],
        got: AnswerView(arrival: .message(answer), took: .zero).summary)
    }
  }

  /// Checks the database against lint rules. Non-strict findings become deviations; findings for information become notes.
  func lint(_ step: DatabaseRules) throws {
    guard let bytes = step.database.map({ maker.bytes($0) }) ?? device.databaseBytes else {
      throw StepProblem("no database has been read")
    }
    let rules = step.rules
    for rule in rules where DatabaseLint.rule(rule) == nil { throw StepProblem("there is no lint rule \"\(rule)\"") }
    var facts = LintFacts(isReadOverIP: true)
    facts.category = device.txt?.first { $0.key == "ci" }.flatMap { Int($0.value) }
    if let again = step.again { facts.nullAgain = DatabaseLint.nulls(in: maker.bytes(again)) }
    var wrong: [LintFinding] = []
    for finding in DatabaseLint(bytes).findings(rules: Set(rules), facts: facts) {
      switch finding.severity {
      case .must: wrong.append(finding)
      // A case of the level `must` doesn't fail for a violated recommendation.
      case .should: if definition.level == .must { deviate(finding.message) } else { wrong.append(finding) }
      case .nonStrict: deviate(finding.message)
      case .info: note(finding.message)
      }
    }
    guard let first = wrong.first else { return }
    let more = wrong.count > 1 ? " (and \(wrong.count - 1) more)" : ""
    throw CaseFailure(
      first.message + more, sent: "GET /accessories",
      accepted: ["a database that complies with \(rules.joined(separator: ", "))"],
      got: wrong.prefix(20).map { "\($0.message) (\($0.path))" }.joined(separator: "\n"))
  }

  func compare(_ comparison: DatabaseComparison) throws {
    let (before, after) = (maker.bytes(comparison.old), maker.bytes(comparison.new))
    let differences: [String]
    switch comparison.aspect {
    case .structure: differences = DatabaseLint.structuralDifferences(between: before, and: after)
    case .reusedIDs: differences = DatabaseLint.reusedIDs(old: before, new: after)
    case .values:
      guard let old = ValueTable(before), let new = ValueTable(after) else {
        throw StepProblem("one of the two compared bodies contains no values")
      }
      let again = comparison.again.flatMap { ValueTable(maker.bytes($0)) }
      differences = old.differences(from: new, whereAlso: again ?? old)
    }
    if let name = comparison.save {
      scope[name] = .list(differences.map { .text($0) })
      return
    }
    guard let first = differences.first else { return }
    let more = differences.count > 1 ? " (and \(differences.count - 1) more)" : ""
    throw CaseFailure(first + more, accepted: ["no difference"], got: differences.prefix(20).joined(separator: "\n"))
  }
}
