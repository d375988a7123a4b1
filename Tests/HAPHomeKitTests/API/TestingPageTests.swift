import Foundation
import HAPTestSupport
import Testing

/// Checked: fails without `advance(to:)` in the page.
@Suite("The page about worlds for tests") struct TestingPageTests {
  @Test("It names each public member of HAPHomeKitTesting") func members() async throws {
    let graph = try await SymbolGraph.extract(module: "HAPHomeKitTesting")
    let page = try String(
      contentsOf: Repository.root.appending(path: "docs/reference/homekit-testing.md"), encoding: .utf8)
    let code = page.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 0 }.flatMap { part in
      part.element.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    }
    let symbols = graph.symbols.filter { $0.kind.identifier != "swift.init" }
    for symbol in symbols {
      let name = symbol.pathComponents.last ?? ""
      let forms = Self.forms(name)
      let isType = symbol.pathComponents.count == 1 || name.first?.isUppercase == true
      #expect(
        code.contains { text in forms.contains { $0 == name && !isType ? text == $0 : text.contains($0) } },
        "docs/reference/homekit-testing.md does not name \(symbol.pathComponents.joined(separator: "."))")
    }
    #expect(symbols.count > 45)
  }

  /// The beginnings of a member in code: "advance(to:" for "advance(to:file:line:)", "run {" for "run(file:line:_:)".
  private static func forms(_ name: String) -> [String] {
    let parts = name.split(separator: "(")
    guard parts.count == 2 else { return [name] }
    let labels = parts[1].dropLast().split(separator: ":").filter { !["file", "line"].contains($0) }
    guard let first = labels.first else { return ["\(parts[0])()"] }
    return first == "_" ? ["\(parts[0])(", "\(parts[0]) {"] : ["\(parts[0])(\(first):"]
  }
}
