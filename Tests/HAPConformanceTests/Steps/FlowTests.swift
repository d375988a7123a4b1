import HAPLoop
import HAPWire
import Testing

@testable import HAPConformance
@testable import HAPExpectation
@testable import HAPSuite
@testable import HAPTarget

/// Control-flow steps, without an accessory.
@Suite struct FlowTests {
  /// Supports press and trigger, but refuses to trigger.
  private struct Hands: HookRunner {
    func isAvailable(_ name: HookName) -> Bool { name == .press || name == .trigger }
    func run(_ hook: HookCall) async throws(HookFailure) -> JSONNode? {
      if hook.name == .trigger { throw HookFailure(.refused, "it has no sensor") }
      return nil
    }
  }

  /// - Returns: the notes of a case with these steps, and its failure.
  /// - Parameter note: the note after which the case is cancelled.
  private func run(
    _ steps: String, givingUpBehind note: String? = nil, hasObserver: Bool = false
  ) async throws -> (notes: [String], failure: (any Error)?) {
    let steps = Step.list(try JSONNode.parse(Array(steps.utf8)))
    return try await withLoop { loop in
      let address = SocketAddress(host: .loopbackV4, port: 1)
      let device = TestedAccessory(on: loop, addresses: [address], code: nil, random: .seeded(1))
      let world = CaseWorld()
      world.hooks = Hands()
      // The observer is never opened, so it can't send.
      if hasObserver { world.observer = MDNSObserver(on: loop, interfaces: ["none"]) }
      let definition = CaseDefinition(
        id: "XX-01", name: "x", area: "x", level: .must, requirement: "", section: "", cause: nil, fix: nil,
        impact: nil, stacks: [], aliases: [], needs: CaseNeeds(), find: [], variants: [], steps: steps, isShared: false,
        file: "x.yaml", place: JSONPlace(line: 1, column: 1))
      let run = CaseRun(
        definition, on: device, world: world, recorder: Recorder(on: loop, start: device.start),
        expectations: NamedExpectations(),
        random: .seeded(2))
      try await run.prepare(variant: nil, found: [])
      let task = Task { try await run.run(steps) }
      if let note {
        try await wait(on: loop) { await run.notes.contains(note) }
        task.cancel()
      }
      do {
        try await task.value
        return (await run.notes, nil)
      } catch { return (await run.notes, error) }
    }
  }

  @Test("Steps under \"always\" run after a failure, and the failure then counts")
  func always() async throws {
    let (notes, failure) = try await run(
      #"[{"try": {"steps": [{"fail": "broken"}, {"record": "never"}], "always": [{"record": "tidied"}]}}, {"record": "never"}]"#
    )
    #expect(notes == ["tidied"])
    #expect((failure as? CaseFailure)?.message == "broken")
  }

  @Test("A failure under \"always\" doesn't hide an earlier failure")
  func worse() async throws {
    let steps = #"[{"try": {"steps": [STEPS], "always": [{"fail": "worse"}]}}]"#
    let (notes, failure) = try await run(steps.replacing("STEPS", with: #"{"fail": "broken"}"#))
    #expect((failure as? CaseFailure)?.message == "broken")
    #expect(notes == ["a step of 'always' failed: worse"])
    #expect((try await run(steps.replacing("STEPS", with: "")).failure as? CaseFailure)?.message == "worse")
  }

  @Test("Steps under \"always\" run even if the case is cancelled")
  func givenUp() async throws {
    let (notes, failure) = try await run(
      #"[{"try": {"steps": [{"record": "begun"}, {"wait": "2h"}], "always": [{"record": "tidied"}]}}]"#,
      givingUpBehind: "begun")
    #expect(notes == ["begun", "tidied"])
    #expect(failure is CaseInterrupted)
  }

  @Test(
    "A name that is too long for a message is an error of the suite",
    arguments: [#"{"claim": "NAME"}"#, #"{"query": ["SRV NAME._hap._tcp.local"]}"#])
  func longName(_ step: String) async throws {
    let name = String(repeating: "x", count: 300)
    let failure = try await run(#"[{"mdns": \#(step.replacing("NAME", with: name))}]"#, hasObserver: true).failure
    #expect((failure as? StepError)?.message == "an instance's name has 1 to 63 bytes, not 300")
  }

  @Test("If the failure is saved, or there is no \"always\", the case continues")
  func saved() async throws {
    let (notes, failure) = try await run(
      #"[{"try": {"steps": [{"fail": "broken"}], "always": [{"record": "tidied"}], "save": "why"}}, {"record": "${why}"}, {"try": {"steps": [{"fail": "x"}]}}, {"record": "on"}]"#
    )
    #expect(failure == nil)
    #expect(notes == ["tidied", "broken", "on"])
  }

  @Test("A case that is skipped inside stays skipped, after its steps under \"always\"")
  func skipped() async throws {
    let (notes, failure) = try await run(
      #"[{"try": {"steps": [{"skip": "no"}], "always": [{"record": "tidied"}], "save": "why"}}]"#)
    #expect(notes == ["tidied"])
    #expect(failure is CaseSkip)
  }

  @Test("Cases can check whether a hook exists, and can continue after a refused one")
  func hooks() async throws {
    let (notes, failure) = try await run(
      #"[{"record": "${hooks.press} ${hooks.jam}"}, {"hook": {"name": "press", "refused": "a"}}, {"hook": {"name": "trigger", "refused": "b"}}, {"record": "${a}/${b}"}]"#
    )
    #expect(failure == nil)
    #expect(notes.first == "true false")
    #expect(notes.last?.hasPrefix("/") == true && notes.last?.contains("no sensor") == true)
  }

  @Test("A refused hook without \"refused\" is an error, not a verdict on the accessory")
  func refused() async throws {
    #expect(try await run(#"[{"hook": {"name": "trigger"}}]"#).failure is StepError)
    #expect(try await run(#"[{"hook": {"name": "jam", "refused": "why"}}]"#).failure is CaseSkip)
  }

  @Test("The message names the awaited condition that didn't occur")
  func because() async throws {
    let (_, failure) = try await run(
      #"[{"repeat": {"times": 2, "until": {"that": 1, "is": 2, "because": "the lock"}, "steps": [{"mark": "x"}]}}]"#)
    #expect((failure as? CaseFailure)?.message.hasPrefix("the lock: not after 2 times") == true)
  }
}
