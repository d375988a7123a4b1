import HAPReport
import Testing

struct TAPReportTests {
  private func lines(_ report: RunReport) -> [String] {
    TAPReport.text(of: report, redaction: Fixture.redaction).split(separator: "\n", omittingEmptySubsequences: false)
      .dropLast()
      .map(String.init)
  }

  /// The points and directives; checks the grammar, too.
  private func points(_ lines: [String]) throws -> [(isOK: Bool, number: Int, title: String, directive: String?)] {
    #expect(lines[0] == "TAP version 14")
    var points: [(isOK: Bool, number: Int, title: String, directive: String?)] = []
    var isInside = false
    for line in lines.dropFirst(2) {
      if isInside {
        #expect(line.hasPrefix("  "))
        let known = line.wholeMatch(
          of: #/\ \ (---|\.\.\.|[a-z_]+:|[a-z_]+: ([a-z0-9-]+|"([^"\\]|\\.)*")|\ \ - "([^"\\]|\\.)*")/#
            .matchingSemantics(.unicodeScalar))
        #expect(known != nil, "\(line)")
        isInside = line != "  ..."
      } else if line == "  ---" {
        isInside = true
      } else if let match = line.wholeMatch(
        of: /(not )?ok ([0-9]+) - ((?:[^#\\]|\\.)*?)(?: # ((?:SKIP|TODO) .*))?/.matchingSemantics(.unicodeScalar))
      {
        points.append((match.1 == nil, Int(match.2) ?? 0, String(match.3), match.4.map(String.init)))
      } else {
        #expect(line.hasPrefix("# ") || line.hasPrefix("Bail out! "), "\(line)")
      }
    }
    #expect(!isInside)
    #expect(lines[1] == "1..\(points.count)")
    #expect(points.map(\.number) == Array(0..<points.count).map { $0 + 1 })
    return points
  }

  @Test("Each run is valid TAP 14", arguments: Fixture.names)
  func grammar(_ name: String) throws {
    let report = Fixture.report(name)
    #expect(try points(lines(report)).count == report.cases.count)
  }

  @Test("Random runs are valid, too", arguments: 0..<50 as Range<UInt64>)
  func anyRun(_ seed: UInt64) throws {
    let report = Fixture.randomReport(seed: seed)
    #expect(try points(lines(report)).count == report.cases.count)
  }

  @Test("Each verdict has its directive")
  func verdicts() throws {
    let points = try points(lines(Fixture.failing))
    #expect(points.map(\.isOK) == [false, true, true, true, false, true, false, false, false])
    #expect(points[5].directive == "SKIP no multicast")
    #expect(points[6].directive == "TODO HAP-python clamps it, see its characteristic.py")
    #expect(points.compactMap(\.directive).count == 2)
    #expect(lines(Fixture.failing).contains("  got: \"200 OK, M2 with salt and public key\""))
  }

  @Test("An incomplete run bails out, after the cases that never ran")
  func bails() throws {
    #expect(lines(Fixture.lost).last == "Bail out! The accessory was lost: the connection is refused")
    #expect(lines(Fixture.interrupted).last == "Bail out! The run was interrupted.")
    #expect(lines(Fixture.brokenOff).last == "Bail out! The run did not finish.")
    #expect(try points(lines(Fixture.lost))[2].directive == "SKIP not run: the accessory was lost")
    #expect(!lines(Fixture.failing).contains { $0.hasPrefix("Bail") })
  }
}
