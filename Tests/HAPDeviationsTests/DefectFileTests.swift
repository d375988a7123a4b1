import HAPModel
import HAPProfile
import HAPWire
import Testing

@testable import HAPDeviations

@Suite("Defect files") struct DefectFileTests {
  @Test("Each part of a defect is read")
  func wholeDefect() throws {
    let defect = defect(
      """
      drags: { RD-11: "it reads one, too" }
      profile: lock
      proof: { options: [--long], serve: [--bind, 127.0.0.1], claims: { admin-only: [On] } }
      needs: [LockMechanism, On]
      rules:
        - when: { answer: GET /characteristics, status: [200, 207], ids: "2+" }
          json: [{ remove: /characteristics/0 }]
      quirks: { checksPermissions: false }
      record: { when: { paired: true, updates: 1 }, txt: { sf: "3", "c#": null }, port: "+1" }
      device: [{ of: LockCurrentState, change: drop, when: { by: hand } }]
      restart: { after: reboot, forget: [pairings, tries], number: "+1" }
      identity: { signs-with: other, id: other, code: 111-11-111 }
      random: { in: /pair-verify, is: same }
      sealing: { size: 2048, counter: skip, tag: flip, when: { answer: "*" } }
      idle: 5min
      """)
    #expect(defect.id == "some-mistake" && defect.area == "read" && defect.breaks == ["RD-01"])
    #expect(defect.drags.map(\.id) == ["RD-11"] && defect.profile == "lock" && defect.testOptions == ["--long"])
    #expect(defect.quirks(over: Quirks()).checksPermissions == false)
    #expect(defect.rules.count == 1 && defect.idle == .seconds(300))
    #expect(defect.records[0].port == .beside(1) && defect.records[0].txt.count == 2)
    #expect(defect.records[0].fits(isPaired: true, restarts: 0, updates: 1, cause: nil))
    #expect(!defect.records[0].fits(isPaired: false, restarts: 0, updates: 1, cause: nil))
    #expect(defect.devices[0].cause == .hand)
    #expect(defect.restart?.after == [.reboot] && defect.restart?.number == 1)
    #expect(defect.identity?.setupCode?.text == "111-11-111")
    #expect(defect.needs.count == 2)
  }

