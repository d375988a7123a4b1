/// The operations of an API; the names are the `operationId`s of its OpenAPI document.
package protocol WebOperation: CaseIterable, RawRepresentable<String>, Sendable {
  var form: WebForm { get }
  /// Greatest depth of a body.
  static var depthLimit: Int { get }
}

extension WebOperation {
  package static var depthLimit: Int { 64 }

  /// Returns the operations at a path with the values of their placeholders: those without placeholders, or else those
  /// whose placeholders match.
  static func operations(at path: [String]) -> [(operation: Self, form: WebForm, parameters: [String: String])] {
    let all = allCases.compactMap { operation in
      let form = operation.form
      return form.parameters(path).map { (operation, form, $0) }
    }
    let exact = all.filter(\.2.isEmpty)
    return exact.isEmpty ? all : exact
  }
}

/// Method, path and parameters of the request for an operation.
package struct WebForm: Sendable {
  package enum Body: Sendable {
    case none, optional, required
    /// Required, and parsed by the operation.
    case unparsed
  }

  package var method: String
  /// Parts in braces are placeholders: "/v1/accessories/{accessory}".
  package var path: String
  package var query: [String]
  package var body: Body

  package init(_ method: String, _ path: String, query: [String] = [], body: Body = .none) {
    self.method = method
    self.path = "/v1" + path
    self.query = query
    self.body = body
  }

  package var parts: [Substring] { path.dropFirst().split(separator: "/") }

  /// Returns the values of the placeholders; nil if the path doesn't match.
  func parameters(_ path: [String]) -> [String: String]? {
    let parts = parts
    guard parts.count == path.count else { return nil }
    var parameters: [String: String] = [:]
    for (wanted, part) in zip(parts, path) {
      if wanted.hasPrefix("{") {
        parameters[String(wanted.dropFirst().dropLast())] = part
      } else if wanted != part {
        return nil
      }
    }
    return parameters
  }
}
