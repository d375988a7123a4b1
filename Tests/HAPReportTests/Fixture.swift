@testable import HAPReport

extension RunReport {
  /// The outcome without the bytes of transcripts, as in the JSON report.
  var withoutBytes: RunReport {
    mapping(
      header: { $0 }, plan: { $0 },
      outcome: { outcome in
        var outcome = outcome
        for index in outcome.transcript.indices {
          let size = outcome.transcript[index].size
          outcome.transcript[index].bytes = []
          outcome.transcript[index].size = size
        }
        return outcome
      },
      text: { $0 }, bytes: { $0 })
  }
}

/// Runs for reports: each verdict, hostile texts, and incomplete runs.
enum Fixture {
  static let setupCode = "031-45-154"
  static let redaction = Redaction(texts: [setupCode], bytes: [key])
  static let key: [UInt8] = (0..<32).map { $0 &* 37 &+ 11 }

  /// Texts that must be harmless in any report.
  static let hostile = [
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "\u{1B}[31mred\u{1B}]0;owned\u{7} \u{0} \u{9B}2J \u{202E}backwards \u{FFFE}",
    "a | table `cell` with *stars* and [links](http://example.com) & entities &lt;",
    "]]> --> <!-- \"quotes\" 'single' \\ back\\slash",
    "first\r\n::error::injected\n# heading\nnot ok 1 - injected\n  ---",
    "percent % %0A %25 , colon :: comma",
    "日本語 👩‍👩‍👧 e\u{301}",
  ]

  static func description(
    _ id: String, _ name: String, area: String = "pair-setup", level: RequirementLevel = .must
  ) -> CaseDescription {
    CaseDescription(
      id: id, name: name, area: area, level: level,
      requirement: "A paired accessory refuses Pair Setup with Unavailable.", section: "HAP R2 §5.6.2",
      cause: "The check for pairings comes after the SRP exchange has begun.",
      fix: "Look for pairings first, and answer M2 with error 6.",
      impact: "A controller shows its setup screen for an accessory that cannot be added.",
      stacks: [
        .init(name: "HomeKitADK", behaviour: "M2 with error 6"),
        .init(name: "HAP-python", behaviour: "M2 with error 6"),
      ],
      aliases: ["TCH061"])
  }

  static let header = RunHeader(
    version: "0.5.0", target: "Kitchen Sink (127.0.0.1:51826)",
    facts: [("name", "Kitchen Sink"), ("model", "KS-1"), ("id", "AA:BB:CC:DD:EE:FF"), ("c#", "7")],
    seed: 0xFEDC_BA98_7654_3210, time: "2026-11-21T13:00:00Z",
    arguments: ["run", "127.0.0.1:51826", "--code", setupCode])

  static let failure = CaseOutcome(
    description("PS-29", "m1-while-paired"), .fail, message: "M2 has a salt and no error",
    sent: "POST /pair-setup M1 (method 0)", accepted: ["M2 with error 6 (Unavailable)", "HTTP 4xx without a body"],
    got: "200 OK, M2 with salt and public key",
    deviations: [], notes: ["the accessory had 1 pairing"],
    variants: [
      .init(name: "method 0", verdict: .fail, message: "M2 has a salt and no error"),
      .init(name: "method 1", verdict: .pass, message: ""),
    ],
    start: .milliseconds(1200), duration: .milliseconds(87), seed: 42, repetitions: [.fail],
    transcript: conversation,
    sessionKeys: [SessionKeyRecord(connection: "main", direction: .sent, key: key)])

