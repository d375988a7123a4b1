import Foundation
import Testing

@testable import HAPLoop

@Suite struct ChildProcessTests {
  /// All events of a command.
  private func events(
    of command: String, environment: [String: String] = [:], limit: Int = 100,
    _ feed: @escaping @Sendable (ChildProcess) -> Void = { _ in },
    on event: @escaping @Sendable (ChildProcess, ChildProcess.Event) -> Void = { _, _ in }
  ) async -> [ChildProcess.Event] {
    await onLoop { loop, finish in
      let seen = Box<[ChildProcess.Event]>([])
      let child = Box<ChildProcess?>(nil)
      do throws(LoopError) {
        child.value = try ChildProcess(loop, command: command, environment: environment, limit: limit) { happened in
          seen.value.append(happened)
          if let child = child.value { event(child, happened) }
          if case .ended = happened { finish(seen.value) }
        }
        feed(child.value!)
      } catch { finish([]) }
    }
  }

  private func line(_ text: String, _ stream: ChildProcess.Stream = .output) -> ChildProcess.Event {
    .line(stream, Array(text.utf8))
  }

  private func isGone(_ process: Int32) -> Bool { Foundation.kill(process, 0) != 0 && errno == ESRCH }

  /// Whether the parent collects the exit status soon. There is no notification for it.
  private func isSoonGone(_ process: Int32) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(20)
    while !isGone(process) {
      if ContinuousClock.now > deadline { return false }
      await Task.yield()
    }
    return true
  }

  @Test("Lines of both outputs are reported, including an unterminated last one, and then the exit status")
  func lines() async {
    let unterminated = await events(of: "printf 'a\\nb'; exit 3")
    #expect(unterminated == [line("a"), line("b"), .ended(.code(3))])
    // A process that outlives the shell holds the pipe open.
    let held = await events(of: "sleep 5 & printf 'a\\nb'; exit 3")
    #expect(held == [line("a"), line("b"), .ended(.code(3))])
    #expect(await events(of: "echo x >&2") == [line("x", .error), .ended(.code(0))])
    #expect(await events(of: "kill -9 $$") == [.ended(.signal(9))])
    let missing = await events(of: "no-such-command-anywhere")
    #expect(missing.last == .ended(.code(127)) && missing.count == 2)
  }

  @Test("A line above the limit is skipped, and long output is reported completely") func muchOutput() async {
    let seen = await events(of: "printf '%0101d\\n'; seq 1 20000", limit: 100)
    #expect(seen.count == 20_002)
    #expect(seen.first == .tooLong(.output, limit: 100))
    #expect(seen[20_000] == line("20000") && seen.last == .ended(.code(0)))
  }

  @Test("A process gets lines on its input, and their end") func input() async {
    let seen = await events(of: "cat; echo end") { child in
      #expect(child.write(line: "one") && child.write(line: "zwölf"))
      child.closeInput()
      #expect(!child.write(line: "three"))
    }
    #expect(seen == [line("one"), line("zwölf"), line("end"), .ended(.code(0))])
  }

  @Test("Input for a process that doesn't read is bounded") func fullInput() async {
    let seen = await events(of: "read first; echo $first") { child in
      var count = 0
      while count < 3000, child.write(line: String(repeating: "x", count: 1023)) { count += 1 }
      #expect((1000..<2000).contains(count))
    }
    #expect(seen.last == .ended(.code(0)))
  }

  @Test("A process has this process's environment, and the additional variables") func environment() async {
    setenv("HAPLOOP_TEST_OLD", "old", 1)
    setenv("HAPLOOP_TEST_BOTH", "old", 1)
    let seen = await events(
      of: "echo \"$HAPLOOP_TEST_OLD $HAPLOOP_TEST_BOTH $HAPLOOP_TEST_NEW\"",
      environment: ["HAPLOOP_TEST_BOTH": "a = b", "HAPLOOP_TEST_NEW": "Grüße"])
    #expect(seen == [line("old a = b Grüße"), .ended(.code(0))])
  }

  @Test("A process has its own process group, and leaves no zombie") func group() async throws {
    // `ps` is not installed everywhere on Linux.
    let seen = await events(
      of: "echo $$; ps -o pgid= -p $$ 2>/dev/null || cut -d' ' -f5 /proc/$$/stat")  // platform: any
    let numbers = seen.compactMap { event -> Int32? in
      guard case .line(.output, let bytes) = event else { return nil }
      return Int32(String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespaces))
    }
    #expect(numbers.count == 2 && numbers[0] == numbers[1])
    #expect(isGone(try #require(numbers.first)))
  }

  @Test("After terminate, the process and its children get a grace period; all are gone when the end is reported")
  func terminate() async throws {
    // The inner shell ends shortly after the outer one.
    let command = """
      sh -c 'trap "sleep 0.2; echo late; exit" TERM; echo $$; while :; do sleep 0.01; done' & echo ready; wait
      """
    let seen = await events(of: command) { _ in
    } on: { child, event in
      if case .line(.output, let bytes) = event, Int(String(decoding: bytes, as: UTF8.self)) != nil {
        child.terminate()
        child.terminate()
      }
    }
    #expect(seen.contains(line("late")))
    #expect(seen.last == .ended(.signal(15)))
    for case .line(_, let bytes) in seen {
      if let inner = Int32(String(decoding: bytes, as: UTF8.self)) { #expect(isGone(inner)) }
    }
  }

  @Test("A process that ignores termination is killed after the grace period") func killed() async throws {
    let command = "trap '' TERM; echo $$; while :; do sleep 0.01; done"
    let seen = await events(of: command) { _ in
    } on: { child, event in
      if case .line = event { child.terminate(grace: .milliseconds(50)) }
    }
    #expect(seen.last == .ended(.signal(9)))
  }

  @Test("A background process of the shell doesn't delay the end or the loop, and continues to run") func background()
    async throws
  {
    let seen = await events(of: "(sleep 3600; echo late) & echo $!")
    #expect(seen.last == .ended(.code(0)))
    let left = seen.compactMap { event -> Int32? in
      guard case .line(_, let bytes) = event else { return nil }
      return Int32(String(decoding: bytes, as: UTF8.self))
    }.last
    let process = try #require(left)
    #expect(!isGone(process))
    Foundation.kill(-getpgid(process), SIGKILL)
  }

  @Test("Closing, or stopping the loop, ends no process and leaves no zombie", arguments: [true, false])
  func closing(_ isClosedByHand: Bool) async throws {
    let process: Int32 = await onLoop { loop, finish in
      let child = Box<ChildProcess?>(nil)
      child.value = try? ChildProcess(loop, command: "echo go; exec sleep 3600") { event in
        guard case .line = event, let running = child.value else { return }
        let process = running.processID
        if isClosedByHand {
          running.close()
          running.close()
        }
        finish(process)
      }
    }
    #expect(!isGone(process))
    Foundation.kill(process, SIGKILL)
    #expect(await isSoonGone(process))
  }

  @Test("Closing a terminating process kills it at once") func closingWhatEnds() async throws {
    let process: Int32 = await onLoop { loop, finish in
      let child = Box<ChildProcess?>(nil)
      child.value = try? ChildProcess(loop, command: "trap '' TERM; echo go; while :; do sleep 0.01; done") { event in
        guard case .line = event, let running = child.value else { return }
        running.terminate(grace: .seconds(60))
        let process = running.processID
        running.close()
        finish(process)
      }
    }
    #expect(await isSoonGone(process))
  }
}
