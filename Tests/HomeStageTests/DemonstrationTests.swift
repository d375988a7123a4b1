import Foundation
import HAPCommandLine
import Testing

@testable import HomeStage

/// The demonstrations of Examples/Home: each run has the stored transcript and the stored home. Only one runs at a
/// time, because each has its folder as the working folder of the process.
@Suite("Demonstrations", .serialized) struct DemonstrationTests {
  private static let folder = URL(filePath: #filePath).appending(path: "../../../Examples/Home").standardized.path
  private static let names = (try? Demonstration.names(in: folder)) ?? []

  @Test("There are demonstrations") func exist() { #expect(Self.names.contains("wwdc15-arrive-home")) }

  @Test(
    "A demonstration has the stored transcript and home; after a change: Examples/Home/run --write NAME",
    arguments: names)
  func run(_ name: String) throws {
    let demonstration = Demonstration(folder: "\(Self.folder)/\(name)")
    let result = try demonstration.run()
    #expect(result.problems.isEmpty && result.foreignJobCount == 0)
    #expect(try demonstration.differences(result).isEmpty)
  }
}
