/// A segment in flight from one end of a connection to the other.
struct Segment {
  enum Kind {
    /// The end of the handshake (ACK).
    case established
    /// That many bytes of the sender's `outbox`.
    case data(Int)
    case fin
    case reset
  }

  let kind: Kind
  let arrival: UInt64
}

/// The delivery state of a segment without data: the end of the handshake, or FIN.
struct Sign {
  var isWanted = false
  var isSent = false
  var isDelivered = false
  var isAcknowledged = false
}

/// An acknowledgement that is in flight to the sender.
struct Acknowledgement {
  let delivered: UInt64
  let fin: Bool
}

// Sending, delivery and acknowledgement of this end's segments.
extension SimulatedConnection {
  /// Returns the path to the peer for a packet that is sent now.
  func forward() -> Reach {
    if let cachedReach, cachedReach.version == network.version { return cachedReach.reach }
    let reach: Reach
    if path != nil {
      reach = host.isOn ? .open(Lane(from: host.loopback, to: host.loopback, LinkProperties.localSocket)) : .blocked
    } else {
      reach = network.reach(from: host, local: localAddress.host, remote: peerAddress.host)
    }
    cachedReach = (network.version, reach)
    return reach
  }

  /// Whether the peer has acknowledged everything that was written, including FIN.
  var isAllAcknowledged: Bool {
    outbox.count == 0 && fin.isWanted == fin.isAcknowledged && established.isWanted == established.isDelivered
  }

  private var peerWindow: Int {
    guard let peer else { return 0 }
    return network.settings.receiveBuffer - peer.inbox.count - Int(sent - delivered)
  }

  /// Sends as much as the peer has room for, and FIN after the last byte.
  func transmit() {
    guard phase == .open, !recovery.isRunning else { return }
    isWindowClosed = false
    if established.isWanted, !established.isSent {
      guard launch(.established, 0) else { return }
      established.isSent = true
    }
    while true {
      let unsent = Int(written - sent)
      if unsent == 0 {
        if fin.isWanted, !fin.isSent, launch(.fin, 0) { fin.isSent = true }
        return
      }
      let count = min(unsent, segmentSize, max(0, peerWindow))
      // A window that is smaller than a segment is used only if no segment is in flight.
      if count == 0 || (count < unsent && count < segmentSize && sent > delivered) {
        isWindowClosed = true
        if sent == delivered { startRecovery() }
        return
      }
      guard launch(.data(count), count) else { return }
      sent += UInt64(count)
    }
  }

  /// Sends a segment.
  /// - Returns: false if it can't be delivered. Recovery has begun then.
  func launch(_ kind: Segment.Kind, _ count: Int) -> Bool {
    switch forward() {
    case .open(let lane):
      let now = network.agenda.now
      lastArrival = max(lastArrival, lane.arrival(of: count + 54, at: now))
      flight.append(Segment(kind: kind, arrival: lastArrival))
      if flight.count == 1 { scheduleDelivery() }
      return true
    case .stalled: network.wakeAfterStall(self)
    case .blocked: break
    }
    startRecovery()
    return false
  }

  func scheduleDelivery() {
    guard let first = flight.first else { return }
    network.agenda.schedule(at: first.arrival) { [self] in deliver() }
  }

  /// Delivers the oldest segment.
  private func deliver() {
    guard !flight.isEmpty, let peer else { return }
    guard case .open(let lane) = forward() else { return loseFlight() }
    guard let segment = flight.popFirst() else { return }
    defer { if flight.isEmpty { releaseAfterFlight() } else { scheduleDelivery() } }
    guard path != nil || lane.to.host === peer.host else { return bounceReset() }
    switch segment.kind {
    case .established: deliverEstablished(to: peer)
    case .data(let count): deliver(count, to: peer)
    case .fin: deliverFin(to: peer)
    case .reset: peer.resetArrives()
    }
  }

  /// Drops all segments in flight. Recovery sends them again.
  private func loseFlight() {
    network.trace.note("tcp.lost", id, sent - delivered)
    flight.removeAll()
    sent = delivered
    fin.isSent = fin.isDelivered
    established.isSent = established.isDelivered
    if phase == .gone { return releaseAfterFlight() }
    if case .stalled = forward() { network.wakeAfterStall(self) }
    startRecovery()
  }

  private func deliver(_ count: Int, to peer: SimulatedConnection) {
    switch peer.phase {
    case .open where !peer.isClosed:
      let hash = peer.inbox.append(from: outbox, offset: Int(delivered - acknowledged), count: count)
      network.trace.note("tcp.data", id, UInt64(count), hash)
      delivered += UInt64(count)
      peer.keepAlive.lastHeard = network.agenda.now
      peer.notify()
      scheduleAcknowledgement()
    case .open:
      // The process there has closed the connection. Data that no process will read is answered with a reset.
      peer.sendReset()
      startRecovery()
    default: bounceReset()
    }
  }

  private func deliverFin(to peer: SimulatedConnection) {
    switch peer.phase {
    case .open:
      network.trace.note("tcp.fin", id)
      peer.hasReceivedFin = true
      peer.keepAlive.lastHeard = network.agenda.now
      peer.notify()
    default:
      if peer.endedAt == nil { return bounceReset() }
    }
    fin.isDelivered = true
    scheduleAcknowledgement()
  }

  // MARK: Acknowledgements

  /// Schedules the peer's acknowledgement of the data that has arrived.
  func scheduleAcknowledgement() {
    guard acknowledgement == nil, phase == .open, let peer else { return }
    guard case .open(let lane) = peer.forward() else { return startRecovery() }
    acknowledgement = Acknowledgement(delivered: delivered, fin: fin.isDelivered)
    network.agenda.schedule(after: lane.latency) { [self] in acknowledgementArrives() }
  }

  private func acknowledgementArrives() {
    guard let acknowledged = acknowledgement else { return }
    acknowledgement = nil
    guard phase == .open, let peer else { return }
    guard case .open = peer.forward() else { return startRecovery() }
    outbox.drop(Int(acknowledged.delivered - self.acknowledged))
    self.acknowledged = acknowledged.delivered
    if acknowledged.fin { fin.isAcknowledged = true }
    keepAlive.lastHeard = network.agenda.now
    stopRecovery()
    if delivered > acknowledged.delivered || fin.isDelivered != acknowledged.fin { scheduleAcknowledgement() }
    transmit()
    notify()
    finishIfDone()
  }

  /// Sends a window update to a peer that waits for room.
  func offerWindow() {
    guard let peer, peer.isWindowClosed, !peer.isWindowUpdateOnWay, phase == .open else { return }
    let capacity = network.settings.receiveBuffer
    guard capacity - inbox.count >= min(segmentSize * 2, max(1, capacity / 2)) else { return }
    // If the update is lost, the sender's probes discover the room.
    guard case .open(let lane) = forward() else { return }
    peer.isWindowUpdateOnWay = true
    network.agenda.schedule(after: lane.latency) { peer.windowUpdateArrives() }
  }

  private func windowUpdateArrives() {
    isWindowUpdateOnWay = false
    isWindowClosed = false
    guard phase == .open, let peer, case .open = peer.forward() else { return }
    continueSending()
  }

  /// Continues to send at once, without waiting for the end of a pause.
  func continueSending() {
    stopRecovery()
    transmit()
    if !flight.isEmpty || isAllAcknowledged { return }
    // Everything has arrived, but the acknowledgement was lost.
    if delivered > acknowledged || fin.isDelivered != fin.isAcknowledged { scheduleAcknowledgement() }
    if acknowledgement == nil { startRecovery() }
  }
}
