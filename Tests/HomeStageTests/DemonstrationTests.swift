import Foundation
import Testing

@testable import HomeStage

/// The demonstrations of Examples/Home: each run has the stored transcript and the stored home.
///
/// HomeStage runs in a process of its own, because a demonstration has its folder as the working folder.
@Suite("Demonstrations") struct DemonstrationTests {
  private static let folder = URL(filePath: #filePath).appending(path: "../../../Examples/Home").standardized.path
  private static let names = (try? Demonstration.names(in: folder)) ?? []

  /// HomeStage, in the folder of the tests' bundle.
  private var program: URL {
    get throws {
      let bundle = try #require(CommandLine.arguments.first { $0.contains(".xctest") })
      let end = try #require(bundle.range(of: ".xctest")).lowerBound
      return URL(filePath: String(bundle[..<end])).deletingLastPathComponent().appending(path: "HomeStage")
    }
  }

  @Test("There are demonstrations") func exist() { #expect(Self.names.contains("wwdc15-arrive-home")) }

  @Test(
    "A demonstration has the stored transcript and home; after a change: Examples/Home/run --write NAME",
    arguments: names)
  func run(_ name: String) throws {
    let (process, errors) = (Process(), Pipe())
    process.executableURL = try program
    process.arguments = [Self.folder, name]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    let problems = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0 && problems.isEmpty, "\(problems)")
  }
}
