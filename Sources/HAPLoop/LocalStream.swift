/// A connection with another process of this machine through a Unix domain socket. The loop keeps it until it is
/// closed.
package final class LocalStream {
  package enum Event: Equatable, Sendable {
    case bytes([UInt8])
    /// The other side sends no more or is gone. The last event.
    case end
  }

  private let socket: any LocalStreamSocket
  private var onEvent: ((Event) -> Void)?
  /// Called when the system has taken all written bytes.
  package var onDrained: (() -> Void)?
  private var outgoing: [UInt8] = []
  /// The number of bytes of `outgoing` that the system has taken. They are removed in large pieces.
  private var takenCount = 0
  private var isReading = false
  private var isFinishing = false
  private var hasEnded = false

  package var isClosed: Bool { socket.isClosed }
  /// The process at the other end at the time of connecting; nil: unknown.
  package var peer: LocalPeer? { socket.peer }
  /// Bytes written but not yet taken by the system.
  package var queuedByteCount: Int { outgoing.count - takenCount }

  /// Connects to a `LocalListener`, without waiting.
  /// - Throws: `.connectionRefused` if the listening process has ended; `.other` if there is no such path or the
  ///   listener's queue is full.
  package convenience init(_ loop: EventLoop, connectingTo path: String) throws(LoopError) {
    loop.preconditionOnLoop()
    self.init(try loop.driver.connectLocally(to: path, on: loop))
  }

  init(_ socket: any LocalStreamSocket) {
    self.socket = socket
    socket.onReady = { canRead, canWrite in self.ready(canRead, canWrite) }
    // A loop that stops closes the socket. The callbacks may refer to this object.
    socket.onClosed = { self.dropCallbacks() }
  }

  package func startReading(onEvent: @escaping (Event) -> Void) {
    self.onEvent = onEvent
    isReading = true
    watch()
  }

  /// Pauses events until `resumeReading()`; the other side blocks when the socket is full.
  package func pauseReading() {
    isReading = false
    watch()
  }

  package func resumeReading() {
    isReading = true
    watch()
  }

  /// Writes all of `bytes`, in the order of the calls. The socket takes some bytes at once; the rest is queued.
  package func write(_ bytes: [UInt8]) {
    guard !isClosed, !isFinishing else { return }
    outgoing += bytes
    flush()
  }

  /// Sends the queued bytes, then closes.
  package func closeAfterWriting() {
    isFinishing = true
    dropCallbacks()
    if outgoing.isEmpty { close() } else { watch() }
  }

  /// Closes the connection. Any number of times.
  package func close() {
    dropCallbacks()
    socket.close()
  }

  private func dropCallbacks() {
    onEvent = nil
    onDrained = nil
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
    while takenCount < outgoing.count {
      let transfer = outgoing.withUnsafeBytes { socket.write(.init(rebasing: $0[takenCount...])) }
      if transfer == .notReady { break }
      guard case .count(let count) = transfer else {
        // The reader is gone.
        (outgoing, takenCount) = ([], 0)
        hasEnded = true
        if isFinishing { return close() }
        watch()
        onEvent?(.end)
        return
      }
      takenCount += count
      // Otherwise a long text would be moved once for each piece of it.
      if takenCount >= outgoing.count / 2 {
        outgoing.removeFirst(takenCount)
        takenCount = 0
      }
    }
    watch()
    guard outgoing.isEmpty else { return }
    if isFinishing { close() } else { onDrained?() }
  }
}
