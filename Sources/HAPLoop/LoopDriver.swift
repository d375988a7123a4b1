/// Runs an event loop and gives it time, workers and sockets: either the machine (`KernelDriver`), or a simulated
/// host.
///
/// Each driver has one loop. Unless a method says "from any thread", everything belongs to the loop's thread.
package protocol LoopDriver: AnyObject, Sendable {
  /// Returns monotonic time in nanoseconds, read now. From any thread.
  func readClock() -> UInt64

  /// Returns the time since any moment, of a clock that is never set and also counts while the machine sleeps. From any
  /// thread.
  func readUptime() -> Duration

  /// Returns civil time since 1970 in UTC, read now. It may jump. From any thread.
  func readWallClock() -> Duration
  /// The host name of the machine; empty: it has none. From any thread.
  var machineName: String { get }
  /// The maximum number of open files and sockets of the process. From any thread.
  var descriptorLimit: Int { get }

  /// Runs code of tasks that belongs to no actor; nil: the loop does. From any thread.
  var taskExecutor: (any TaskExecutor)? { get }

  // MARK: Life

  /// Starts `loop` and returns when it runs. Can be called once, from any thread.
  func start(_ loop: EventLoop)
  /// Frees the resources of a loop that was never started.
  func discard()
  /// Schedules a turn of the loop soon. From any thread.
  func wake()
  /// Allows the loop to end as soon as all its handles are closed.
  func allowEnd()
  /// Handles a job that the loop refuses because it has ended. The job's task waits for ever, unless the driver runs
  /// the job by `runRefused`. From any thread.
  func refused(_ job: UnownedJob, by loop: EventLoop)
  /// Waits until the loop has ended. From any thread except the loop's.
  func waitForEnd()
  /// Runs `work` on the loop and waits for it. From any thread except the loop's.
  /// - Parameter limit: nil: unlimited.
  /// - Returns: false if the time limit passed or the loop has ended. After a timeout, `work` may still run later.
  func perform(_ work: @escaping @Sendable () -> Void, on loop: EventLoop, waitingAtMost limit: Duration?) -> Bool

  // MARK: Time and workers

  /// Sets the only alarm: the loop's timers are due at `time` (of `readClock`); nil: no alarm.
  func setAlarm(_ time: UInt64?)
  /// Blocks the loop's thread for `duration`.
  func block(for duration: Duration)
  /// Fills `bytes` with random bytes. From any thread.
  func fillRandom(_ bytes: UnsafeMutableRawBufferPointer)
  /// Runs `work` on another thread, and `then` with its result on the loop.
  func offload<T: Sendable>(_ work: @escaping @Sendable () -> T, then: @escaping (T) -> Void)

  /// Ends the loop's process at once, like a crash. A simulated process completes the current turn, but the turn has
  /// no effect outside of it.
  func exitProcess(_ status: Int32)
  /// Starts a command. `onEvent` is called on the loop, and never before this returns.
  func launch(
    _ launch: ChildProcess.Launch, on loop: EventLoop, onEvent: @escaping (ChildProcess.Event) -> Void
  ) throws(LoopError) -> any LaunchedProcess

  // MARK: Network

  /// Creates a TCP socket that is not connected.
  func makeStreamSocket() -> any StreamSocket
  /// Binds a TCP socket, which does not listen yet.
  func bindPort(host: IPAddress, interface: String?, port: UInt16) throws(LoopError) -> any BoundPort
  func makeDatagramSocket(host: IPAddress, port: UInt16, sharing: Bool) throws(LoopError) -> any DatagramSocket
  /// Creates a Unix domain socket that only its owner can access, and listens.
  func listenLocally(at path: String, backlog: Int32, on loop: EventLoop) throws(LoopError) -> any LocalPort
  /// The Unix domain sockets in the file system. From any thread.
  var localSocketFiles: any LocalSocketFiles { get }
  /// Connects to a Unix domain socket, without waiting.
  func connectLocally(to path: String, on loop: EventLoop) throws(LoopError) -> any LocalStreamSocket
  /// Returns the interfaces in the order of their index.
  func interfaces() -> [NetworkInterface]
  /// Reports changes of `interfaces()` until it is closed.
  func watchInterfaces(of loop: EventLoop, onChange: @escaping () -> Void) -> any InterfaceWatch
}

