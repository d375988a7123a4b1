import HAPWire

/// A valid request: its operation and parameters.
package struct WebCall<Operation: WebOperation>: Sendable {
  package let operation: Operation
  /// The values of the path's placeholders.
  private let parameters: [String: String]
  private let query: [String: String]
  /// The parsed body; nil without a body, or if the operation parses it.
  package let body: JSONNode?
  package let bytes: [UInt8]
  package let request: WebRequest

  /// Parsing a long body takes time.
  /// - Throws: 404, 405, 415 or 400.
  package init(_ request: WebRequest) throws(WebProblem) {
    self.request = request
    let path = request.path
    let there = Operation.operations(at: path)
    guard !there.isEmpty else {
      throw WebProblem(
        404, "no-such-path", "there is nothing at /\(path.joined(separator: "/").prefix(200)); see /v1/openapi.json")
    }
    let method = request.method == "HEAD" ? "GET" : request.method
    guard let (operation, form, parameters) = there.first(where: { $0.form.method == method }) else {
      var problem = WebProblem(405, "wrong-method", "\(method.prefix(20)) is not supported here")
      problem.allowed = there.map(\.form.method).sorted()
      if problem.allowed.contains("GET") { problem.allowed.append("HEAD") }
      throw problem
    }
    self.operation = operation
    self.parameters = parameters
    var query: [String: String] = [:]
    for (name, value) in request.query {
      guard form.query.contains(name) else {
        let meant = nearestName(to: name, in: form.query).map { ": did you mean \"\($0)\"?" } ?? ""
        throw WebProblem(400, "bad-query", "there is no query parameter \"\(name.prefix(100))\" here\(meant)")
      }
      guard query.updateValue(value, forKey: name) == nil else {
        throw WebProblem(400, "bad-query", "the query parameter \"\(name)\" occurs twice")
      }
    }
    self.query = query
    bytes = request.body
    body = try Self.body(of: request, form.body)
  }

  private static func body(
    of request: WebRequest, _ wanted: WebForm.Body
  ) throws(WebProblem) -> JSONNode? {
    if request.body.isEmpty {
      guard wanted != .required, wanted != .unparsed else {
        throw WebProblem(400, "no-body", "the JSON body is missing")
      }
      return nil
    }
    guard wanted != .none else { throw WebProblem(400, "bad-request", "a body is not expected here") }
    // Pages of other sites can't send this content type without a CORS preflight, which is never answered.
    let type = request[field: "content-type"] ?? ""
    let name = type.prefix { $0 != ";" }.lowercased()
    guard name.filter({ $0 != " " }) == "application/json" else {
      throw WebProblem(
        415, "wrong-type", "the body's Content-Type is \"\(type.prefix(100))\"; it must be application/json")
    }
    if wanted == .unparsed { return nil }
    do throws(JSONError) { return try JSONNode.parse(request.body, depthLimit: Operation.depthLimit) } catch {
      throw WebProblem(error)
    }
  }

  /// Returns the value of a placeholder that the path has.
  package func parameter(_ name: String) -> String {
    guard let value = parameters[name] else { preconditionFailure("\(operation) has no {\(name)} in its path") }
    return value
  }

  /// The largest integer that JavaScript represents exactly.
  package static var mostExact: UInt64 { (1 << 53) - 1 }

  package func query(_ name: String) -> String? { query[name] }

  /// Returns the comma-separated texts of a query parameter; none if it is missing. An empty text counts as one.
  package func list(_ name: String) -> [String] {
    query[name]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
  }

  /// Returns a number of the query.
  package func number(_ name: String, in range: ClosedRange<UInt64>) throws(WebProblem) -> UInt64? {
    guard let text = query[name] else { return nil }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(text), range.contains(number) else {
      throw WebProblem(
        400, "bad-query",
        "\"\(name)\" must be a number from \(range.lowerBound) to \(range.upperBound), not \"\(text.prefix(50))\"")
    }
    return number
  }

  /// Parses the body with a closure.
  package func reading<R>(_ body: (JSONNode) throws(JSONProblem) -> R) throws(WebProblem) -> R {
    guard let node = self.body else { preconditionFailure("\(operation) was accepted without a body") }
    do throws(JSONProblem) { return try body(node) } catch { throw WebProblem(error) }
  }
}
