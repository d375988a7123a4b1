import Foundation
import Testing

/// Time, tasks and randomness come from a loop, so a simulated loop can replace them.
///
/// PurityTests checks the objects of the pure targets. This test reads the sources of all targets, including
/// executables.
///
/// Checked: these tests fail with a file in HAPTransport for each of the denied uses, such as `Task { print(1) }`,
/// `Date()` and `usleep(1)`; and with an unnecessary exception.
struct LoopTimeTests {
  /// The denied uses, by their names in `exceptions`.
  private static let denied: [(name: String, pattern: String)] = [
    (
      "Task", #"(?<!-> )\bTask(?:<[^>\n]*>)?(?:\.init)?\s*(?:\{|\([^)\n]*operation:|\(priority:|\(executorPreference:)"#
    ),
    ("Task.detached", #"\bTask\.detached\b"#),
    ("Task.sleep", #"\bTask(?:<[^>\n]*>)?\.sleep\b"#),
    ("clock", #"\b(?:Continuous|Suspending)Clock\b"#),
    ("date", #"\bDate\(\)|\bDate\.now\b"#),
    ("DispatchQueue", #"\bDispatchQueue\b"#),
    ("Thread", #"\bThread(?:\.|\(|\s*\{)"#),
    ("random", #"\.random\((?:\)|in:(?!.*using:))|\.(?:randomElement|shuffled|shuffle)\(\)"#),
    ("SystemRandomNumberGenerator", #"\bSystemRandomNumberGenerator\b"#),
    ("SystemRandom", #"\bSystemRandom\.|\bRandomSource\.system\b|[:(?\s]\.system\b(?!\()"#),
    ("readClock", #"\bEventLoop\.readClock\b"#),
    ("PowerTable", #"\bPowerTable\.use\b"#),
    ("sleep", #"\b(?:usleep|nanosleep|sleep)\((?!for\b)"#),
  ]

  /// Exceptions: the file, its use, and the reason. An unnecessary entry is an error.
  private static let exceptions: [(file: String, use: String, reason: String)] = [
    ("HAPLoop/EventLoop+Tasks.swift", "Task", "makes the tasks of all other code"),
    ("HAPLoop/Kernel/Blocking.swift", "Task", "is for a program's main thread, which belongs to no loop"),
    ("HAPLoop/Kernel/KernelDriver.swift", "SystemRandom", "is the randomness of a loop on real sockets"),
    ("HAPWorld/Loop/MainQueue.swift", "DispatchQueue", "waits for the main queue of the process"),
    ("HAPWorld/Loop/SimulatedWorld.swift", "Task", "starts the body of a run, on the executor of the world"),
    ("HAPWorld/Loop/SimulatedWorld.swift", "Task.sleep", "names it in the message about a test that uses it"),
    ("HAPSimulatorCore/World/WorldRun.swift", "Task.sleep", "names it in the message about a test that uses it"),
    ("HAPSimulator/World/WorldClock.swift", "sleep", "is the clock of a simulated world, whose method has this name"),
    ("HAPWorld/Loop/WorldThread.swift", "DispatchQueue", "runs a world on a thread for code that is not in it"),
    ("HAPWorld/Loop/WorldThread.swift", "Task", "starts code of other threads on the executor of the world"),
    ("HAPHomeKit/Session/AppPlace.swift", "DispatchQueue", "calls an app on the main queue, as Apple's framework does"),
    (
      "HAPHomeKit/Session/AppSession.swift", "DispatchQueue",
      "calls an app on the main queue, as Apple's framework does"
    ),
    ("HAPHomeKit/Adding/PersonalOperation.swift", "Task", "asks a person on the main actor"),
    ("HAPHomeKit/Adding/TerminalPrompt.swift", "DispatchQueue", "reads the terminal of an app without a loop"),
    ("HAPHomeKitTesting/HomeWorld.swift", "DispatchQueue", "calls a test on the main queue"),
    ("HAPWorld/Loop/WorldBody.swift", "DispatchQueue", "gives a separate thread to a world that a user's test runs"),
    ("HAPTransport/SystemRandomSource.swift", "SystemRandom", "gives executables the system's randomness"),
    (
      "HAPStore/Folder/SystemFiles.swift", "sleep",
      "waits for a lock of another process, in blocking code that has no loop"
    ),
    ("HAPProxy/ProxyIdentity.swift", "SystemRandom", "draws an identity on the program's main thread"),
    ("HaptestProgram/Run/RunRequest.swift", "SystemRandom", "draws a seed before there is a loop"),
    ("HaptestProgram/Commands/FuzzCommand.swift", "SystemRandom", "draws a seed before there is a loop"),
    ("HapsimFiles/RunHost.swift", "SystemRandom", "is the machine as the host of a run"),
  ]

  /// Each denied use has one of these words on its line. Other lines are skipped, because the search is slow.
  private static let words = [
    "Task", "Clock", "Date", "Dispatch", "Thread", "andom", "shuffle", "system", "sleep(", "PowerTable",
  ]

  /// The names of the denied uses in a source. Comments don't count.
  private static func uses(in text: String) -> Set<String> {
    let code = text.split(separator: "\n").filter { line in
      words.contains { line.contains($0) } && !line.drop { $0 == " " }.hasPrefix("//")
    }.joined(separator: "\n")
    guard !code.isEmpty else { return [] }
    return Set(denied.filter { code.range(of: $0.pattern, options: .regularExpression) != nil }.map(\.name))
  }

  private static func targets() throws -> [String] {
    let folder = Checkout.folder.appendingPathComponent("Sources")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test("Only the listed sources create tasks, wait, read the time or draw randomness without a loop")
  func sources() throws {
    var unused = Self.exceptions.map { "\($0.file) \($0.use)" }
    var count = 0
    for target in try Self.targets() {
      let root = Checkout.folder.appendingPathComponent("Sources/").path + "/"
      for source in try Checkout.sources(of: target) where !source.lastPathComponent.hasSuffix(".generated.swift") {
        count += 1
        let file = source.path.replacingOccurrences(of: root, with: "")
        for use in Self.uses(in: try String(contentsOf: source, encoding: .utf8)).sorted() {
          guard let index = unused.firstIndex(of: "\(file) \(use)") else {
            Issue.record(
              "\(file) uses what LoopTimeTests calls \(use); take it from the loop, or list the file with a reason")
            continue
          }
          unused.remove(at: index)
        }
      }
    }
    #expect(count > 500)
    #expect(unused.isEmpty, "these exceptions are unnecessary")
  }

  @Test(
    "Each denied use is found, whatever surrounds it",
    arguments: [
      ("Task", "    Task { await self.close() }"), ("Task", "let t = Task<Void, Never> {"),
      ("Task", "await Task(operation: { 1 }).value"), ("Task", "Task(priority: .low) {"),
      ("Task.detached", "Task.detached { }"), ("Task.sleep", "try? await Task.sleep(for: .seconds(1))"),
      ("Task.sleep", "try await Task<Never, Never>.sleep(nanoseconds: 1)"), ("clock", "ContinuousClock().now"),
      ("clock", "let clock = SuspendingClock()"), ("date", "Date()"), ("date", "Date.now"),
      ("DispatchQueue", "DispatchQueue.main.async {}"), ("Thread", "Thread.sleep(forTimeInterval: 1)"),
      ("Thread", "let thread = Thread { }"), ("random", "Int.random(in: 0...9)"), ("random", "all.randomElement()"),
      ("random", "all.shuffled()"), ("random", "Bool.random()"),
      ("SystemRandomNumberGenerator", "var random = SystemRandomNumberGenerator()"),
      ("SystemRandom", "SystemRandom.fill(bytes)"), ("SystemRandom", "RandomSource.system.bytes(4)"),
      ("SystemRandom", "make(random: .system)"), ("readClock", "EventLoop.readClock()"), ("sleep", "usleep(1000)"),
      ("sleep", "sleep(1)"),
    ])
  func found(_ name: String, _ line: String) {
    #expect(Self.uses(in: "func f() {\n\(line)\n}").contains(name))
  }

  @Test(
    "Code that resembles a denied use is not found",
    arguments: [
      "// Task { }", "group.addTask { await body() }", "loop.startTask { await body() }", "Task.isCancelled",
      "let task: Task<Void, Never>?", "func start() -> Task<Void, Never> {", "Double.random(in: 0..<1, using: &random)",
      "all.shuffled(using: &random)",
      "try await loop.sleep(for: .seconds(1))", "loop.readClock()", "ReaderThread(descriptor)", "struct CaseTask {",
      "loop.random.bytes(4)", "nameCurrentThread(name)", "Self.system.accept(descriptor)",
    ])
  func notFound(_ line: String) {
    #expect(Self.uses(in: line).isEmpty)
  }
}
