import Foundation
import Testing

@testable import HAPReport

/// Checks that the program's pages are built from the files in `Sources/HAPReport/HTML/page`.
struct ReportPageTests {
  private func file(_ name: String) throws -> String {
    try String(contentsOf: Checkout.file("Sources/HAPReport/HTML/page/\(name)"), encoding: .utf8)
  }

  /// The text of the page itself, with marks for the text of a run.
  private func page(_ name: String, style: String, script: String) throws -> String {
    var page = try file(name)
    for (mark, content) in [("style", style), ("script", script)] {
      page = page.replacingOccurrences(of: "{{\(mark) hash}}", with: try hash(content))
        .replacingOccurrences(of: "{{\(mark)}}", with: content)
    }
    return page
  }

  private func hash(_ text: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      "import base64, hashlib, sys; print(base64.b64encode(hashlib.sha256(sys.stdin.buffer.read()).digest()).decode(), end='')",
    ]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    input.fileHandleForWriting.write(Data(text.utf8))
    try input.fileHandleForWriting.close()
    let hash = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return "sha256-" + hash
  }

  private func filled(_ pieces: [String], _ marks: [String]) -> [UInt8] {
    Array(HTMLReport.filled(pieces, with: marks.map { "{{\($0)}}" }).utf8)
  }

  @Test("The report consists of its template, style, script and their hashes") func report() throws {
    let page = try page("report.html", style: file("report.css"), script: file("report.js"))
    #expect(filled(ReportPage.report, ["title", "without script", "data"]) == Array(page.utf8))
  }

  @Test("The matrix consists of its template, both styles, its script and their hashes") func matrix() throws {
    let page = try page("matrix.html", style: file("report.css") + file("matrix.css"), script: file("matrix.js"))
    #expect(filled(ReportPage.matrix, ["title", "body"]) == Array(page.utf8))
  }
}
