import HAPDeviations
import HAPProfile
import HAPWire

extension AccessoryProfile {
  /// The valid faults of the profile. They are active from the start.
  package var faultChoices: [FaultChoice] {
    (faults?.elements ?? []).compactMap { try? FaultLibrary.builtIn.choice($0) }
  }

  /// The errors of the member `faults`.
  package var faultProblems: [ProfileProblem] {
    guard let faults else { return [] }
    do throws(JSONProblem) {
      var problems: [ProfileProblem] = []
      for node in try faults.asList() {
        do throws(JSONProblem) { _ = try FaultLibrary.builtIn.choice(node) } catch {
          problems.append(ProfileProblem(rule: "fault", severity: .error, error))
        }
      }
      return problems
    } catch { return [ProfileProblem(rule: "fault", severity: .error, error)] }
  }
}
