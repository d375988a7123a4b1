import Foundation
import HAPDeviations
import Testing

struct EmbeddedDefectsTests {
  @Test("The embedded defects equal the files of the folder Defects, byte by byte") func files() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Defects")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
    #expect(EmbeddedDefects.files.map(\.name) == names.sorted())
    for file in EmbeddedDefects.files {
      let bytes = Array(try Data(contentsOf: folder.appendingPathComponent(file.name)))
      #expect(file.text.withUTF8Buffer { Array($0) } == bytes, "\(file.name)")
    }
  }
}
