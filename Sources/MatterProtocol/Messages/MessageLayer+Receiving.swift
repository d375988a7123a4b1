import MatterWire

/// Receiving.
extension MessageLayer {
  /// A message whose packet was opened.
  private struct Opened {
    var counter: UInt32
    var header: ExchangeHeader
    /// The packet, which ends with the payload.
    var packet: [UInt8]
    var payloadStart: Int
    var peer: PeerAddress
    var now: Duration

    var payload: [UInt8] { Array(packet[payloadStart...]) }

    func has(_ opcode: SecureChannelOpcode) -> Bool {
      header.protocolID == .secureChannel && header.opcode == opcode.rawValue
    }
  }

  /// Receives a datagram. Malformed ones, and those of groups, are dropped.
  package mutating func receive(_ datagram: consuming [UInt8], from peer: PeerAddress, at now: Duration) {
    var packet = datagram
    var offset = 0
    let header: MessageHeader
    do throws(MessageError) { header = try MessageHeader(packet, offset: &offset) } catch {
      return observe(dropped: packet, from: peer, error.description)
    }
    guard !header.isGroup, !header.hasPrivacy, !header.isControl else {
      return observe(dropped: packet, from: peer, "messages of groups, with privacy, and of control are not served")
    }
    if header.isSealed {
      receiveSealed(header, &packet, offset, peer, now)
    } else {
      guard let message = opened(header, packet, offset, received: packet, peer, now) else { return }
      guard message.header.protocolID == .secureChannel, let index = unsecuredSession(header, message) else {
        return observe(dropped: packet, from: peer, "it has no session, and is not part of a handshake")
      }
      receive(message, index)
    }
  }

  private mutating func receiveSealed(
    _ header: MessageHeader, _ packet: inout [UInt8], _ offset: Int, _ peer: PeerAddress, _ now: Duration
  ) {
    guard let index = index(ofLocalID: header.session), let channel = sessions[index].channel else {
      return observe(dropped: packet, from: peer, "there is no session \(header.session)")
    }
    let sealed = isObserved ? packet : []
    guard channel.open(&packet, header, offset) else {
      return observe(dropped: sealed, from: peer, "its MIC is wrong in session \(header.session)")
    }
    guard let message = opened(header, packet, offset, received: sealed, peer, now) else { return }
    receive(message, index)
  }

  /// - Parameter received: the packet before it was decrypted, for the observer.
  /// - Returns: nil: it has no readable header, and is dropped.
  private mutating func opened(
    _ header: MessageHeader, _ packet: [UInt8], _ offset: Int, received: [UInt8], _ peer: PeerAddress,
    _ now: Duration
  ) -> Opened? {
    var offset = offset
    do throws(MessageError) {
      let exchange = try ExchangeHeader(packet, offset: &offset)
      return Opened(
        counter: header.counter, header: exchange, packet: packet, payloadStart: offset, peer: peer, now: now)
    } catch {
      observe(dropped: received, from: peer, error.description)
      return nil
    }
  }

  /// The session of an unsecured message. A new one begins only with the first message of a handshake.
  private mutating func unsecuredSession(_ header: MessageHeader, _ message: Opened) -> Int? {
    let isFromInitiator = message.header.isFromInitiator
    switch (header.source, header.destination) {
    case (nil, .node(let node)) where !isFromInitiator:
      // Only this end knows its random identifier, and a peer can answer from another of its addresses.
      return sessions.firstIndex { $0.ephemeral == .init(id: node, isOwn: true) }
    case (let node?, .none) where isFromInitiator:
      let ephemeral = MessageSession.EphemeralNode(id: node, isOwn: false)
      if let index = sessions.firstIndex(where: { $0.ephemeral == ephemeral && $0.peer == message.peer }) {
        return index
      }
      guard message.has(.pbkdfParamRequest) || message.has(.sigma1) else { return nil }
      let session = addUnsecuredSession(ephemeral, message.peer, .init(), at: message.now)
      return index(of: session)
    default: return nil
    }
  }

