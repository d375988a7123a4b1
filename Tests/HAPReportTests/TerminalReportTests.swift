import Testing

@testable import HAPReport

struct TerminalReportTests {
  private func lines(_ events: [RunEvent], isColoured: Bool = false, width: Int = 80) -> [String] {
    var terminal = TerminalReport(isColoured: isColoured, width: width, redaction: Fixture.redaction)
    return events.flatMap { terminal.lines(for: $0) }
  }

  @Test("A failing run has one line per case, complete failures, and the conclusion")
  func failing() {
    #expect(lines(Fixture.failingEvents).joined(separator: "\n") == Self.expected)
  }

  private static let expected = #"""
    haptest 0.5.0 · Kitchen Sink (127.0.0.1:51826) · seed 18364758544493064720
    name Kitchen Sink · model KS-1 · id AA:BB:CC:DD:EE:FF · c# 7
    9 cases, 1 of them skipped.

    · paired
    FAIL        PS-29 m1-while-paired  87 ms
                      A paired accessory refuses Pair Setup with Unavailable.
                      HAP R2 §5.6.2, must
                      M2 has a salt and no error
      variant         method 0: M2 has a salt and no error
      sent            POST /pair-setup M1 (method 0)
      accepted        M2 with error 6 (Unavailable)
      or              HTTP 4xx without a body
      got             200 OK, M2 with salt and public key
      why it matters  A controller shows its setup screen for an accessory that
                      cannot be added.
      usual cause     The check for pairings comes after the SRP exchange has begun.
      how to fix      Look for pairings first, and answer M2 with error 6.
      more            haptest explain PS-29

    PASS        PS-1 start-response  12 ms
    NON-STRICT  HTTP-4 content-type-case  3 ms: the media type has capitals; Content-Type: Application/hap+json (HAP-NodeJS does so too)
    INFO        DB-70 order-of-services: services come by rising iid
    ERROR       EV-9 hook-reboot  2.0 s
                      A paired accessory refuses Pair Setup with Unavailable.
                      HAP R2 §5.6.2, must
                      the hook "reboot" ended with 127
      got             sh: reboot-it: not found
      more            haptest explain EV-9

    XFAIL       WR-12 write-of-null: HAP-python clamps it, see its characteristic.py
    XPASS       WR-13 write-out-of-range
                      A paired accessory refuses Pair Setup with Unavailable.
                      HAP R2 §5.6.2, must
                      it was refused with -70410
      baseline        should be clamped
      more            haptest explain WR-13

    FLAKY       TW-3 expired-prepare  1 min 15 s  3 of 5 repetitions without failure
                      A paired accessory refuses Pair Setup with Unavailable.
                      HAP R2 §5.6.2, should
                      2 of 5 times accepted
      why it matters  A controller shows its setup screen for an accessory that
                      cannot be added.
      usual cause     The check for pairings comes after the SRP exchange has begun.
      how to fix      Look for pairings first, and answer M2 with error 6.
      more            haptest explain TW-3


