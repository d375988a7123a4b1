import Testing

/// A target has at most 6,000 handwritten lines, and depends on at most 12 other Swift targets, a program on 15.
///
/// Larger targets are listed with their figures. An unnecessary entry is an error, and so is one with another figure
/// than the present one. The list should get shorter; a figure may rise only if an imported target was divided.
///
/// Checked: these tests fail with a target with more dependencies than its entry, with a figure of another size, and
/// with an entry of a removed target.
struct TargetTests {
  private static let mostLines = 6_000
  private static let mostDependencies = 12
  private static let mostDependenciesOfPrograms = 15
  /// Libraries with all code of a program except its main file.
  private static let programBodies: Set = [
    "HapsimProgram", "HaptestProgram", "HAPSwarm", "HAPNodeSwarm", "HAPHomeSwarm",
  ]

  /// Keys such as "HAPIP lines" and "HAPIP dependencies", with the present figures.
  ///
  /// Apple's classes for homes refer to each other, so they are one module. An app could not import parts of it.
  private static let exceptions: [String: Int] = ["HAPHomeKit lines": 7344]

  private struct Measured {
    let name: String
    let isProgram: Bool
    let lines: Int
    /// Swift targets: no C libraries, no plugins.
    let dependencies: Int

    /// The figures above the limits.
    var excesses: [String: Int] {
      var excesses: [String: Int] = [:]
      if lines > mostLines { excesses["\(name) lines"] = lines }
      if dependencies > (isProgram ? mostDependenciesOfPrograms : mostDependencies) {
        excesses["\(name) dependencies"] = dependencies
      }
      return excesses
    }
  }

  private static func measured() throws -> [Measured] {
    let package = try PackageDescription.read()
    let swift = Set(package.targets.filter { !["system-target", "plugin"].contains($0.type) }.map(\.name))
    return try package.code.filter { $0.type != "plugin" }.map { target in
      Measured(
        name: target.name, isProgram: target.type == "executable" || programBodies.contains(target.name),
        lines: try SourceFile.all(in: [target.path]).map(\.lineCount).reduce(0, +),
        dependencies: (target.target_dependencies ?? []).filter(swift.contains).count)
    }
  }

  @Test("No target exceeds the limits of size and dependencies, except for listed ones")
  func targets() throws {
    let targets = try Self.measured()
    #expect(targets.count > 40)
    #expect(targets.map(\.lines).reduce(0, +) > 60_000)
    var unused = Self.exceptions
    for (name, size) in targets.flatMap(\.excesses).sorted(by: { $0.key < $1.key }) {
      switch unused.removeValue(forKey: name) {
      case nil: Issue.record("\(name): \(size): divide it")
      case let listed? where size > listed: Issue.record("\(name) has grown from \(listed) to \(size): divide it")
      case let listed? where size < listed: Issue.record("\(name): \(size) now: change its entry from \(listed)")
      default: break
      }
    }
    #expect(unused.isEmpty, "these exceptions are unnecessary")
  }

  @Test("Figures above the limits are found")
  func excessesAreFound() {
    #expect(Measured(name: "a", isProgram: false, lines: 6_000, dependencies: 12).excesses.isEmpty)
    #expect(Measured(name: "a", isProgram: true, lines: 6_000, dependencies: 15).excesses.isEmpty)
    #expect(
      Measured(name: "a", isProgram: false, lines: 6_001, dependencies: 13).excesses
        == ["a lines": 6_001, "a dependencies": 13])
    #expect(Measured(name: "a", isProgram: true, lines: 1, dependencies: 16).excesses == ["a dependencies": 16])
  }

  /// The module under Apple's name is one line, and Apple's framework gives Foundation.
  private static let reexports = ["Sources/HomeKit/HomeKit.swift", "Sources/HAPHomeKit/Reexports.swift"]

  @Test("No target re-exports an import")
  func nothingIsReexported() throws {
    for target in try PackageDescription.read().code {
      for file in try SourceFile.all(in: [target.path]) {
        #expect(
          Self.reexports.contains(file.path)
            || !file.lines.contains { $0.contains("@_exported") && !$0.contains("//") },
          "\(file.path) re-exports an import")
      }
    }
  }
}
