import HAPDevices
import HAPModel
import HAPProfile
import HAPWeb
import HAPWire

extension WebProblem {
  package init(_ error: CommandError) {
    let status =
      switch error.code {
      case .malformed, .unknownCommand: 422
      case .noSuchAccessory, .noSuchController, .noSuchFabric, .noSuchService, .noSuchCharacteristic: 404
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
      var told = WebProblem(
        isMalformed ? 400 : 422, isMalformed ? "malformed" : "invalid-profile", problem.message)
      if !isMalformed { told.path = problem.path }
      told.place = JSONPlace(line: problem.line, column: problem.column)
      return told
    }
    self = told.first ?? WebProblem(422, "invalid-profile", "\(errors)")
    others = Array(told.dropFirst())
  }
}
