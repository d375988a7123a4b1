import HAPIP
import HAPLoop

/// Listens and accepts connections.
extension AccessoryServer {
  /// The maximum number of connections that wait for a slot, if the process has enough file descriptors.
  package static let mostWaiting = slotWaitingLimit(openFiles: .max)

  /// Starts to listen at each of `places` on one port. After `vanish` it may listen again.
  /// - Parameter port: 0 for any port that is free at all of them.
  package func listen(on places: [ListeningPlace], port: UInt16) throws(LoopError) {
    precondition(listeners.isEmpty && !places.isEmpty && !isStopped, "already listening, stopped, or without a place")
    var port = port
    do throws(LoopError) {
      for place in places {
        let listener = try TCPListener(loop, host: place.host, interface: place.interface, port: port) {
          [unowned self] in accept($0)
        }
        listener.onError = { [unowned self] in couldNotAccept($0) }
        listeners.append(listener)
        port = listener.port
      }
    } catch {
      for listener in listeners { listener.close() }
      listeners = []
      throw error
    }
    self.port = port
  }

  /// Stops listening and resets every connection, like a machine that lost its network. `listen` starts it again.
  package func vanish() {
    for listener in listeners { listener.close() }
    listeners = []
    for connection in inOrder { drop(connection, withReset: true) }
    performer.perform()
  }

  /// Handles a failure to accept a connection.
  func couldNotAccept(_ error: LoopError) {
    guard error.code == .tooManyOpenFiles else { return }
    core.shrinkWaiting(at: now)
    performer.perform()
  }

  private func accept(_ stream: TCPStream) {
    let peer = stream.peerAddress.map(\.description) ?? "unknown"
    let now = now
    if let limit = refusesBeyond, connections.count >= limit {
      recorder?.turnedAway(peer: peer, at: now)
      return stream.reset()
    }
    guard !isStopped, let served = core.open(peer: peer, at: now) else {
      recorder?.turnedAway(peer: peer, at: now)
      stream.close()
      return performer.perform()
    }
    recorder?.note(.opened(served.id, peer: peer), at: now)
    let connection = ServedConnection(stream, served)
    connections[served.id] = connection
    if shape != nil { reshape(connection) }
    stream.startReading(
      onAllocate: { _ in connection.roomForReading() },
      onRead: { [unowned self] event in received(event, on: connection) })
    // The core may have evicted another connection for this one.
    performer.perform()
  }
}
