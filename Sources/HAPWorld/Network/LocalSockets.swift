import HAPLoop

/// A name of a Unix domain socket in a host's file system.
struct LocalPath {
  /// The listener; nil: its process has ended without removing the name.
  var listener: SimulatedListener?
}

extension SimulatedHost {
  /// The state of a path: no name, a name without a listener, or a name with a listener.
  package enum LocalPlace { case nothing, dead, listening }

  /// Returns the state of a path without connecting.
  package func localPlace(_ path: String) -> LocalPlace {
    guard let place = localPaths[path] else { return .nothing }
    return place.listener == nil ? .dead : .listening
  }

  /// Removes a name, whether or not it has a listener.
  package func removeLocalPath(_ path: String) { localPaths[path] = nil }

  func listenerClosed(_ listener: SimulatedListener) {
    guard let path = listener.path, localPaths[path]?.listener === listener else { return }
    localPaths[path]!.listener = nil
  }
}

extension SimulatedProcess {
  /// The maximum length of a listener's path in bytes: Linux's limit minus four for a temporary name.
  package static let longestLocalPath = 103

  /// Listens at a path. An existing name is replaced. Its former listener keeps its connections and gets no new ones.
  /// - Throws: `.other` (ENAMETOOLONG) for a path that is too long, empty, or contains a zero byte.
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

  /// Connects to a listener of the same host. The connection is open at once.
  /// - Throws: `.connectionRefused` if the listener has ended; `.other` if the path doesn't exist (ENOENT) or the
  ///   backlog is full (EAGAIN).
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
