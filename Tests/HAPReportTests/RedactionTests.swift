import HAPReport
import HAPWire
import Testing

struct RedactionTests {
  @Test(
    "A secret is removed in each of its forms",
    arguments: [
      "031-45-154", "03145154", "code=031-45-154;", Hexadecimal.text("031-45-154".utf8),
      Hexadecimal.text("031-45-154".utf8).uppercased(), "30 33 31 2d 34 35 2d 31 35 34",
      "30:33:31:2D:34:35:2D:31:35:34",
    ])
  func forms(_ text: String) {
    let redacted = Redaction(texts: ["031-45-154"])(text)
    #expect(redacted.contains("[redacted]"))
    #expect(!redacted.contains("45"))
  }

  @Test("A secret is removed from Base64 text, wherever it starts", arguments: 0..<6, [1, 4, 10, 32, 33, 34])
  func base64(_ before: Int, _ count: Int) {
    var random = SplitMix(state: UInt64(before * 100 + count))
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255, using: &random) } }
    let secret = bytes(count)
    for after in 0..<4 {
      let text = "x " + Base64.encode(bytes(before) + secret + bytes(after)) + " y"
      let redacted = Redaction(bytes: [secret])(text)
      // A secret of fewer than four bytes would be found everywhere, so it is not removed.
      #expect(redacted.contains("[redacted]") == (count >= 4))
      #expect(redacted.hasPrefix("x ") && redacted.hasSuffix(" y"))
      if count >= 4 { #expect(!redacted.contains(Base64.encode(secret).dropLast(4).dropFirst(4)) || count < 10) }
    }
  }

  @Test("The number of bytes stays the same, and other bytes are unchanged")
  func bytes() {
    let redaction = Redaction(texts: ["031-45-154"])
    #expect(redaction(Array("a 031-45-154 b".utf8)) == Array("a ********** b".utf8))
    #expect(redaction("nothing of the kind 031-45-155") == "nothing of the kind 031-45-155")
    #expect(Redaction(texts: [""])("text") == "text")
    #expect(Redaction.none("031-45-154") == "031-45-154")
    #expect(redaction("é031-45-154日031-45-154") == "é[redacted]日[redacted]")
  }

  @Test("No report has the secrets, whatever form the accessory returned")
  func reports() {
    let forms = [
      Fixture.setupCode, "03145154", Base64.encode(Array("x\(Fixture.setupCode)".utf8)),
      Hexadecimal.text(Fixture.key), Base64.encode(Fixture.key),
    ]
    let text = forms.joined(separator: " ; ")
    var outcome = Fixture.failure
    (outcome.message, outcome.sent, outcome.got, outcome.expected) = (text, text, text, text)
    (outcome.accepted, outcome.deviations, outcome.notes) = ([text], [text], [text])
    outcome.variants = [.init(name: text, verdict: .fail, message: text)]
    outcome.transcript.append(
      TranscriptEntry(time: .zero, kind: .raw, title: text, decoded: text, bytes: Array(text.utf8)))
    outcome.sessionKeys = [SessionKeyRecord(connection: "main", direction: .sent, key: Fixture.key)]
    var header = Fixture.header
    header.target = text
    header.facts = [("fact", text)]
    header.arguments = [text]
    let events: [RunEvent] = [
      .began(header),
      .planned([PlannedCase(outcome.description), PlannedCase(Fixture.description("A-1", "a"), skipReason: text)]),
      .note(text), .caseBegan(id: "PS-29"), .caseEnded(outcome),
      .lost(reason: text, lastSent: text, bytes: Array(text.utf8)),
      .ended(RunSummary(duration: .zero, counts: [:], leftovers: [text])),
    ]
    for (name, report) in AllReports.texts(of: RunReport(events), redaction: Fixture.redaction) {
      for form in forms + [Hexadecimal.text(Fixture.setupCode.utf8)] {
        #expect(!report.contains(form), "\(name) has \(form)")
      }
      #expect(report.contains("redacted]") || report.contains("redacted\\]"), "\(name) has no mark of the redaction")
    }
    var terminal = TerminalReport(isColoured: false, redaction: Fixture.redaction)
    for line in events.flatMap({ terminal.lines(for: $0) }) {
      for form in forms { #expect(!line.contains(form), "the terminal has \(form)") }
    }
  }
}
