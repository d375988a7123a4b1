import HAPReport
import HAPWire
import Testing

struct EvidenceTests {
  private func text(_ name: String, of outcome: CaseOutcome = Fixture.failure) -> String? {
    CaseEvidence.files(of: outcome, header: Fixture.header).first { $0.name == name }
      .map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test("A case's evidence has its complete transcript, including secrets and keys")
  func files() throws {
    let transcript = try #require(text("transcript.txt"))
    #expect(
      transcript.hasPrefix("PS-29 m1-while-paired: FAIL\nhaptest 0.5.0, Kitchen Sink (127.0.0.1:51826), 2026-11-21"))
    #expect(
      transcript.contains(
        "\n0.001 s --> main: POST /pair-setup (65 bytes) [127.0.0.1:40000 - 127.0.0.1:51826]\n    kTLV"))
    #expect(transcript.contains("\n0.009 s <-- main: 200 OK (49 bytes) frame 0 [127"))
    #expect(transcript.contains("0000  50 4f 53 54 20 2f 70 61  69 72 2d 73 65 74 75 70  POST /pair-setup\n"))
    #expect(transcript.contains(Fixture.setupCode))
    let keys = try #require(text("session-keys.txt"))
    #expect(keys.split(separator: "\n").last.map(String.init) == "main\tsent\t\(Hexadecimal.text(Fixture.key))")
    #expect(CaseEvidence.files(of: Fixture.failure, header: nil).map(\.name).contains("packets.pcapng"))
  }

  @Test("Without a session there are no keys")
  func noKeys() {
    #expect(text("session-keys.txt", of: Fixture.outcomes[1]) == nil)
  }

  @Test("An accessory's text can't add a line or a control character")
  func hostile() throws {
    for outcome in Fixture.hostileRun.outcomes {
      var outcome = outcome
      outcome.sessionKeys = [SessionKeyRecord(connection: "a\tb\nc", direction: .sent, key: [1])]
      let transcript = try #require(text("transcript.txt", of: outcome))
      #expect(
        transcript.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value)) })
      #expect(try #require(text("session-keys.txt", of: outcome)).split(separator: "\n").count == 2)
    }
  }
}
