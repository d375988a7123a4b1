import HAPLint
import HAPWire
import Testing

@Suite("The linter's text output") struct LintTextTests {
  private static func findings(_ changes: (String, String)...) -> [LintFinding] {
    var text = Databases.house
    for (from, to) in changes { text = text.replacing(from, with: to, maxReplacements: 1) }
    return DatabaseLint([UInt8](text.utf8)).findings()
  }

  @Test("Without findings, the text states only that none were found, not that iOS accepts the accessory")
  func nothing() {
    #expect(
      LintText.report(Self.findings()) == "No finding is known to make iOS reject this.\n\nNo findings.\n")
    #expect(!LintText.isFailure([]))
  }

  @Test("The first line states whether iOS would accept the accessory")
  func answer() {
    let one = Self.findings(("\"value\":50", "\"value\":500"))
    #expect(
      LintText.answer(one)
        == "iOS is reported to reject this: Brightness (iid 12) of Light Bulb (iid 10) of accessory 1 \"Hall Lamp\": the value 500 is outside maxValue 100."
    )
    let two = Self.findings(("\"value\":50", "\"value\":500"), ("\"SN0001\"", "\"S\""))
    #expect(LintText.answer(two).hasSuffix(", and 1 more of other kinds."))
    let tolerated = Self.findings(("\"1.0.0\"", "\"1.0.0b\""))
    #expect(LintText.answer(tolerated) == "No finding is known to make iOS reject this.")
    #expect(!LintText.isFailure(tolerated))
    #expect(LintText.isFailure(two))
  }

  @Test("Findings are listed under their subject, with tag, source, fix and place")
  func grouped() {
    let findings = Self.findings(
      ("\"value\":50", "\"value\":500"), ("\"minStep\":1", "\"minStep\":0"), ("\"43\"", "\"0043\""),
      ("\"1.0.0\"", "\"3.40.XX\""))
    #expect(
      LintText.report(findings) == """
        iOS is reported to reject this: Brightness (iid 12) of Light Bulb (iid 10) of accessory 1 "Hall Lamp": the value 500 is outside maxValue 100.

        accessory 1 "Hall Lamp"
          Accessory Information (iid 1)
            Firmware Revision (iid 7)
              non-strict: "3.40.XX" does not consist only of numbers [ADB-09 revision/tail]
                iOS tolerates (the certified Lennox E30 has "3.40.XX"; controllers read the leading numbers)
                accessories[0].services[0].characteristics[5].value at 9:63
          Light Bulb (iid 10)
            should: "0043" has leading zeros [ADB-12 types/leading-zeros]
              iOS: unknown
              fix: write "43"
              accessories[0].services[2].type at 11:18
            Brightness (iid 12)
              must: the value 500 is outside maxValue 100 [ADB-20 value-range/outside]
                iOS rejects (homebridge#178, homebridge#995)
                fix: keep the value within the limits, or widen them
                accessories[0].services[2].characteristics[1].value at 13:70
              must: minStep 0 is not above 0 [ADB-22 limits/step]
                iOS: unknown
                accessories[0].services[2].characteristics[1].minStep at 13:132

        2 must, 1 should, 1 non-strict

        """)
  }

  @Test("JSON output has the same contents")
  func json() throws {
    let text = LintText.json(Self.findings(("\"value\":50", "\"value\":500"), ("\"0043\"", "\"43\"")))
    let node = try JSONNode.parse([UInt8](text.utf8))
    #expect(try node.required("failed").asBool())
    #expect(try node.required("counts").required("must").integerValue == 1)
    let finding = try #require(try node.list("findings").first)
    #expect(try finding.string("case") == "ADB-20")
    #expect(try finding.string("rule") == "value-range/outside")
    #expect(try finding.string("ios") == "rejects")
    #expect(finding["line"]?.integerValue == 13)
    #expect(finding["column"]?.integerValue == 70)
  }
}