  static let conversation: [TranscriptEntry] = [
    entry(.connection, .none, at: 0, "open"),
    entry(
      .message, .sent, at: 1, "POST /pair-setup",
      decoded: "kTLVType_State: 1\nkTLVType_Method: 0",
      bytes: "POST /pair-setup HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 6\r\n\r\n"),
    entry(
      .message, .received, at: 9, "200 OK", decoded: "kTLVType_State: 2\nsetup code \(setupCode)",
      bytes: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n\(setupCode)", frames: [.init(counter: 0, count: 58)]),
    TranscriptEntry(time: .milliseconds(1210), kind: .note, title: "saved salt", decoded: "16 bytes"),
    TranscriptEntry(
      time: .milliseconds(1211), kind: .mdns, direction: .received,
      title: "announcement of Kitchen Sink._hap._tcp.local",
      bytes: [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0], localAddress: "127.0.0.1:5353", peerAddress: "127.0.0.1:5353"),
    TranscriptEntry(time: .milliseconds(1212), kind: .hook, title: "reboot"),
    entry(.raw, .sent, at: 13, "3 bytes that are no frame", bytes: "\u{1}\u{2}\u{3}"),
    entry(.connection, .received, at: 14, "closed by the accessory"),
  ]

  private static func entry(
    _ kind: TranscriptEntry.Kind, _ direction: TranscriptEntry.Direction, at milliseconds: Int, _ title: String,
    decoded: String = "", bytes: String = "", frames: [TranscriptEntry.Frame] = []
  ) -> TranscriptEntry {
    TranscriptEntry(
      time: .milliseconds(1200 + milliseconds), kind: kind, direction: direction, connection: "main", title: title,
      decoded: decoded, bytes: Array(bytes.utf8), frames: frames, localAddress: "127.0.0.1:40000",
      peerAddress: "127.0.0.1:51826")
  }

  /// One case for each verdict, in several areas.
  static let outcomes: [CaseOutcome] = [
    failure,
    CaseOutcome(
      description("PS-1", "start-response"), .pass, start: .milliseconds(100), duration: .microseconds(12_345), seed: 1,
      repetitions: [.pass]),
    CaseOutcome(
      description("HTTP-4", "content-type-case", area: "http"), .nonStrict, message: "the media type has capitals",
      deviations: ["Content-Type: Application/hap+json (HAP-NodeJS does so too)"], duration: .milliseconds(3)),
    CaseOutcome(
      description("DB-70", "order-of-services", area: "database", level: .info), .info,
      message: "services come by rising iid", notes: ["24 services", hostile[3]]),
    CaseOutcome(
      description("EV-9", "hook-reboot", area: "events"), .error, message: "the hook \"reboot\" ended with 127",
      got: "sh: reboot-it: not found", duration: .seconds(2)),
    CaseOutcome(description("DISC-1", "txt-record", area: "discovery"), .skip, message: "no multicast"),
    CaseOutcome(
      description("WR-12", "write-of-null", area: "write"), .xfail, message: "204 for a value of null",
      got: "204", expected: "HAP-python clamps it, see its characteristic.py"),
    CaseOutcome(
      description("WR-13", "write-out-of-range", area: "write"), .xpass, message: "it was refused with -70410",
      expected: "should be clamped"),
    CaseOutcome(
      description("TW-3", "expired-prepare", area: "timed-write", level: .should), .flaky,
      message: "2 of 5 times accepted",
      duration: .seconds(75), repetitions: [.pass, .fail, .pass, .fail, .pass]),
  ]

  static func events(of outcomes: [CaseOutcome]) -> [RunEvent] {
    var events: [RunEvent] = [.began(header), .planned(outcomes.map { plannedCase($0) }), .note("paired")]
    for outcome in outcomes where outcome.verdict != .skip {
      events += [.caseBegan(id: outcome.description.id), .caseEnded(outcome)]
    }
    var counts: [Verdict: Int] = [:]
    for outcome in outcomes { counts[outcome.verdict, default: 0] += 1 }
    return events + [
      .ended(
        RunSummary(
          duration: .milliseconds(12_340), counts: counts, leftovers: ["the pairing \"tester\" is still there"]))
    ]
  }

  private static func plannedCase(_ outcome: CaseOutcome) -> PlannedCase {
    PlannedCase(outcome.description, skipReason: outcome.verdict == .skip ? outcome.message : nil)
  }

  static let failingEvents = events(of: outcomes)
  static let failing = RunReport(failingEvents)

  /// Each hostile text in each place that may contain an accessory's text.
  static let hostileRun = RunReport(
    events(
      of: hostile.enumerated().map { index, text in
        CaseOutcome(
          description("X-\(index)", "hostile-\(index)"), index % 2 == 0 ? .fail : .xfail, message: text, sent: text,
          accepted: [text, text], got: text, deviations: [text], notes: [text],
          variants: [.init(name: text, verdict: .fail, message: text)], expected: text,
          transcript: [
            TranscriptEntry(
              time: .zero, kind: .note, connection: text, title: text, decoded: text, bytes: Array(text.utf8))
          ])
      })
      + [.note(hostile.joined(separator: "\n"))])

  static let lost = RunReport(
    failingEvents.prefix(5) + [
      .caseBegan(id: "PS-1"),
      .lost(reason: "the connection is refused", lastSent: "3 bytes that are no frame", bytes: [1, 2, 3]),
      .ended(RunSummary(duration: .seconds(3), counts: [.fail: 1])),
    ])

  static let interrupted = RunReport(
    failingEvents.prefix(7) + [.interrupted, .ended(RunSummary(duration: .seconds(1), counts: [:]))])

  /// A run that ended without a report of its end.
  static let brokenOff = RunReport(failingEvents.prefix(6))
  static let empty = RunReport()
  static let nothingSelected = RunReport([
    .began(header), .planned([]), .ended(RunSummary(duration: .zero, counts: [:])),
  ])

  static let all: [(name: String, report: RunReport)] = [
    ("failing", failing), ("hostile", hostileRun), ("lost", lost), ("interrupted", interrupted),
    ("broken off", brokenOff),
    ("empty", empty), ("nothing selected", nothingSelected),
  ]
  static let names = all.map(\.name)
  static func report(_ name: String) -> RunReport { all.first { $0.name == name }!.report }

  /// A run with a realistic number of cases.
  static let large: RunReport = {
    var random = SplitMix(state: 7)
    let areas: [(name: String, prefix: String)] = [
      ("discovery", "DISC"), ("pair-setup", "PS"), ("pair-verify", "PV"), ("session", "SES"), ("http", "HTTP"),
      ("database", "DB"), ("read", "RD"), ("write", "WR"), ("timed-write", "TW"), ("events", "EV"), ("identify", "ID"),
      ("pairings", "PR"), ("connections", "CON"), ("services", "SV"),
    ]
    var outcomes: [CaseOutcome] = []
    for (area, prefix) in areas {
      for number in 1...25 {
        let lot = Int.random(in: 0..<40, using: &random)
        let verdict: Verdict =
          switch lot {
          case 0: .fail
          case 1: .nonStrict
          case 2: .info
          case 3: .skip
          case 4: .xfail
          default: .pass
          }
        var description = description("\(prefix)-\(number)", "a-case-of-\(area)-\(number)", area: area)
        description.section = "HAP R2 §\(5 + number % 3).\(number)"
        outcomes.append(
          CaseOutcome(
            description, verdict, message: verdict == .pass ? "" : "the failure of \(prefix)-\(number)",
            accepted: verdict == .fail ? ["204 No Content", "207 with status 0"] : [],
            got: verdict == .fail ? "400 with status -70410" : nil, start: .milliseconds(1200),
            duration: .microseconds(Int.random(in: 500...80_000, using: &random)), transcript: conversation))
      }
    }
    return RunReport(events(of: outcomes))
  }()

  /// Random words and special characters, including the hostile texts.
  static func randomText(_ random: inout some RandomNumberGenerator) -> String {
    (0..<Int.random(in: 0...4, using: &random)).map { _ in
      Bool.random(using: &random)
        ? hostile.randomElement(using: &random)!
        : String(Unicode.Scalar(UInt32.random(in: 0...0xD7FF, using: &random))!)
    }.joined()
  }

  static func randomReport(seed: UInt64) -> RunReport {
    var random = SplitMix(state: seed)
    func text() -> String { randomText(&random) }
    func texts() -> [String] { (0..<Int.random(in: 0...3, using: &random)).map { _ in text() } }
    func duration() -> Duration {
      Duration(
        secondsComponent: .random(in: 0...100_000, using: &random),
        attosecondsComponent: Bool.random(using: &random)
          ? 0 : .random(in: 0..<1_000_000_000_000_000_000, using: &random))
    }
    func verdict() -> Verdict { Verdict.allCases.randomElement(using: &random)! }
    func described(_ id: Int) -> CaseDescription {
      CaseDescription(
        id: "R-\(id)", name: text(), area: text(), level: RequirementLevel.allCases.randomElement(using: &random)!,
        requirement: text(), section: text(), cause: Bool.random(using: &random) ? text() : nil, fix: nil,
        impact: Bool.random(using: &random) ? text() : nil, stacks: [.init(name: text(), behaviour: text())],
        aliases: texts())
    }
    var events: [RunEvent] = []
    if Bool.random(using: &random) {
      events.append(
        .began(
          RunHeader(
            version: text(), target: text(), facts: [(text(), text())],
            seed: .random(in: 0...UInt64.max, using: &random),
            time: text(), arguments: texts())))
    }
    let cases = (0..<Int.random(in: 0...6, using: &random)).map(described)
    events.append(.planned(cases.map { PlannedCase($0, skipReason: Bool.random(using: &random) ? text() : nil) }))
    for description in (cases + [described(100)]).shuffled(using: &random) where Bool.random(using: &random) {
      events.append(.caseBegan(id: description.id))
      if Bool.random(using: &random) { continue }
      events.append(
        .caseEnded(
          CaseOutcome(
            description, verdict(), message: text(), sent: Bool.random(using: &random) ? text() : nil,
            accepted: texts(),
            got: Bool.random(using: &random) ? text() : nil, deviations: texts(), notes: texts(),
            variants: [.init(name: text(), verdict: verdict(), message: text())], start: duration(),
            duration: duration(),
            seed: .random(in: 0...UInt64.max, using: &random), repetitions: [verdict(), verdict()],
            expected: Bool.random(using: &random) ? text() : nil,
            transcript: [
              TranscriptEntry(
                time: duration(), kind: .message, direction: .sent, connection: text(), title: text(), decoded: text(),
                bytes: Array(text().utf8),
                frames: [.init(counter: .random(in: 0...UInt64.max, using: &random), count: 7)],
                localAddress: text(), peerAddress: text())
            ], sessionKeys: [SessionKeyRecord(connection: "main", direction: .sent, key: key)])))
    }
    for note in texts() { events.append(.note(note)) }
    if Bool.random(using: &random) { events.append(.lost(reason: text(), lastSent: text(), bytes: Array(text().utf8))) }
    if Bool.random(using: &random) { events.append(.interrupted) }
    if Bool.random(using: &random) {
      events.append(.ended(RunSummary(duration: duration(), counts: [verdict(): 3], leftovers: texts())))
    }
    return RunReport(events)
  }
}

/// A generator with the same sequence on each machine.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
