import CUV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// See `ChildProcess`. The process continues after `close()`, and leaves no zombie when it ends.
final class KernelChild: KernelHandle, LaunchedProcess {
  /// How long to wait for output of remaining child processes after the shell has ended.
  private static let drainTime = Duration.milliseconds(250)
  /// How often to check whether the whole group is gone.
  private static let lookInterval = Duration.milliseconds(20)

  /// How long a group may still exist after SIGKILL, in nanoseconds.
  private static let zombieTime: UInt64 = 200_000_000

  private let command: String
  private var onEvent: ((ChildProcess.Event) -> Void)?
  private let input: ChildPipe
  private let outputs: [ChildProcess.Stream: ChildPipe]
  private var splitters: [ChildProcess.Stream: LineSplitter] = [:]
  /// Set when the shell has ended and was reaped.
  private var exit: ChildProcess.Exit?
  private let timer: LoopTimer
  /// On the loop's clock; nil until `terminate` is called.
  private var killTime: UInt64?
  private var hasDrained = false
  private var process: UnsafeMutablePointer<uv_process_t> { memory.assumingMemoryBound(to: uv_process_t.self) }

  /// The process ID of the shell, which is also the ID of its group; 0 if it didn't start.
  private(set) var processID: Int32 = 0
  var isRunning: Bool { processID != 0 && exit == nil }

  init(_ loop: EventLoop, _ launch: ChildProcess.Launch, onEvent: @escaping (ChildProcess.Event) -> Void)
    throws(LoopError)
  {
    command = launch.command
    self.onEvent = onEvent
    input = ChildPipe(loop)
    outputs = [.output: ChildPipe(loop), .error: ChildPipe(loop)]
    timer = LoopTimer(loop)
    super.init(loop, uv_process_t.self)
    open()
    let status = spawn(launch.environment)
    if status != 0 {
      close()
      throw LoopError(status: status, while: "starting \"\(command)\"")
    }
    processID = process.pointee.pid
    timer.onFire = { [unowned self] in look() }
    input.startWriting()
    for (stream, pipe) in outputs {
      splitters[stream] = LineSplitter(limit: launch.lineLimit)
      pipe.onRead = { self.received($0, from: stream) }
      pipe.startReading()
    }
  }

  private func spawn(_ environment: [String: String]) -> Int32 {
    var options = uv_process_options_t()
    options.flags = UV_PROCESS_DETACHED.rawValue  // a new session and process group
    options.exit_cb = { process, status, signal in
      KernelChild.owner(of: process!.pointee.data).ended(signal == 0 ? .code(Int(status)) : .signal(Int(signal)))
    }
    var stdio = [
      container(input, UV_READABLE_PIPE), container(outputs[.output]!, UV_WRITABLE_PIPE),
      container(outputs[.error]!, UV_WRITABLE_PIPE),
    ]
    options.stdio_count = Int32(stdio.count)
    return withCStrings(["/bin/sh", "-c", command]) { arguments in
      withCStrings(Self.variables(environment)) { variables in
        stdio.withUnsafeMutableBufferPointer { stdio in
          options.file = UnsafePointer(arguments[0])
          options.args = arguments
          options.env = variables
          options.stdio = stdio.baseAddress
          return uv_spawn(loop.kernelLoop, process, &options)
        }
      }
    }
  }

  private func container(_ pipe: ChildPipe, _ direction: uv_stdio_flags) -> uv_stdio_container_t {
    var container = uv_stdio_container_t()
    container.flags = uv_stdio_flags(UV_CREATE_PIPE.rawValue | direction.rawValue)
    container.data.stream = pipe.stream
    return container
  }

  /// Returns the variables of this process with some replaced, as "NAME=value".
  private static func variables(_ changes: [String: String]) -> [String] {
    var items: UnsafeMutablePointer<uv_env_item_t>?
    var count: Int32 = 0
    guard uv_os_environ(&items, &count) == 0 else { return changes.map { "\($0)=\($1)" } }
    defer { uv_os_free_environ(items, count) }
    var variables: [String: String] = [:]
    for item in UnsafeBufferPointer(start: items, count: Int(count)) {
      variables[String(cString: item.name)] = String(cString: item.value)
    }
    variables.merge(changes) { $1 }
    return variables.map { "\($0)=\($1)" }
  }

