import FuzzSupport
import HAPCrypto
import HAPWire
import MatterModel
import MatterProtocol
import MatterWire

/// A program for two message layers, the network between them, and an attacker; or messages for an end of PASE.
package func fuzzMatterMessages(_ bytes: UnsafeRawBufferPointer) {
  var program = ByteProgram(bytes)
  if program.number(below: 4) == 0 { return fuzzPASE(&program) }
  var network = FuzzedNetwork(attackerHasKeys: program.isSet())
  while !program.isAtEnd { network.step(&program) }
  network.settle()
}

/// Two ends of one secured session. The first also begins unsecured exchanges.
private struct FuzzedNetwork: ~Copyable {
  private static let addresses = [PeerAddress(high: 1, low: 1, port: 1), PeerAddress(high: 1, low: 2, port: 2)]
  private static let keys = [1, 2].map { SecretBytes([UInt8](repeating: $0, count: 16)) }
  private static let exchangeLimit = 16 + 2 * 16

  private var first = MessageLayer(random: .seeded(1))
  private var second = MessageLayer(random: .seeded(2))
  private let sealed: SessionHandle
  private let unsecured: SessionHandle
  private let attackerHasKeys: Bool
  /// Packets on the way to each end.
  private var wire: [[[UInt8]]] = [[], []]
  private var exchanges: [[ExchangeHandle]] = [[], []]
  private var now = Duration.zero
  /// The number of the last message. Each message has another number as its payload.
  private var number: UInt32 = 0
  private var received: Set<UInt32> = []

  init(attackerHasKeys: Bool) {
    self.attackerHasKeys = attackerHasKeys
    func established(_ own: Int) -> EstablishedSession {
      EstablishedSession(
        subject: .passcode(fabric: 0), localSession: UInt16(own + 1), peerSession: UInt16(2 - own),
        inboundKey: Self.keys[1 - own], outboundKey: Self.keys[own], attestationChallenge: Self.keys[0],
        peerParameters: SessionParameters())
    }
    sealed = first.addSession(established(0), peer: Self.addresses[1], at: .zero)
    _ = second.addSession(established(1), peer: Self.addresses[0], at: .zero)
    unsecured = first.addUnsecuredSession(to: Self.addresses[1], at: .zero)
  }

  /// Calls a layer, and takes its actions.
  private mutating func with(_ end: Int, _ body: (inout MessageLayer) -> Void) {
    if end == 0 { body(&first) } else { body(&second) }
    while let action = end == 0 ? first.nextAction() : second.nextAction() {
      switch action {
      case .send(let packet, _):
        require(packet.count <= 1280, "the packet is too long")
        wire[1 - end].append(packet)
      case .deliver(let message): receive(message, end)
      case .exchangeFailed(let exchange): exchanges[end].removeAll { $0 == exchange }
      case .sessionEnded(let session, _): exchanges[end].removeAll { $0.session == session }
      }
    }
    wire[1 - end].removeFirst(max(0, wire[1 - end].count - 64))
  }

  private mutating func receive(_ message: ReceivedMessage, _ end: Int) {
    require(message.isFirst != exchanges[end].contains(message.exchange), "an exchange begins twice, or never")
    if message.isFirst { exchanges[end].append(message.exchange) }
    let inSession = exchanges[end].count { $0.session == message.session }
    require(inSession <= Self.exchangeLimit, "too many exchanges")
    guard message.subject != nil, !attackerHasKeys else { return }
    let number = message.payload.reduce(0) { $0 << 8 | UInt32($1) }
    require(message.payload.count == 4 && number <= self.number, "a message that was not sent")
    require(received.insert(number).inserted, "a message was received twice")
  }

  mutating func step(_ program: inout ByteProgram) {
    let end = program.number(below: 2)
    switch program.number(below: 9) {
    case 0:
      let session = program.isSet() ? sealed : unsecured
      guard let exchange = first.openExchange(on: session) else { return }
      exchanges[0].append(exchange)
      send(0, exchange, isReliable: true)
    case 1, 2:
      guard !exchanges[end].isEmpty else { return }
      send(end, exchanges[end][program.number(below: exchanges[end].count)], isReliable: program.number(below: 4) > 0)
    case 3: deliver(end, program.number(below: 256), isRemoved: program.number(below: 4) > 0)
    case 4:
      guard !exchanges[end].isEmpty else { return }
      let exchange = exchanges[end].remove(at: program.number(below: exchanges[end].count))
      let now = now
      with(end) { $0.closeExchange(exchange, at: now) }
    case 5: advance(by: .milliseconds(program.number(below: 256) * 8))
    case 6:
      guard !wire[end].isEmpty else { return }
      var packet = wire[end][program.number(below: wire[end].count)]
      packet[program.number(below: packet.count)] ^= program.byte()
      receive(program.isSet() ? packet : Array(packet.prefix(program.number(below: 80))), end)
    case 7: receive(program.piece(), end)
    default: attack(&program, end)
    }
  }

