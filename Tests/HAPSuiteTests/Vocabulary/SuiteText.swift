import HAPWire
import HAPYAML
import Testing

@testable import HAPSuite

/// Texts of small suites, and the reader's problems with them.
enum SuiteText {
  /// A case with these steps, one per line; the first is in line 12 and starts in column 9.
  static func steps(_ steps: String...) -> String {
    """
    area: lamp
    title: Lamps
    expectations:
      refused: { status: 400 }
    cases:
      - id: LM-01
        name: first
        requirement: It is a lamp.
        level: must
        section: none
        steps:

    """ + steps.map { "      - \($0)\n" }.joined()
  }

  /// A case with these lines after its section, in line 11, and one step.
  static func lines(_ lines: String) -> String {
    steps("verify: main").replacing("    steps:\n", with: "    \(lines)\n    steps:\n")
  }

  /// A case with one valid step, on the last line.
  static let right = steps("verify: main")

  static func read(_ text: String, file: String = "lamp.yaml") throws -> (suite: Suite, problems: [SuiteProblem]) {
    SuiteReader.read(try JSONNode.yaml(Array(text.utf8)), file: file)
  }

  static func problems(_ text: String) throws -> [SuiteProblem] { try read(text).problems }
}

/// A suite with one mistake, and the expected problem.
struct Mistake: CustomTestStringConvertible {
  var text: String
  var line: Int
  var column: Int
  var path: String
  /// A part of the message.
  var fragment: String
  var testDescription: String

  /// A malformed step. Its path is below "cases[0].steps[0]".
  init(_ step: String, _ column: Int, _ path: String, _ fragment: String) {
    self.init(SuiteText.steps(step), 12, column, "cases[0].steps[0]" + path, fragment, step)
  }

  /// A malformed line of a case, in line 11. Its path is below "cases[0]".
  init(line: String, _ column: Int, _ path: String, _ fragment: String) {
    self.init(SuiteText.lines(line), 11, column, "cases[0]" + path, fragment, line)
  }

  init(_ text: String, _ line: Int, _ column: Int, _ path: String, _ fragment: String, _ name: String? = nil) {
    (self.text, self.line, self.column, self.path) = (text, line, column, path)
    self.fragment = fragment
    testDescription = name ?? "\(path) \(fragment)"
  }

  func check() throws {
    let problems = try SuiteText.problems(text)
    let problem = try #require(problems.first, "no problem with \(testDescription)")
    #expect(problems.count == 1, "\(problems)")
    #expect(problem.message.contains(fragment), "\(problem)")
    #expect("\(problem.place)" == "\(line):\(column)", "\(problem)")
    #expect(problem.path == path, "\(problem)")
    #expect(problem.file == "lamp.yaml")
  }
}
