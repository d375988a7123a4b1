import HAPWire
import Testing

@testable import HAPSuite

/// Reusable steps of a suite.
@Suite struct RoutinesTests {
  private func read(_ routines: String, steps: String) throws -> (steps: [Step], problems: [String]) {
    let text = """
      {"area": "x", "title": "X", "routines": \(routines), "cases": [
        {"id": "XX-01", "name": "x", "requirement": "x", "level": "must", "section": "x", "steps": \(steps)}]}
      """
    let (suite, problems) = SuiteReader.read(try JSONNode.parse(Array(text.utf8)), file: "x.yaml")
    return (suite.cases.first?.steps ?? [], problems.map(\.message))
  }

  private func verbs(_ steps: [Step]) -> [String] { steps.map(\.name.rawValue) }

  @Test("A call is replaced with the routine's steps, after the given variables")
  func expands() throws {
    let (steps, problems) = try read(
      #"{"twice": [{"record": "${a}"}, {"alive": true}]}"#,
      steps: #"[{"wait": "1s"}, {"do": {"routine": "twice", "with": {"a": 1}}}, {"do": "twice"}]"#)
    #expect(problems == [])
    #expect(verbs(steps) == ["wait", "let", "record", "alive", "record", "alive"])
  }

  @Test(
    "Calls are expanded in each list of steps inside a step",
    arguments: [
      #"{"repeat": {"times": 2, "steps": [{"do": "r"}]}}"#,
      #"{"each": {"in": [1], "as": "i", "steps": [{"do": "r"}]}}"#,
      #"{"if": {"that": 1, "is": 1, "then": [{"do": "r"}]}}"#, #"{"if": {"that": 1, "is": 1, "else": [{"do": "r"}]}}"#,
      #"{"try": {"steps": [{"do": "r"}]}}"#, #"{"try": {"steps": [{"wait": "1s"}], "always": [{"do": "r"}]}}"#,
      #"{"together": [[{"do": "r"}]]}"#, #"{"finally": [{"do": "r"}]}"#,
    ])
  func nested(_ step: String) throws {
    let (steps, problems) = try read(#"{"r": [{"alive": true}]}"#, steps: "[\(step)]")
    #expect(problems == [])
    let text = JSONWriter.text { $0.node(steps[0].node) }
    #expect(text.contains("alive") && !text.contains(#""do""#))
  }

  @Test("A message is not expanded, even if a member is called do")
  func messages() throws {
    let (steps, problems) = try read("{}", steps: #"[{"send": {"path": "/x", "json": {"steps": [{"do": "r"}]}}}]"#)
    #expect(problems == [])
    #expect(JSONWriter.text { $0.node(steps[0].node) }.contains(#""do""#))
  }

  @Test("Exponential nesting of routines is refused with one mistake")
  func explosion() throws {
    let names = ["a", "b", "c", "d", "e", "f", "g"]
    let calls = { (name: String) in
      "[" + Array(repeating: #"{"do": "\#(name)"}"#, count: 50).joined(separator: ",") + "]"
    }
    let routines =
      zip(names, names.dropFirst() + ["z"]).map { #""\#($0)": \#(calls($1))"# } + [#""z": [{"alive": true}]"#]
    let (_, problems) = try read("{" + routines.joined(separator: ",") + "}", steps: #"[{"do": "a"}]"#)
    #expect(problems == ["the case and its routines have more than 20000 steps"])
  }

  @Test("An unknown routine is reported with the most similar one")
  func unknown() throws {
    let (_, problems) = try read(#"{"twice": [{"alive": true}]}"#, steps: #"[{"do": "twise"}]"#)
    #expect(problems.contains { $0.contains("no routine \"twise\"") && $0.contains("twice") })
  }

  @Test("Nested calls are expanded; a recursive routine is refused")
  func recursion() throws {
    let deep = #"{"a": [{"do": "b"}], "b": [{"do": "c"}], "c": [{"alive": true}]}"#
    #expect(try verbs(read(deep, steps: #"[{"do": "a"}]"#).steps) == ["alive"])
    let (_, problems) = try read(#"{"a": [{"do": "b"}], "b": [{"do": "a"}]}"#, steps: #"[{"do": "a"}]"#)
    #expect(problems.contains { $0.contains("calls itself") })
  }

  @Test("A variable that neither the case nor the call defines is reported")
  func variables() throws {
    let (_, problems) = try read(#"{"r": [{"record": "${missing}"}]}"#, steps: #"[{"do": "r"}]"#)
    #expect(problems.contains { $0.contains("missing") })
  }
}
