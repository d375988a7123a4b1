import HAPLoop

/// The name of a local socket in a host's file system.
struct LocalPath {
  /// nil: the process that listened has ended without removing the name.
  var listener: SimulatedListener?
}

extension SimulatedHost {
  /// What a connection to a path would find.
  package enum LocalPlace { case nothing, dead, listening }

  /// Looks up a path without connecting.
  package func localPlace(_ path: String) -> LocalPlace {
    guard let place = localPaths[path] else { return .nothing }
    return place.listener == nil ? .dead : .listening
  }

  /// Removes a name, whichever listener has it.
  package func removeLocalPath(_ path: String) { localPaths[path] = nil }

  func listenerClosed(_ listener: SimulatedListener) {
    guard let path = listener.path, localPaths[path]?.listener === listener else { return }
    localPaths[path]!.listener = nil
  }
}

extension SimulatedProcess {
  /// The bytes that the path of a listener may have: those of Linux less four for a temporary name.
  package static let longestLocalPath = 103

  /// Listens at a path. A name that exists is replaced; the listener that had it keeps its connections and gets no new one.
  /// - Throws: `.other` (ENAMETOOLONG) for a path that is too long, empty, or contains a zero.
  package func listenLocally(
    _ path: String, backlog: Int = 64, onConnection: @escaping (SimulatedListener) -> Void
  ) throws(LoopError) -> SimulatedListener {
    try checkDescriptor(while: "listening at \(path)")
    guard !path.isEmpty, path.utf8.count <= Self.longestLocalPath, !path.utf8.contains(0) else {
      throw LoopError(.other(SystemStatus.nameTooLong), while: "listening at \(path)")
    }
    let listener = SimulatedListener(self, SocketAddress(host: .anyV4, port: 0), interface: nil, path: path)
    try listener.listen(backlog: backlog) { [unowned listener] in onConnection(listener) }
    host.localPaths[path] = LocalPath(listener: listener)
    return listener
  }

  /// Connects to a listener of the same host. The connection is up at once.
  /// - Throws: `.connectionRefused` when the listener has ended; `.other` when there is no such path (ENOENT) or the backlog is full (EAGAIN).
  package func connectLocally(_ path: String) throws(LoopError) -> SimulatedConnection {
    let doing = "connecting to \(path)"
    try checkDescriptor(while: doing)
    guard let place = host.localPaths[path] else { throw LoopError(.other(SystemStatus.noSuchFile), while: doing) }
    guard let listener = place.listener else { throw LoopError(.connectionRefused, while: doing) }
    if listener.isFull { throw LoopError(.other(SystemStatus.wouldBlock), while: doing) }
    let nowhere = SocketAddress(host: .anyV4, port: 0)
    let own = SimulatedConnection(host, self, local: nowhere, peer: nowhere, path: path, .connecting)
    let other = SimulatedConnection(host, nil, local: nowhere, peer: nowhere, path: path, .accepting)
    (own.localPeer, other.localPeer) = (listener.process, self)
    (own.segmentSize, other.segmentSize) = (32_768, 32_768)
    own.meet(other, listener)
    own.becomeOpen()
    own.established.isWanted = true
    (own.established.isSent, own.established.isDelivered) = (true, true)
    own.deliverEstablished(to: other)
    return own
  }
}
