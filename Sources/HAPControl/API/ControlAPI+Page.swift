extension ControlAPI {
  /// Returns a file of the page.
  func page(_ request: ControlRequest) throws(ControlProblem) -> ControlAnswer {
    let name = request.path.isEmpty ? "index.html" : request.path.joined(separator: "/")
    guard let file = EmbeddedPage.files.first(where: { $0.name == name }) else {
      throw ControlProblem(404, "no-such-path", "there is nothing at /\(name.prefix(200)); the API is at /v1")
    }
    guard request.method == "GET" || request.method == "HEAD" else {
      var problem = ControlProblem(405, "wrong-method", "the page supports only GET and HEAD")
      problem.allowed = ["GET", "HEAD"]
      throw problem
    }
    return .text(file.text, Self.contentType(of: name))
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
