import HAPCommandLine
import HAPController
import HAPLoop
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Command {
  /// `hapctl shell`
  static let shell = Command(
    "shell", "read, write and watch characteristics at a prompt, in one session",
    operands: .some(label: "TARGET", count: 1...1), options: CommonOptions.all,
    discussion: [
      "The commands are get, put, watch, unwatch, accessories, identify, help and quit. Their operands are those of the hapctl commands, without the accessory: put \"Target Door State\" open. "
        + "Tab completes names, the arrow keys recall earlier lines, Ctrl-C clears the line, and Ctrl-D exits. Events are printed when they arrive.",
      "If standard input is not a terminal, lines are read without a prompt, and the exit status is 1 if a line failed.",
    ],
    examples: [
      ("hapctl shell garage", "opens a prompt"),
      ("printf 'put On on\\nget On\\n' | hapctl shell lamp", "runs a script; a line that starts with # is a comment"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let visit = try Visit("shell", to: try Target(arguments.operands[0]), arguments, console)
    guard let input = ShellInput() else {
      console.complain("hapctl shell: the process can't open more files")
      return .cannotRun
    }
    let loop = EventLoop(name: "hapctl")
    loop.start()
    defer { loop.stop() }
    do { return try Shell(visit, input, on: loop).run() } catch {
      let failure = Failure(error)
      console.complain("hapctl shell: \(failure.message)")
      return failure.code
    }
  }
}

/// A shell that runs on the calling thread and blocks it: the main thread of the program.
private struct Shell {
  let visit: Visit
  let input: ShellInput
  let loop: EventLoop
  let screen: ShellScreen
  let running: RunningTask

  init(_ visit: Visit, _ input: ShellInput, on loop: EventLoop) {
    self.visit = visit
    self.input = input
    self.loop = loop
    running = RunningTask(on: loop)
    screen = ShellScreen(visit.console, input)
  }

  func run() throws -> ExitCode {
    let (visit, loop, screen) = (visit, loop, screen)
    let session = try blocking {
      let plan = SessionPlan(reconnects: false, readsNews: false)
      return ShellSession(session: try await visit.finder(on: loop).session(with: visit.target, plan), screen: screen)
    }
    loop.startTask { await session.showEvents() }
    guard isatty(STDIN_FILENO) == 1, visit.console.output.isTerminal else {
      return try performAll(PlainLines(input, screen), on: session, isInteractive: false)
    }
    let history = ShellHistory(path: visit.folder + "/shell-history")
    let editor = LineEditor(
      prompt: ShellScreen.harmless(session.session.name) + "> ", history: history, input, screen, visit.console
    ) { session.database }
    guard let editor else { throw Failure(.cannotRun, "the terminal can't be used") }
    defer { editor.save() }
    let signals = try watchSignals()
    defer { loop.schedule { for watcher in signals.value { watcher.close() } } }
    return try performAll(editor, on: session, isInteractive: true)
  }

  private func performAll(_ lines: some ShellLines, on session: ShellSession, isInteractive: Bool) throws -> ExitCode {
    var allWell = true
    while true {
      do {
        guard let line = try lines.next() else { break }
        guard let command = try ShellCommand(line) else { continue }
        if command == .quit { return isInteractive || allWell ? .well : .problem }
        if try !blocking({ try await running.run { try await session.perform(command) } }) { allWell = false }
      } catch {
        allWell = false
        let failure = Failure(error)
        screen.complain(isInteractive ? failure.message : "hapctl shell: \(failure.message)")
      }
    }
    if let trouble = screen.trouble { throw Failure(.cannotRun, trouble) }
    return isInteractive || allWell ? .well : .problem
  }

  /// Makes Ctrl-C cancel the running command. While the user types, Ctrl-C arrives as a key instead.
  private func watchSignals() throws -> LoopBound<[SignalWatcher]> {
    let (loop, running, screen) = (loop, running, screen)
    return try loop.performAndWait {
      LoopBound(
        here: loop,
        [
          try SignalWatcher(loop, signal: SIGINT) { running.cancel() },
          // Restores the terminal settings before the exit.
          try SignalWatcher(loop, signal: SIGTERM) { screen.finish(because: nil) },
          try SignalWatcher(loop, signal: SIGHUP) { screen.finish(because: nil) },
        ])
    }
  }
}

/// The running command's task, which a signal can cancel.
private final class RunningTask: Sendable {
  private let loop: EventLoop
  private let current = Mutex<Task<Bool, any Error>?>(nil)

  init(on loop: EventLoop) { self.loop = loop }

  func run(_ work: @escaping @Sendable () async throws -> Bool) async throws -> Bool {
    let task = loop.startTask { try await work() }
    current.withLock { $0 = task }
    defer { current.withLock { $0 = nil } }
    return try await task.value
  }

  func cancel() { current.withLock { $0 }?.cancel() }
}
