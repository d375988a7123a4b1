import Foundation
import HAPReport
import HAPWire
import Testing

struct JSONReportTests {
  @Test("A report is read back as its original run, without bytes and secrets", arguments: Fixture.names)
  func fixtures(_ name: String) throws {
    try expectSame(Fixture.report(name))
  }

  @Test("Any report is read back unchanged", arguments: 0..<200 as Range<UInt64>)
  func anyReport(_ seed: UInt64) throws {
    try expectSame(Fixture.randomReport(seed: seed))
  }

  private func expectSame(_ report: RunReport) throws {
    let text = JSONReport.text(of: report, redaction: Fixture.redaction)
    let read = try RunReport(json: JSONNode.parse(Array(text.utf8)))
    #expect(read == report.redacted(by: Fixture.redaction).withoutBytes)
    #expect(JSONReport.text(of: read, redaction: .none) == text)
    _ = try JSONSerialization.jsonObject(with: Data(text.utf8))
  }

  @Test(
    "A malformed report is refused with its place",
    arguments: [
      ("{}", "", "\"format\" is missing"),
      ("{\"format\": 2}", "format", "this is not a report of format 1"),
      ("{\"format\": 1, \"cases\": [{}]}", "cases[0]", "\"id\" is missing"),
      ("{\"format\": 1, \"cases\": 5}", "cases", "a list is expected, not an integer"),
      ("{\"format\": 1, \"lost\": {\"bytes\": \"0\"}}", "lost.bytes", "bytes in hexadecimal are expected"),
      (
        "{\"format\": 1, \"summary\": {\"duration\": \"1\", \"counts\": {}}}", "summary.duration",
        "seconds as a decimal number are expected, not a string"
      ),
      (
        "{\"format\": 1, \"summary\": {\"duration\": 1e3, \"counts\": {}}}", "summary.duration",
        "seconds as a decimal number are expected, not a number"
      ),
      (
        "{\"format\": 1, \"summary\": {\"duration\": 1, \"counts\": {\"good\": 1}}}", "summary.counts.good",
        "unknown verdict \"good\""
      ),
      (
        "{\"format\": 1, \"run\": {\"version\": \"\", \"target\": \"\", \"seed\": \"-1\"}}", "run.seed",
        "an integer in quotes is expected"
      ),
      (
        "{\"format\": 1, \"summary\": {\"duration\": 1000000001, \"counts\": {}}}", "summary.duration",
        "the duration is out of range"
      ),
      ("{\"format\": 1, \"interrupted\": 1}", "interrupted", "true or false is expected, not an integer"),
    ])
  func refused(_ text: String, _ path: String, _ message: String) throws {
    let node = try JSONNode.parse(Array(text.utf8))
    let problem = try #require(throws: JSONProblem.self) { try RunReport(json: node) }
    #expect(problem.path == path)
    #expect(problem.message == message)
  }

  @Test("A report with one member changed is refused or read, and never traps")
  func broken() throws {
    let good = try JSONNode.parse(Array(JSONReport.text(of: Fixture.failing, redaction: .none).utf8))
    var refused = 0
    for (index, other) in [JSONNode.text("x"), .integer(-1), .list([.list([])]), .object([]), JSONNode(.null)]
      .enumerated()
    {
      for place in 0..<600 {
        var left = place
        let node = good.replacing(&left, by: other)
        if left >= 0 { break }
        do { _ = try RunReport(json: node) } catch { refused += 1 }
      }
      #expect(refused > 100 * (index + 1))
    }
  }

  @Test("Duplicate cases and duplicate order numbers are refused")
  func twice() throws {
    let text = JSONReport.text(of: Fixture.failing, redaction: .none)
    for (old, new) in [("\"id\":\"PS-1\"", "\"id\":\"PS-29\""), ("\"order\":1", "\"order\":0")] {
      let node = try JSONNode.parse(Array(text.replacingOccurrences(of: old, with: new).utf8))
      #expect(throws: JSONProblem.self) { try RunReport(json: node) }
    }
  }
}

extension JSONNode {
  /// Replaces the value number `place`, counting all values; `place` is negative afterwards.
  fileprivate func replacing(_ place: inout Int, by other: JSONNode) -> JSONNode {
    if place == 0 {
      place = -1
      return other
    }
    place -= 1
    var node = self
    switch kind {
    case .array(let elements):
      var changed: [JSONNode] = []
      for element in elements { changed.append(place >= 0 ? element.replacing(&place, by: other) : element) }
      node.kind = .array(changed)
    case .object(let members):
      var changed = members
      for index in changed.indices where place >= 0 {
        changed[index].value = changed[index].value.replacing(&place, by: other)
      }
      node.kind = .object(changed)
    default: break
    }
    return node
  }
}
