import HAPReport
import Testing

struct GitHubAnnotationsTests {
  @Test("Each failure is an annotation on one line, and nothing else is")
  func failing() {
    let lines = GitHubAnnotations.lines(of: Fixture.failing, redaction: .none)
    #expect(lines.count == 4)
    #expect(lines[0].hasPrefix("::error title=FAIL PS-29 m1-while-paired::A paired accessory refuses"))
    #expect(lines[0].contains("%0Agot: 200 OK, M2 with salt and public key%0A"))
    #expect(
      GitHubAnnotations.lines(of: Fixture.lost, redaction: .none).last?.hasPrefix(
        "::error title=The accessory was lost::") == true)
    #expect(GitHubAnnotations.lines(of: Fixture.interrupted, redaction: .none).last?.contains("interrupted") == true)
    #expect(GitHubAnnotations.lines(of: Fixture.nothingSelected, redaction: .none).isEmpty)
  }

  @Test("No text ends a command or starts another", arguments: Fixture.hostile)
  func hostile(_ text: String) throws {
    var outcome = Fixture.failure
    outcome.message = text
    outcome.got = text
    outcome.description.name = text
    let lines = GitHubAnnotations.lines(of: RunReport(Fixture.events(of: [outcome])), redaction: .none)
    let line = try #require(lines.first)
    #expect(lines.count == 1)
    #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0.value != 0x9B })
    let parts = line.dropFirst("::error title=".count)
    let end = try #require(parts.firstRange(of: "::"))
    let title = parts[..<end.lowerBound]
    #expect(!title.contains(":") && !title.contains(","))
    #expect(line.matches(of: /%(?!25|0A|0D|3A|2C)/).isEmpty)
  }
}
