import Foundation
import Testing

/// `Scripts/unit-tests` runs test targets without real sockets in separate processes.
///
/// Checked: these tests fail without `Attributes` in the script's expression, and with `Protocol` in it, a removed
/// target.
struct UnitTestScriptTests {
  /// The regular expressions of the table `targets`: `[worlds]='^(Program|HAPWorld)Tests\.'`.
  private static func expressions() throws -> [String] {
    let script = try String(contentsOf: Checkout.folder.appendingPathComponent("Scripts/unit-tests"), encoding: .utf8)
    let list = try script.components(separatedBy: "targets=(\n").dropFirst().first
      .orFail("the script has no table targets")
    return try list.components(separatedBy: "\n)")[0].split(separator: "\n").map {
      try $0.components(separatedBy: "]='").dropFirst().first.orFail("\($0) has no expression")
        .trimmingCharacters(in: ["'"])
    }
  }

  @Test("The tests of each pure target run there") func pureTargets() throws {
    let expressions = try Self.expressions()
    let tests = Set(try PackageDescription.read().targets.filter { $0.type == "test" }.map(\.name))
    for target in Checkout.pureTargets where tests.contains("\(target)Tests") {
      #expect(
        expressions.contains { "\(target)Tests.Suite".range(of: $0, options: .regularExpression) != nil },
        "Scripts/unit-tests does not name \(target)Tests")
    }
  }

  @Test("Each name in the script is a test target") func names() throws {
    let tests = Set(try PackageDescription.read().targets.filter { $0.type == "test" }.map(\.name))
    for expression in try Self.expressions() {
      // `^(Program|HAPWorld)Tests\.` or `^(HAP(Wire|YAML)|MDNS)Tests\.`
      let body = expression.replacingOccurrences(of: "^(", with: "").replacingOccurrences(of: #")Tests\."#, with: "")
      let nested = body.components(separatedBy: "HAP(")
      var names = nested[0].split(separator: "|").map(String.init)
      if nested.count == 2 {
        let parts = nested[1].components(separatedBy: ")")
        names += parts[0].split(separator: "|").map { "HAP\($0)" } + parts[1].split(separator: "|").map(String.init)
      }
      #expect(!names.isEmpty)
      for name in names { #expect(tests.contains("\(name)Tests"), "there is no test target \(name)Tests") }
    }
  }
}
