import MatterWire

/// Sending, and the time.
extension MessageLayer {
  /// Begins an exchange.
  /// - Returns: nil if the session is gone or is to end, or has too many exchanges.
  package mutating func openExchange(on session: SessionHandle) -> ExchangeHandle? {
    guard let index = index(of: session), canBeginExchange(index, isOwn: true) else { return nil }
    let number = nextExchangeNumber(in: index)
    return sessions[index].exchanges[begin(index, number: number, isOwn: true)].handle
  }

  /// Whether one end of a session can begin another exchange. A node begins one for each of its reports, so it has a limit
  /// of its own.
  func canBeginExchange(_ index: Int, isOwn: Bool) -> Bool {
    !sessions[index].isEnding
      && sessions[index].exchanges.count { $0.isOwn == isOwn } < settings.exchangesPerSession * (isOwn ? 2 : 1)
  }

  /// - Returns: the index of the new exchange.
  mutating func begin(_ index: Int, number: UInt16, isOwn: Bool) -> Int {
    let handle = nextExchangeHandle(sessions[index].handle)
    sessions[index].exchanges.append(MessageExchange(handle, number: number, isOwn: isOwn))
    return sessions[index].exchanges.count - 1
  }

  /// Notes that a message is sent or received.
  mutating func noteUse(_ index: Int, _ place: Int, at now: Duration) {
    sessions[index].lastUse = now
    sessions[index].exchanges[place].idleDue = settings.exchangeIdleLimit.map { now + $0 }
  }

  /// Sends a message, with the acknowledgement that the exchange owes. A reliable message waits until the last one of
  /// the exchange is acknowledged.
  /// - Parameters:
  ///   - payload: at most `payloadLimit` bytes, or it traps.
  ///   - isReliable: whether it is repeated until the peer acknowledges it.
  /// - Returns: false if the exchange is gone or closed, or too many of its messages wait, with which it fails.
  @discardableResult package mutating func send(
    _ payload: [UInt8], opcode: UInt8, protocolID: ExchangeHeader.ProtocolID, on exchange: ExchangeHandle,
    isReliable: Bool = true, at now: Duration
  ) -> Bool {
    precondition(payload.count <= Self.payloadLimit, "a payload has \(Self.payloadLimit) bytes at most")
    guard let (index, place) = find(exchange), !sessions[index].exchanges[place].isClosing else { return false }
    var message = MessageExchange.Outgoing(
      opcode: opcode, protocolID: protocolID, payload: payload, isReliable: isReliable)
    if let tap { message.pass(tap, on: sessions[index].exchanges[place], of: sessions[index].channel) }
    guard isReliable, sessions[index].exchanges[place].pending != nil else {
      return transmit(message, index, place, at: now)
    }
    guard sessions[index].exchanges[place].queue.count < settings.queuedMessages else {
      fail(index, place)
      return false
    }
    sessions[index].exchanges[place].queue.append(message)
    return true
  }

  /// Sends a message of a handshake.
  @discardableResult package mutating func send(
    _ message: HandshakeMessage, on exchange: ExchangeHandle, at now: Duration
  ) -> Bool {
    send(message.payload, opcode: message.opcode.rawValue, protocolID: .secureChannel, on: exchange, at: now)
  }

  /// Ends an exchange. Messages that were sent before are repeated until the peer acknowledges them.
  package mutating func closeExchange(_ exchange: ExchangeHandle, at now: Duration) {
    guard let (index, place) = find(exchange), !sessions[index].exchanges[place].isClosing else { return }
    if sessions[index].exchanges[place].owed != nil {
      guard transmit(.acknowledgement, index, place, at: now) else { return }
    }
    sessions[index].exchanges[place].isClosing = true
    removeIfFinished(index, place)
  }

  /// Fails the exchanges whose last message is in one of these packets, which did not leave and must not leave later.
  package mutating func abandon(_ packets: [[UInt8]]) {
    let abandoned = sessions.flatMap(\.exchanges).filter { $0.pending.map { packets.contains($0.packet) } ?? false }
    for exchange in abandoned {
      if let (index, place) = find(exchange.handle) { fail(index, place) }
    }
  }

  // MARK: Time

  /// The time at which `advance` has something to do; nil: it has nothing.
  package var nextDeadline: Duration? {
    var earliest: Duration?
    for index in sessions.indices {
      for place in sessions[index].exchanges.indices {
        guard let due = sessions[index].exchanges[place].due else { continue }
        earliest = min(earliest ?? due, due)
      }
    }
    return earliest
  }

  /// Sends the acknowledgements and the retransmissions that are due.
  package mutating func advance(to now: Duration) {
    // A session, an exchange or both can end in the course.
    let due = sessions.flatMap { session in
      session.exchanges.compactMap { exchange in exchange.due.map { $0 <= now } == true ? exchange.handle : nil }
    }
    for handle in due {
      if let (index, place) = find(handle) { advance(index, place, to: now) }
    }
  }

