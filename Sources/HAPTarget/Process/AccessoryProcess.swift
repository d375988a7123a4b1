import HAPLoop
import HAPModel
import HAPWire

/// The accessory under test as a process that haptest starts and stops. If the process is hapsim, it accepts commands.
///
/// An actor on its loop.
package actor AccessoryProcess {
  /// The condition that shows that the accessory is up. The `ready` line of hapsim is always accepted.
  package enum Sign: Equatable, Sendable {
    /// Only the `ready` line.
    case readyLine(within: Duration)
    /// A listener accepts a connection at the address.
    case address(SocketAddress, within: Duration)
  }

  package struct Failure: Error, Equatable, Sendable {
    /// One line, without a full stop.
    package var message: String
    /// The last lines of its output.
    package var lastLines: [String]
  }

  /// Number of output lines kept for messages, and largest number of characters of each.
  private static let keptLines = 40
  private static let keptLength = 300
  private static let keptEvents = 1000
  /// In bytes; the `status` answer of many accessories is one line.
  private static let lineLimit = 4 << 20
  private static let knockInterval = Duration.milliseconds(50)
  private static let knockPatience = Duration.seconds(1)

  package nonisolated let loop: EventLoop
  package nonisolated let command: String
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Contents of the `ready` line; empty without one.
  package private(set) var accessories: [ReadyAccessory] = []
  /// The last lines of both outputs.
  package private(set) var lastLines: [String] = []
  /// How it ended; nil while it runs.
  package private(set) var exit: ChildProcess.Exit?

  private nonisolated let bound: LoopBound<Held>
  private var held: Held { bound.value }
  private let onEvent: (@Sendable (JSONNode) -> Void)?
  private let onEnd: (@Sendable (ChildProcess.Exit) -> Void)?
  /// The latest events of hapsim, for hooks that query them.
  private var events: [JSONNode] = []
  private var started: ((Failure?) -> Void)?
  private var endWaiters: [CheckedContinuation<ChildProcess.Exit, Never>] = []
  private var pending: [Int: (Result<JSONNode, HookFailure>) -> Void] = [:]
  private var lastID = 0
  private var isToEnd = false

  /// Loop-bound state. It outlives a released process object until the loop has closed it.
  private final class Held {
    var child: ChildProcess?
    var deadline: LoopTimer?
    var knockTimer: LoopTimer?
    var knock: TCPStream?

    func stopWaiting() {
      deadline?.close()
      knockTimer?.close()
      knock?.close()
    }
  }

  /// - Parameters:
  ///   - onEvent: called on the loop with each event line of hapsim.
  ///   - onEnd: called once on the loop if the process ends without `stop`.
  package init(
    _ command: String, on loop: EventLoop, onEvent: (@Sendable (JSONNode) -> Void)? = nil,
    onEnd: (@Sendable (ChildProcess.Exit) -> Void)? = nil
  ) {
    self.command = command
    self.loop = loop
    bound = LoopBound(loop, Held())
    self.onEvent = onEvent
    self.onEnd = onEnd
  }

  deinit {
    loop.schedule { [bound] in
      let held = bound.value
      held.stopWaiting()
      held.child?.terminate()
    }
  }

  // MARK: Start

  /// Starts the process, once, and returns when it is up. Ends the process if it doesn't come up.
  package func start(until sign: Sign) async throws(Failure) {
    precondition(held.child == nil, "a process starts once")
    let failure = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Failure?, Never>) in
        launch(sign) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      loop.startTask { await self.giveUp() }
    }
    guard let failure else { return }
    if held.child != nil { _ = await stop() }
    throw failure
  }

  private func launch(_ sign: Sign, _ started: @escaping (Failure?) -> Void) {
    guard !isToEnd, !Task.isCancelled else { return started(Failure(message: "it was cancelled", lastLines: [])) }
    self.started = started
    do throws(LoopError) {
      held.child = try ChildProcess(loop, command: command, limit: Self.lineLimit) { [weak self] event in
        self?.assumeIsolated { $0.happened(event) }
      }
    } catch { return up(Failure(message: error.detail, lastLines: [])) }
    switch sign {
    case .readyLine(let patience): late(patience, "it printed no ready line within \(patience.roundText)")
    case .address(let address, let patience):
      late(patience, "it accepts no connections at \(address) within \(patience.roundText)")
      knock(at: address)
    }
  }

  /// - Parameter message: the error to report when `time` is over.
  private func late(_ time: Duration, _ message: String) {
    held.deadline = timer(after: time) { process in
      process.up(Failure(message: message, lastLines: process.lastLines))
    }
  }

  private func timer(
    after time: Duration, _ then: @escaping @Sendable (isolated AccessoryProcess) -> Void
  ) -> LoopTimer {
    let timer = LoopTimer(loop) { [weak self] in self?.assumeIsolated { then($0) } }
    timer.start(after: time)
    return timer
  }

  /// Connects repeatedly until a listener accepts.
  private func knock(at address: SocketAddress) {
    held.knock = TCPStream(loop, connectingTo: address) { [weak self] error in
      self?.assumeIsolated { $0.knocked(at: address, error) }
    }
    held.knockTimer?.close()
    held.knockTimer = timer(after: Self.knockPatience) { $0.held.knock?.close() }
  }

  private func knocked(at address: SocketAddress, _ error: LoopError?) {
    held.knock?.close()
    held.knock = nil
    if error == nil { return up(nil) }
    guard started != nil else { return }
    held.knockTimer?.close()
    held.knockTimer = timer(after: Self.knockInterval) { $0.knock(at: address) }
  }

  /// Ends the start with success (nil) or failure.
  private func up(_ failure: Failure?) {
    guard let started else { return }
    self.started = nil
    held.stopWaiting()
    started(failure)
  }

  private func giveUp() { up(Failure(message: "it was cancelled", lastLines: lastLines)) }

  // MARK: Output

  private func happened(_ event: ChildProcess.Event) {
    switch event {
    case .line(let stream, let bytes):
      keep(String(decoding: bytes.prefix(4 * Self.keptLength), as: UTF8.self))
      if stream == .output { heard(bytes) }
    case .tooLong(_, let limit): keep("(a line of more than \(limit) bytes)")
    case .ended(let exit): ended(exit)
    }
  }

  private func keep(_ line: String) {
    lastLines.append(String(line.prefix(Self.keptLength)))
    if lastLines.count > Self.keptLines { lastLines.removeFirst(lastLines.count - Self.keptLines) }
  }

  private func heard(_ bytes: [UInt8]) {
    guard bytes.first == UInt8(ascii: "{"), let line = try? JSONNode.parse(bytes) else { return }
    if line["event"] != nil {
      onEvent?(line)
      if events.count == Self.keptEvents { events.removeFirst(Self.keptEvents / 4) }
      events.append(line)
      do throws(JSONProblem) {
        guard started != nil, let list = try ReadyAccessory.list(line) else { return }
        accessories = list
        up(nil)
      } catch {
        up(Failure(message: "its ready line is invalid: \(error.path): \(error.message)", lastLines: lastLines))
      }
    } else if let id = line["id"]?.integerValue.flatMap(Int.init(exactly:)) {
      pending.removeValue(forKey: id)?(Self.outcome(line))
    }
  }

  private static func outcome(_ answer: JSONNode) -> Result<JSONNode, HookFailure> {
    if answer["ok"]?.boolValue == true { return .success(answer) }
    let message = answer["error"]?["message"]?.stringValue ?? "the command was refused without a reason"
    return .failure(HookFailure(.refused, message))
  }

  /// Returns the events of a kind that hapsim reported since the last call. At most 1000 events of all kinds are kept; the oldest are
  /// dropped.
  package func takeEvents(_ kind: String) -> [JSONNode] {
    let taken = events.filter { $0["event"]?.stringValue == kind }
    events.removeAll { $0["event"]?.stringValue == kind }
    return taken
  }

  // MARK: Commands

  /// Sends a command to a hapsim that accepts commands (`--commands`), and returns its answer.
  package func perform(
    _ name: String, _ members: [(name: String, value: JSONNode)] = [], within: Duration = .seconds(30)
  ) async throws(HookFailure) -> JSONNode {
    lastID += 1
    let id = lastID
    let line = JSONNode.object([("id", .integer(id)), ("command", .text(name))] + members)
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<JSONNode, HookFailure>, Never>) in
        send(line, id, within) { continuation.resume(returning: $0) }
      }
    } onCancel: {
      loop.startTask { await self.answer(id, .failure(HookFailure(.cancelled, "it was cancelled"))) }
    }
    return try outcome.get()
  }

  private func send(
    _ line: JSONNode, _ id: Int, _ within: Duration, _ tell: @escaping (Result<JSONNode, HookFailure>) -> Void
  ) {
    if Task.isCancelled { return tell(.failure(HookFailure(.cancelled, "it was cancelled"))) }
    guard exit == nil, let child = held.child else { return tell(.failure(endedFailure)) }
    guard child.write(line: line.compactText) else {
      return tell(.failure(HookFailure(.refused, "the accessory's process doesn't read commands")))
    }
    let timer = LoopTimer(loop) { [weak self] in
      let message =
        "the accessory's process did not answer within \(within.roundText); hapsim needs --commands to accept commands"
      self?.assumeIsolated { $0.answer(id, .failure(HookFailure(.timedOut, message))) }
    }
    timer.start(after: within)
    pending[id] = {
      timer.close()
      tell($0)
    }
  }

  private func answer(_ id: Int, _ outcome: Result<JSONNode, HookFailure>) {
    pending.removeValue(forKey: id)?(outcome)
  }

  private var endedFailure: HookFailure {
    HookFailure(.ended, "the accessory's process " + (exit.map { "ended \($0)" } ?? "has not started"))
  }

  // MARK: End

  private func ended(_ exit: ChildProcess.Exit) {
    self.exit = exit
    let message = "the accessory's process ended \(exit)"
    up(Failure(message: message, lastLines: lastLines))
    let waiting = pending.sorted { $0.key < $1.key }.map(\.value)
    pending = [:]
    for tell in waiting { tell(.failure(endedFailure)) }
    for waiter in endWaiters { waiter.resume(returning: exit) }
    endWaiters = []
    if !isToEnd { onEnd?(exit) }
  }

  /// Terminates the process, kills it after `grace`, and returns when it and all its child processes are gone. Can be called repeatedly.
  /// - Returns: nil if it never started.
  @discardableResult
  package func stop(grace: Duration = .seconds(5)) async -> ChildProcess.Exit? {
    isToEnd = true
    if let exit { return exit }
    guard let child = held.child else { return nil }
    child.terminate(grace: grace)
    return await withCheckedContinuation { continuation in
      // The process may have ended before this closure runs.
      if let exit { return continuation.resume(returning: exit) }
      endWaiters.append(continuation)
    }
  }
}