  // MARK: Input

  func write(line: String) -> Bool { input.write(Array(line.utf8) + [0x0A]) }

  func closeInput() { input.close() }

  // MARK: Output and end

  private func received(_ bytes: UnsafeRawBufferPointer, from stream: ChildProcess.Stream) {
    let lines = bytes.isEmpty ? [splitters[stream]!.finish()].compactMap { $0 } : splitters[stream]!.receive(bytes)
    for line in lines { report(line, from: stream) }
    if bytes.isEmpty { finishIfOver() }
  }

  private func report(_ line: LineSplitter.Line, from stream: ChildProcess.Stream) {
    switch line {
    case .line(let bytes): onEvent?(.line(stream, bytes))
    case .tooLong(let limit): onEvent?(.tooLong(stream, limit: limit))
    }
  }

  private func ended(_ exit: ChildProcess.Exit) {
    self.exit = exit
    input.close()
    if killTime == nil { timer.start(after: Self.drainTime) } else { look() }
    finishIfOver()
  }

  /// Handles the end of a wait: for more output, or for the end of the group.
  private func look() {
    guard let killTime else {
      hasDrained = true
      return finishIfOver()
    }
    let now = loop.readClock()
    // A member without a waiting parent stays a zombie, and the group still exists.
    if exit != nil, !groupIsThere || now >= killTime + Self.zombieTime {
      hasDrained = true
      return finishIfOver()
    }
    if now >= killTime { signalGroup(SIGKILL) }
    timer.start(after: Self.lookInterval)
  }

  private func finishIfOver() {
    guard let exit, let tell = onEvent else { return }
    let isOver = killTime == nil ? outputs.values.allSatisfy(\.hasEnded) : !groupIsThere
    guard isOver || hasDrained else { return }
    // Another process can hold the pipe open, for example one that started at the same time and inherited it.
    for stream in [ChildProcess.Stream.output, .error] where outputs[stream]?.hasEnded == false {
      if let line = splitters[stream]?.finish() { report(line, from: stream) }
    }
    guard onEvent != nil else { return }  // closed by the receiver of a line
    // Processes that outlive the shell may still write. Their output is read and dropped, because a pipe without a
    // reader would end them.
    for pipe in outputs.values { pipe.onRead = { _ in } }
    onEvent = nil
    timer.close()
    super.close()
    tell(.ended(exit))
  }

  // MARK: Termination

  func terminate(grace: Duration) {
    guard isRunning, !isClosed, killTime == nil else { return }
    killTime = loop.readClock() + UInt64(max(grace / .nanoseconds(1), 0))
    signalGroup(SIGTERM)
    timer.start(after: Self.lookInterval)
  }

  private var groupIsThere: Bool { processID > 0 && uv_kill(-processID, 0) == 0 }

  private func signalGroup(_ signal: Int32) {
    // Never signal group 0, which is our own, or 1, which means all processes.
    guard processID > 1 else { return }
    uv_kill(-processID, signal)
  }

  override func close() {
    if !isClosed {
      if killTime != nil { signalGroup(SIGKILL) }
      if isRunning { waitElsewhere(for: processID) }
    }
    input.close()
    for pipe in outputs.values { pipe.close() }
    timer.close()
    super.close()
  }

  override func dropCallbacks() { onEvent = nil }
}

/// Waits on a separate thread for a process that libuv no longer waits for.
private func waitElsewhere(for process: Int32) {
  var thread = KernelThread()
  let status = thread.start(UnsafeMutableRawPointer(bitPattern: Int(process))) { argument in
    nameCurrentThread("hap-child")
    let process = Int32(truncatingIfNeeded: Int(bitPattern: argument))
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, systemErrorNumber == EINTR {}
  }
  if status == 0 { thread.detach() }
}

/// Calls `body` with a null-terminated list of C strings.
private func withCStrings<R>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
) -> R {
  var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
}