  private mutating func advance(_ index: Int, _ place: Int, to now: Duration) {
    let exchange = sessions[index].exchanges[place]
    if let owed = exchange.owed, owed.due <= now {
      guard transmit(.acknowledgement, index, place, at: now) else { return }
    }
    guard let pending = exchange.pending else {
      if let limit = exchange.idleDue, limit <= now { fail(index, place) }
      return
    }
    guard pending.due <= now else { return }
    guard pending.transmissions < MessageExchange.transmissionLimit else { return fail(index, place) }
    if pending.lostTransmissions > 0 {
      sessions[index].exchanges[place].pending?.lostTransmissions -= 1
    } else {
      if isObserved { observeRepetition(index, place) }
      act(.send(pending.packet, to: sessions[index].peer))
      sessions[index].exchanges[place].pending?.hasLeft = true
    }
    let wait = MessageExchange.wait(
      sessions[index].interval(at: now), after: pending.transmissions + 1, random)
    sessions[index].exchanges[place].pending?.transmissions += 1
    sessions[index].exchanges[place].pending?.due = now + wait
  }

  // MARK: Parts

  func find(_ exchange: ExchangeHandle) -> (index: Int, place: Int)? {
    guard let index = index(of: exchange.session),
      let place = sessions[index].exchanges.firstIndex(where: { $0.handle == exchange })
    else { return nil }
    return (index, place)
  }

  /// Sends a message now.
  /// - Returns: false if the session has used all counters, and has ended.
  @discardableResult mutating func transmit(
    _ message: MessageExchange.Outgoing, _ index: Int, _ place: Int, at now: Duration
  ) -> Bool {
    let exchange = sessions[index].exchanges[place]
    let acknowledged = exchange.owed.flatMap { isWithheld() ? nil : $0.counter }
    if message.isAcknowledgement, acknowledged == nil {
      sessions[index].exchanges[place].owed = nil
      return true
    }
    let header = ExchangeHeader(
      isFromInitiator: exchange.isOwn, wantsAcknowledgement: message.isReliable, opcode: message.opcode,
      exchange: exchange.number, protocolID: message.protocolID, acknowledged: acknowledged)
    guard let (counter, packet) = packet(index, header, message.payload) else {
      end(index, .countersExhausted)
      return false
    }
    sessions[index].exchanges[place].owed = nil
    noteUse(index, place, at: now)
    let sent = observed.last.map { SentMessage($0) }
    if message.lostTransmissions == 0 {
      act(.send(packet, to: sessions[index].peer))
    } else if isObserved {
      observed.removeLast()
    }
    guard message.isReliable else { return true }
    let wait = MessageExchange.wait(sessions[index].interval(at: now), after: 1, random)
    sessions[index].exchanges[place].pending = .init(
      counter: counter, packet: packet, due: now + wait, observed: sent,
      lostTransmissions: max(0, message.lostTransmissions - 1), hasLeft: message.lostTransmissions == 0)
    return true
  }

  /// Whether the next acknowledgement is left out.
  func isWithheld() -> Bool { withholdsAcknowledgement?() ?? false }

  /// Sends an acknowledgement outside of the exchanges.
  func strayAcknowledgement(of header: ExchangeHeader, _ counter: UInt32) -> ExchangeHeader {
    ExchangeHeader(
      isFromInitiator: !header.isFromInitiator, wantsAcknowledgement: false,
      opcode: SecureChannelOpcode.acknowledgement.rawValue, exchange: header.exchange, protocolID: .secureChannel,
      acknowledged: counter)
  }

  mutating func sendCloseSession(_ index: Int) {
    let header = ExchangeHeader(
      isFromInitiator: true, wantsAcknowledgement: false, opcode: SecureChannelOpcode.statusReport.rawValue,
      exchange: nextExchangeNumber(in: index), protocolID: .secureChannel)
    guard let (_, packet) = packet(index, header, HandshakeMessage.status(.closeSession).payload) else { return }
    act(.send(packet, to: sessions[index].peer))
  }

  private mutating func fail(_ index: Int, _ place: Int) {
    act(.exchangeFailed(sessions[index].exchanges[place].handle))
    remove(index, place)
  }

  mutating func removeIfFinished(_ index: Int, _ place: Int) {
    if sessions[index].exchanges[place].isFinished { remove(index, place) }
  }

  private mutating func remove(_ index: Int, _ place: Int) {
    sessions[index].exchanges.remove(at: place)
    if sessions[index].isEnding, sessions[index].exchanges.isEmpty { end(index, .removed, notifyingPeer: true) }
  }
}
