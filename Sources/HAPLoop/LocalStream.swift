#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A connection with a process of this machine, through a socket in the file system. The loop keeps it until it is closed.
package final class LocalStream {
  package enum Event: Equatable, Sendable {
    case bytes([UInt8])
    /// The other side sends no more, or is gone. The last event.
    case end
  }

  private let descriptor: Int32
  private let watcher: DescriptorWatcher
  private var onEvent: ((Event) -> Void)?
  /// Told when everything written has been taken by the system.
  package var onDrained: (() -> Void)?
  private var outgoing: [UInt8] = []
  private var isReading = false
  private var isFinishing = false
  private var hasEnded = false

  package var isClosed: Bool { watcher.isClosed }
  /// Bytes written but not yet taken by the system.
  package var queuedByteCount: Int { outgoing.count }

  /// Takes over an accepted socket; nil when it can't be watched, and it is closed then.
  init?(_ loop: EventLoop, _ descriptor: Int32) {
    self.descriptor = descriptor
    do throws(LoopError) {
      watcher = try DescriptorWatcher(loop, descriptor: descriptor)
    } catch {
      closeDescriptor(descriptor)
      return nil
    }
    watcher.onEvent = { events in self.ready(events) }
    watcher.onClosed = { closeDescriptor(descriptor) }
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
    watcher.close()
  }

  private func watch() {
    var events: DescriptorWatcher.Events = []
    if isReading, !hasEnded, !isFinishing { events.insert(.readable) }
    if !outgoing.isEmpty { events.insert(.writable) }
    watcher.watch(events)
  }

  private func ready(_ events: DescriptorWatcher.Events) {
    if events.contains(.writable) { flush() }
    if !isClosed, !events.isDisjoint(with: [.readable, .failure]), isReading, !hasEnded { read() }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = readBytes(descriptor, &buffer, buffer.count)
    if count > 0 {
      onEvent?(.bytes(Array(buffer[..<count])))
    } else if count == 0 || (systemErrorNumber != EAGAIN && systemErrorNumber != EINTR) {
      hasEnded = true
      watch()
      onEvent?(.end)
    }
  }

  private func flush() {
    while !outgoing.isEmpty {
      let count = outgoing.withUnsafeBytes { systemWrite(descriptor, $0) }
      if count < 0, systemErrorNumber == EINTR { continue }
      if count < 0, systemErrorNumber == EAGAIN { break }
      guard count > 0 else {
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

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}
