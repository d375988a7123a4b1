import Testing

/// A target has 6,000 lines at most that people wrote, and depends on 12 other Swift targets at most; a program on 15.
///
/// Larger targets are listed with their figures. An entry that is not needed any more is an error, and so is one whose figure is not the present
/// one. The list is to get shorter; a figure may rise only if a target that was imported was divided.
///
/// Seen to fail: with a target that had more dependencies than its entry, with a figure of another size, and with an entry of a target that is gone.
struct TargetTests {
  private static let mostLines = 6_000
  private static let mostDependencies = 12
  private static let mostDependenciesOfPrograms = 15
  /// Libraries that have all of a program but its main file.
  private static let programBodies: Set = ["HapsimProgram", "HaptestProgram", "HAPSwarm"]

  /// "target lines" and "target dependencies", with their figures.
  private static let exceptions: [String: Int] = [:]

  private struct Measured {
    let name: String
    let isProgram: Bool
    let lines: Int
    /// Swift targets: no C libraries, no plugins.
    let dependencies: Int

    /// What is more than the rule allows.
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

  @Test("No target is larger than the rule allows or has more dependencies, but for a list that only gets shorter")
  func targets() throws {
    let targets = try Self.measured()
    #expect(targets.count > 40)
    #expect(targets.map(\.lines).reduce(0, +) > 60_000)
    var unused = Self.exceptions
    for (name, size) in targets.flatMap(\.excesses).sorted(by: { $0.key < $1.key }) {
      switch unused.removeValue(forKey: name) {
      case nil: Issue.record("\(name): \(size): divide it")
      case let listed? where size > listed: Issue.record("\(name) has grown from \(listed) to \(size): divide it")
      case let listed? where size < listed: Issue.record("\(name): \(size) now: list it with that, not \(listed)")
      default: break
      }
    }
    #expect(unused.isEmpty, "these exceptions are not needed any more")
  }

  @Test("Figures beyond the rule are found")
  func excessesAreFound() {
    #expect(Measured(name: "a", isProgram: false, lines: 6_000, dependencies: 12).excesses.isEmpty)
    #expect(Measured(name: "a", isProgram: true, lines: 6_000, dependencies: 15).excesses.isEmpty)
    #expect(
      Measured(name: "a", isProgram: false, lines: 6_001, dependencies: 13).excesses
        == ["a lines": 6_001, "a dependencies": 13])
    #expect(Measured(name: "a", isProgram: true, lines: 1, dependencies: 16).excesses == ["a dependencies": 16])
  }

  @Test("No target exports what it imports")
  func nothingIsReexported() throws {
    for target in try PackageDescription.read().code {
      for file in try SourceFile.all(in: [target.path]) {
        #expect(
          !file.lines.contains { $0.contains("@_exported") && !$0.contains("//") },
          "\(file.path) exports what it imports")
      }
    }
  }
}
