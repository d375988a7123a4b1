import HAPHost
import HAPLoop

/// A server for commands from other processes of this machine. It receives lines of JSON through a socket, like
/// standard input, and answers each with a line.
///
/// All resources are limited. At most 16 connections are open; a new one replaces the connection that has been idle
/// longest. A line has at most 65,536 bytes. A connection is not read while one of its commands is running or an answer
/// has not been read. Belongs to the loop's thread.
package final class ControlServer {
  package static let mostConnections = 16
  /// The maximum number of bytes in a line.
  package static let longestLine = 65_536

  private let dispatcher: any CommandTaker
  private let loop: EventLoop
  private var listener: LocalListener?
  /// The connections, in the order of their last received data.
  private var connections: [ControlConnection] = []

  package init(_ dispatcher: any CommandTaker, at path: String, on loop: EventLoop) throws(LoopError) {
    self.dispatcher = dispatcher
    self.loop = loop
    listener = try LocalListener(loop, path: path) { [unowned self] in accept($0) }
  }

  package var connectionCount: Int { connections.count }

  /// Removes the socket and sends pending answers. Can be called any number of times.
  package func close() {
    listener?.close()
    listener = nil
    let open = connections
    connections = []
    for connection in open { connection.finish() }
  }

  private func accept(_ stream: LocalStream) {
    if connections.count == Self.mostConnections, let idle = connections.firstIndex(where: \.isIdle) {
      connections.remove(at: idle).finish()
    }
    let connection = ControlConnection(stream, dispatcher, on: loop)
    connections.append(connection)
    connection.onHeard = { [unowned self, unowned connection] in
      guard let index = connections.firstIndex(where: { $0 === connection }) else { return }
      connections.append(connections.remove(at: index))
    }
    connection.onIdle = { [unowned self] in hold() }
    connection.onEnd = { [unowned self, unowned connection] in
      connections.removeAll { $0 === connection }
      hold()
    }
    connection.start()
    hold()
  }

  /// Stops accepting connections while all open connections wait for an answer.
  private func hold() {
    listener?.isHeld = connections.count >= Self.mostConnections && !connections.contains(where: \.isIdle)
  }
}

/// A connection that sends commands.
private final class ControlConnection {
  private let stream: LocalStream
  private let queue: CommandQueue
  private var splitter = LineSplitter(limit: ControlServer.longestLine)
  private var hasEnded = false
  private var isFinished = false
  var onHeard: () -> Void = {}
  var onIdle: () -> Void = {}
  var onEnd: () -> Void = {}

  init(_ stream: LocalStream, _ dispatcher: any CommandTaker, on loop: EventLoop) {
    self.stream = stream
    queue = CommandQueue(dispatcher, on: loop)
  }

  /// Whether all its commands are answered and all answers are sent.
  var isIdle: Bool { queue.isIdle && stream.queuedByteCount == 0 }

  func start() {
    // The closures hold `self` weakly and retain it while they run, because a call inside may end the connection.
    queue.onAnswer = { [weak self] answer in
      guard let self else { return }
      stream.write(Array((answer + "\n").utf8))
      if stream.queuedByteCount > 0 { queue.isHeld = true }
    }
    queue.onIdle = { [weak self] in self?.settle() }
    stream.onDrained = { [weak self] in
      guard let self else { return }
      queue.isHeld = false
      settle()
    }
    stream.startReading { [weak self] event in self?.receive(event) }
  }

  private func receive(_ event: LocalStream.Event) {
    switch event {
    case .bytes(let bytes):
      onHeard()
      for line in bytes.withUnsafeBytes({ splitter.receive($0) }) { queue.take(line) }
    case .end:
      if let line = splitter.finish() { queue.take(line) }
      hasEnded = true
    }
    settle()
  }

  /// Sends the answers of finished commands, and closes.
  func finish() {
    isFinished = true
    queue.close()
    stream.closeAfterWriting()
  }

  private func settle() {
    if isFinished { return }
    guard isIdle else { return stream.pauseReading() }
    if hasEnded {
      finish()
      onEnd()
    } else {
      stream.resumeReading()
      onIdle()
    }
  }
}