  private mutating func receive(_ message: Opened, _ index: Int) {
    let known = sessions[index].indexOfExchange(message.header)
    let isDuplicate = sessions[index].window.isDuplicate(message.counter)
    if isObserved {
      observe(
        isReceived: true, index, message.header, counter: message.counter, message.payload, peer: message.peer,
        isRepeated: isDuplicate)
    }
    if isDuplicate { return acknowledgeAgain(message, index, known) }
    let isAcknowledgement = message.has(.acknowledgement)
    let begins = known == nil && message.header.isFromInitiator && !isAcknowledgement
    // Without a place in the window the message is new again when the peer repeats it.
    let closesSession = closesSession(message, index)
    guard !begins || canBeginExchange(index, isOwn: false) || closesSession else { return }
    sessions[index].window.insert(message.counter)
    sessions[index].heard = message.now
    if sessions[index].channel != nil { sessions[index].peer = message.peer }

    if closesSession {
      if message.header.wantsAcknowledgement { acknowledgeStray(message, index) }
      return end(index, .closedByPeer)
    }
    let begun = begins ? begin(index, number: message.header.exchange, isOwn: false) : nil
    guard let place = known ?? begun else {
      if message.header.wantsAcknowledgement, !isAcknowledgement { acknowledgeStray(message, index) }
      return
    }
    noteUse(index, place, at: message.now)
    let exchange = sessions[index].exchanges[place].handle
    if let counter = message.header.acknowledged, !acknowledge(counter, index, place, at: message.now) { return }
    if isAcknowledgement { return removeIfFinished(index, place) }
    if sessions[index].exchanges[place].isClosing {
      if message.header.wantsAcknowledgement { acknowledgeStray(message, index) }
      return removeIfFinished(index, place)
    }
    guard owe(message, index, place) else { return }
    act(
      .deliver(
        ReceivedMessage(
          exchange: exchange, isFirst: begins, subject: sessions[index].channel?.subject,
          protocolID: message.header.protocolID, opcode: message.header.opcode, payload: message.payload)))
  }

  private func closesSession(_ message: Opened, _ index: Int) -> Bool {
    guard sessions[index].channel != nil, message.has(.statusReport) else { return false }
    return (try? StatusReport(decoding: message.payload))?.secureChannelCode == .closeSession
  }

  /// Notes that the peer has acknowledged a message, and sends the next one.
  /// - Returns: false if the session has ended.
  private mutating func acknowledge(_ counter: UInt32, _ index: Int, _ place: Int, at now: Duration) -> Bool {
    guard sessions[index].exchanges[place].pending?.counter == counter else { return true }
    sessions[index].isConfirmed = true
    sessions[index].exchanges[place].pending = nil
    guard !sessions[index].exchanges[place].queue.isEmpty else { return true }
    let next = sessions[index].exchanges[place].queue.removeFirst()
    return transmit(next, index, place, at: now)
  }

  /// Notes that a message has to be acknowledged, and acknowledges an earlier one alone.
  /// - Returns: false if the session has ended.
  private mutating func owe(_ message: Opened, _ index: Int, _ place: Int) -> Bool {
    guard message.header.wantsAcknowledgement else { return true }
    if sessions[index].exchanges[place].owed != nil {
      guard transmit(.acknowledgement, index, place, at: message.now) else { return false }
    }
    sessions[index].exchanges[place].owed = .init(
      counter: message.counter, due: message.now + settings.acknowledgementDelay)
    return true
  }

  private mutating func acknowledgeAgain(_ message: Opened, _ index: Int, _ known: Int?) {
    guard message.header.wantsAcknowledgement, !message.has(.acknowledgement), settings.acknowledgesDuplicates
    else { return }
    if let known, sessions[index].exchanges[known].owed?.counter == message.counter {
      sessions[index].exchanges[known].owed = nil
    }
    acknowledgeStray(message, index)
  }

  /// Acknowledges a message alone and outside of its exchange, to the address that it came from.
  private mutating func acknowledgeStray(_ message: Opened, _ index: Int) {
    if isWithheld() { return }
    let header = strayAcknowledgement(of: message.header, message.counter)
    guard let (_, packet) = packet(index, header, [], to: message.peer) else {
      return end(index, .countersExhausted)
    }
    act(.send(packet, to: message.peer))
  }
}
