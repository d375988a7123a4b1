import Testing

/// The attributes know no protocol: HAP over IP, Bluetooth LE and Matter are front ends of them.
///
/// Seen to fail: with the file of the JSON of an attribute database in the folder.
struct AttributeTests {
  private static let folder = "Sources/HAPProtocol/Attributes"
  /// Words of protocols, and the modules and types that render and read them.
  private static let words = [
    "http", "json", "frame", "connectioncore", "accessorycore", "import hapwire", "bytebuffer",
  ]

  @Test("The attributes name no protocol and none of its types") func words() throws {
    let files = try SourceFile.all(in: [Self.folder])
    #expect(files.count >= 10)
    for file in files {
      for (number, line) in file.lines.enumerated() {
        let found = Self.words.filter { line.lowercased().contains($0) }
        #expect(found.isEmpty, "\(file.path):\(number + 1) names \(found)")
      }
    }
  }
}
