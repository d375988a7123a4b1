/// The files of a page.
package struct WebPage: Sendable {
  private let files: [String: StaticString]

  /// - Parameter files: the contents by name, each name once.
  package init(_ files: [(name: String, text: StaticString)]) {
    self.files = Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) })
  }

  /// Returns a file of the page.
  /// - Throws: 404, or 405.
  package func answer(_ request: WebRequest) throws(WebProblem) -> WebAnswer {
    let name = request.path.isEmpty ? "index.html" : request.path.joined(separator: "/")
    guard let text = files[name] else {
      throw WebProblem(404, "no-such-path", "there is nothing at /\(name.prefix(200)); the API is at /v1")
    }
    guard request.method == "GET" || request.method == "HEAD" else {
      var problem = WebProblem(405, "wrong-method", "the page supports only GET and HEAD")
      problem.allowed = ["GET", "HEAD"]
      throw problem
    }
    return .text(text, Self.contentType(of: name))
  }

  private static func contentType(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    default: "application/octet-stream"
    }
  }
}
