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
    do throws(JSONProblem) {
      let view = try DatabaseView(answer.body)
      device.database = view
      scope["database"] = view.node
      if let variable = node["save"]?.stringValue { scope[variable] = view.node }
      if let variable = node["bytes"]?.stringValue { scope[variable] = .text(Hexadecimal.text(answer.body)) }
    } catch {
      throw CaseFailure(
        "GET /accessories: \(error.message) at \(error.place)", sent: "GET /accessories", accepted: ["a database"],
        got: AnswerView(arrival: .message(answer), took: .zero).summary)
    }
  }
}
