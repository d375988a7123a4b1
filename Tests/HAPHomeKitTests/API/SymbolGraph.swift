import Foundation
import HAPTestSupport

/// The public declarations of a module, as `swift symbolgraph-extract` writes them.
struct SymbolGraph: Decodable {
  struct Symbol: Decodable {
    struct Kind: Decodable { let identifier: String }
    struct Identifier: Decodable { let precise: String }
    struct Fragment: Decodable {
      let kind: String
      let spelling: String
    }
    struct Parameter: Decodable { let declarationFragments: [Fragment] }
    struct Signature: Decodable {
      let parameters: [Parameter]?
      let returns: [Fragment]?
    }
    struct Generics: Decodable {
      struct Parameter: Decodable { let name: String }
      let parameters: [Parameter]?
    }

    let kind: Kind
    let identifier: Identifier
    let pathComponents: [String]
    let declarationFragments: [Fragment]?
    let functionSignature: Signature?
    let swiftGenerics: Generics?
  }

  struct Relationship: Decodable {
    let kind: String
    let source: String
    let target: String
    let targetFallback: String?
  }

  var symbols: [Symbol]
  var relationships: [Relationship]

  /// Extracts the graph from the module that these tests were built with. It takes one to two seconds, and a waiting
  /// test occupies no thread, so this needs no separate script.
  static func extract(module: String) async throws -> SymbolGraph {
    let folder = FileManager.default.temporaryDirectory.appending(path: "symbols-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let build = try buildFolder().resolvingSymlinksInPath()
    // The headers of the C libraries that the imported modules use.
    let sources = try FileManager.default.contentsOfDirectory(atPath: Repository.root.appending(path: "Sources").path)
    let headers = sources.filter { $0.hasPrefix("C") }.flatMap { ["-I", "Sources/\($0)"] }
    try await run(
      ["swift", "symbolgraph-extract", "-module-name", module, "-I", build.appending(path: "Modules").path] + headers
        + [
          "-target", build.deletingLastPathComponent().lastPathComponent, "-minimum-access-level", "public",
          "-skip-synthesized-members", "-skip-inherited-docs", "-output-dir", folder.path,
        ], log: folder.appending(path: "log"))
    let graphs = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasSuffix(".symbols.json") }
      .map { try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: $0)) }
    // One file for the module, and one for the extensions of each other module.
    return SymbolGraph(symbols: graphs.flatMap(\.symbols), relationships: graphs.flatMap(\.relationships))
  }

  /// The build folder of the running tests: `.build/<triple>/<configuration>`.
  private static func buildFolder() throws -> URL {
    guard let bundle = CommandLine.arguments.first(where: { $0.contains(".xctest") }) else {
      throw Failure("the test bundle is not among the arguments \(CommandLine.arguments)")
    }
    return URL(filePath: String(bundle[..<bundle.range(of: ".xctest")!.lowerBound])).deletingLastPathComponent()
  }

  private static func run(_ command: [String], log: URL) async throws {
    try Data().write(to: log)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = Repository.root
    let output = try FileHandle(forWritingTo: log)
    (process.standardOutput, process.standardError) = (output, output)
    let status: Int32 = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    guard status == 0 else {
      let words = try String(contentsOf: log, encoding: .utf8)
      throw Failure("\(command.joined(separator: " ")) ended with \(status): \(words)")
    }
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