/// A running command for `ChildProcess`, which documents the members.
package protocol LaunchedProcess: AnyObject {
  var processID: Int32 { get }
  var isRunning: Bool { get }
  func write(line: String) -> Bool
  func closeInput()
  func terminate(grace: Duration)
  func close()
}

/// One end of a TCP connection, for `TCPStream`. Belongs to the loop's thread.
///
/// It reports to its stream with `connected`, `memory(for:)`, `received` and `didClose`; never before the call that
/// causes the report has returned.
package protocol StreamSocket: AnyObject {
  /// Keeps the stream until the socket is fully closed. Can be called once.
  func attach(to stream: TCPStream)
  func connect(to address: SocketAddress)
  var localAddress: SocketAddress? { get }
  var peerAddress: SocketAddress? { get }
  /// - Returns: the error if it can't start.
  func startReading() -> LoopError?
  func stopReading()
  /// - Returns: the number of bytes taken, 0 if the socket is full or broken.
  func tryWrite(_ bytes: UnsafeRawBufferPointer) -> Int
  /// Takes a copy of all of `bytes`; `done` is called once, when the system has taken the last byte.
  func queueWrite(_ bytes: UnsafeRawBufferPointer, done: @escaping (LoopError?) -> Void)
  func finishWriting(done: @escaping (LoopError?) -> Void)
  func close()
  func reset()
  /// See `TCPStream.keepAlive(after:)`.
  func keepAlive(seconds: UInt32)
}

/// A bound TCP port: no other socket can use it, and connections are refused until it listens.
package protocol BoundPort: AnyObject {
  var address: SocketAddress { get }
  /// Starts to listen. `listener` receives each connection and each failure.
  func listen(_ listener: TCPListener, on loop: EventLoop, backlog: Int32) throws(LoopError)
  /// Frees the port. Any number of times.
  func close()
}

/// A UDP socket, for `UDPSocket`.
package protocol DatagramSocket: AnyObject {
  var address: SocketAddress { get }
  var droppedCount: UInt64 { get }
  func startReceiving(for socket: UDPSocket, on loop: EventLoop) throws(LoopError)
  func send(_ bytes: [UInt8], to target: SocketAddress) throws(LoopError)
  func join(_ group: IPAddress, on interface: UInt32) throws(LoopError)
  func multicast(on interface: UInt32, source: IPAddress?) throws(LoopError)
  func setHops(_ hops: UInt8)
  func setReceiveBuffer(_ bytes: Int)
  func close()
}

/// A listening Unix domain socket, for `LocalListener`.
package protocol LocalPort: AnyObject {
  var isClosed: Bool { get }
  /// Called on the loop while connections wait and `isWatching` is true.
  var onReady: (() -> Void)? { get set }
  var isWatching: Bool { get set }
  func accept() -> LocalAcceptance
  /// Removes the path and stops listening. Any number of times.
  func close()
}

package enum LocalAcceptance {
  case accepted(any LocalStreamSocket)
  case nobodyWaits
  /// A waiting connection can't be accepted now, for example because no descriptor is left.
  case failed
}

/// One end of a connection through a Unix domain socket, for `LocalStream`.
package protocol LocalStreamSocket: AnyObject {
  /// nil: unknown.
  var peer: LocalPeer? { get }
  var isClosed: Bool { get }
  /// Called on the loop when a watched event occurs, with whether it can read and whether it can write.
  var onReady: ((_ canRead: Bool, _ canWrite: Bool) -> Void)? { get set }
  /// Called once when the socket is closed, by `close()` or with its loop.
  var onClosed: (() -> Void)? { get set }
  func watch(reading: Bool, writing: Bool)
  func read(into buffer: UnsafeMutableRawBufferPointer) -> LocalTransfer
  func write(_ bytes: UnsafeRawBufferPointer) -> LocalTransfer
  /// Closes it. Any number of times.
  func close()
}

package enum LocalTransfer: Equatable {
  case count(Int)
  /// Nothing can be read or written now.
  case notReady
  /// The other side sends no more or is gone.
  case ended
}

/// The process at the other end of a local connection.
package struct LocalPeer: Hashable, Sendable {
  package let processID: Int32
  package let userID: UInt32

  package init(processID: Int32, userID: UInt32) {
    self.processID = processID
    self.userID = userID
  }
}

/// A subscription to changes of the interfaces.
package protocol InterfaceWatch: AnyObject {
  /// The current interfaces, without addresses that can't be used yet.
  var interfaces: [NetworkInterface] { get }
  /// Ends the subscription. Any number of times.
  func close()
}
