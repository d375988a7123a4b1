import HAPLoop

// Resets, and the release of what the kernel keeps.
extension SimulatedConnection {
  /// Sends a reset after what is on the way, and forgets the connection.
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

  /// The host at the other end doesn't know this connection, and answers each segment by a reset.
  func bounceReset() {
    // The reset may be lost; the next retransmission causes another.
    if !isAllAcknowledged { startRecovery() }
    guard phase != .gone, let peer, case .open(let lane) = reverse(of: peer) else { return }
    network.agenda.schedule(after: lane.latency) { [self] in resetArrives() }
  }

  /// The way back to this end, from whichever host has the peer's address now.
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

  /// Ends a connection that the process has closed, once the peer has acknowledged everything.
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

  /// Releases the peer, so that the two ends don't keep each other alive.
  func releaseAfterFlight() {
    guard phase == .gone else { return }
    outbox.clear()
    peer = nil
  }
}
