/// Runs an event loop and gives it time, workers and sockets: the machine (`KernelDriver`), or a host of a simulated world.
///
/// Each driver has one loop. Except where a method says "from any thread", everything belongs to the loop's thread.
package protocol LoopDriver: AnyObject, Sendable {
  /// Monotonic time in nanoseconds, read now. From any thread.
  func readClock() -> UInt64

  /// Civil time since 1970 in UTC, read now. It may jump. From any thread.
  func readWallClock() -> Duration
  /// The name of the machine; empty: it has none. From any thread.
  var machineName: String { get }
  /// The open files and sockets that the process may have. From any thread.
  var descriptorLimit: Int { get }

  /// Runs code of tasks that belongs to no actor; nil: the pool of the concurrency runtime. From any thread.
  var taskExecutor: (any TaskExecutor)? { get }

  // MARK: Life

  /// Starts to run `loop` and returns when it runs. Once, from any thread.
  func start(_ loop: EventLoop)
  /// Frees what belongs to a loop that was never started.
  func discard()
  /// Makes the loop have a turn soon. From any thread.
  func wake()
  /// Allows the loop to end as soon as all its handles are closed.
  func allowEnd()
  /// Waits until the loop has ended. From any thread but the loop's.
  func waitForEnd()
  /// Runs `work` on the loop and waits for it. From any thread but the loop's.
  /// - Parameter limit: nil: without end.
  /// - Returns: false when the time was over first, or the loop has ended; in the first case `work` may still run later.
  func perform(_ work: @escaping @Sendable () -> Void, on loop: EventLoop, waitingAtMost limit: Duration?) -> Bool

  // MARK: Time and workers

  /// Sets the one alarm: the loop's timers are due at `time` (of `readClock`); nil: at no time.
  func setAlarm(_ time: UInt64?)
  /// Blocks the loop's thread for that long.
  func block(for duration: Duration)
  /// Fills `bytes` with randomness. From any thread.
  func fillRandom(_ bytes: UnsafeMutableRawBufferPointer)
  /// Runs `work` on another thread, and `then` with its result on the loop.
  func offload<T: Sendable>(_ work: @escaping @Sendable () -> T, then: @escaping (T) -> Void)

  /// Ends the process of the loop at once, as a crash does. A simulated process runs the present turn to its end, without any effect outside of it.
  func exitProcess(_ status: Int32)
  /// Starts a command. `onEvent` is called on the loop, and never before this has returned.
  func launch(
    _ launch: ChildProcess.Launch, on loop: EventLoop, onEvent: @escaping (ChildProcess.Event) -> Void
  ) throws(LoopError) -> any LaunchedProcess

  // MARK: Network

  /// Makes a TCP socket that is not connected.
  func makeStreamSocket() -> any StreamSocket
  /// Binds a TCP socket, which does not listen yet.
  func bindPort(host: IPAddress, interface: String?, port: UInt16) throws(LoopError) -> any BoundPort
  func makeDatagramSocket(host: IPAddress, port: UInt16, sharing: Bool) throws(LoopError) -> any DatagramSocket
  /// Makes a socket in the file system, which its owner alone can reach, and listens.
  func listenLocally(at path: String, backlog: Int32, on loop: EventLoop) throws(LoopError) -> any LocalPort
  /// Connects to such a socket, without waiting.
  func connectLocally(to path: String, on loop: EventLoop) throws(LoopError) -> any LocalStreamSocket
  /// The interfaces in the order of their index.
  func interfaces() -> [NetworkInterface]
  /// Reports changes of `interfaces()` until it is closed.
  func watchInterfaces(of loop: EventLoop, onChange: @escaping () -> Void) -> any InterfaceWatch
}

/// A command that was started, as a `ChildProcess` uses it: see there.
package protocol LaunchedProcess: AnyObject {
  var processID: Int32 { get }
  var isRunning: Bool { get }
  func write(line: String) -> Bool
  func closeInput()
  func terminate(grace: Duration)
  func close()
}

/// One end of a TCP connection, as a `TCPStream` uses it. Belongs to the loop's thread.
///
/// It reports to its stream: `connected`, `memory(for:)` and `received`, `didClose`; never before the call that leads to it has returned.
package protocol StreamSocket: AnyObject {
  /// Keeps the stream until the socket is wholly closed. Once.
  func attach(to stream: TCPStream)
  func connect(to address: SocketAddress)
  var localAddress: SocketAddress? { get }
  var peerAddress: SocketAddress? { get }
  /// - Returns: why it can't.
  func startReading() -> LoopError?
  func stopReading()
  /// - Returns: the count of bytes taken, 0 when the socket is full or broken.
  func tryWrite(_ bytes: UnsafeRawBufferPointer) -> Int
  /// Takes a copy of all of `bytes`; `done` is called once, when the system has taken the last.
  func queueWrite(_ bytes: UnsafeRawBufferPointer, done: @escaping (LoopError?) -> Void)
  func finishWriting(done: @escaping (LoopError?) -> Void)
  func close()
  func reset()
  /// See `TCPStream.keepAlive(after:)`.
  func keepAlive(seconds: UInt32)
}

/// A TCP port that is bound: no other socket gets it, and connections are refused until it listens.
package protocol BoundPort: AnyObject {
  var address: SocketAddress { get }
  /// Starts to listen. `listener` receives each connection, and each failure.
  func listen(_ listener: TCPListener, on loop: EventLoop, backlog: Int32) throws(LoopError)
  /// Frees the port. Any number of times.
  func close()
}

/// A UDP socket, as a `UDPSocket` uses it.
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

/// A listening socket in the file system, as a `LocalListener` uses it.
package protocol LocalPort: AnyObject {
  var isClosed: Bool { get }
  /// Called on the loop while connections wait and `isWatching` is true.
  var onReady: (() -> Void)? { get set }
  var isWatching: Bool { get set }
  func accept() -> LocalAcceptance
  /// Removes the name and stops listening. Any number of times.
  func close()
}

package enum LocalAcceptance {
  case accepted(any LocalStreamSocket)
  case nobodyWaits
  /// A connection waits that can't be accepted now, because no descriptor is left for example.
  case failed
}

/// One end of a connection through a socket in the file system, as a `LocalStream` uses it.
package protocol LocalStreamSocket: AnyObject {
  /// nil: unknown.
  var peer: LocalPeer? { get }
  var isClosed: Bool { get }
  /// Called on the loop when what is watched for has come: whether it can read, and whether it can write.
  var onReady: ((_ canRead: Bool, _ canWrite: Bool) -> Void)? { get set }
  func watch(reading: Bool, writing: Bool)
  func read(into buffer: UnsafeMutableRawBufferPointer) -> LocalTransfer
  func write(_ bytes: UnsafeRawBufferPointer) -> LocalTransfer
  /// Any number of times.
  func close()
}

package enum LocalTransfer: Equatable {
  case count(Int)
  /// Nothing can be read or written now.
  case notReady
  /// The other side sends no more, or is gone.
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
  /// As they are, without addresses that can't be used yet.
  var interfaces: [NetworkInterface] { get }
  /// Ends it. Any number of times.
  func close()
}
