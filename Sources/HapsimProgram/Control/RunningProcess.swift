import HAPCommands
import HAPLoop
import HAPVocabulary
import HAPWire

/// A connection to a running hapsim, for a command that only waits for its answers.
actor RunningProcess {
  /// The reason why there is no answer, in one line.
  struct Silence: Error { var message: String }

  /// The maximum time for the answer to a query, and for a connection.
  static let patience = Duration.seconds(5)
  /// The time between two attempts to connect to a process whose queue of connections is full.
  private static let pause = Duration.milliseconds(100)
  /// The maximum number of bytes in an answer, which is enough for the status of the largest bridge.
  private static let longestAnswer = 64 << 20

  nonisolated let pid: Int32
  private nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private var stream: LocalStream?
  private var splitter = LineSplitter(limit: longestAnswer)
  private var limit: LoopTimer?
  private var question: CheckedContinuation<String, any Error>?

  private init(_ pid: Int32, on loop: EventLoop) {
    self.pid = pid
    self.loop = loop
  }

  /// Returns the processes that run with a state folder. Removes the sockets of dead processes.
  /// - Throws: `Silence` if one of them can't be reached.
  static func all(in folder: ControlFolder, on loop: EventLoop) async throws -> [RunningProcess] {
    var found: [RunningProcess] = []
    for socket in folder.sockets() {
      let process = RunningProcess(socket.pid, on: loop)
      do {
        try await process.connect(to: socket.path)
        found.append(process)
      } catch let error as LoopError {
        switch error.code {
        case .connectionRefused: folder.remove(socket)
        case .noSuchFile: break  // the process has just ended
        default: throw Silence(message: "process \(socket.pid) can't be reached: \(error)")
        }
      }
    }
    return found
  }

  /// - Throws: `LoopError`, with `.connectionRefused` if the process has ended.
  private func connect(to path: String) async throws {
    let start = loop.readClock()
    while true {
      do throws(LoopError) {
        let stream = try LocalStream(loop, connectingTo: path)
        stream.startReading { [weak self] event in self?.assumeIsolated { $0.receive(event) } }
        self.stream = stream
        return
      } catch {
        let time = Duration.nanoseconds(Int64(clamping: loop.readClock() - start))
        guard error.code == .wouldBlock, time < Self.patience else { throw error }
      }
      try await loop.sleep(for: Self.pause)
    }
  }

  /// Sends a line and returns the answer.
  /// - Parameter patience: the maximum time; nil: no limit.
  /// - Throws: `Silence`.
  func ask(_ line: String, patience: Duration? = nil) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      guard let stream else { return continuation.resume(throwing: hasEnded) }
      question = continuation
      if let patience {
        let limit = LoopTimer(loop) { [self] in
          assumeIsolated { $0.end(Silence(message: "process \(pid) doesn't answer")) }
        }
        limit.start(after: patience)
        self.limit = limit
      }
      stream.write(Array((line + "\n").utf8))
    }
  }

  /// Closes the connection.
  func close() { end(hasEnded) }

  private var hasEnded: Silence { Silence(message: "process \(pid) ended without an answer") }

  private func receive(_ event: LocalStream.Event) {
    switch event {
    case .bytes(let bytes):
      for line in bytes.withUnsafeBytes({ splitter.receive($0) }) {
        switch line {
        case .line(let bytes): answer(.success(String(decoding: bytes, as: UTF8.self)))
        case .tooLong(let limit): end(Silence(message: "process \(pid) answers with more than \(limit >> 20) MiB"))
        }
      }
    case .end: end(hasEnded)
    }
  }

  private func answer(_ answer: Result<String, any Error>) {
    limit?.close()
    limit = nil
    let question = question
    self.question = nil
    question?.resume(with: answer)
  }

  private func end(_ reason: Silence) {
    stream?.close()
    stream = nil
    answer(.failure(reason))
  }

  // MARK: Served accessories

  /// The names and aids of an accessory and its bridged accessories.
  struct Served {
    var name: String
    var bridged: [(aid: UInt64, name: String)]
  }

  func served() async throws -> [Served] {
    let answer = try await ask(#"{"command":"list"}"#, patience: Self.patience)
    let list = (try? JSONNode.parse(Array(answer.utf8)))?["accessories"]?.elements ?? []
    return list.map { entry in
      Served(
        name: entry["name"]?.stringValue ?? "",
        bridged: (entry["bridged"]?.elements ?? []).compactMap { bridged in
          guard let aid = bridged["aid"]?.integerValue, let name = bridged["name"]?.stringValue else { return nil }
          return (UInt64(clamping: aid), name)
        })
    }
  }
}

extension RunningProcess.Served {
  func matches(_ selector: AccessorySelector) -> Bool {
    selector.matches(name: name, aid: 1) || bridged.contains { selector.matches(name: $0.name, aid: $0.aid) }
  }
}