  @Test(
    "A mistake is reported with its place and a suggestion",
    arguments: [
      (
        "rules: [{ when: { anser: GET / }, drop: true }]",
        "there is no member \"anser\" here: did you mean \"answer\"?", 6
      ),
      ("rules: [{ when: { answer: GET /a b c }, drop: true }]", "a method and a path are expected", 6),
      ("rules: [{ when: { query: { id: a } }, drop: true }]", "it needs one of request, answer", 6),
      ("rules: [{ when: { answer: \"*\" } }]", "the rule does nothing", 6),
      ("rules: [{ when: { answer: \"*\", nth: two }, drop: true }]", "a count is expected", 6),
      ("rules: [{ when: { answer: \"*\", where: [a] }, drop: true }]", "a path begins with \"/\"", 6),
      ("rules: [{ when: { answer: \"*\", where: [\"/a[b\"] }, drop: true }]", "a bracket is not closed", 6),
      ("rules: [{ when: { answer: \"*\", where: [\"/a/*[b>x]\"] }, drop: true }]", "a number is expected in", 6),
      ("rules: [{ when: { answer: \"*\" }, json: [{ insert: /a, value: 1, at: frist }] }]", "it must be first", 6),
      ("rules: [{ when: { answer: \"*\", tlv: { stat: 1 } }, drop: true }]", "did you mean \"state\"?", 6),
      ("rules: [{ when: { answer: \"*\" }, json: [{ set: /a, remove: /b }] }]", "an edit has one of", 6),
      ("rules: [{ when: { answer: \"*\" }, json: [{ set: /a }] }]", "\"to\" is missing", 6),
      ("rules: [{ when: { answer: \"*\" }, tlv: [{ flip: entry }] }]", "an entry can only be removed or repeated", 6),
      ("rules: [{ when: { answer: \"*\" }, close: now }]", "it must be one of behind, before, reset, others", 6),
      ("rules: [{ when: { answer: \"*\" }, pause: 2min }]", "it must be at most 1min", 6),
      ("rules: [{ when: { answer: \"*\" }, apply: { Onn: 1 } }]", "the catalogue has no \"Onn\"", 6),
      ("device: { of: LokCurrentState, change: drop }", "did you mean \"LockCurrentState\"?", 6),
      ("quirks: { checkPermissions: false }", "did you mean \"checksPermissions\"?", 6),
      ("quirks: { checksPermissions: perhaps }", "true or false is expected", 6),
      ("record: { port: 0 }", "0 is not in 1...65535", 6),
      ("restart: { after: fire }", "it must be one of reboot", 6),
      ("identity: { code: \"12\" }", "a setup code has eight digits", 6),
      ("sealing: { size: 0 }", "0 is not in 1...65535", 6),
      ("rules: [{ when: { every: 0ms }, drop: true }]", "it must be at least 1ms", 6),
      ("rules: [{ when: { every: often }, drop: true }]", "a duration is expected", 6),
      ("rules: [{ when: { answer: \"*\" }, size: 0 }]", "0 is not in 1...1000000", 6),
      ("rules: [{ when: { answer: \"*\" }, json: [{ crowd: /a, to: 10001 }] }]", "10001 is not in 1...10000", 6),
      ("record: { again: 0ms }", "it must be at least 1ms", 6),
      ("record: { rival: Bob }", "true or false is expected", 6),
      ("restart: { ids: mixed }", "it must be shuffled", 6),
      ("random: { is: odd }", "it must be one of same", 6),
      ("drags: { A-1: a, A-2: a, A-3: a, A-4: a, A-5: a, A-6: a }\nidle: 1s", "more than five", 6),
      ("profile: lock", "it changes nothing", 3),
    ])
  func mistakes(_ changes: String, _ message: String, _ line: Int) throws {
    let problem = try #require(file(changes).problems.first)
    #expect(problem.message.contains(message), "\(problem)")
    #expect(problem.place.line == line && problem.file == "own.yaml", "\(problem)")
    #expect(file(changes).defects.isEmpty)
  }

  @Test("A mistake in one defect doesn't affect the others, and a duplicate id is refused")
  func several() {
    let text =
      fileText("idle: 1s")
      + "  - { id: some-mistake, breaks: RD-02, what: Twice., idle: 1s }\n  - { id: Wrong, breaks: RD-02, what: x, idle: 1s }\n"
    let file = DefectFile(utf8(text), file: "own.yaml")
    #expect(file.defects.map(\.id) == ["some-mistake"])
    #expect(file.problems.map(\.message).contains { $0.contains("already exists in line 3") })
    #expect(file.problems.map(\.message).contains { $0.contains("an id consists of lowercase letters") })
  }

  @Test(
    "A file that holds no defects is refused", arguments: ["", "[", "defects: []", "area: read\ndefects: 1", "- 1"])
  func noFile(_ text: String) {
    let file = DefectFile(utf8(text), file: "own.yaml")
    #expect(!file.problems.isEmpty && file.defects.isEmpty)
  }

  @Test("For an unknown defect, the error suggests the nearest id")
  func unknown() {
    let library = DefectLibrary([defect("idle: 1s")])
    #expect(library["some-mistake"] != nil && library["other"] == nil)
    #expect(library.unknown("some-mistaek").contains("did you mean \"some-mistake\"?"))
  }

  @Test("The built-in defects are valid, and their ids unique")
  func builtIn() {
    let ids = DefectLibrary.builtIn.entries.map(\.id)
    #expect(Set(ids).count == ids.count)
  }

  @Test("The obstacle of a defect names what the accessory lacks")
  func obstacle() {
    #expect(defect("needs: [On]\nidle: 1s").obstacle(in: Lamp().database) == nil)
    #expect(defect("needs: [Brightness]\nidle: 1s").obstacle(in: Lamp().database) == "the accessory has no Brightness")
  }
}
