import Foundation
import HAPReport
import Testing

struct MarkdownReportTests {
  private func text(_ report: RunReport, sizeLimit: Int = 900_000) -> String {
    MarkdownReport.text(of: report, redaction: Fixture.redaction, sizeLimit: sizeLimit)
  }

  @Test("A failing run has its conclusion, counts, complete failures, and the rest folded")
  func failing() throws {
    let text = text(Fixture.failing)
    #expect(text.hasPrefix("# ❌ haptest: there are failures\n"))
    #expect(text.contains("| FAIL | FLAKY | ERROR | XPASS | XFAIL | NON-STRICT | PASS | INFO | SKIP | all |\n"))
    #expect(text.contains("\n| 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 9 |\n"))
    for row in [
      "| Sent | POST /pair-setup M1 \\(method 0\\) |",
      "| Accepted | M2 with error 6 \\(Unavailable\\)<br>HTTP 4xx without a body |",
      "| Got | 200 OK, M2 with salt and public key |", "| Why it matters | A controller shows its setup screen for",
      "| How to fix | Look for pairings first, and answer M2 with error 6. |", "| More | `haptest explain PS-29` |",
    ] { #expect(text.contains(row), "\(row)") }
    let folds = text.components(separatedBy: "<details>")
    #expect(folds.count == 5)
    #expect(folds.count == text.components(separatedBy: "</details>").count)
    #expect(folds.contains { $0.hasPrefix("<summary>Skipped (1)</summary>") })
  }

  @Test("A conforming run is reported as such, and a lost one with the last sent request")
  func others() {
    let good = RunReport(Fixture.events(of: [Fixture.outcomes[1]]))
    #expect(text(good).hasPrefix("# ✅ haptest: the accessory conforms"))
    #expect(
      text(Fixture.lost).contains(
        "> **The accessory was lost:** the connection is refused. Sent last: 3 bytes that are no frame"))
    #expect(text(Fixture.lost).contains("<summary>Not run (7)</summary>"))
    #expect(text(Fixture.interrupted).contains("> **The run was interrupted.**"))
    #expect(text(Fixture.empty).hasPrefix("# ❌ haptest: the tester failed"))
  }

  @Test("An accessory's text can't add markup, a tag or a line")
  func hostile() {
    for text in [
      text(Fixture.hostileRun), ReportMatrix([(Fixture.hostile[5], Fixture.hostileRun)], redaction: .none).markdown,
    ] {
      #expect(
        !text.contains("<script") && !text.contains("<img") && !text.contains("](http") && !text.contains("*stars*"))
      for line in text.split(separator: "\n") {
        #expect(!line.hasPrefix("::error") && !line.hasPrefix("# heading") && !line.hasPrefix("not ok"))
        if line.hasPrefix("|") {
          let bars = line.replacingOccurrences(of: "\\\\", with: "").replacingOccurrences(of: "\\|", with: "").count {
            $0 == "|"
          }
          #expect(bars == 3 || !line.contains("table"), "\(line)")
        }
      }
    }
  }

  @Test("The report has a maximum size, and states how many cases it omits")
  func limit() {
    let whole = text(Fixture.large)
    let cut = text(Fixture.large, sizeLimit: 3000)
    #expect(cut.utf8.count < 4500)
    #expect(cut.contains("cases omitted here, to limit the size of the page. The other reports have all cases."))
    #expect(!whole.contains("omitted here"))
    #expect(cut.components(separatedBy: "<details>").count == cut.components(separatedBy: "</details>").count)
  }
}
