import HAPDevices
import HAPModel
import HAPProfile
import HAPWire

/// Why a request was refused. A refused request changes nothing.
///
/// In JSON: `{"error": {"code": "invalid-value", "message": "…", "path": "value", "line": 1, "column": 11}}`. The last three members are
/// present only if the problem has a place in the body.
package struct ControlProblem: Error, Equatable, Sendable {
  /// The status of the answer, 400…599.
  package var status: Int
  /// The machine-readable reason.
  package var code: String
  /// One sentence for users, without a full stop.
  package var message: String
  /// Path of the value in the body: "services[0].type".
  package var path: String?
  package var place: JSONPlace?
  /// The methods that the path supports, for 405.
  package var allowed: [String] = []
  /// Further problems of the same body, such as those of a profile.
  package var others: [ControlProblem] = []

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

  package init(_ error: CommandError) {
    let status =
      switch error.code {
      case .malformed, .unknownCommand: 422
      case .noSuchAccessory, .noSuchController, .noSuchService, .noSuchCharacteristic: 404
      case .ambiguous, .notPossible: 409
      case .invalidValue: 422
      case .failed: 500
      }
    self.init(status, error.code.rawValue, error.message)
  }

  /// - Parameter errors: at least one problem.
  package init(_ errors: ProfileErrors) {
    let told = errors.problems.filter { $0.severity == .error }.map { problem in
      // Without a path, because a text that isn't JSON has none.
      let isMalformed = problem.rule == ProfileRule.json.rawValue
      var told = ControlProblem(
        isMalformed ? 400 : 422, isMalformed ? "malformed" : "invalid-profile", problem.message)
      if !isMalformed { told.path = problem.path }
      told.place = JSONPlace(line: problem.line, column: problem.column)
      return told
    }
    self = told.first ?? ControlProblem(422, "invalid-profile", "\(errors)")
    others = Array(told.dropFirst())
  }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("code")
      json.string(code)
      json.key("message")
      json.string(message)
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

  package var answer: ControlAnswer {
    var answer = ControlAnswer.json(status) { json in
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
