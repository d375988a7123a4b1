import Foundation
import HAPController
import HAPJudge
import HAPLoop
import HAPMisbehaviour
import HAPStore
import HAPWire
import Testing
import WorldPrograms

/// Checked: these tests fail with a controller whose identifier is not a UUID, which violates another rule.
@Suite("hapctl misbehave against hapsim judge, in a simulated world") struct JudgeTests {
  private static let rules = ControllerJudge.descriptions.map(\.name)
  /// The faults and commands of the accessory that some violations need; commands follow a controller's subscription.
  private static let faults = [
    "patience": "delay-message:message=read:by=3s", "keeps-connection": "failing-read:type=On",
  ]
  private static let commands: [String: [(name: String, value: JSONNode)]] = [
    "reconnects": [("command", .text("disconnect"))],
    "resubscribes": [("command", .text("disconnect"))],
    "survives-events": [
      ("command", .text("set")), ("characteristic", .text("On")), ("value", JSONNode(.bool(true))),
    ],
    "reads-new-database": [("command", .text("fault")), ("fault", .text("wrong-config-number:number=77"))],
  ]

  @Test("There is a violation for each rule") func violations() {
    #expect(ControllerViolation.all.map(\.rule).sorted() == Self.rules.sorted())
    #expect(Self.rules.count > 30)
  }

  @Test("A violated rule is detected, and no other rule", arguments: rules) func isBroken(_ rule: String) throws {
    let options = Self.faults[rule].map { ["--fault", $0] } ?? []
    let strangers = try Self.judge(options) { program, perform in
      let violation = perform(rule)
      if let command = Self.commands[rule] {
        try await program.waitForEvent("subscribed")
        let answer = try await program.perform(command)
        #expect(answer["ok"]?.boolValue == true, "\(answer.compactText)")
      }
      try await violation.value
      try await program.waitForEvent("broken")
      try await Self.expect(rule, brokenIn: program)
    }
    #expect(strangers == 0)
  }

  @Test(
    "The violation is detected, however the connection is lost", arguments: ["reconnects", "resubscribes"],
    ["reboot", "power-cut", "radio"]) func lost(_ rule: String, _ way: String) throws
  {
    let strangers = try Self.judge([]) { program, perform in
      let violation = perform(rule)
      try await program.waitForEvent("subscribed")
      if way == "radio" {
        _ = try await program.perform([("command", .text("radio")), ("value", JSONNode(.bool(false)))])
      }
      let value: [(name: String, value: JSONNode)] = way == "radio" ? [("value", JSONNode(.bool(true)))] : []
      let answer = try await program.perform([("command", .text(way))] + value)
      #expect(answer["ok"]?.boolValue == true, "\(answer.compactText)")
      // While the accessory starts, a reconnecting controller fails and may give up.
      do { try await violation.value } catch  where rule == "resubscribes" { return }
      try await program.waitForEvent("broken")
      try await Self.expect(rule, brokenIn: program)
    }
    #expect(strangers == 0)
  }

  /// Stops the judge, and checks that its verdict has only this violation.
  private static func expect(_ rule: String, brokenIn program: ServedProgram) async throws {
    let exit = try await program.stop()
    let verdict = try #require(program.said.last)
    let broken = verdict["broken"]?.elements ?? []
    #expect(broken.compactMap { $0["rule"]?.stringValue } == [rule], "\(verdict.compactText)")
    #expect(broken.first?["message"]?.stringValue?.isEmpty == false)
    #expect(exit == .code(1) && verdict["conclusion"]?.stringValue == "failures")
  }

  /// Runs `hapsim judge` on a lamp that also has a characteristic with timed writes, with a pairing.
  /// - Parameter body: gets a function that performs the violation of a rule.
  private static func judge(
    _ options: [String],
    _ body: @escaping @Sendable (ServedProgram, (String) -> Task<Void, any Error>) async throws -> Void
  ) throws -> Int {
    let file = FileManager.default.temporaryDirectory.appending(path: "hapsim-\(UUID().uuidString).hasaccessory")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(profile.utf8).write(to: file)
    let words = ["judge", file.path, "--no-trial", "--within", "1s"] + options
    let laboratory = SimulatedLaboratory()
    defer { laboratory.world.end() }
    let program = try ServedProgram(words, in: laboratory)
    try laboratory.world.run {
      let pairing = try await program.pair()
      let controller = MisbehavingController(on: program.loop, pairing, timeout: .seconds(10), stay: .seconds(3))
      try await body(program) { rule in
        program.loop.startTask {
          guard let violation = ControllerViolation.all.first(where: { $0.rule == rule }) else {
            throw MissingViolation()
          }
          try await violation.perform(controller)
        }
      }
      _ = try await program.stop()
    }
    return laboratory.world.foreignJobCount
  }

  private struct MissingViolation: Error {}

  private static let profile = """
    {
      "format": "hasaccessory/1", "name": "Tried", "category": "lightbulb",
      "services": [
        {
          "type": "LightBulb", "primary": true,
          "characteristics": [
            { "type": "On", "value": false },
            { "type": "Brightness", "value": 50 },
            {
              "type": "8D930022-860E-4115-99CE-0CB5D9674D77", "description": "Descale", "format": "uint8",
              "perms": ["pr", "pw", "tw"], "minValue": 0, "maxValue": 1, "value": 0
            }
          ]
        }
      ]
    }
    """
}
