import HAPWire

/// A valid request: its operation and parameters.
package struct ControlCall: Sendable {
  package let operation: ControlOperation
  /// The values of the path's placeholders.
  private let parameters: [String: String]
  private let query: [String: String]
  /// The parsed body; nil without a body, or if it is a profile.
  package let body: JSONNode?
  package let bytes: [UInt8]
  package let request: ControlRequest

  /// Parsing a long body takes time.
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
      var problem = ControlProblem(405, "wrong-method", "\(method.prefix(20)) is not supported here")
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
        throw ControlProblem(400, "no-body", "the JSON body is missing")
      }
      return nil
    }
    guard wanted != .none else { throw ControlProblem(400, "bad-request", "a body is not expected here") }
    // Pages of other sites can't send this content type without a CORS preflight, which is never answered.
    let type = request[field: "content-type"] ?? ""
    let name = type.prefix { $0 != ";" }.lowercased()
    guard name.filter({ $0 != " " }) == "application/json" else {
      throw ControlProblem(
        415, "wrong-type", "the body's Content-Type is \"\(type.prefix(100))\"; it must be application/json")
    }
    if wanted == .profile { return nil }
    do throws(JSONError) { return try JSONNode.parse(request.body) } catch { throw ControlProblem(error) }
  }

  /// Returns the path's parameters; nil if the path doesn't match.
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

  /// Returns the value of a placeholder that the path has.
  func parameter(_ name: String) -> String {
    guard let value = parameters[name] else { preconditionFailure("\(operation) has no {\(name)} in its path") }
    return value
  }

  /// The largest integer that JavaScript represents exactly.
  static let mostExact: UInt64 = (1 << 53) - 1

  func query(_ name: String) -> String? { query[name] }

  /// Returns the comma-separated texts of a query parameter; none if it is missing. An empty text counts as one.
  func list(_ name: String) -> [String] {
    query[name]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
  }

  /// Returns a number of the query.
  func number(_ name: String, in range: ClosedRange<UInt64>) throws(ControlProblem) -> UInt64? {
    guard let text = query[name] else { return nil }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(text), range.contains(number) else {
      throw ControlProblem(
        400, "bad-query",
        "\"\(name)\" must be a number from \(range.lowerBound) to \(range.upperBound), not \"\(text.prefix(50))\"")
    }
    return number
  }

  /// Parses the body with a closure.
  func reading<R>(_ body: (JSONNode) throws(JSONProblem) -> R) throws(ControlProblem) -> R {
    guard let node = self.body else { preconditionFailure("\(operation) was accepted without a body") }
    do throws(JSONProblem) { return try body(node) } catch { throw ControlProblem(error) }
  }
}
