import HAPDeviations
import HAPProfile
import HAPWire

extension AccessoryProfile {
  /// The faults that the accessory has from its start: those that are right.
  package var faultChoices: [FaultChoice] {
    (faults?.elements ?? []).compactMap { try? FaultLibrary.builtIn.choice($0) }
  }

  /// What is wrong with the member `faults`.
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
