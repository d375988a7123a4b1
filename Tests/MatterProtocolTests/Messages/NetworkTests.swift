@testable import MatterController
import HAPCrypto
import HAPTestSupport
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("Message layers over a network") struct NetworkTests {
  /// A client that sends requests one after the other, each on an exchange of its own, and a server that answers each
  /// with two messages.
  private final class Dialogue {
    let pair: LayerPair
    let network: MemoryNetwork
    var requests: [UInt8] = []
    var responses: [[UInt8]] = []
    private let count: UInt8
    /// The delay of each answer of the server.
    private let thinking: Duration

    init(seed: UInt64, count: UInt8, thinking: Duration) {
      pair = LayerPair(random: .seeded(seed))
      network = MemoryNetwork([pair.client, pair.server], seed: seed)
      (self.count, self.thinking) = (count, thinking)
      pair.server.onMessage = { [unowned self] in serve($0) }
      pair.client.onMessage = { [unowned self] in receive($0) }
    }

    func start() { request(0) }

    private func request(_ number: UInt8) {
      guard number < count else { return }
      let exchange = pair.client.open(pair.clientSession)!
      pair.client.layer.send([number], opcode: 2, protocolID: .interactionModel, on: exchange, at: network.now)
    }

    /// As chunks of a report: each is answered, the last one ends the exchange.
    private func serve(_ message: ReceivedMessage) {
      requests.append(message.payload[0])
      network.after(thinking) { [self] in
        let isSecond = message.payload.count == 2
        pair.server.layer.send(
          [message.payload[0], isSecond ? 2 : 1], opcode: 5, protocolID: .interactionModel, on: message.exchange,
          at: network.now)
        if isSecond { pair.server.layer.closeExchange(message.exchange, at: network.now) }
      }
    }

    private func receive(_ message: ReceivedMessage) {
      responses.append(message.payload)
      if message.payload[1] == 1 {
        pair.client.layer.send(
          [message.payload[0], 1], opcode: 1, protocolID: .interactionModel, on: message.exchange, at: network.now)
      } else {
        pair.client.layer.closeExchange(message.exchange, at: network.now)
        request(message.payload[0] + 1)
      }
    }
  }

  private func expectComplete(_ dialogue: Dialogue, _ count: UInt8) {
    #expect(dialogue.responses == (0..<count).flatMap { [[$0, 1], [$0, 2]] })
    #expect(dialogue.requests == (0..<count).flatMap { [$0, $0] })
    for end in [dialogue.pair.client, dialogue.pair.server] {
      #expect(end.failed.isEmpty && end.deadline == nil)
      #expect(end.layer.sessions.allSatisfy { $0.exchanges.isEmpty })
    }
  }

  @Test("Without loss, each message is sent once", arguments: [0, 150, 250])
  func perfect(_ thinking: Int) {
    let dialogue = Dialogue(seed: 1, count: 5, thinking: .milliseconds(thinking))
    dialogue.start()
    dialogue.network.run()
    expectComplete(dialogue, 5)
    // Four messages each, and the acknowledgement of the last; if the server thinks too long, one for each request, and
    // one retransmission for none.
    #expect(dialogue.network.datagramCount == (thinking > 200 ? 5 * 7 : 5 * 5))
  }

  @Test("With loss, repetition and another order, each message is received once and in order", arguments: 1...60)
  func imperfect(_ seed: UInt64) {
    let dialogue = Dialogue(seed: seed, count: 8, thinking: .milliseconds(Int(seed % 4) * 120))
    dialogue.network.loss = 10
    dialogue.network.repetition = 20
    dialogue.network.delay = 60
    dialogue.start()
    dialogue.network.run()
    expectComplete(dialogue, 8)
  }

  @Test("If nothing arrives any more, both ends give up and keep nothing", arguments: 1...10)
  func outage(_ seed: UInt64) {
    let dialogue = Dialogue(seed: seed, count: 200, thinking: .milliseconds(10))
    dialogue.start()
    dialogue.network.run(until: .milliseconds(Int(seed) * 37))
    dialogue.network.loss = 100
    dialogue.network.run()
    #expect(!dialogue.pair.client.failed.isEmpty || !dialogue.pair.server.failed.isEmpty)
    #expect(dialogue.pair.client.deadline == nil && dialogue.pair.server.deadline == nil)
    #expect(dialogue.network.now < .seconds(10))
  }

  /// A commissioner and a device that run PASE.
  private final class Commissioning {
    let client: LayerEnd
    let server: LayerEnd
    let network: MemoryNetwork
    var initiator: PASEInitiator
    var responder: PASEResponder?
    var sessions: [SessionHandle] = []
    var failures: [String] = []
    private let pair: PASEPair
    private var plainSession: SessionHandle?

    init(seed: UInt64, passcode: UInt32 = 20_202_021) throws {
      pair = try PASEPair(passcode: passcode)
      (client, server) = (LayerEnd(1, random: .seeded(seed)), LayerEnd(2, random: .seeded(seed + 1000)))
      network = MemoryNetwork([client, server], seed: seed)
      initiator = pair.initiator
      client.onMessage = { [unowned self] message in
        guard let handshake = message.handshakeMessage else { return }
        apply(initiator.receive(handshake), message, client)
      }
      server.onMessage = { [unowned self] message in
        guard let handshake = message.handshakeMessage else { return }
        if message.isFirst { responder = pair.responder }
        guard let step = responder?.receive(handshake) else { return }
        apply(step, message, server)
      }
    }

    private func apply(_ step: HandshakeStep, _ message: ReceivedMessage, _ end: LayerEnd) {
      if let sent = step.sent { end.layer.send(sent, on: message.exchange, at: network.now) }
      switch step {
      case .send: return
      case .establish(let session, _):
        let peer = end.layer.peer(of: message.session)!
        sessions.append(end.layer.addSession(session, peer: peer, at: network.now))
      case .fail(let failure, _): failures.append(failure.reason)
      }
      end.layer.closeExchange(message.exchange, at: network.now)
      if let plainSession, end === client { end.layer.removeSession(plainSession, afterExchanges: true) }
    }

    func run() {
      let session = client.layer.addUnsecuredSession(to: server.address, at: .zero)
      plainSession = session
      client.layer.send(initiator.request, on: client.open(session)!, at: .zero)
      network.run()
    }
  }

  @Test("PASE needs six messages and the acknowledgement of the last")
  func pase() throws {
    let commissioning = try Commissioning(seed: 1)
    commissioning.run()
    #expect(commissioning.sessions.count == 2 && commissioning.network.datagramCount == 7)
    #expect(commissioning.network.now < .milliseconds(10))
  }

  @Test("PASE with a quarter of loss each way, repetition and another order", arguments: 1...40)
  func lossyPASE(_ seed: UInt64) throws {
    let commissioning = try Commissioning(seed: seed)
    commissioning.network.loss = 25
    commissioning.network.repetition = 25
    commissioning.network.delay = 100
    commissioning.run()
    let (client, server) = (commissioning.client, commissioning.server)
    // With five transmissions, about one message in two hundred is lost for good.
    guard commissioning.sessions.count == 2 else {
      #expect(!client.failed.isEmpty || !server.failed.isEmpty)
      return
    }
    #expect(commissioning.failures.isEmpty)
    // The session works.
    commissioning.network.loss = 0
    let session = client.layer.sessions { _ in true }[0]
    client.send([9], on: client.open(session)!, at: commissioning.network.now)
    commissioning.network.run()
    #expect(server.takeMessages().last?.payload == [9])
    #expect(client.layer.sessions.count == 1, "the unsecured session of the commissioner is gone")
  }

  @Test("A wrong passcode is reported to both ends")
  func wrongPasscode() throws {
    let commissioning = try Commissioning(seed: 1, passcode: 11_223_344)
    commissioning.run()
    #expect(commissioning.failures == ["the passcode is wrong", "the peer reports status 1/2"])
    #expect(commissioning.sessions.isEmpty)
  }
}
