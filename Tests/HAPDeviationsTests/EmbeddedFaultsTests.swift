import Foundation
import HAPDeviations
import Testing

struct EmbeddedFaultsTests {
  @Test("The embedded faults equal the files of the folder Faults, byte by byte") func files() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Faults")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
    #expect(EmbeddedFaults.files.map(\.name) == names.sorted())
    for file in EmbeddedFaults.files {
      let bytes = Array(try Data(contentsOf: folder.appendingPathComponent(file.name)))
      #expect(file.text.withUTF8Buffer { Array($0) } == bytes, "\(file.name)")
    }
  }
}
