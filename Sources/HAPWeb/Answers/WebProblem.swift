import HAPWire

/// Why a request was refused. A refused request changes nothing.
///
/// In JSON: `{"error": {"code": "invalid-value", "message": "…", "path": "value", "line": 1, "column": 11}}`. The last three members are
/// present only if the problem has a place in the body.
package struct WebProblem: Error, Equatable, Sendable {
  /// The status of the answer, 400…599.
  package var status: Int
  /// The machine-readable reason.
  package var code: String
  /// One sentence for users, without a full stop.
  package var message: String
  /// Path of the value in the body: "services[0].type".
  package var path: String?
  package var place: JSONPlace?
  /// The number of the error in Apple's API, and the rule of a home that refused the request.
  package var number: Int?
  package var rule: String?
  /// The methods that the path supports, for 405.
  package var allowed: [String] = []
  /// Further problems of the same body, such as those of a profile.
  package var others: [WebProblem] = []

  package init(_ status: Int, _ code: String, _ message: String) {
    self.status = status
    self.code = code
    self.message = message
  }

  /// The body isn't JSON.
  package init(_ error: JSONError) {
    self.init(400, "malformed", error.message)
    place = error.place
  }

  /// The body is JSON of the wrong form.
  package init(_ problem: JSONProblem) {
    self.init(422, "invalid-body", problem.message)
    path = problem.path
    place = problem.place
  }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("code")
      json.string(code)
      json.key("message")
      json.string(message)
      if let number {
        json.key("number")
        json.integer(number)
      }
      if let rule {
        json.key("rule")
        json.string(rule)
      }
      if let path {
        json.key("path")
        json.string(path)
      }
      if let place {
        json.key("line")
        json.integer(place.line)
        json.key("column")
        json.integer(place.column)
      }
      guard !others.isEmpty else { return }
      json.key("others")
      json.array { json in for other in others { other.write(to: &json) } }
    }
  }

  package var answer: WebAnswer {
    var answer = WebAnswer.json(status) { json in
      json.object { json in
        json.key("error")
        self.write(to: &json)
      }
    }
    if !allowed.isEmpty { answer.fields.append(HTTPField("Allow", allowed.joined(separator: ", "))) }
    if status == 401 { answer.fields.append(HTTPField("WWW-Authenticate", "Bearer")) }
    return answer
  }
}
