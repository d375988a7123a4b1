import HAPLoop

// Resets, and the release of the kernel's resources.
extension SimulatedConnection {
  /// Sends a reset after the segments in flight, and removes the connection.
  func sendReset() {
    guard phase != .gone else { return }
    isClosed = true
    network.trace.note("tcp.reset", id)
    if phase == .open || phase == .accepting, case .open(let lane) = forward() {
      lastArrival = max(lastArrival, lane.arrival(of: 54, at: network.agenda.now))
      let isFirst = flight.isEmpty
      flight.append(Segment(kind: .reset, arrival: lastArrival))
      if isFirst { scheduleDelivery() }
    }
    becomeGone()
  }

  /// Handles a segment that arrives at a host without this connection. That host answers each segment with a reset.
  func bounceReset() {
    // The reset may be lost; the next retransmission causes another.
    if !isAllAcknowledged { startRecovery() }
    guard phase != .gone, let peer, case .open(let lane) = reverse(of: peer) else { return }
    network.agenda.schedule(after: lane.latency) { [self] in resetArrives() }
  }

  /// Returns the path to this end, from the host that has the peer's address at this time.
  func reverse(of peer: SimulatedConnection) -> Reach {
    guard path == nil, case .open(let lane) = forward(), lane.to.host !== peer.host else { return peer.forward() }
    return network.reach(from: lane.to.host, local: peerAddress.host, remote: localAddress.host)
  }

  func resetArrives() {
    switch phase {
    case .accepting: becomeGone()
    case .open:
      network.trace.note("tcp.reset.received", id)
      fail(hasReceivedFin ? .brokenPipe : .connectionReset, while: "reading")
    case .connecting: fail(.connectionRefused, while: "connecting to \(host.text(peerAddress))")
    case .failed, .gone: break
    }
  }

  /// Ends a connection that the process has closed, after the peer has acknowledged everything.
  func finishIfDone() {
    guard isClosed, phase == .open, isAllAcknowledged else { return }
    endedAt = network.agenda.now
    becomeGone()
  }

  func becomeGone() {
    guard phase != .gone else { return }
    phase = .gone
    releaseKernelState()
    inbox.clear()
    if flight.isEmpty { releaseAfterFlight() }
  }

  /// Stops all timers and frees the port.
  func releaseKernelState() {
    stopRecovery()
    stopKeepAlive()
    handshakeEnds()
    host.connections[id] = nil
    if handshake.isOutgoing { host.outgoingPorts.remove(OutgoingPort(port: localAddress.port, peer: peerAddress)) }
    handshake.isOutgoing = false
    if phase == .failed {
      flight.removeAll()
      outbox.clear()
    }
  }

  /// Releases the peer. Otherwise the two ends would keep each other alive.
  func releaseAfterFlight() {
    guard phase == .gone else { return }
    outbox.clear()
    peer = nil
  }
}
