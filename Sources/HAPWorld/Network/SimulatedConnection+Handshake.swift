import HAPLoop

/// The state of a handshake.
struct Handshake {
  /// Whether this end opened the connection.
  var isOutgoing = false
  /// The number of requests (SYN) that this end has sent.
  var attempts = 0
  var token: Agenda.Token?
  /// The listener, if the peer opened the connection.
  var listener: SimulatedListener?
}

extension SimulatedConnection {
  /// The maximum number of requests: 1 and Linux's `tcp_syn_retries` of 6, 127 s in total.
  private static let mostRequests = 7
  /// The time for which a listener waits for the end of the handshake.
  private static let longestHandshake = 63 * Nanoseconds.second

  // MARK: The client's side

  func requestConnection() {
    guard phase == .connecting else { return }
    if handshake.attempts >= Self.mostRequests {
      return fail(.timedOut, while: "connecting to \(host.text(peerAddress))")
    }
    let pause = Nanoseconds.second << UInt64(handshake.attempts)
    handshake.attempts += 1
    handshake.token = network.agenda.schedule(after: pause) { [self] in requestConnection() }
    switch forward() {
    case .open(let lane):
      let arrival = lane.arrival(of: 74, at: network.agenda.now)
      network.agenda.schedule(at: arrival) { [self] in requestArrives() }
    case .stalled: network.wakeAfterStall(self)
    case .blocked: break
    }
  }

  /// Handles a request that arrives at the host that has the address now.
  private func requestArrives() {
    guard phase == .connecting, case .open(let lane) = forward() else { return }
    let target = lane.to.host
    if let peer, peer.phase == .accepting { return answerRequest(peer) }
    guard let listener = target.listener(at: peerAddress, on: lane.to) else {
      network.trace.note("tcp.refused", id)
      let back = network.reach(from: target, local: peerAddress.host, remote: localAddress.host)
      guard case .open(let lane) = back else { return }
      network.agenda.schedule(after: lane.latency) { [self] in resetArrives() }
      return
    }
    // If the backlog is full, the request is dropped. The client sends it again.
    if listener.isFull { return }
    let peer = SimulatedConnection(
      target, nil, local: scoped(peerAddress, on: lane.to), peer: scoped(localAddress, on: lane.to), path: nil,
      .accepting)
    meet(peer, listener)
    peer.segmentSize = segmentSize(lane)
    segmentSize = peer.segmentSize
    peer.handshake.token = network.agenda.schedule(after: Self.longestHandshake) { peer.becomeGone() }
    answerRequest(peer)
  }

  func meet(_ peer: SimulatedConnection, _ listener: SimulatedListener) {
    self.peer = peer
    peer.peer = self
    peer.handshake.listener = listener
    listener.handshakeBegan(peer)
  }

  private func segmentSize(_ lane: Lane) -> Int { min(lane.from.mtu, lane.to.mtu) - (peerAddress.host.isV4 ? 52 : 72) }

  /// Returns a link-local address with the scope that the interface has on its host.
  private func scoped(_ address: SocketAddress, on interface: SimulatedInterface) -> SocketAddress {
    guard address.host.isV6, address.host.isLinkLocal else { return address }
    let index = interface.isLoopback ? address.host.scope : interface.index
    return SocketAddress(host: IPAddress(bytes: address.host.bytes, scope: index)!, port: address.port)
  }

  private func answerRequest(_ peer: SimulatedConnection) {
    guard case .open(let lane) = peer.forward() else { return }
    let arrival = lane.arrival(of: 74, at: network.agenda.now)
    network.agenda.schedule(at: arrival) { [self] in answerArrives(from: peer) }
  }

  private func answerArrives(from peer: SimulatedConnection) {
    guard case .open = peer.forward() else { return }
    // If the process has given up, its kernel resets the other end.
    if phase == .gone || phase == .failed {
      return peer.becomeGone()
    }
    guard phase == .connecting, peer.phase == .accepting else { return }
    network.trace.note("tcp.connected", id, peer.id)
    established.isWanted = true
    becomeOpen()
    transmit()
  }

  func becomeOpen() {
    phase = .open
    if let token = handshake.token { network.agenda.cancel(token) }
    handshake.token = nil
    keepAlive.lastHeard = network.agenda.now
    if keepAlive.silence > 0 { armKeepAlive(after: keepAlive.silence) }
    notify()
  }

  // MARK: The listener's side

  func deliverEstablished(to peer: SimulatedConnection) {
    guard peer.phase == .accepting, let listener = peer.handshake.listener else { return bounceReset() }
    established.isDelivered = true
    peer.handshake.listener = nil
    peer.becomeOpen()
    network.trace.note("tcp.accepting", peer.id, id)
    listener.handshakeDone(peer)
  }

  /// Stops the handshake's timer, and releases the entry in the backlog.
  func handshakeEnds() {
    if let token = handshake.token { network.agenda.cancel(token) }
    handshake.token = nil
    handshake.listener?.handshakeFailed(self)
    handshake.listener = nil
  }
}

extension SimulatedProcess {
  /// Opens a TCP connection. The handler gets the outcome as an event: `.connected` or `.failed`.
  ///
  /// If the host is off or unreachable, the outcome is `.timedOut` after 127 s.
  /// - Throws: `.tooManyOpenFiles`, or `.cancelled` if the process has died.
  package func connect(to address: SocketAddress) throws(LoopError) -> SimulatedConnection {
    let doing = "connecting to \(host.text(address))"
    try checkDescriptor(while: doing)
    // As on Linux, a connection to a wildcard address goes to this host.
    var address = address
    if address.host.isUnspecified {
      address.host = address.host.isV4 ? .loopbackV4 : host.loopback.addresses[1].address
    }
    let connection: SimulatedConnection
    do throws(LoopError) {
      let source = try host.route(to: address.host).source
      guard address.port != 0, !address.host.isMulticast else { throw LoopError(.connectionRefused, "") }
      guard let port = host.reserveOutgoing(to: address, from: source) else {
        throw LoopError(.addressNotAvailable, "")
      }
      connection = SimulatedConnection(
        host, self, local: SocketAddress(host: source, port: port), peer: address, path: nil, .connecting)
      connection.handshake.isOutgoing = true
      connection.requestConnection()
    } catch {
      let nowhere = SocketAddress(host: address.host.isV4 ? .anyV4 : .anyV6, port: 0)
      connection = SimulatedConnection(host, self, local: nowhere, peer: address, path: nil, .connecting)
      connection.fail(error.code, while: doing)
    }
    return connection
  }
}
