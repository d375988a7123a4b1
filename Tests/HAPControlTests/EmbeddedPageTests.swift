import Foundation
import HAPControl
import Testing

struct EmbeddedPageTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Sources/HAPControl")

  @Test("The embedded page equals the files of the folder Page, byte by byte") func page() throws {
    let folder = Self.folder.appendingPathComponent("Page")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
    #expect(EmbeddedPage.files.map(\.name) == names.sorted())
    for file in EmbeddedPage.files {
      let bytes = Array(try Data(contentsOf: folder.appendingPathComponent(file.name)))
      #expect(file.text.withUTF8Buffer { Array($0) } == bytes, "\(file.name)")
    }
  }

  @Test("The embedded OpenAPI document equals that of the folder OpenAPI, on one line") func description() throws {
    let text = "\(EmbeddedDescription.text)"
    let source = try Data(contentsOf: Self.folder.appendingPathComponent("OpenAPI/openapi.json"))
    let members = try JSONSerialization.jsonObject(with: source) as? NSDictionary
    #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary == members && members != nil)
    let tokens = text.replacingOccurrences(of: #""(\\.|[^"\\])*""#, with: "", options: .regularExpression)
    #expect(!tokens.contains(where: \.isWhitespace) && tokens.hasPrefix("{:,"))
  }
}
