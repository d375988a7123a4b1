import HAPLoop
import HAPWire
import Testing

@testable import HAPConformance
@testable import HAPExpectation
@testable import HAPSuite
@testable import HAPTarget

/// Steps that go one way or the other, without an accessory.
@Suite struct FlowTests {
  /// Presses what it can, and refuses to trigger.
  private struct Hands: HookRunner {
    func isAvailable(_ name: HookName) -> Bool { name == .press || name == .trigger }
    func run(_ hook: HookCall) async throws(HookFailure) -> JSONNode? {
      if hook.name == .trigger { throw HookFailure(.refused, "it has no sensor") }
      return nil
    }
  }

  /// - Returns: the notes of a case with these steps, and how it failed.
  /// - Parameter note: of the note behind which the case is given up.
  private func run(
    _ steps: String, givingUpBehind note: String? = nil, hasObserver: Bool = false
  ) async throws -> (notes: [String], failure: (any Error)?) {
    let steps = Step.list(try JSONNode.parse(Array(steps.utf8)))
    return try await withLoop { loop in
      let address = SocketAddress(host: .loopbackV4, port: 1)
      let device = TestedAccessory(on: loop, addresses: [address], code: nil, random: .seeded(1))
      let world = CaseWorld()
      world.hooks = Hands()
      // One that nobody opens: it can't send.
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

  @Test("What is always done is done behind a failure, which counts then")
  func always() async throws {
    let (notes, failure) = try await run(
      #"[{"try": {"steps": [{"fail": "broken"}, {"record": "never"}], "always": [{"record": "tidied"}]}}, {"record": "never"}]"#
    )
    #expect(notes == ["tidied"])
    #expect((failure as? CaseFailure)?.message == "broken")
  }

  @Test("What goes wrong in what is always done doesn't hide what went wrong before")
  func worse() async throws {
    let steps = #"[{"try": {"steps": [STEPS], "always": [{"fail": "worse"}]}}]"#
    let (notes, failure) = try await run(steps.replacing("STEPS", with: #"{"fail": "broken"}"#))
    #expect((failure as? CaseFailure)?.message == "broken")
    #expect(notes == ["a step of 'always' failed: worse"])
    #expect((try await run(steps.replacing("STEPS", with: "")).failure as? CaseFailure)?.message == "worse")
  }

  @Test("What is always done is done though the case is given up")
  func givenUp() async throws {
    let (notes, failure) = try await run(
      #"[{"try": {"steps": [{"record": "begun"}, {"wait": "2h"}], "always": [{"record": "tidied"}]}}]"#,
      givingUpBehind: "begun")
    #expect(notes == ["begun", "tidied"])
    #expect(failure is CaseInterrupted)
  }

  @Test(
    "Names that can't stand in a message are the suite's mistake",
    arguments: [#"{"claim": "NAME"}"#, #"{"query": ["SRV NAME._hap._tcp.local"]}"#])
  func longName(_ step: String) async throws {
    let name = String(repeating: "x", count: 300)
    let failure = try await run(#"[{"mdns": \#(step.replacing("NAME", with: name))}]"#, hasObserver: true).failure
    #expect((failure as? StepError)?.message == "an instance's name has 1 to 63 bytes, not 300")
  }

  @Test("Where what went wrong is saved, or nothing is always done, the case goes on")
  func saved() async throws {
    let (notes, failure) = try await run(
      #"[{"try": {"steps": [{"fail": "broken"}], "always": [{"record": "tidied"}], "save": "why"}}, {"record": "${why}"}, {"try": {"steps": [{"fail": "x"}]}}, {"record": "on"}]"#
    )
    #expect(failure == nil)
    #expect(notes == ["tidied", "broken", "on"])
  }

  @Test("A case that is skipped inside stays so, and is tidied up behind")
  func skipped() async throws {
    let (notes, failure) = try await run(
      #"[{"try": {"steps": [{"skip": "no"}], "always": [{"record": "tidied"}], "save": "why"}}]"#)
    #expect(notes == ["tidied"])
    #expect(failure is CaseSkip)
  }

  @Test("Cases can ask whether there is a hook, and go on when one is refused")
  func hooks() async throws {
    let (notes, failure) = try await run(
      #"[{"record": "${hooks.press} ${hooks.jam}"}, {"hook": {"name": "press", "refused": "a"}}, {"hook": {"name": "trigger", "refused": "b"}}, {"record": "${a}/${b}"}]"#
    )
    #expect(failure == nil)
    #expect(notes.first == "true false")
    #expect(notes.last?.hasPrefix("/") == true && notes.last?.contains("no sensor") == true)
  }

  @Test("A refused hook that nobody asked about is no verdict")
  func refused() async throws {
    #expect(try await run(#"[{"hook": {"name": "trigger"}}]"#).failure is StepError)
    #expect(try await run(#"[{"hook": {"name": "jam", "refused": "why"}}]"#).failure is CaseSkip)
  }

  @Test("What was waited for is named when it doesn't come")
  func because() async throws {
    let (_, failure) = try await run(
      #"[{"repeat": {"times": 2, "until": {"that": 1, "is": 2, "because": "the lock"}, "steps": [{"mark": "x"}]}}]"#)
    #expect((failure as? CaseFailure)?.message.hasPrefix("the lock: not after 2 times") == true)
  }
}
