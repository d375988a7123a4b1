import HAPLoop
import HAPSuite
import HAPWire
import Synchronization
import Testing

@testable import HAPTarget

@Suite("Hooks as commands") struct HookCommandsTests {
  private func run(
    _ way: HookFile.Way, _ hook: HookCall,
    ask: @escaping @Sendable (String) async -> Bool = { _ in false }
  ) async -> (answer: String?, failure: HookFailure?) {
    await withRealLoop { loop in
      let hooks = HookCommands(HookFile([hook.name: way]), on: loop, ask: ask)
      do throws(HookFailure) { return (text(try await hooks.run(hook)), nil) } catch { return (nil, error) }
    }
  }

  private func command(_ text: String, within: Duration = .seconds(20)) -> HookFile.Way {
    .command(text, within: within)
  }

  @Test("A command gets its task in environment variables; its last line of JSON is its answer")
  func variables() async {
    let script =
      #"echo working; echo "{\"a\":\"$HAPTEST_HOOK/$HAPTEST_AID/$HAPTEST_IID/$HAPTEST_SERVICE/$HAPTEST_CHARACTERISTIC/$HAPTEST_VALUE/$HAPTEST_KIND\"}""#
    let full = HookCall(
      .set, aid: 2, iid: 9, service: .name("Light Bulb"), characteristic: "On", value: .list([.integer(1)]),
      kind: "long")
    #expect(
      await run(command(script), full).answer == #"{"a":"set/2/9/Light Bulb/On/[1]/long"}"#)
    let bare = HookCall(.set, service: .iid(4), value: .text("open"))
    #expect(await run(command(script), bare).answer == #"{"a":"set///4//open/"}"#)
  }

  @Test("The hook \"identified\" is a question, and \"no\" is a valid answer") func identified() async {
    let hook = HookCall(.identified, aid: 4)
    #expect(await run(.manual, hook, ask: { _ in true }).answer == #"{"aids":[4]}"#)
    #expect(await run(.manual, HookCall(.identified), ask: { _ in true }).answer == #"{"aids":[1]}"#)
    #expect(await run(.manual, hook).answer == #"{"aids":[]}"#)
  }

  @Test("Output other than JSON is no answer, and standard input is empty") func noAnswer() async {
    for text in ["true", "echo done", "echo 5", "echo '{\"a\":1}'; echo done", "cat"] {
      let result = await run(command(text), HookCall(.reboot))
      #expect(result.answer == nil && result.failure == nil)
    }
  }

  @Test("For a failed command, the error has its name, its exit status and its last output") func failure() async {
    let failure = await run(command("echo one; echo 'no route' >&2; exit 4"), HookCall(.powerCut)).failure
    #expect(failure?.code == .refused)
    #expect(
      failure?.message == #"hook "power-cut": "echo one; echo 'no route' >&2; exit 4" ended with status 4: no route"#)
    #expect(await run(command("kill -9 $$"), HookCall(.reboot)).failure?.message.contains("by signal 9") == true)
  }

  @Test("A command that takes too long is ended, including all processes that it started") func late() async {
    let failure = await run(command("sleep 100 & sleep 100", within: .milliseconds(100)), HookCall(.reboot)).failure
    #expect(failure?.code == .timedOut && failure?.message.contains("isn't done after 100ms") == true)
  }

  @Test("If a run is cancelled, its command is ended") func cancelled() async {
    let failure = await withRealLoop { loop in
      let hooks = HookCommands(HookFile([.reboot: command("sleep 100")]), on: loop) { _ in false }
      let task = Task { await hookFailure { () throws(HookFailure) in try await hooks.run(HookCall(.reboot)) } }
      task.cancel()
      return await task.value
    }
    #expect(failure?.code == .cancelled)
  }

  @Test("A manual hook asks a person, who may answer no") func manual() async {
    let asked = Mutex<[String]>([])
    let hook = HookCall(.press, aid: 2, service: .iid(9), kind: "double")
    let done = await run(.manual, hook) { question in
      asked.withLock { $0.append(question) }
      return true
    }
    #expect(done.failure == nil)
    #expect(asked.withLock { $0 } == ["Please press the button (double, service 9, accessory 2)"])
    #expect(await run(.manual, hook).failure?.code == .refused)
  }

  @Test("A hook that the file lacks is unavailable, unless another source has it") func chain() async {
    await withRealLoop { loop in
      let one = HookCommands(HookFile([.reboot: command("echo '{\"by\":1}'")]), on: loop) { _ in false }
      let two = HookCommands(
        HookFile([.reboot: command("echo '{\"by\":2}'"), .jam: command("echo '{\"by\":2}'")]), on: loop
      ) { _ in false }
      let chain = HookChain([one, two])
      #expect(HookName.allCases.filter(chain.isAvailable) == [.reboot, .jam])
      #expect(text(try? await chain.run(HookCall(.reboot))) == #"{"by":1}"#)
      #expect(text(try? await chain.run(HookCall(.jam))) == #"{"by":2}"#)
      for runner in [chain, HookChain([]), NoHooks()] as [any HookRunner] {
        let failure = await hookFailure { () throws(HookFailure) in try await runner.run(HookCall(.press)) }
        #expect(failure?.code == .unavailable && failure?.message.contains("\"press\"") == true)
      }
    }
  }
}
