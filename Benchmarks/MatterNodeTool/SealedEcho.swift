import HAPCrypto
import MatterModel
import MatterProtocol

let serverAddress = PeerAddress(high: 0xFE80 << 48, low: 1, port: 5540)
let clientAddress = PeerAddress(high: 0xFE80 << 48, low: 2, port: 5541)

/// Two ends of a session with fixed keys. One sends sealed messages of 40 bytes, the other answers them with themselves.
enum SealedEcho {
  private static let payload = [UInt8](repeating: 7, count: 40)
  private static let keys = [1, 2].map { SecretBytes([UInt8](repeating: $0, count: 16)) }

  private static func session(_ own: Int) -> EstablishedSession {
    EstablishedSession(
      subject: .node(NodeID(2 - own), fabric: 1, tags: []), localSession: UInt16(1 + own), peerSession: UInt16(2 - own),
      inboundKey: keys[1 - own], outboundKey: keys[own], attestationChallenge: keys[0], localNode: NodeID(1 + own),
      peerNode: NodeID(2 - own), peerParameters: SessionParameters())
  }

  /// The end that answers: the message is acknowledged in the answer.
  struct Server: ~Copyable {
    private var layer = MessageLayer(random: .seeded(2))

    init() { _ = layer.addSession(session(1), peer: clientAddress, at: .zero) }

    /// - Parameter send: called with each datagram that leaves.
    mutating func receive(_ datagram: [UInt8], at now: Duration, _ send: ([UInt8]) -> Void) {
      layer.receive(datagram, from: clientAddress, at: now)
      while let action = layer.nextAction() {
        if case .send(let datagram, _) = action { send(datagram) }
        guard case .deliver(let message) = action else { continue }
        layer.send(message.payload, opcode: 5, protocolID: .interactionModel, on: message.exchange, at: now)
        layer.closeExchange(message.exchange, at: now)
      }
    }
  }

  /// The end that asks.
  struct Client: ~Copyable {
    private var layer = MessageLayer(random: .seeded(1))
    private let session: SessionHandle

    init() { session = layer.addSession(SealedEcho.session(0), peer: serverAddress, at: .zero) }

    /// Sends a message, waits for its echo, and acknowledges that.
    /// - Parameter exchange: sends a datagram, and returns the next one; nil for one that needs no answer.
    mutating func ask(at now: Duration, _ send: ([UInt8]) -> Void, _ receive: () -> [UInt8]?) {
      guard let exchange = layer.openExchange(on: session) else { preconditionFailure("each exchange ends") }
      layer.send(payload, opcode: 2, protocolID: .interactionModel, on: exchange, at: now)
      take(send)
      guard let answer = receive() else { preconditionFailure("there is no echo") }
      layer.receive(answer, from: serverAddress, at: now)
      layer.closeExchange(exchange, at: now)
      take(send)
    }

    private mutating func take(_ send: ([UInt8]) -> Void) {
      while let action = layer.nextAction() {
        if case .send(let datagram, _) = action { send(datagram) }
      }
    }
  }

  /// The seconds of CPU of the end that answers, without sockets.
  static func cpu(_ count: Int) -> Double {
    var client = Client()
    var server = Server()
    var (total, answers) = (0.0, [[UInt8]]())
    for number in 0..<count {
      let now = Duration.milliseconds(number)
      client.ask(at: now) { datagram in
        let begin = threadTime()
        server.receive(datagram, at: now) { answers.append($0) }
        total += threadTime() - begin
      } _: {
        answers.popLast()
      }
    }
    return total
  }

  /// Answers datagrams until the process is ended. Nothing else is done: this is the least that a server can do.
  static func serve(port: UInt16) -> Never {
    let socket = LoopbackSocket(port: port)
    var server = Server()
    let clock = ContinuousClock()
    let start = clock.now
    print("ready")
    flush()
    while true {
      guard let datagram = socket.receive() else { continue }
      server.receive(datagram, at: clock.now - start) { socket.send($0) }
    }
  }
}