    1 failed, 1 flaky, 1 error, 1 passed unexpectedly, 1 failed as expected, 1 non-strict, 1 passed, 1 for information, 1 skipped in 12.3 s.
      FAIL      PS-29 m1-while-paired: M2 has a salt and no error
      FLAKY     TW-3 expired-prepare: 2 of 5 times accepted
      ERROR     EV-9 hook-reboot: the hook "reboot" ended with 127
      XPASS     WR-13 write-out-of-range: it was refused with -70410
      LEFT OVER the pairing "tester" is still there
      SKIP      1 no multicast (DISC-1)
    """#

  @Test("Colours are used only on request")
  func colours() {
    #expect(lines(Fixture.failingEvents).allSatisfy { !$0.contains("\u{1B}") })
    let coloured = lines(Fixture.failingEvents, isColoured: true)
    #expect(coloured.contains { $0.hasPrefix("\u{1B}[1;31mFAIL") })
    let plain = coloured.map { line in
      line.split(separator: "\u{1B}", omittingEmptySubsequences: false).enumerated()
        .map { $0 == 0 ? $1 : $1[$1.index(after: $1.firstIndex(of: "m")!)...] }.joined()
    }
    #expect(plain == lines(Fixture.failingEvents))
  }

  @Test("An accessory's text can't move the cursor or start a line")
  func hostile() {
    let events = Fixture.events(
      of: Fixture.hostile.enumerated().map {
        CaseOutcome(
          Fixture.description("X-\($0)", "x"), .fail, message: $1, sent: $1, accepted: [$1], got: $1,
          variants: [.init(name: $1, verdict: .fail, message: $1)])
      })
    for line in lines(events + [.note(Fixture.hostile.joined())]) {
      #expect(
        line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) && $0.value != 0x202E })
      #expect(!line.hasPrefix("::") && !line.hasPrefix("#"))
    }
  }

  @Test("Details stay within the width, except for longer words", arguments: [40, 60, 80, 200])
  func width(_ width: Int) {
    let details = lines(Fixture.failingEvents, width: width).filter { $0.hasPrefix("  ") && !$0.contains("LEFT OVER") }
    for line in details where !line.contains(": ") { #expect(line.count <= width, "\(line)") }
  }

  @Test("A lost accessory is reported with the last sent request, and an interrupted run as such")
  func lost() {
    let told = lines([
      .began(Fixture.header), .planned([PlannedCase(Fixture.failure.description)]), .caseBegan(id: "PS-29"),
      .lost(reason: "the connection is refused", lastSent: "3 bytes", bytes: [1, 2, 0x41]),
      .ended(RunSummary(duration: .seconds(1), counts: [:])),
    ])
    #expect(told.contains("LOST        the connection is refused"))
    #expect(told.contains { $0.contains("0000  01 02 41 ") && $0.hasSuffix("..A") })
    #expect(told.last == "  SKIP      1 it was running when the accessory was lost (PS-29)")
    let interrupted = lines([.began(Fixture.header), .interrupted, .ended(RunSummary(duration: .zero, counts: [:]))])
    #expect(interrupted.contains("Interrupted."))
  }

  @Test("A quiet run prints only failures and the conclusion") func quiet() {
    var terminal = TerminalReport(isColoured: false, width: 80, redaction: Fixture.redaction, isQuiet: true)
    let quiet = Fixture.failingEvents.flatMap { terminal.lines(for: $0) }
    let heads = quiet.filter { $0.first?.isUppercase == true }.map { String($0.prefix { $0 != " " }) }
    #expect(heads == ["FAIL", "ERROR", "XPASS", "FLAKY"])
    #expect(quiet.contains { $0.hasPrefix("1 failed, 1 flaky") } && quiet.contains { $0.contains("LEFT OVER") })
    #expect(!quiet.contains { $0.contains("haptest 0.5.0") || $0.contains("· paired") || $0.contains("SKIP") })
    var strict = TerminalReport(
      isColoured: false, width: 80, redaction: Fixture.redaction, isQuiet: true, failingOn: [.nonStrict])
    #expect(Fixture.failingEvents.flatMap { strict.lines(for: $0) }.contains { $0.hasPrefix("NON-STRICT") })
  }

  @Test("A quiet run prints the cases that fail it, including skipped ones") func quietSkips() {
    for isOutcome in [true, false] {
      var terminal = TerminalReport(
        isColoured: false, width: 80, redaction: Fixture.redaction, isQuiet: true, failingOn: [.skip])
      let description = Fixture.description("A-1", "a")
      var events: [RunEvent] = [.began(Fixture.header), .planned([PlannedCase(description, skipReason: "no hook")])]
      if isOutcome { events.append(.caseEnded(CaseOutcome(description, .skip, message: "no hook"))) }
      let told = (events + [.ended(RunSummary(duration: .zero, counts: [:]))]).flatMap { terminal.lines(for: $0) }
      let summary = told.filter { $0.hasPrefix("  ") && $0.contains("A-1") && $0.contains("no hook") }
      #expect(summary.count == 1 && summary[0].contains("SKIP"), "\(told)")
    }
  }

  @Test("The summary lists MUST before SHOULD violations, and errors after failures") func worstFirst() {
    let told = lines(
      Fixture.events(of: [
        CaseOutcome(Fixture.description("A-1", "a"), .error),
        CaseOutcome(Fixture.description("A-2", "a", level: .should), .fail),
        CaseOutcome(Fixture.description("A-3", "a"), .fail),
      ]))
    let summary = told.filter { $0.hasPrefix("  ") && $0.contains(": ") && $0.contains(" A-") }
    #expect(summary.map { $0.split(separator: " ")[1] } == ["A-3", "A-2", "A-1"], "\(summary)")
  }

  @Test("Hexadecimal is truncated at 120 characters, with a pointer to the evidence") func hex() {
    let digits = String(repeating: "0f", count: 400)
    let told = lines(
      Fixture.events(of: [
        CaseOutcome(Fixture.description("A-1", "a"), .fail, message: "the key is \(digits), not 1", got: digits)
      ]))
    #expect(told.allSatisfy { !$0.contains(String(repeating: "0f", count: 61)) })
    #expect(told.contains { $0.contains("more bytes in the evidence") && $0.hasPrefix("      ") })
    #expect(told.joined(separator: " ").contains("not 1"))
    let short = String(repeating: "0f", count: 32)
    #expect(short.withShortHex() == short)
    #expect(digits.withShortHex() == digits.prefix(120) + "… (340 more bytes in the evidence)")
    #expect("a\n\(digits)".withShortHex().split(separator: "\n").map(\.count) == [1, 120 + 34])
  }

  @Test("The progress bar shows progress, failures and the present case, and stays within the width")
  func progress() {
    var terminal = TerminalReport(isColoured: false, redaction: .none)
    #expect(terminal.progress(width: 80) == "░░░░░░░░░░░░░░░░░░░░ 0/0")
    for event in Fixture.failingEvents.prefix(6) { _ = terminal.lines(for: event) }
    #expect(terminal.progress(width: 80) == "████░░░░░░░░░░░░░░░░ 2/9 · 1 failed · PS-1 start-response")
    #expect(terminal.progress(width: 30).count == 30)
    for event in Fixture.failingEvents.dropFirst(6) { _ = terminal.lines(for: event) }
    #expect(terminal.progress(width: 80).hasPrefix("████████████████████ 9/9 · 1 failed"))
  }
}
