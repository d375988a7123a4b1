import HAPCommandLine
import HAPSuite
import HAPWire

extension Command {
  private static let schema = Flag("schema", "write the JSON Schema of suites, for editors")

  static let validate = Command(
    "validate", "check suites for errors", operands: .some(label: "SUITE…", count: 0...1000),
    options: [schema.definition, SuiteOptions.json.definition],
    discussion: ["SUITE is a file or a folder of .yaml files. Every error is printed with file, line and column."],
    examples: [("haptest validate Suites my-suites/lamp.yaml", "a folder and a file")]
  ) { (arguments, console) throws(UsageError) in
    try haptest("validate", console) {
      if arguments[schema] {
        console.show(SuiteSchema.text)
        return .well
      }
      guard !arguments.operands.isEmpty else { throw UsageError("SUITE… is missing") }
      var library = SuiteLibrary()
      for place in arguments.operands { try library.add(place) }
      if arguments[SuiteOptions.json] {
        console.print(validationJSON(library))
        return library.problems.isEmpty ? .well : .problem
      }
      for problem in library.problems { console.print("\(problem)") }
      guard library.problems.isEmpty else { return .problem }
      console.print("\(library.suites.count) suites, \(library.cases.count) cases: no errors")
      return .well
    }
  }
}

/// Returns an object: the numbers of suites and cases, and every problem with its place.
private func validationJSON(_ library: SuiteLibrary) -> String {
  JSONWriter.text { json in
    json.object { json in
      json.key("suites")
      json.integer(library.suites.count)
      json.key("cases")
      json.integer(library.cases.count)
      json.key("problems")
      json.array { json in
        for problem in library.problems {
          json.object { json in
            for (name, text) in [("file", problem.file), ("path", problem.path), ("message", problem.message)] {
              json.key(name)
              json.string(text)
            }
            for (name, number) in [("line", problem.place.line), ("column", problem.place.column)] {
              json.key(name)
              json.integer(number)
            }
          }
        }
      }
    }
  }
}
