import HAPLoop
import HAPModel
import HAPSuite
import HAPWire

/// Runs the hooks of a hooks file: executes commands and prompts persons.
///
/// A command gets its arguments in environment variables: `HAPTEST_HOOK`, `HAPTEST_AID`, `HAPTEST_IID`, `HAPTEST_SERVICE`,
/// `HAPTEST_CHARACTERISTIC`, `HAPTEST_VALUE` and `HAPTEST_KIND`. Exit status 0 means success. If its last output line is a JSON object, the
/// case gets that object.
package struct HookCommands: HookRunner {
  private let file: HookFile
  private let loop: EventLoop
  private let ask: @Sendable (String) async -> Bool

  /// - Parameters:
  ///   - ask: asks a person to do something, and returns whether it was done.
  package init(
    _ file: HookFile, on loop: EventLoop, ask: @escaping @Sendable (String) async -> Bool
  ) {
    self.file = file
    self.loop = loop
    self.ask = ask
  }

  package func isAvailable(_ name: HookName) -> Bool { file.hooks[name] != nil }

  package func run(_ hook: HookCall) async throws(HookFailure) -> JSONNode? {
    let name = hook.name.rawValue
    switch file.hooks[hook.name] {
    case nil: throw HookFailure(.unavailable, "there is no hook \"\(name)\" in the hooks file")
    case .manual where hook.name == .identified:
      // "No" is a valid answer too.
      let isSeen = await ask(hook.request)
      return .object([("aids", .list(isSeen ? [.integer(hook.aid ?? 1)] : []))])
    case .manual:
      guard await ask(hook.request) else { throw HookFailure(.refused, "hook \"\(name)\": it was not done by hand") }
      return nil
    case .command(let command, let within):
      let run = LoopBound(loop, HookCommandRun(name, command, hook.environment, within, loop))
      return try await result(of: run, name)
    }
  }

  private func result(of run: LoopBound<HookCommandRun>, _ name: String) async throws(HookFailure) -> JSONNode? {
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<HookCommandRun.Outcome, Never>) in
        let isScheduled = loop.schedule { run.value.start { continuation.resume(returning: $0) } }
        if !isScheduled {
          continuation.resume(returning: .failure(HookFailure(.cancelled, "hook \"\(name)\": the run has ended")))
        }
      }
    } onCancel: {
      loop.schedule { run.value.cancel() }
    }
    return try outcome.get()
  }
}

/// One run of a command, from start to end. Confined to the loop's thread.
private final class HookCommandRun {
  typealias Outcome = Result<JSONNode?, HookFailure>

  private let name: String
  private let command: String
  private let environment: [String: String]
  private let within: Duration
  private let loop: EventLoop
  private var child: ChildProcess?
  private var timer: LoopTimer?
  private var finish: ((Outcome) -> Void)?
  private var isCancelled = false
  private var isLate = false
  private var lastLines: [ChildProcess.Stream: String] = [:]

  init(_ name: String, _ command: String, _ environment: [String: String], _ within: Duration, _ loop: EventLoop) {
    self.name = name
    self.command = command
    self.environment = environment
    self.within = within
    self.loop = loop
  }

  func start(_ finish: @escaping (Outcome) -> Void) {
    guard !isCancelled else { return finish(.failure(failure(.cancelled, "it was cancelled"))) }
    self.finish = finish
    do throws(LoopError) {
      child = try ChildProcess(loop, command: command, environment: environment) { self.happened($0) }
    } catch { return end(.failure(failure(.refused, error.detail))) }
    child?.closeInput()
    let timer = LoopTimer(loop) {
      self.isLate = true
      self.child?.terminate(grace: .seconds(1))
    }
    timer.start(after: within)
    self.timer = timer
  }

  func cancel() {
    isCancelled = true
    child?.terminate(grace: .seconds(1))
  }

  private func happened(_ event: ChildProcess.Event) {
    switch event {
    case .line(let stream, let bytes):
      let line = String(decoding: bytes, as: UTF8.self)
      if line.contains(where: { !$0.isWhitespace }) { lastLines[stream] = line }
    case .tooLong: break
    case .ended(let exit):
      if isCancelled { return end(.failure(failure(.cancelled, "it was cancelled"))) }
      if isLate { return end(.failure(failure(.timedOut, "\(shown) isn't done after \(within.roundText)"))) }
      guard exit == .code(0) else {
        let said = (lastLines[.error] ?? lastLines[.output]).map { ": \($0.prefix(300))" } ?? ""
        return end(.failure(failure(.refused, "\(shown) ended \(exit)\(said)")))
      }
      let answer = lastLines[.output].flatMap { try? JSONNode.parse(Array($0.utf8)) }
      end(.success(answer?.members == nil ? nil : answer))
    }
  }

  private var shown: String { "\"\(command.prefix(100))\(command.count > 100 ? "…" : "")\"" }

  private func failure(_ code: HookFailure.Code, _ message: String) -> HookFailure {
    HookFailure(code, "hook \"\(name)\": \(message)")
  }

  private func end(_ outcome: Outcome) {
    timer?.close()
    timer = nil
    child = nil
    let tell = finish
    finish = nil
    tell?(outcome)
  }
}
