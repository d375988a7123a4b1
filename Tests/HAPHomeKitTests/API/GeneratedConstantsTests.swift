import Foundation
import HAPTestSupport
import Testing

/// The generated files of the facade.
@Suite struct GeneratedConstantsTests {
  @Test(
    "The generated files are those of the script",
    arguments: ["generate-homekit-constants", "generate-catalogue", "generate-matter-catalogue"])
  func generatedFiles(script: String) throws {
    let (process, output) = (Process(), Pipe())
    process.executableURL = Repository.root.appending(path: "Scripts/\(script)")
    process.arguments = ["--check"]
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(words)")
  }
}
