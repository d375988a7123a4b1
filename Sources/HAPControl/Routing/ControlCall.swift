import HAPWire

/// A request that was understood: which operation it asks for, and with what.
package struct ControlCall: Sendable {
  package let operation: ControlOperation
  /// What stands in place of the path's braces.
  private let parameters: [String: String]
  private let query: [String: String]
  /// Of the body; nil where none came, or where it is a profile.
  package let body: JSONNode?
  package let bytes: [UInt8]
  package let request: ControlRequest

  /// Takes time where the body is long.
  /// - Throws: 404, 405, 415 or 400.
  package init(_ request: ControlRequest) throws(ControlProblem) {
    self.request = request
    let path = request.path
    let there = ControlOperation.allCases.filter { Self.parameters($0.form.parts, path) != nil }
    guard !there.isEmpty else {
      throw ControlProblem(
        404, "no-such-path", "there is nothing at /\(path.joined(separator: "/").prefix(200)); see /v1/openapi.json")
    }
    let method = request.method == "HEAD" ? "GET" : request.method
    guard let operation = there.first(where: { $0.form.method == method }) else {
      var problem = ControlProblem(405, "wrong-method", "\(method.prefix(20)) is not to be asked here")
      problem.allowed = there.map(\.form.method).sorted()
      if problem.allowed.contains("GET") { problem.allowed.append("HEAD") }
      throw problem
    }
    self.operation = operation
    parameters = Self.parameters(operation.form.parts, path) ?? [:]
    var query: [String: String] = [:]
    for (name, value) in request.query {
      guard operation.form.query.contains(name) else {
        let meant = nearestName(to: name, in: operation.form.query).map { ": did you mean \"\($0)\"?" } ?? ""
        throw ControlProblem(400, "bad-query", "there is no query parameter \"\(name.prefix(100))\" here\(meant)")
      }
      guard query.updateValue(value, forKey: name) == nil else {
        throw ControlProblem(400, "bad-query", "the query parameter \"\(name)\" occurs twice")
      }
    }
    self.query = query
    bytes = request.body
    body = try Self.body(of: request, operation.form.body)
  }

  private static func body(
    of request: ControlRequest, _ wanted: ControlOperation.Body
  ) throws(ControlProblem) -> JSONNode? {
    if request.body.isEmpty {
      guard wanted != .required, wanted != .profile else {
        throw ControlProblem(400, "no-body", "a body of JSON is missing")
      }
      return nil
    }
    guard wanted != .none else { throw ControlProblem(400, "bad-request", "a body is not expected here") }
    // Pages of other sites can't send this type without being asked first, and nobody answers when they ask.
    let type = request[field: "content-type"] ?? ""
    let name = type.prefix { $0 != ";" }.lowercased()
    guard name.filter({ $0 != " " }) == "application/json" else {
      throw ControlProblem(
        415, "wrong-type", "the body's Content-Type is \"\(type.prefix(100))\"; it has to be application/json")
    }
    if wanted == .profile { return nil }
    do throws(JSONError) { return try JSONNode.parse(request.body) } catch { throw ControlProblem(error) }
  }

  /// Nil where the path is another.
  private static func parameters(_ form: [Substring], _ path: [String]) -> [String: String]? {
    guard form.count == path.count else { return nil }
    var parameters: [String: String] = [:]
    for (wanted, part) in zip(form, path) {
      if wanted.hasPrefix("{") {
        parameters[String(wanted.dropFirst().dropLast())] = part
      } else if wanted != part {
        return nil
      }
    }
    return parameters
  }

  /// What stands in place of a brace, which the form has.
  func parameter(_ name: String) -> String {
    guard let value = parameters[name] else { preconditionFailure("\(operation) has no {\(name)} in its path") }
    return value
  }

  /// Up to here JavaScript's numbers are exact.
  static let mostExact: UInt64 = (1 << 53) - 1

  func query(_ name: String) -> String? { query[name] }

  /// Texts of the query with commas between; none, if the parameter is missing. An empty text is one of them.
  func list(_ name: String) -> [String] {
    query[name]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
  }

  /// A number of the query.
  func number(_ name: String, in range: ClosedRange<UInt64>) throws(ControlProblem) -> UInt64? {
    guard let text = query[name] else { return nil }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(text), range.contains(number) else {
      throw ControlProblem(
        400, "bad-query",
        "\"\(name)\" is a number from \(range.lowerBound) to \(range.upperBound), not \"\(text.prefix(50))\"")
    }
    return number
  }

  /// Takes the body apart.
  func reading<R>(_ body: (JSONNode) throws(JSONProblem) -> R) throws(ControlProblem) -> R {
    guard let node = self.body else { preconditionFailure("\(operation) was let through without a body") }
    do throws(JSONProblem) { return try body(node) } catch { throw ControlProblem(error) }
  }
}
