import HAPLoop

/// A program of the world that the stage has started. Belongs to the thread of the world.
final class StageJob: @unchecked Sendable {  // confined to the world's thread
  /// Nil for a command in the foreground.
  let number: Int?
  private var child: ChildProcess?
  private(set) var exit: ChildProcess.Exit?
  private(set) var output: [String] = []
  private var timer: LoopTimer?
  private var waiting: CheckedContinuation<Void, Never>?

  /// Starts a command.
  /// - Parameter onLine: called with each line of output, also with errors.
  init(
    _ words: [String], number: Int?, _ environment: [String: String], on loop: EventLoop,
    onLine: @escaping @Sendable (String) -> Void
  ) throws {
    self.number = number
    let command = words.map {
      "'" + $0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
    .joined(separator: " ")
    try loop.performAndWait { [self] in
      child = try ChildProcess(loop, command: command, environment: environment) { [weak self] event in
        switch event {
        case .line(let stream, let bytes):
          let line = String(decoding: bytes, as: UTF8.self)
          if stream == .output { self?.output.append(line) }
          onLine(line)
        case .tooLong(_, let limit): onLine("(a line of more than \(limit) bytes)")
        case .ended(let exit):
          self?.exit = exit
          self?.resume()
        }
      }
    }
  }

  var processID: Int32? { child?.processID }

  /// Asks it to end, as SIGTERM does.
  func end(on loop: EventLoop) throws {
    try loop.performAndWait { [self] in child?.terminate(grace: .seconds(60)) }
  }

  /// Waits for its end.
  /// - Returns: nil if it still runs after `limit`.
  func end(within limit: Duration, on loop: EventLoop) async -> ChildProcess.Exit? {
    if exit == nil {
      await withCheckedContinuation { continuation in
        loop.schedule { [self] in
          let timer = LoopTimer(loop) { [weak self] in self?.resume() }
          timer.start(after: limit)
          (self.timer, waiting) = (timer, continuation)
          if exit != nil { resume() }
        }
      }
    }
    return exit
  }

  private func resume() {
    timer?.close()
    timer = nil
    let continuation = waiting
    waiting = nil
    continuation?.resume()
  }
}
