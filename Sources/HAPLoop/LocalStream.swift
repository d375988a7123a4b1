/// A connection with a process of this machine, through a socket in the file system. The loop keeps it until it is closed.
package final class LocalStream {
  package enum Event: Equatable, Sendable {
    case bytes([UInt8])
    /// The other side sends no more, or is gone. The last event.
    case end
  }

  private let socket: any LocalStreamSocket
  private var onEvent: ((Event) -> Void)?
  /// Told when everything written has been taken by the system.
  package var onDrained: (() -> Void)?
  private var outgoing: [UInt8] = []
  private var isReading = false
  private var isFinishing = false
  private var hasEnded = false

  package var isClosed: Bool { socket.isClosed }
  /// The process at the other end when the connection was made; nil: unknown.
  package var peer: LocalPeer? { socket.peer }
  /// Bytes written but not yet taken by the system.
  package var queuedByteCount: Int { outgoing.count }

  /// Connects to a `LocalListener`, without waiting.
  /// - Throws: `.connectionRefused` when the process that listened has ended; `.other` when there is no such path or the listener's queue is full.
  package convenience init(_ loop: EventLoop, connectingTo path: String) throws(LoopError) {
    loop.preconditionOnLoop()
    self.init(try loop.driver.connectLocally(to: path, on: loop))
  }

  init(_ socket: any LocalStreamSocket) {
    self.socket = socket
    socket.onReady = { canRead, canWrite in self.ready(canRead, canWrite) }
  }

  package func startReading(onEvent: @escaping (Event) -> Void) {
    self.onEvent = onEvent
    isReading = true
    watch()
  }

  /// No event comes until `resumeReading()`; the other side is held back when the socket is full.
  package func pauseReading() {
    isReading = false
    watch()
  }

  package func resumeReading() {
    isReading = true
    watch()
  }

  /// Writes all of `bytes`, in the order of the calls: at once what the socket takes, the rest when it takes more.
  package func write(_ bytes: [UInt8]) {
    guard !isClosed, !isFinishing else { return }
    outgoing += bytes
    flush()
  }

  /// Sends what is queued, then closes.
  package func closeAfterWriting() {
    isFinishing = true
    onEvent = nil
    onDrained = nil
    if outgoing.isEmpty { close() } else { watch() }
  }

  /// Any number of times.
  package func close() {
    onEvent = nil
    onDrained = nil
    socket.close()
  }

  private func watch() {
    socket.watch(reading: isReading && !hasEnded && !isFinishing, writing: !outgoing.isEmpty)
  }

  private func ready(_ canRead: Bool, _ canWrite: Bool) {
    if canWrite { flush() }
    if !isClosed, canRead, isReading, !hasEnded { read() }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
    case .count(let count): onEvent?(.bytes(Array(buffer[..<count])))
    case .notReady: return
    case .ended:
      hasEnded = true
      watch()
      onEvent?(.end)
    }
  }

  private func flush() {
    while !outgoing.isEmpty {
      let transfer = outgoing.withUnsafeBytes { socket.write($0) }
      if transfer == .notReady { break }
      guard case .count(let count) = transfer else {
        // Nobody is there to read it.
        outgoing = []
        hasEnded = true
        if isFinishing { return close() }
        watch()
        onEvent?(.end)
        return
      }
      outgoing.removeFirst(count)
    }
    watch()
    guard outgoing.isEmpty else { return }
    if isFinishing { close() } else { onDrained?() }
  }
}