  private mutating func send(_ end: Int, _ exchange: ExchangeHandle, isReliable: Bool) {
    number += 1
    let payload = withUnsafeBytes(of: number.bigEndian, Array.init)
    let now = now
    let isUnsecured = exchange.session == unsecured || end == 1 && number % 5 == 0
    with(end) {
      _ = $0.send(
        payload, opcode: isUnsecured ? SecureChannelOpcode.pbkdfParamRequest.rawValue : 5,
        protocolID: isUnsecured ? .secureChannel : .interactionModel, on: exchange, isReliable: isReliable, at: now)
    }
  }

  private mutating func deliver(_ end: Int, _ place: Int, isRemoved: Bool) {
    guard !wire[end].isEmpty else { return }
    let place = place % wire[end].count
    let packet = wire[end][place]
    if isRemoved { wire[end].remove(at: place) }
    receive(packet, end)
  }

  private mutating func receive(_ packet: [UInt8], _ end: Int) {
    let now = now
    with(end) { $0.receive(packet, from: Self.addresses[1 - end], at: now) }
  }

  /// A packet with any header, sealed with the key of the peer if the attacker has it.
  private mutating func attack(_ program: inout ByteProgram, _ end: Int) {
    var buffer = ByteBuffer()
    let isSealed = attackerHasKeys && program.isSet()
    let header = MessageHeader(
      session: isSealed ? UInt16(end + 1) : 0, counter: UInt32(truncatingIfNeeded: program.integer()),
      source: isSealed ? nil : program.integer() % 4)
    header.encode(into: &buffer)
    let plain = program.piece()
    guard isSealed else { return receive(buffer.bytes + plain, end) }
    let nonce = [header.securityFlags] + withUnsafeBytes(of: header.counter.littleEndian, Array.init) + [0, 0, 0, 0]
    let cipher = CCMCipher(key: Self.keys[1 - end], .sealing)
    receive(buffer.bytes + cipher.seal(plain, nonce: nonce + [0, 0, 0, 0], aad: buffer.bytes), end)
  }

  private mutating func advance(by step: Duration) {
    now += step
    let now = now
    for end in 0...1 { with(end) { $0.advance(to: now) } }
    for deadline in [first.nextDeadline, second.nextDeadline] {
      if let deadline { require(deadline > now, "a deadline has passed") }
    }
  }

  /// Without any more packets, both ends have nothing to do after a short time.
  mutating func settle() {
    wire = [[], []]
    for _ in 0..<1000 {
      guard let next = [first.nextDeadline, second.nextDeadline].compactMap({ $0 }).min() else { return }
      advance(by: max(.nanoseconds(1), next - now))
    }
    require(false, "the retransmissions do not end")
  }
}

// MARK: PASE

private let derivation = PasscodeDerivation(iterations: 1000, salt: [UInt8](repeating: 1, count: 16))!
private let verifier = SPAKE2Plus.Secrets(passcode: 20_202_021, salt: derivation.salt, iterations: 1000)!.verifier

/// Both ends get messages of the other one, changed or not, and any messages.
private func fuzzPASE(_ program: inout ByteProgram) {
  let initiator = PASEInitiator(passcode: 20_202_021, localSession: 1, random: .seeded(1))
  var ends: [any Handshake] = [
    initiator, PASEResponder(verifier: { verifier }, derivation: derivation, localSession: 2, random: .seeded(2)),
  ]
  var (message, isChanged, establishedCount) = (initiator.request, false, 0)
  for turn in 1... {
    switch program.number(below: 4) {
    case 0:
      guard !message.payload.isEmpty else { break }
      let (place, bits) = (program.number(below: message.payload.count), program.byte())
      message.payload[place] ^= bits
      isChanged = isChanged || bits != 0
    case 1:
      guard let opcode = SecureChannelOpcode(rawValue: program.byte()) else { break }
      message = HandshakeMessage(opcode, program.piece())
      isChanged = true
    default: break
    }
    switch ends[turn % 2].receive(message) {
    case .send(let next): message = next
    case .fail(_, let last):
      require(isChanged, "messages without a change are refused")
      let answers = [nil, HandshakeMessage(.statusReport, [1, 0, 0, 0, 0, 0, 2, 0])]
      return require(answers.contains(last), "another answer to a failure")
    case .establish(_, let last):
      establishedCount += 1
      guard let last else { return require(establishedCount == 2, "only one end has a session") }
      message = last
    }
  }
}
