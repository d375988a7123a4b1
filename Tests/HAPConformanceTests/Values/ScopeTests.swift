import HAPSuite
import HAPWire
import Testing

@testable import HAPExpectation

@Suite("Substitution of variables") struct ScopeTests {
  private func scope() throws -> Scope {
    var scope = Scope()
    scope["on"] = try yaml("{ id: 1.9, perms: [pr, pw], values: [false, true], 'null': ~, nested: [{ x: 5 }] }")
    scope["n"] = try yaml("7")
    scope["t"] = try yaml("text")
    scope["counted"] = try yaml("{ count: own }")
    return scope
  }

  @Test(
    "Paths lead to values, and a whole value keeps its kind",
    arguments: [
      ("${n}", "7"), ("${t}", "text"), ("${on.perms}", "[pr, pw]"), ("${on.perms[0]}", "pr"), ("${on.perms[-1]}", "pw"),
      ("${on.perms.count}", "2"), ("${on.nested[0].x}", "5"), ("${on.values[1]}", "true"), ("${on.null}", "null"),
      ("${counted.count}", "own"),
    ])
  func paths(_ text: String, _ value: String) throws {
    #expect(try scope().resolve(.text(text)).says(yaml(value)))
  }

  @Test(
    "Inside other text, values are inserted as text",
    arguments: [
      ("a${n}", "a7"), ("${n}${n}", "77"), ("${t} ", "text "), ("${on.values[1]}!", "true!"), ("${on.null}.", "null."),
      ("x ${on.perms} y", "x [\"pr\",\"pw\"] y"), ("$n $$ {n} }", "$n $$ {n} }"), ("", ""),
      ("${t}: ${on.id}.", "text: 1.9."),
    ])
  func text(_ text: String, _ value: String) throws {
    #expect(try scope().resolve(.text(text)).stringValue == value)
  }

  @Test(
    "A path that doesn't exist is an error of the suite",
    arguments: [
      ("${x}", "the variable \"x\" has no value"), ("${on.x}", "\"on.x\" has no value"),
      ("${on.perms[2]}", "has no value"),
      ("${on.perms[-3]}", "has no value"), ("${on.perms[a]}", "has no value"), ("${on.perms[0}", "has no value"),
      ("${n.count}", "has no value"), ("${t[0]}", "has no value"), ("${n", "a variable has no closing brace"),
      ("${}", "the variable \"\" has no value"),
      ("${on.perms[99999999999999999999]}", "has no value"), ("${on..id}", "has no value"),
    ])
  func nowhere(_ text: String, _ fragment: String) throws {
    let scope = try scope()
    let node = try #require(yaml("[a, \"\(text)\"]").elements?[1])
    let error = try #require(stepError { () throws(StepError) in try scope.resolve(node) })
    #expect(error.message.contains(fragment))
    #expect(error.place == JSONPlace(line: 1, column: 5) && error.path == "[1]")
  }

  @Test("Trees are resolved including member names, and keep their places") func trees() throws {
    let node = try yaml("{ \"k${n}\": [\"${on.id}\", 5, ~], b: { c: \"${t}\" } }")
    let resolved = try scope().resolve(node)
    #expect(resolved.says(try yaml("{ k7: [1.9, 5, ~], b: { c: text } }")))
    #expect(resolved["b"]?["c"]?.place == node["b"]?["c"]?.place && resolved["b"]?["c"]?.path.description == "b.c")
  }

  @Test("Variables inside a substituted value are not resolved") func once() throws {
    var scope = try scope()
    scope["inner"] = .text("${n}")
    #expect(try scope.resolve(.text("${inner}")).stringValue == "${n}")
    #expect(try scope.resolve(.text("a ${inner}")).stringValue == "a ${n}")
  }
}
