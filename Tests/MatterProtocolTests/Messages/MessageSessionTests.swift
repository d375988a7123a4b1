import HAPCrypto
import HAPTestSupport
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("Sessions of the message layer") struct MessageSessionTests {
  private static let closing = HandshakeMessage.status(.closeSession).payload

  private func node(_ node: UInt64, fabric: FabricIndex) -> Subject { .node(node, fabric: fabric, tags: []) }

  private func add(_ number: UInt8, _ subject: Subject, to end: LayerEnd, at now: Duration) -> SessionHandle {
    defer { end.drain() }
    return end.layer.addSession(
      established(number, isInitiator: false, subject: subject), peer: PeerAddress(high: 0, low: 9, port: 1), at: now)
  }

  @Test("CloseSession ends the session of the peer")
  func close() throws {
    let pair = LayerPair()
    let (exchange, packet) = pair.request([1])
    pair.server.receive(packet, from: pair.client.address)
    pair.client.layer.removeSession(pair.clientSession)
    let packets = pair.client.takePackets()
    #expect(pair.client.ended == [pair.clientSession: .removed] && !pair.client.has(exchange))
    let (_, header, payload) = try #require(opened(packets[0], byClient: true))
    #expect(packets.count == 1 && payload == Self.closing && !header.wantsAcknowledgement)
    pair.server.receive(packets[0], from: pair.client.address)
    #expect(pair.server.ended == [pair.serverSession: .closedByPeer])
    #expect(pair.server.takeMessages().count == 1, "CloseSession is not delivered")
    #expect(pair.server.deadline == nil && pair.server.open(pair.serverSession) == nil)
    pair.server.receive(packet, from: pair.client.address)
    #expect(pair.server.takePackets().isEmpty)
  }

  @Test("CloseSession that wants an acknowledgement gets one, other status reports are delivered")
  func statusReports() throws {
    let pair = LayerPair()
    let exchange = try #require(pair.client.open(pair.clientSession))
    pair.client.layer.send(.status(.busy), on: exchange, at: .zero)
    pair.server.receive(pair.client.takePackets()[0], from: pair.client.address)
    #expect(pair.server.takeMessages().map(\.handshakeMessage) == [.status(.busy)])
    let other = try #require(pair.client.open(pair.clientSession))
    pair.client.layer.send(.status(.closeSession), on: other, at: .zero)
    pair.server.receive(pair.client.takePackets()[0], from: pair.client.address)
    #expect(pair.server.takePackets().count == 1 && pair.server.ended[pair.serverSession] == .closedByPeer)
  }

  @Test("A session that ends after its exchanges begins no new ones, and notifies the peer at the end")
  func delayedEnd() throws {
    let pair = LayerPair()
    let (_, packet) = pair.request([1])
    pair.server.receive(packet, from: pair.client.address)
    let request = pair.server.takeMessages()[0]
    pair.server.send([2], on: request.exchange)
    pair.server.layer.removeSession(pair.serverSession, afterExchanges: true)
    #expect(pair.server.open(pair.serverSession) == nil)
    let (_, second) = pair.request([2])
    pair.server.receive(second, from: pair.client.address)
    #expect(pair.server.takeMessages().isEmpty)
    pair.server.close(request.exchange)
    #expect(pair.server.ended.isEmpty)
    pair.answer()
    pair.client.close(pair.client.takeMessages()[0].exchange)
    pair.server.receive(pair.client.takePackets()[0], from: pair.client.address)
    #expect(pair.server.ended == [pair.serverSession: .removed])
    pair.answer()
    #expect(pair.client.ended == [pair.clientSession: .closedByPeer])
    // Without exchanges it ends at once; without a notice if that is not wanted.
    let session = add(7, .passcode(fabric: 0), to: pair.server, at: .zero)
    pair.server.layer.removeSession(session, afterExchanges: true, notifyingPeer: false)
    #expect(pair.server.takePackets().isEmpty && pair.server.ended[session] == .removed)
    pair.server.layer.removeSession(session)
  }

  @Test("A session whose counters are used ends")
  func counters() throws {
    let end = LayerEnd()
    let session = end.layer.addSession(
      established(isInitiator: true), peer: end.address, counter: OutgoingCounter(first: .max - 1), at: .zero)
    let exchange = try #require(end.open(session))
    #expect(end.send([1], on: exchange, isReliable: false) && end.send([2], on: exchange))
    #expect(end.ended.isEmpty)
    #expect(!end.send([3], on: exchange, isReliable: false))
    #expect(end.ended == [session: .countersExhausted] && end.takePackets().count == 2)
    // The same while an acknowledgement is owed, in each of its forms.
    for form in 0..<4 {
      let pair = LayerPair()
      let server = LayerEnd(2)
      let session = server.layer.addSession(
        established(isInitiator: false), peer: end.address, counter: OutgoingCounter(first: .max), at: .zero)
      let (_, packet) = pair.request([1])
      server.receive(packet, from: end.address)
      let request = server.takeMessages()[0]
      server.send([1], on: request.exchange, isReliable: false)
      let (_, second) = pair.request([2])
      server.receive(second, from: end.address)
      switch form {
      case 0: server.advance(to: .seconds(1))
      case 1: server.close(server.takeMessages()[0].exchange)
      case 2: server.receive(packet, from: end.address)
      default: server.layer.removeSession(session)
      }
      server.drain()
      #expect(server.ended == [session: form == 3 ? .removed : .countersExhausted] && server.takePackets().count == 1)
    }
  }

  @Test("Identifiers of sessions are not 0 and not in use")
  func identifiers() {
    let end = LayerEnd(random: constant(255))
    var given: Set<UInt16> = []
    for _ in 0..<3 { given.insert(end.layer.allocateSessionID()) }
    #expect(given == [1, 2, 3])
    let inUse = established(isInitiator: true, local: 5)
    _ = end.layer.addSession(inUse, peer: end.address, at: .zero)
    #expect([end.layer.allocateSessionID(), end.layer.allocateSessionID()] == [4, 6])
  }

  @Test("A session with the identifier of another one replaces it")
  func sameIdentifier() {
    let pair = LayerPair()
    let subject = node(1, fabric: 1)
    let other = add(1, subject, to: pair.server, at: .zero)
    #expect(pair.server.ended == [pair.serverSession: .evicted])
    #expect(pair.server.layer.sessions { _ in true } == [other])
  }

  @Test("There is one session of PASE; a second one replaces it")
  func passcodeSessions() {
    let end = LayerEnd()
    let first = add(1, .passcode(fabric: 0), to: end, at: .seconds(5))
    let ofNode = add(2, node(1, fabric: 1), to: end, at: .seconds(1))
    let second = add(3, .passcode(fabric: 1), to: end, at: .seconds(5))
    #expect(end.ended == [first: .evicted] && end.takePackets().count == 1, "the peer is notified")
    #expect(end.layer.sessions { _ in true } == [ofNode, second])
  }

  @Test("The least recently used session of CASE is evicted, but each fabric keeps three")
  func nodeSessions() {
    var settings = MessageLayer.Settings.withoutIdleLimit
    settings.nodeSessions = 8
    let end = LayerEnd(settings: settings)
    // Three old ones of fabric 1, five of fabric 2.
    var handles: [SessionHandle] = []
    for number in 1...8 as ClosedRange<UInt8> {
      let subject = node(UInt64(number), fabric: number <= 3 ? 1 : 2)
      handles.append(add(number, subject, to: end, at: .seconds(Int(number))))
    }
    // Use makes the oldest of fabric 2 the newest.
    let exchange = end.open(handles[3])!
    end.send([1], on: exchange, at: .seconds(20))
    _ = add(9, node(9, fabric: 3), to: end, at: .seconds(21))
    #expect(end.ended == [handles[4]: .evicted])
    _ = add(10, node(10, fabric: 3), to: end, at: .seconds(22))
    #expect(end.ended.keys.count == 2 && end.ended[handles[5]] == .evicted)
    // Now all fabrics have three at most: the new session replaces the oldest of its fabric, which has three.
    let last = add(11, node(11, fabric: 2), to: end, at: .seconds(23))
    #expect(end.ended[handles[6]] == .evicted)
    // No fabric has more than three: the least recently used one of all.
    _ = add(12, node(12, fabric: 4), to: end, at: .seconds(24))
    #expect(end.ended[handles[0]] == .evicted && end.ended.count == 4)
    #expect(end.layer.sessions { $0.fabric == 2 } == [handles[3], handles[7], last])
  }

  @Test("The subject can be changed, for AddNOC")
  func subjects() {
    let pair = LayerPair()
    pair.server.layer.setSubject(.passcode(fabric: 4), of: pair.serverSession)
    let (_, packet) = pair.request([1])
    pair.server.receive(packet, from: pair.client.address)
    #expect(pair.server.takeMessages()[0].subject == .passcode(fabric: 4))
    let subject = pair.server.layer.subject(of: pair.serverSession)
    let challenge = pair.server.layer.attestationChallenge(of: pair.serverSession)
    #expect(subject == .passcode(fabric: 4) && challenge == SecretBytes([1]))
    pair.server.layer.removeSession(pair.serverSession)
    let gone = pair.server.layer.subject(of: pair.serverSession)
    #expect(gone == nil)
  }

  @Test("The peer's address follows its newest message; a repeated one changes nothing")
  func addresses() {
    let pair = LayerPair()
    let (_, first) = pair.request([1])
    let (_, second) = pair.request([2])
    let (old, new) = (PeerAddress(high: 1, low: 1, port: 1), PeerAddress(high: 2, low: 2, port: 2))
    pair.server.receive(first, from: old)
    pair.server.receive(second, from: new)
    pair.server.advance(to: .seconds(1))
    #expect(pair.server.takeDatagrams().map(\.peer) == [new, new])
    pair.server.receive(first, from: old)
    #expect(pair.server.takeDatagrams().map(\.peer) == [old], "only its acknowledgement goes there")
    let peer = pair.server.layer.peer(of: pair.serverSession)
    #expect(peer == new)
  }
}
