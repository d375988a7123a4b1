import HAPModel
import HAPWire
import MatterModel
import Testing

@testable import HAPDeviations

@Suite("Defects of Matter in files") struct MatterDefectFileTests {
  /// A file with one defect of Matter that has these lines.
  private func file(_ lines: String) -> DefectFile {
    let indented = lines.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }
    return DefectFile(
      utf8(
        "area: own\ndefects:\n  - id: some-mistake\n    what: Something is wrong.\n" + indented.joined(separator: "\n")),
      file: "own.yaml")
  }

  private func rules(_ rules: String) -> DefectFile {
    file("rule: \"Matter: something.\"\ncontroller: It stops.\nmatter: { rules: [\(rules)] }")
  }

  @Test("Each part of a defect is read")
  func wholeDefect() throws {
    let file = file(
      """
      rule: "Matter 1.4.2 Core §6: something."
      controller: It stops.
      matter:
        rules:
          - { when: { request: AddNOC, nth: "2+" }, answer: { code: 5 } }
          - { when: { request: ReadRequest }, answer: { status: unsupportedAccess } }
          - { when: { request: Sigma1 }, answer: { status: busy } }
          - { when: { request: CSRRequest }, fail-safe: expire }
          - { when: { answer: Pake1 }, drop: true }
          - { when: { answer: InvokeRequest }, drop: 2 }
          - { when: { answer: CommissioningComplete }, code: 1 }
          - { when: { answer: WriteRequest }, status: timeout }
          - { when: { answer: AttestationRequest }, wrong: challenge }
          - { when: { report: true, nth: 1 }, drop: true }
        attestation: { dac: expired, pai: other-vendor, paa: unknown, declaration: wrong-signature }
      """)
    #expect(file.problems == [])
    let defect = try #require(file.defects.first)
    #expect(defect.breaks == [] && defect.area == "own" && defect.servedProtocol == .matter && !defect.isInstalled)
    let matter = try #require(defect.matter)
    #expect(matter.rule == "Matter 1.4.2 Core §6: something." && matter.controller == "It stops.")
    #expect(
      matter.rules.map(\.effect) == [
        .refuseWithCode(5), .refuse(.interaction(.unsupportedAccess)), .refuse(.secureChannel(.busy)), .expireFailSafe,
        .drop(.max), .drop(2), .code(1), .status(.interaction(.timeout)), .wrong(.challenge), .drop(.max),
      ])
    #expect(matter.rules[0].subject == .request(.addNOC) && matter.rules[4].subject == .answer(.pake1))
    #expect(matter.rules[9].subject == .report && matter.rules[0].count == CountPattern("2+"))
    #expect(matter.attestation.device == .expired && matter.attestation.intermediate == .otherVendor)
    #expect(matter.attestation.authority == .unknown && matter.attestation.declaration == .wrongSignature)
  }

  @Test(
    "A mistake in a rule is reported with its place",
    arguments: [
      ("{ when: { requst: AddNOC }, answer: { code: 5 } }", "did you mean \"request\"?"),
      ("{ when: {}, drop: true }", "it needs one of request, answer and report: true"),
      ("{ when: { request: AddNOC, answer: AddNOC }, drop: true }", "it needs one of request, answer and report"),
      ("{ when: { report: false }, drop: true }", "it needs one of request, answer and report: true"),
      ("{ when: { request: AddNoc }, answer: { code: 5 } }", "it must be one of PBKDFParamRequest, Pake1"),
      ("{ when: { request: AddNOC } }", "a rule has one of drop, code, status, wrong, answer, fail-safe"),
      ("{ when: { request: AddNOC }, fail-safe: expire, answer: { code: 5 } }", "a rule has one of drop"),
      ("{ when: { request: AddNOC }, drop: true }", "a rule for a request has answer or fail-safe"),
      ("{ when: { answer: AddNOC }, answer: { code: 5 } }", "a rule for an answer has drop, code, status or wrong"),
      ("{ when: { report: true }, code: 5 }", "a rule for reports has drop"),
      ("{ when: { request: CSRRequest }, answer: { code: 5 } }", "the response to CSRRequest has no code"),
      ("{ when: { request: AddNOC }, answer: { code: 256 } }", "256 is not in 0...255"),
      ("{ when: { request: AddNOC }, answer: { code: 1, status: busy } }", "an answer has code or status"),
      ("{ when: { request: AddNOC }, answer: {} }", "an answer has code or status"),
      ("{ when: { request: AddNOC }, answer: { status: Busy } }", "it must be one of success, failure"),
      ("{ when: { request: Sigma1 }, answer: { status: failure } }", "it must be one of sessionEstablished"),
      ("{ when: { request: AddNOC }, fail-safe: extend }", "it must be expire"),
      ("{ when: { answer: AddNOC }, drop: 0 }", "0 is not in 1...5"),
      ("{ when: { answer: AddNOC }, drop: 6 }", "6 is not in 1...5"),
      ("{ when: { answer: AddNOC }, drop: false }", "it must be true or a number of transmissions"),
      ("{ when: { answer: AddNOC }, wrong: nonce }", "the answer to AddNOC has no nonce"),
      ("{ when: { answer: AttestationRequest }, wrong: signing-request }", "has no signing-request"),
      ("{ when: { answer: AttestationRequest }, wrong: date }", "it must be one of nonce, signature"),
      ("{ when: { answer: AddNOC, nth: two }, drop: true }", "a count is expected"),
      ("{ when: { answer: AddNOC, nth: 0 }, drop: true }", "messages are counted from 1"),
      ("{ when: { answer: AddNOC, nth: \"-0\" }, drop: true }", "messages are counted from 1"),
    ])
  func mistakes(_ rule: String, _ message: String) throws {
    let file = rules(rule)
    let problem = try #require(file.problems.first)
    #expect(problem.message.contains(message), "\(problem)")
    #expect(problem.place.line == 7 && file.defects.isEmpty, "\(problem)")
  }

  @Test(
    "A defect without what it needs, or with a part of HAP, is refused",
    arguments: [
      ("controller: x\nmatter: { attestation: { dac: expired } }", "\"rule\" is missing"),
      ("rule: x\nmatter: { attestation: { dac: expired } }", "\"controller\" is missing"),
      ("rule: x\ncontroller: x\nmatter: {}", "it needs rules or attestation"),
      ("rule: x\ncontroller: x\nmatter: { attestation: {} }", "it needs rules or attestation"),
      ("rule: x\ncontroller: x\nmatter: { attestation: { dac: old } }", "it must be one of expired"),
      ("rule: x\ncontroller: x\nmatter: { attestation: { cert: expired } }", "there is no member \"cert\""),
      ("rule: x\ncontroller: x\nmatter: { rulez: [] }", "did you mean \"rules\"?"),
      ("rule: x\ncontroller: x\nbreaks: RD-01\nmatter: { attestation: { dac: expired } }", "no member \"breaks\""),
      ("rule: x\ncontroller: x\nidle: 1s\nmatter: { attestation: { dac: expired } }", "no member \"idle\""),
      ("breaks: RD-01\nrule: x\nidle: 1s", "there is no member \"rule\""),
    ])
  func parts(_ lines: String, _ message: String) throws {
    let file = file(lines)
    #expect(file.problems.first?.message.contains(message) == true, "\(file.problems)")
    #expect(file.defects.isEmpty)
  }

  @Test("Rules count the messages of their subject, and a command is an InvokeRequest, too")
  func script() throws {
    let file = rules(
      "{ when: { request: AddNOC, nth: 2 }, answer: { code: 5 } }, { when: { answer: InvokeRequest }, drop: 3 }, "
        + "{ when: { report: true, nth: \"2+\" }, drop: true }")
    var script = MatterScript(try #require(file.defects.first?.matter))
    #expect(!script.isEmpty)
    #expect(script.effects(on: .request([.invoke, .addNOC])) == [])
    #expect(script.effects(on: .request([.invoke])) == [] && script.effects(on: .request([.read])) == [])
    #expect(script.effects(on: .request([.invoke, .addNOC])) == [.refuseWithCode(5)])
    #expect(script.effects(on: .request([.invoke, .addNOC])) == [])
    #expect(script.effects(on: .answer(to: [.invoke, .addNOC])) == [.drop(3)])
    #expect(script.effects(on: .answer(to: [.read])) == [])
    #expect(script.effects(on: .report) == [] && script.effects(on: .report) == [.drop(.max)])
  }
}
