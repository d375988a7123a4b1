import Foundation
import HAPReport
import HAPWire
import Testing

struct HTMLReportTests {
  private func page(_ report: RunReport, limits: TranscriptLimits = TranscriptLimits()) -> String {
    HTMLReport.text(of: report, redaction: Fixture.redaction, limits: limits)
  }

  /// The data for the page's script.
  private func data(_ page: String) throws -> JSONNode {
    let start = try #require(page.range(of: "<script type=\"application/json\" id=\"data\">"))
    let end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
    return try JSONNode.parse(Array(page[start.upperBound..<end.lowerBound].utf8))
  }

  @Test("The page contains the run, whatever the accessory's texts", arguments: Fixture.names)
  func holdsTheRun(_ name: String) throws {
    let report = Fixture.report(name)
    let node = try data(page(report))
    let read = try RunReport(json: try node.required("report"))
    #expect(read == report.redacted(by: Fixture.redaction).withoutBytes)
  }

  @Test("No text of a run becomes markup", arguments: Fixture.names)
  func markup(_ name: String) {
    let text = page(Fixture.report(name))
    #expect(text.components(separatedBy: "<script").count == 3)
    #expect(text.components(separatedBy: "</script>").count == 3)
    #expect(!text.contains("<img"))
    #expect(!text.contains("{{"))
    #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
  }

  @Test("A page loads no external resource")
  func alone() {
    for text in [page(Fixture.lost), ReportMatrix([(nil, Fixture.lost)], redaction: .none).html] {
      for word in ["src=", "url(", "@import", "http:", "https:", "<link"] { #expect(!text.contains(word), "\(word)") }
      #expect(text.contains("Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-"))
    }
  }

  @Test("Bytes are in the page, with asterisks for a secret")
  func bytes() throws {
    let node = try data(page(Fixture.failing))
    let entry = node["report"]?["cases"]?.elements?[0]["outcome"]?["transcript"]?.elements?[2]
    let bytes = try #require(entry?["bytes"]?.stringValue.flatMap { Base64.decode($0) })
    let text = String(decoding: Fixture.conversation[2].bytes, as: UTF8.self)
    let expected = text.replacingOccurrences(of: Fixture.setupCode, with: "**********")
    #expect(String(decoding: bytes, as: UTF8.self) == expected && expected != text)
  }

  @Test("Long parts are truncated, and the page states it")
  func limits() throws {
    var limits = TranscriptLimits()
    limits.entriesInCase = 3
    limits.bytesInEntry = 10
    limits.charactersInEntry = 12
    let node = try data(page(Fixture.failing, limits: limits))
    #expect(node["leftOut"]?.stringValue == "The transcripts of 1 case are cut. The evidence is complete.")
    let transcript = try #require(node["report"]?["cases"]?.elements?[0]["outcome"]?["transcript"]?.elements)
    #expect(transcript.count == 4)
    #expect(transcript[1]["bytes"]?.stringValue == Base64.encode(Array("POST /pair".utf8)))
    #expect(transcript[1]["size"]?.integerValue == 65)
    #expect(transcript[1]["decoded"]?.stringValue == "kTLVType_Sta\n… 24 more characters")
    #expect(transcript[3]["title"]?.stringValue == "… 5 more entries are omitted")
  }

  @Test("At the size limit, transcripts of failures are kept longest")
  func budget() throws {
    var pass = Fixture.failure
    pass.description = Fixture.description("A-1", "a")
    pass.verdict = .pass
    let report = RunReport(Fixture.events(of: [pass, Fixture.failure]))
    var limits = TranscriptLimits()
    limits.sizeInAll = 2500
    let node = try data(page(report, limits: limits))
    let cases = try #require(node["report"]?["cases"]?.elements)
    #expect(cases[0]["outcome"]?["transcript"]?.elements?.isEmpty == true)
    #expect(cases[1]["outcome"]?["transcript"]?.elements?.count == 8)
    let leftOut = "The transcripts of 1 case are omitted, to limit the size of the page. The evidence is complete."
    #expect(node["leftOut"]?.stringValue == leftOut)
  }

  /// Writes pages for inspection, or for a browser: `Tests/Interop/test_report_page.py` uses them.
  @Test(
    "The pages are written to the folder HAPREPORT_FIXTURES",
    .enabled(if: ProcessInfo.processInfo.environment["HAPREPORT_FIXTURES"] != nil))
  func pages() throws {
    let folder = URL(fileURLWithPath: ProcessInfo.processInfo.environment["HAPREPORT_FIXTURES"]!, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, report) in Fixture.all + [("large", Fixture.large)] {
      let file = folder.appendingPathComponent("\(name.replacingOccurrences(of: " ", with: "-")).html")
      try Data(page(report).utf8).write(to: file)
    }
    let matrix = ReportMatrix(
      [
        ("Kitchen Sink", Fixture.failing), ("Large", Fixture.large), ("Lost", Fixture.lost),
        ("<b>Hostile", Fixture.hostileRun),
      ],
      redaction: .none)
    try Data(matrix.html.utf8).write(to: folder.appendingPathComponent("matrix.html"))
    for (name, bytes) in CaseEvidence.files(of: Fixture.failure, header: Fixture.header) {
      try Data(bytes).write(to: folder.appendingPathComponent(name))
    }
    for (run, report) in Fixture.all {
      for (name, text) in AllReports.texts(of: report) {
        try Data(text.utf8).write(to: folder.appendingPathComponent("\(run), \(name).txt"))
      }
    }
  }
}
