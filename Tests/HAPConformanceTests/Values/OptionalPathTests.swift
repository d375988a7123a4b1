import HAPSuite
import HAPWire
import Testing

@testable import HAPExpectation

/// Paths that may lead nowhere.
@Suite struct OptionalPathTests {
  private var scope: Scope {
    var scope = Scope()
    scope["light"] = .object([("On", .object([("id", .text("1.9"))])), ("levels", .list([.integer(1)]))])
    return scope
  }

  private func resolved(_ text: String) throws -> String {
    let node = try scope.resolve(.text(text))
    return JSONWriter.text { $0.node(node) }
  }

  @Test(
    "Behind a question mark it is null where the path leads nowhere, and the value where it leads somewhere",
    arguments: [
      ("${light.On.id?}", #""1.9""#), ("${light.Hue?}", "null"), ("${light.Hue.id?}", "null"),
      ("${light.levels[0]?}", "1"), ("${light.levels[7]?}", "null"),
    ])
  func optional(_ text: String, _ value: String) throws { #expect(try resolved(text) == value) }

  @Test(
    "Without one it is a mistake, and so is a variable that nothing gives", arguments: ["${light.Hue}", "${lamp?}"])
  func mistakes(_ text: String) { #expect(throws: StepError.self) { try resolved(text) } }
}
