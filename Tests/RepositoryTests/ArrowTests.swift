import Foundation
import Testing

/// Checks that the targets' dependencies match docs/internals/architecture.md.
///
/// Checked: these tests fail with `"HAPLoop"` added to HAPStore's dependencies in Package.swift, and with `HAPWire`
/// removed from HAPPairing's row: "HAPPairing depends on [HAPCrypto, HAPModel, HAPWire] but the table says [HAPCrypto,
/// HAPModel]".
struct ArrowTests {
  /// The table between the marks `<!-- arrows -->` and `<!-- end of arrows -->`: the dependencies of each target.
  private func arrowsOfThePage() throws -> [String: Set<String>] {
    let page = Checkout.folder.appendingPathComponent("docs/internals/architecture.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try text.range(of: "<!-- arrows -->").orFail(
      "docs/internals/architecture.md has no mark <!-- arrows -->")
    let end = try text.range(of: "<!-- end of arrows -->", range: start.upperBound..<text.endIndex)
      .orFail("docs/internals/architecture.md has no mark <!-- end of arrows -->")
    var arrows: [String: Set<String>] = [:]
    for line in text[start.upperBound..<end.lowerBound].split(separator: "\n").dropFirst(2) where line.hasPrefix("|") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      try #require(cells.count >= 4, "not a row of two cells: \(line)")
      let names = { (cell: String) in cell.split { !($0.isLetter || $0.isNumber || $0 == "-") }.map(String.init) }
      let target = try names(cells[1]).first.orFail("no target in \(line)")
      try #require(arrows[target] == nil, "\(target) has two rows")
      arrows[target] = Set(names(cells[2]))
    }
    return arrows
  }

  @Test("The targets' dependencies match the table of docs/internals/architecture.md")
  func arrows() throws {
    let package = try PackageDescription.read().arrows
    let page = try arrowsOfThePage()
    try #require(package.count > 10, "swift package describe printed \(package.keys.sorted())")
    #expect(package.keys.sorted() == page.keys.sorted(), "the targets of Package.swift and the rows of the table")
    for (target, dependencies) in package {
      let row = page[target] ?? []
      #expect(
        dependencies == row,
        "\(target) depends on \(dependencies.sorted()) but the table says \(row.sorted())")
    }
  }

  @Test("A pure target depends only on pure targets, on computing libraries and on the plugin that embeds texts")
  func pureTargetsDependOnPureTargets() throws {
    let package = try PackageDescription.read().arrows
    for target in Checkout.pureTargets {
      let dependencies = try package[target].orFail("Package.swift has no target \(target)")
      let impure = dependencies.subtracting(Checkout.pureTargets).subtracting([
        "CSodium", "CLibcrypto", "CMath", "CPlist", "CYAML", "EmbedTexts",
      ])
      #expect(impure.isEmpty, "\(target) depends on \(impure.sorted())")
    }
  }

  /// The package manager allows imports of indirect dependencies; this test doesn't.
  ///
  /// Checked: this test fails with `import HAPStore` in a file of HAPTransport, "HAPTransport/AccessoryServer.swift
  /// imports HAPStore".
  @Test("A target imports only its direct dependencies")
  func importsFollowArrows() throws {
    let package = try PackageDescription.read().arrows
    let ours = Set(package.keys).union(package.values.joined())
    for (target, dependencies) in package where target != "HAPTestSupport" {
      for source in try Checkout.sources(of: target) {
        let modules = try Checkout.modulesImported(by: String(contentsOf: source, encoding: .utf8))
        for module in Set(modules).intersection(ours).subtracting(dependencies) {
          Issue.record("\(target)/\(source.lastPathComponent) imports \(module), which is not a dependency")
        }
      }
    }
  }
}
