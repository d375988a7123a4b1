import HAPCommandLine
import HAPConformance
import HAPLoop
import HAPReport
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Command {
  static let run = Command(
    "run", "check an accessory against the suites", operands: .some(label: "[HOST:PORT|NAME]", count: 0...1),
    options: RunRequest.options,
    discussion: [
      "Name the accessory by its address, by its name on the network or by its device ID. With --exec, no name is needed if the command prints hapsim's ready event, as hapsim run --commands does.",
      "With the setup code, all cases run; without it, only those that need no pairing. Pairings, values and subscriptions are restored at the end. An accessory that is paired with another controller is never unpaired.",
      "Each failure is shown with its impact and its fix, and with the request, the accepted answers and the actual answer. Reports contain the same without secrets; evidence contains the secrets, too.",
    ],
    examples: [
      ("haptest run 192.0.2.7:51826 --code 031-45-154", "all cases, against an accessory at an address"),
      (
        "haptest run --exec \"hapsim run lamp.hasaccessory --commands --interface lo\" --interface lo",
        "all cases, against an accessory that haptest starts"
      ),
      (
        "haptest run \"Hall Lamp\" --select discovery,http --html report.html",
        "two areas, against an accessory on the local network, with an HTML report"
      ),
    ]
  ) { (arguments, console) throws(UsageError) in
    try haptest("run", console) {
      let request = try RunRequest(arguments, console)
      return try RunCommand("run", request, console).run()
    }
  }
}

/// Runs `body`, and prints a refusal or a usage error.
func haptest(_ name: String, _ console: Console, _ body: () throws -> ExitCode) throws(UsageError) -> ExitCode {
  do { return try body() } catch let error as UsageError { throw error } catch let refusal as Refusal {
    for line in refusal.lines { console.complain("haptest \(name): \(line)") }
    return refusal.code
  } catch let error as FileError {
    console.complain("haptest \(name): \(error.message)")
    return .cannotRun
  } catch {
    console.complain("haptest \(name): \(error)")
    return .ownFault
  }
}

/// One run: shows its progress, and writes its reports.
struct RunCommand {
  /// The name of the command.
  private let name: String
  private let request: RunRequest
  private let console: Console

  init(_ name: String, _ request: RunRequest, _ console: Console) {
    self.name = name
    self.request = request
    self.console = console
  }

  /// - Parameter place: provides the event loop.
  func run(_ place: any LoopPlace = OwnLoop()) throws -> ExitCode {
    try request.reports.check()
    let epoch = WallClock.sinceEpoch
    guard let (report, redaction) = try gather(request.session, place) else { return .cannotRun }
    let ending = request.reports.write(report, redaction, RunEnding(report, request.failOn), epoch: epoch) {
      console.complain("haptest \(name): \($0)")
    }
    if request.printsJSON {
      console.show(ReportFiles.jsonText(of: report, redaction, ending.conclusion))
    } else {
      console.print(ending.line)
    }
    annotate(report, redaction, ending)
    return ending.code
  }

  /// Runs all cases once, and shows them unless the request prints JSON.
  /// - Returns: `nil` if the run could not start, for a reason that was printed.
  func gather(
    _ session: ConformanceSession, _ place: any LoopPlace
  ) throws -> (report: RunReport, redaction: Redaction)? {
    for remark in request.remarks { console.complain("haptest: \(remark)") }
    let gatherer = Gatherer(request, console)
    var session = session
    session.onSecret = { gatherer.keepSecret($0) }
    if let code = session.code { gatherer.keepSecret(code) }
    do {
      _ = try place.run(console) { [session] loop in try await session.run(on: loop) { gatherer.take($0) } }
    } catch let failure as ConformanceSession.Failure {
      for line in failure.details.suffix(10) { console.complain("  | \(line)") }
      console.complain("haptest \(name): \(failure.message)")
      return nil
    }
    return (gatherer.report, gatherer.redaction)
  }

  /// In GitHub Actions, adds failures as annotations and a summary to the job's page.
  private func annotate(_ report: RunReport, _ redaction: Redaction, _ ending: RunEnding) {
    guard console.environment("GITHUB_ACTIONS") == "true" else { return }
    if !request.printsJSON {
      for line in GitHubAnnotations.lines(of: report, redaction: redaction) { console.print(line) }
    }
    guard let path = console.environment("GITHUB_STEP_SUMMARY"), !path.isEmpty else { return }
    let summary = MarkdownReport.text(of: report, redaction: redaction, conclusion: ending.conclusion)
    let former = (try? readFile(path, limit: 64 << 20)) ?? []
    do throws(FileError) { try replaceFile(path, former + Array(summary.utf8)) } catch {
      console.complain("haptest \(name): \(error.message)")
    }
  }
}

/// Collects the events of a run for its reports, and shows them.
private final class Gatherer: Sendable {
  private struct State {
    var report = RunReport()
    var secrets: [String] = []
    var display: RunDisplay?
  }

  private let state: Mutex<State>
  private let console: Console
  private let request: RunRequest

  init(_ request: RunRequest, _ console: Console) {
    self.console = console
    self.request = request
    state = Mutex(State())
  }

  func keepSecret(_ text: String) { state.withLock { $0.secrets.append(text) } }

  var redaction: Redaction { state.withLock { Redaction(texts: $0.secrets) } }
  var report: RunReport { state.withLock { $0.report } }

  func take(_ event: RunEvent) {
    state.withLock { state in
      state.report.take(event)
      guard !request.printsJSON else { return }
      if state.display == nil {
        let report = TerminalReport(
          isColoured: console.output.hasColour, width: console.output.textWidth,
          redaction: Redaction(texts: state.secrets), isQuiet: request.isQuiet, failingOn: request.failOn.verdicts)
        state.display = RunDisplay(report, on: console, hasProgress: !request.isQuiet)
      }
      state.display?.take(event)
    }
  }
}

/// Runs work on a separate loop, until it ends or is interrupted. An interruption restores the accessory.
func onLoop<T: Sendable>(
  _ console: Console, _ body: @escaping @Sendable (EventLoop) async throws -> T
) throws -> T {
  let loop = EventLoop(name: "haptest")
  loop.start()
  defer { loop.stop() }
  let task = loop.startTask { try await body(loop) }
  let interrupts = LoopBound(loop, Interrupts(console) { task.cancel() })
  try? loop.performAndWait { try interrupts.value.watch(loop) }
  return try blocking { try await task.value }
}

/// Handles signals: the first ends the run in an orderly way, the second immediately.
private final class Interrupts {
  private let console: Console
  private let cancel: @Sendable () -> Void
  private var count = 0
  private var watchers: [SignalWatcher] = []

  init(_ console: Console, _ cancel: @escaping @Sendable () -> Void) {
    self.console = console
    self.cancel = cancel
  }

  func watch(_ loop: EventLoop) throws {
    for number in [SIGINT, SIGTERM] {
      watchers.append(
        try SignalWatcher(loop, signal: number) { [self] in
          count += 1
          if count > 1 { exit(130) }
          console.complain("\nhaptest: ending and restoring the accessory (interrupt again to end immediately)")
          cancel()
        })
    }
  }
}
