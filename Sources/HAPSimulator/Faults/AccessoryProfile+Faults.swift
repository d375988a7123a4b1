import HAPFaults
import HAPProfile
import HAPWire

extension AccessoryProfile {
  /// The faults that the accessory has from its start, as commands take them: those that are right.
  package var faultNodes: [JSONNode] {
    (faults?.elements ?? []).filter { (try? FaultLibrary.builtIn.choice($0)) != nil }
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
