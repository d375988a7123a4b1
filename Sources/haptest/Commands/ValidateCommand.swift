import HAPCommandLine
import HAPSuite

extension Command {
  private static let schema = Flag("schema", "write the JSON Schema of suites, for editors")

  static let validate = Command(
    "validate", "look for mistakes in suites", operands: .some(label: "SUITE…", count: 0...1000),
    options: [schema.definition],
    discussion: ["Each is a file or a folder of .yaml files. Every mistake is told with file, line and column."],
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
      for problem in library.problems { console.print("\(problem)") }
      guard library.problems.isEmpty else { return .problem }
      console.print("\(library.suites.count) suites, \(library.cases.count) cases: all well")
      return .well
    }
  }
}
