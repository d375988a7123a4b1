import HAPSuite
import HAPWire
import Testing

@testable import HAPExpectation

/// Paths that may not exist.
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
    "With a question mark, a missing path is null, and an existing path is its value",
    arguments: [
      ("${light.On.id?}", #""1.9""#), ("${light.Hue?}", "null"), ("${light.Hue.id?}", "null"),
      ("${light.levels[0]?}", "1"), ("${light.levels[7]?}", "null"),
    ])
  func optional(_ text: String, _ value: String) throws { #expect(try resolved(text) == value) }

  @Test(
    "Without a question mark, a missing path or variable is an error", arguments: ["${light.Hue}", "${lamp?}"])
  func mistakes(_ text: String) { #expect(throws: StepError.self) { try resolved(text) } }
}
