import Foundation
import Testing

/// EmbedTool converts texts to Swift in each build. Other tests check that the programs have the texts of the package:
/// `EmbeddedSuites` in HAPSuiteTests, and so on.
///
/// Checked: these tests fail with one `#` around each literal; without the check for carriage returns; with the last
/// block of SHA-256 padded to 60 bytes.
struct EmbedToolTests {
  /// A folder with files for the tool.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("embed-tool-\(UUID().uuidString)")

    init(_ files: [String: String]) throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      for (name, text) in files { try Data(text.utf8).write(to: url.appendingPathComponent(name)) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    var output: String { path("Output.swift") }

    /// Returns the file written by the tool.
    func embed(_ words: String...) throws -> String {
      _ = try Checkout.output(of: [try tool(), output] + words)
      return try String(contentsOfFile: output, encoding: .utf8)
    }

    /// Returns the error of the tool, which writes no file.
    func refusal(_ words: String...) throws -> String {
      do {
        _ = try Checkout.output(of: [try tool(), output] + words)
        return "no error"
      } catch let failure as Failure {
        #expect(!FileManager.default.fileExists(atPath: output))
        return failure.description
      }
    }

    private func tool() throws -> String { try Checkout.buildFolder().appendingPathComponent("EmbedTool").path }
  }

  private static let texts = [
    "", "\n", "one line", "two\nlines\n", "\"\"\"#\n\"##\"###", "\\#(1) \\##(2) \\(3) \\n", "\"\"\"", "#\"\"\"", "\\",
    "tab\tand blanks  \n  before", "ü 🏠 e\u{301}", "\u{FEFF}mark", "// */ /* \u{80}\u{2028}",
  ]

  @Test("The literals have exactly the bytes of the files") func literals() throws {
    var files: [String: String] = [:]
    for (index, text) in Self.texts.enumerated() { files["\(100 + index).txt"] = text }
    let folder = try Folder(files)
    let names = files.keys.sorted()
    _ = try Checkout.output(
      of: [try Checkout.buildFolder().appendingPathComponent("EmbedTool").path, folder.output, "--texts", "Texts"]
        + names.map(folder.path))
    let main = "for file in Texts.files { print(file.name, file.text.withUTF8Buffer { Array($0) }) }\n"
    try Data(main.utf8).write(to: folder.url.appendingPathComponent("main.swift"))
    _ = try Checkout.output(of: [
      "swiftc", "-package-name", "texts", folder.output, folder.path("main.swift"), "-o", folder.path("program"),
    ])
    let printed = String(decoding: try Checkout.output(of: [folder.path("program")]), as: UTF8.self)
    #expect(printed == names.map { "\($0) \(Array(files[$0]!.utf8))\n" }.joined())
  }

  @Test("A JSON document loses its white space, except inside strings") func json() throws {
    let folder = try Folder(["a.json": "{ \"a b\\\" c\" :\n\t[ 1, \" \\\\\" , \"x y\" ]\n}\n"])
    let swift = try folder.embed("--json", "Document", folder.path("a.json"))
    #expect(swift.contains("\n{\"a b\\\" c\":[1,\" \\\\\",\"x y\"]}\n"))
  }

  @Test("The hashes of a report's style and script are SHA-256 in Base64", arguments: [0, 1, 55, 56, 63, 64, 119, 120])
  func hashes(_ length: Int) throws {
    let style = String(repeating: "ab3", count: 40).prefix(length)
    let template = "{{style hash}} {{script hash}} {{style}}{{script}}{{title}}"
    let folder = try Folder([
      "report.html": "\(template){{without script}}{{data}}", "matrix.html": "\(template){{body}}",
      "report.css": String(style), "matrix.css": "", "report.js": "1", "matrix.js": "2",
    ])
    let program =
      "import base64, hashlib; print(base64.b64encode(hashlib.sha256(b'\(style)').digest()).decode(), end='')"
    let hash = String(decoding: try Checkout.output(of: ["python3", "-c", program]), as: UTF8.self)
    let swift = try folder.embed("--report-page", "Page", folder.url.path)
    #expect(swift.components(separatedBy: "\nsha256-\(hash) sha256-").count == 3, "\(swift)")
  }

  @Test("Wrong input is refused with the file and advice") func wrongInputs() throws {
    let folder = try Folder([
      "lines.txt": "a\r\nb", "zero.txt": "a\nb\u{0}", "delete.txt": "\u{7F}", "open.json": "{\"a", "array.json": "[1]",
      "report.html": "{{style}}",
      "report.css": "", "report.js": "",
    ])
    try Data([0x61, 0xFF]).write(to: folder.url.appendingPathComponent("bytes.txt"))
    let missing = try folder.refusal("--texts", "T", folder.path("none.txt"))
    #expect(missing.contains("can't open the file \(folder.path("none.txt")): No such file or directory; "))
    let carriageReturn = try folder.refusal("--texts", "T", folder.path("lines.txt"))
    #expect(carriageReturn.contains("lines.txt has the control character 13 in line 1; remove it"))
    #expect(try folder.refusal("--texts", "T", folder.path("zero.txt")).contains("control character 0 in line 2"))
    #expect(try folder.refusal("--texts", "T", folder.path("delete.txt")).contains("control character 127 in line 1"))
    #expect(try folder.refusal("--texts", "T", folder.path("bytes.txt")).contains("is not UTF-8; save it as UTF-8"))
    #expect(try folder.refusal("--texts", "T", folder.url.path).contains("can't read the file"))
    for name in ["open.json", "array.json"] {
      #expect(try folder.refusal("--json", "T", folder.path(name)).contains("\(name) is not a JSON object; correct"))
    }
    #expect(try folder.refusal("--report-page", "T", folder.url.path).contains("report.html has no {{style hash}}"))
    for words in [["--texts", "T"], ["--json", "T"], ["--other", "T", "x"], ["x"]] {
      let error = try words.count == 1 ? folder.refusal(words[0]) : folder.refusal(words[0], words[1])
      #expect(error.contains("usage: EmbedTool"))
    }
  }

  @Test("A file that already has the right bytes is not written again") func unchanged() throws {
    let folder = try Folder(["a.txt": "a"])
    let first = try folder.embed("--texts", "T", folder.path("a.txt"))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: folder.output)
    #expect(try folder.embed("--texts", "T", folder.path("a.txt")) == first)
    let date = try FileManager.default.attributesOfItem(atPath: folder.output)[.modificationDate] as? Date
    #expect(date == Date(timeIntervalSince1970: 1))
  }
}
