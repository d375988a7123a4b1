import HAPCommandLine
import HAPProfile
import HAPWire

extension Command {
  private static let matterFlag = Flag(
    "matter", "print what each profile becomes in Matter, and compare it with the catalogue of Matter")

  /// `hapsim validate`
  package static let validate = Command(
    "validate", "check profiles without serving them",
    operands: .some(label: "PROFILE…", count: 1...10_000),
    options: [matterFlag.definition, CommonOptions.json.definition],
    discussion: [
      "All problems of all profiles are printed with line and column. An accessory whose profile has an error can't be served. A warning is about data that "
        + "iOS is reported to refuse or to ignore. The exit status is 1 after errors, 0 after only warnings, and 3 if a file can't be read.",
      "With --matter, the endpoints of each profile are printed, with device types, clusters and attributes, the characteristic and the conversion of each value, "
        + "and the reasons for omissions. Endpoint numbers are those of an accessory that was never served. A warning is about "
        + "a cluster or an element that Matter demands and that is missing.",
    ],
    examples: [("hapsim validate light-colour --matter", "prints the clusters and attributes of the lamp in Matter")]
  ) { (arguments, console) throws(UsageError) in
    var profiles = arguments.operands.map { LoadedProfile(operand: $0) }
    if arguments[matterFlag] { for index in profiles.indices { profiles[index].addMatterSide() } }
    if arguments[CommonOptions.json] {
      console.print(validationJSON(profiles))
    } else {
      for line in validationText(profiles, console.output) { console.print(line) }
    }
    return profiles.exitCode
  }
}

/// Returns the report as text: a line per problem in the format of compilers, a line per profile without problems, then
/// the totals.
func validationText(_ profiles: [LoadedProfile], _ terminal: Terminal) -> [String] {
  var lines: [String] = []
  for loaded in profiles {
    if loaded.problems.isEmpty { lines.append("\(loaded.file): no problems") }
    for problem in loaded.problems {
      let word = terminal.styled(problem.severity.rawValue, problem.severity == .error ? .red : .yellow)
      let path = problem.path.isEmpty ? "" : problem.path + ": "
      let place = "\(loaded.file):\(problem.line):\(problem.column)"
      lines.append("\(place): \(word): \(path)\(problem.message) [\(problem.rule)]")
    }
    if let side = loaded.matterSide { lines += ["\(loaded.file) in Matter:"] + side.lines.map { "  " + $0 } }
  }
  let errors = profiles.count(.error)
  let warnings = profiles.count(.warning)
  guard errors + warnings > 0 else { return lines }
  return lines + ["\(counted(errors, "error")), \(counted(warnings, "warning"))"]
}

package func counted(_ count: Int, _ thing: String) -> String { count == 1 ? "1 \(thing)" : "\(count) \(thing)s" }

/// Returns the report as an object on one line.
func validationJSON(_ profiles: [LoadedProfile]) -> String {
  JSONWriter.text { json in
    json.object { json in
      json.key("profiles")
      json.array { json in
        for loaded in profiles {
          json.object { json in
            json.key("file")
            json.string(loaded.file)
            json.key("name")
            if let name = loaded.profile?.name { json.string(name) } else { json.null() }
            json.key("servable")
            json.bool(loaded.isServable)
            json.key("problems")
            json.array { json in for problem in loaded.problems { write(problem, to: &json) } }
            if let side = loaded.matterSide {
              json.key("matter")
              side.write(to: &json)
            }
          }
        }
      }
      json.key("errors")
      json.integer(profiles.count(.error))
      json.key("warnings")
      json.integer(profiles.count(.warning))
    }
  }
}

private func write(_ problem: ProfileProblem, to json: inout JSONWriter) {
  json.object { json in
    json.key("severity")
    json.string(problem.severity.rawValue)
    json.key("rule")
    json.string(problem.rule)
    json.key("path")
    json.string(problem.path)
    json.key("line")
    json.integer(problem.line)
    json.key("column")
    json.integer(problem.column)
    json.key("message")
    json.string(problem.message)
  }
}
