import Foundation

/// The checkout from which these tests were built, and the tools run in it.
enum Checkout {
  /// The folder of `Package.swift`.
  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The targets that must not do I/O, read a clock or draw randomness themselves.
  static let pureTargets = [
    "HAPAlmanac", "HAPAppleArchive", "HAPAttributes", "HAPCapture", "HAPCrypto", "HAPDeviations", "HAPDevices",
    "HAPExpectation", "HAPFleet", "HAPFuzzing", "HAPHome", "HAPHomeEngine", "HAPHomeFile", "HAPHomeSetup", "HAPIP",
    "HAPImport",
    "HAPJudge", "HAPLint", "HAPModel", "HAPPairing", "HAPProfile", "HAPReport", "HAPScenario", "HAPSuite",
    "HAPVocabulary", "HAPWire", "HAPYAML", "MDNS",
    "MatterBridge", "MatterController", "MatterInteraction", "MatterModel",
    "MatterProtocol",
    "MatterWire",
  ]

  /// The build folder of the running tests: `.build/<triple>/<configuration>`.
  static func buildFolder() throws -> URL {
    let bundle = try CommandLine.arguments.first { $0.contains(".xctest") }
      .orFail("the test bundle is not among the arguments \(CommandLine.arguments)")
    let path = bundle[..<bundle.range(of: ".xctest")!.lowerBound]
    return URL(fileURLWithPath: String(path)).deletingLastPathComponent()
  }

  /// The Swift files of a target, sorted by path.
  static func sources(of target: String) throws -> [URL] {
    let root = folder.appendingPathComponent("Sources/\(target)")
    let found = try FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
      .orFail("there is no folder \(root.path)")
    return found.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.sorted { $0.path < $1.path }
  }

  /// The Swift files of a target that a plugin of the package generated in this build.
  static func embeddedSources(of target: String) throws -> [URL] {
    // The scratch folder contains the build folder, and plugins/outputs/PACKAGE/TARGET/destination/PLUGIN.
    let outputs = try buildFolder().resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("plugins/outputs")
    let files = FileManager.default.enumerator(at: outputs, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    return (files ?? []).filter { $0.pathExtension == "swift" && $0.pathComponents.dropLast(3).last == target }
      .sorted { $0.path < $1.path }
  }

  /// The names of the modules that a Swift file imports.
  static func modulesImported(by text: String) -> [String] {
    let attributes = #"(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"#
    let kinds = #"(?:(?:struct|class|enum|protocol|typealias|func|var|let|actor)\s+)?"#
    let pattern = try! NSRegularExpression(
      pattern: #"(?:^|;)[ \t]*"# + attributes + #"import\s+"# + kinds + #"(\w+)"#, options: .anchorsMatchLines)
    let whole = NSRange(text.startIndex..., in: text)
    return pattern.matches(in: text, range: whole).map { String(text[Range($0.range(at: 1), in: text)!]) }
  }

  /// The standard output of a command. If the command fails, the error has its standard error output.
  static func output(of command: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = folder
    let answer = Pipe()
    let said = FileManager.default.temporaryDirectory.appendingPathComponent("house-\(UUID().uuidString)")
    try Data().write(to: said)
    defer { try? FileManager.default.removeItem(at: said) }
    process.standardOutput = answer
    process.standardError = try FileHandle(forWritingTo: said)  // a file, because a full pipe would block the command
    try process.run()
    let output = answer.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let words = (try? String(contentsOf: said, encoding: .utf8)) ?? ""
      throw Failure("\(command.joined(separator: " ")) ended with \(process.terminationStatus): \(words)")
    }
    return output
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension Optional {
  func orFail(_ why: @autoclosure () -> String) throws -> Wrapped {
    guard let self else { throw Failure(why()) }
    return self
  }
}
