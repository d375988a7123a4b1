import Foundation
import HAPLoop
import HAPWire
import Synchronization
import Testing

@testable import HAPTarget

/// A shell script that behaves as hapsim: it prints a ready line and an event, and answers each command.
private let simulator = #"""
  echo starting >&2
  echo '{"event":"ready","bonjour":"off","accessories":[{"name":"Lamp","deviceID":"AA:BB:CC:DD:EE:FF","setupCode":"031-45-154","setupPayload":"X-HM://0","category":"lightbulb","address":"127.0.0.1","port":51826}]}'
  while read -r line; do
    id=$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
    case "$line" in
      *obstruct*) echo "{\"id\":$id,\"ok\":false,\"error\":{\"code\":\"not-possible\",\"message\":\"nothing to obstruct\"}}" ;;
      *silence*) ;;
      *die*) exit 7 ;;
      *) echo "{\"event\":\"changed\",\"n\":$id}"; echo "{\"id\":99,\"ok\":true}"; echo "{\"id\":$id,\"ok\":true,\"deviceID\":\"x\"}" ;;
    esac
  done
  """#

@Suite("The accessory's process") struct AccessoryProcessTests {
  private func failure(_ command: String, _ sign: AccessoryProcess.Sign) async -> AccessoryProcess.Failure? {
    await withRealLoop { loop in
      let process = AccessoryProcess(command, on: loop)
      do throws(AccessoryProcess.Failure) {
        try await process.start(until: sign)
        await process.stop()
        return nil
      } catch { return error }
    }
  }

  @Test("The ready line of hapsim names the accessories, and its process is finally ended") func ready() async throws {
    let (accessories, exit, again) = try await withRealLoop { loop in
      let process = AccessoryProcess("echo noise; echo '{\"event\":\"other\"}';" + simulator, on: loop) { _ in
      } onEnd: { _ in
        Issue.record("its end was not requested")
      }
      try await process.start(until: .readyLine(within: .seconds(20)))
      let accessories = await process.accessories
      let exit = await process.stop()
      return (accessories, exit, await process.stop())
    }
    #expect(accessories.count == 1)
    #expect(accessories.first?.name == "Lamp" && accessories.first?.port == 51826)
    #expect(accessories.first?.setupCode == "031-45-154" && accessories.first?.address == "127.0.0.1")
    #expect(exit == .signal(15) && again == exit)
  }

  @Test("The events of hapsim show which accessories identified themselves since the last question")
  func identified() async throws {
    let script = simulator.replacingOccurrences(
      of: "*silence*) ;;",
      with: #"""
        *press*) for aid in 1 3; do echo "{\"event\":\"identify\",\"accessory\":\"Lamp\",\"aid\":$aid}"; done
          echo "{\"event\":\"identify\",\"accessory\":\"Other\",\"aid\":9}"; echo "{\"id\":$id,\"ok\":true}" ;;
        """#)
    let answers = try await withRealLoop { loop in
      let process = AccessoryProcess(script, on: loop)
      try await process.start(until: .readyLine(within: .seconds(20)))
      let hooks = SimulatorHooks(process, accessory: "Lamp")
      var answers: [String?] = []
      answers.append(text(try await hooks.run(HookCall(.identified))))
      _ = try await hooks.run(HookCall(.press))
      answers.append(text(try await hooks.run(HookCall(.identified))))
      answers.append(text(try await hooks.run(HookCall(.identified))))
      await process.stop()
      return answers
    }
    #expect(answers == [#"{"aids":[]}"#, #"{"aids":[1,3]}"#, #"{"aids":[]}"#])
  }

  @Test("Each command gets its own answer; a refusal has hapsim's message, and events are shown") func commands()
    async throws
  {
    let events = Mutex<[String]>([])
    try await withRealLoop { loop in
      let process = AccessoryProcess(simulator, on: loop) { event in events.withLock { $0.append(text(event) ?? "") } }
      try await process.start(until: .readyLine(within: .seconds(20)))
      let hooks = SimulatorHooks(process)
      async let first = hooks.run(HookCall(.reboot))
      async let second = hooks.run(HookCall(.press))
      let answers = try await [text(first), text(second)]
      #expect(Set(answers) == [#"{"id":1,"ok":true,"deviceID":"x"}"#, #"{"id":2,"ok":true,"deviceID":"x"}"#])
      let refusal = await hookFailure { () throws(HookFailure) in try await hooks.run(HookCall(.obstruct)) }
      #expect(refusal == HookFailure(.refused, "hook \"obstruct\": nothing to obstruct"))
      let silence = await hookFailure { () throws(HookFailure) in
        try await process.perform("silence", within: .milliseconds(50))
      }
      #expect(silence?.code == .timedOut && silence?.message.contains("--commands") == true)
      let task = Task {
        await hookFailure { () throws(HookFailure) in try await process.perform("silence") }
      }
      task.cancel()
      #expect(await task.value?.code == .cancelled)
      await process.stop()
      let late = await hookFailure { () throws(HookFailure) in try await hooks.run(HookCall(.reboot)) }
      #expect(late?.code == .ended && late?.message.contains("ended by signal 15") == true)
    }
    #expect(events.withLock { $0 }.suffix(2) == [#"{"event":"changed","n":1}"#, #"{"event":"changed","n":2}"#])
  }

  @Test("An unexpected end is reported once, and to pending commands") func earlyEnd() async throws {
    let ends = Mutex<[ChildProcess.Exit]>([])
    try await withRealLoop { loop in
      let process = AccessoryProcess(simulator, on: loop, onEnd: { exit in ends.withLock { $0.append(exit) } })
      try await process.start(until: .readyLine(within: .seconds(20)))
      let failure = await hookFailure { () throws(HookFailure) in try await process.perform("die") }
      #expect(failure == HookFailure(.ended, "the accessory's process ended with status 7"))
      #expect(await process.exit == .code(7))
      #expect(await process.stop() == .code(7))
    }
    #expect(ends.withLock { $0 } == [.code(7)])
  }

  @Test("A process that ends, or prints no ready line or a malformed one, fails to start; its last lines are reported")
  func noStart() async {
    let died = await failure("echo one; echo 'no such profile' >&2; exit 2", .readyLine(within: .seconds(20)))
    #expect(died?.message == "the accessory's process ended with status 2")
    #expect(Set(died?.lastLines ?? []) == ["one", "no such profile"])
    let silent = await failure("exec sleep 100", .readyLine(within: .milliseconds(100)))
    #expect(silent?.message == "it printed no ready line within 100ms")
    let odd = await failure(
      #"echo '{"event":"ready","accessories":[{"name":"A"}]}'; exec sleep 100"#, .readyLine(within: .seconds(20)))
    #expect(odd?.message == "its ready line is invalid: accessories[0]: \"deviceID\" is missing")
    let many = await failure("seq 1 1000; printf '%02000d' 1; exit 1", .readyLine(within: .seconds(20)))
    #expect(many?.lastLines.count == 40 && many?.lastLines.first == "962" && many?.lastLines.last?.count == 300)
  }

  @Test("A process other than hapsim has started when its address accepts connections, within a time limit")
  func strangers() async throws {
    let place = try await withRealLoop { loop in
      // A port that is free at first, and in use a moment later.
      let (address, listen): (SocketAddress, @Sendable () -> Void) = try loop.performAndWait {
        let host = try IPAddress("127.0.0.1")
        let first = try TCPListener(loop, host: host, port: 0) { $0.close() }
        let port = first.port
        first.close()
        let listen: @Sendable () -> Void = { _ = try? TCPListener(loop, host: host, port: port) { $0.close() } }
        return (SocketAddress(host: host, port: port), listen)
      }
      let refused = AccessoryProcess("exec sleep 100", on: loop)
      await #expect(throws: AccessoryProcess.Failure.self) {
        try await refused.start(until: .address(address, within: .milliseconds(200)))
      }
      let process = AccessoryProcess("echo '{\"event\":\"x\"}'; exec sleep 100", on: loop) { _ in listen() }
      try await process.start(until: .address(address, within: .seconds(20)))
      #expect(await process.accessories.isEmpty)
      await process.stop()
      return address
    }
    #expect(place.port != 0)
  }

  @Test("If a start is cancelled, the process is ended") func cancelled() async {
    let failure = await withRealLoop { loop in
      let process = AccessoryProcess("exec sleep 100", on: loop)
      let task = Task { () -> AccessoryProcess.Failure? in
        do throws(AccessoryProcess.Failure) {
          try await process.start(until: .readyLine(within: .seconds(50)))
          return nil
        } catch { return error }
      }
      task.cancel()
      let failure = await task.value
      let exit = await process.stop()
      #expect(exit == nil || exit == .signal(15))
      return failure
    }
    #expect(failure?.message == "it was cancelled")
  }
}
