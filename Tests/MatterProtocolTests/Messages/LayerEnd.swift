import HAPCrypto
import MatterModel
import MatterWire

@testable import MatterProtocol

/// A message layer with its output, sorted.
final class LayerEnd {
  var layer: MessageLayer
  let address: PeerAddress
  private(set) var received: [ReceivedMessage] = []
  private(set) var failed: [ExchangeHandle] = []
  private(set) var ended: [SessionHandle: SessionEnd] = [:]
  private(set) var sent: [(packet: [UInt8], peer: PeerAddress)] = []
  /// Called for every message, after it was noted.
  var onMessage: (ReceivedMessage) -> Void = { _ in }

  init(
    _ number: UInt64 = 1, random: RandomSource = .seeded(1), settings: MessageLayer.Settings = .withoutIdleLimit
  ) {
    layer = MessageLayer(random: random, settings: settings)
    address = PeerAddress(high: 0xFE80 << 48, low: number, zone: 1, port: 5540)
  }

  /// Takes all actions.
  func drain() {
    while let action = layer.nextAction() {
      switch action {
      case .send(let packet, let peer): sent.append((packet, peer))
      case .deliver(let message):
        received.append(message)
        onMessage(message)
      case .exchangeFailed(let exchange): failed.append(exchange)
      case .sessionEnded(let session, let reason): ended[session] = reason
      }
    }
  }

  /// The packets since the last call.
  func takePackets() -> [[UInt8]] { takeDatagrams().map(\.packet) }

  func takeDatagrams() -> [(packet: [UInt8], peer: PeerAddress)] {
    drain()
    defer { sent = [] }
    return sent
  }

  func takeMessages() -> [ReceivedMessage] {
    drain()
    defer { received = [] }
    return received
  }

  func receive(_ packet: [UInt8], from peer: PeerAddress, at now: Duration = .zero) {
    layer.receive(packet, from: peer, at: now)
    drain()
  }

  /// Sends a message of the interaction model.
  @discardableResult func send(
    _ payload: [UInt8], on exchange: ExchangeHandle, isReliable: Bool = true, at now: Duration = .zero
  ) -> Bool {
    defer { drain() }
    return layer.send(
      payload, opcode: 2, protocolID: .interactionModel, on: exchange, isReliable: isReliable, at: now)
  }

  // `#expect` and `#require` cannot call functions of a type that is not copyable.
  var deadline: Duration? { layer.nextDeadline }

  func open(_ session: SessionHandle) -> ExchangeHandle? { layer.openExchange(on: session) }

  func has(_ exchange: ExchangeHandle) -> Bool { layer.find(exchange) != nil }

  /// The packet of an exchange that is not acknowledged.
  func pending(_ exchange: ExchangeHandle) -> [UInt8]? {
    layer.find(exchange).flatMap { layer.sessions[$0.index].exchanges[$0.place].pending?.packet }
  }

  /// Builds a packet that the layer itself would not send.
  func packet(_ header: ExchangeHeader, _ payload: [UInt8]) -> (counter: UInt32, packet: [UInt8])? {
    layer.packet(0, header, payload)
  }

  func close(_ exchange: ExchangeHandle, at now: Duration = .zero) {
    layer.closeExchange(exchange, at: now)
    drain()
  }

  func advance(to now: Duration) {
    layer.advance(to: now)
    drain()
  }
}

/// One end of a session whose other end has the keys exchanged.
func established(
  _ number: UInt8 = 1, isInitiator: Bool, subject: Subject = .passcode(fabric: 0), local: UInt16? = nil,
  parameters: SessionParameters = .init()
) -> EstablishedSession {
  let keys = [SecretBytes([UInt8](repeating: number, count: 16)), SecretBytes([UInt8](repeating: 255, count: 16))]
  return EstablishedSession(
    subject: subject, localSession: local ?? (isInitiator ? 0x1000 : 0x2000) + UInt16(number),
    peerSession: (isInitiator ? 0x2000 : 0x1000) + UInt16(number), inboundKey: keys[isInitiator ? 0 : 1],
    outboundKey: keys[isInitiator ? 1 : 0], attestationChallenge: SecretBytes([number]),
    localNode: isInitiator ? 100 : 200, peerNode: isInitiator ? 200 : 100, peerParameters: parameters)
}

/// Two ends with a session between them.
struct LayerPair {
  let client: LayerEnd
  let server: LayerEnd
  let clientSession: SessionHandle
  let serverSession: SessionHandle

  init(settings: MessageLayer.Settings = .withoutIdleLimit, random: RandomSource = .seeded(3)) {
    client = LayerEnd(1, random: random, settings: settings)
    server = LayerEnd(2, random: random, settings: settings)
    clientSession = client.layer.addSession(established(isInitiator: true), peer: server.address, at: .zero)
    serverSession = server.layer.addSession(established(isInitiator: false), peer: client.address, at: .zero)
  }

  /// Sends a request, and returns the exchange with its packet.
  func request(_ payload: [UInt8], isReliable: Bool = true, at now: Duration = .zero) -> (ExchangeHandle, [UInt8]) {
    let exchange = client.open(clientSession)!
    client.send(payload, on: exchange, isReliable: isReliable, at: now)
    return (exchange, client.takePackets()[0])
  }

  /// Delivers the packets of the server to the client.
  @discardableResult func answer(at now: Duration = .zero) -> [[UInt8]] {
    let packets = server.takePackets()
    for packet in packets { client.receive(packet, from: server.address, at: now) }
    return packets
  }
}

/// Randomness whose bytes all have one value.
func constant(_ byte: UInt8) -> RandomSource {
  RandomSource { buffer in for index in buffer.indices { buffer[index] = byte } }
}

/// The headers of a packet that a session of `established` sealed, and its payload.
func opened(
  _ packet: [UInt8], byClient isClient: Bool, number: UInt8 = 1
) -> (MessageHeader, ExchangeHeader, [UInt8])? {
  let end = established(number, isInitiator: !isClient)
  let channel = SealedChannel(end, OutgoingCounter(first: 1))
  var packet = packet
  var offset = 0
  guard let header = try? MessageHeader(packet, offset: &offset), channel.open(&packet, header, offset),
    let exchange = try? ExchangeHeader(packet, offset: &offset)
  else { return nil }
  return (header, exchange, Array(packet[offset...]))
}

extension MessageLayer.Settings {
  /// The settings of most tests, in which an open exchange has no deadline.
  static var withoutIdleLimit: Self {
    var settings = Self()
    settings.exchangeIdleLimit = nil
    return settings
  }
}
