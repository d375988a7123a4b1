import HAPCrypto
import HAPTestSupport
import HAPWire
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("CASE") struct CASETests {
  private static let whole: [SecureChannelOpcode] = [.sigma1, .sigma2, .sigma3, .statusReport]
  private static let resumed: [SecureChannelOpcode] = [.sigma1, .sigma2Resume, .statusReport]
  private static let refused: [SecureChannelOpcode] = [.sigma1, .statusReport]
  private static let fabric = TestFabric()
  private static let device = fabric.credentials(5, tags: [0x0001_0002])
  private static let controller = fabric.credentials(9, tags: [0xABCD_0001, 0xABCE_0001])

  private static func code(_ message: HandshakeMessage?) -> StatusReport.SecureChannelCode? {
    guard let message, message.opcode == .statusReport else { return nil }
    return (try? StatusReport(decoding: message.payload))?.secureChannelCode
  }

  /// Both sessions belong to each other.
  private static func check(_ a: EstablishedSession, _ b: EstablishedSession) {
    #expect(a.inboundKey == b.outboundKey && a.outboundKey == b.inboundKey && a.inboundKey != a.outboundKey)
    #expect(a.attestationChallenge == b.attestationChallenge && a.attestationChallenge.count == 16)
    #expect(a.localSession == b.peerSession && a.peerSession == b.localSession && a.localSession != b.localSession)
    #expect(a.localNode == b.peerNode && a.peerNode == b.localNode)
    #expect(a.peerParameters.idleInterval == .milliseconds(800))
    #expect(b.peerParameters.idleInterval == .milliseconds(900))
    #expect(a.resumption?.id == b.resumption?.id && a.resumption?.sharedSecret == b.resumption?.sharedSecret)
    #expect(a.resumption?.id.count == 16)
  }

  @Test("Both ends establish one session, with and without an intermediate certificate", arguments: [true, false])
  func whole(_ hasIntermediate: Bool) throws {
    let fabric = TestFabric(hasIntermediate: hasIntermediate)
    let device = fabric.credentials(5, tags: [0x0001_0002])
    let controller = fabric.credentials(9, tags: [0xABCD_0001], index: 7)
    var pair = try CASEPair(controller, to: 5, fabrics: [device])
    let result = pair.run()
    #expect(result.failures == [] && result.opcodes == Self.whole)
    let (a, b) = (try #require(result.initiator), try #require(result.responder))
    Self.check(a, b)
    #expect(a.subject == .node(5, fabric: 7, tags: [0x0001_0002]))
    #expect(b.subject == .node(9, fabric: 1, tags: [0xABCD_0001]))
    #expect(Self.code(pair.messages.last) == .sessionEstablished)
    #expect(pair.messages.allSatisfy { $0.payload.count <= 1200 })
  }

  @Test("The fabric and the epoch key are found among several")
  func several() throws {
    // Two fabrics with one identifier and different roots, and one root with two fabrics in it.
    let fabrics = [
      TestFabric(1, index: 1, epochKeys: 3, seed: 1), TestFabric(1, index: 2, epochKeys: 3, seed: 2),
      TestFabric(3, index: 9, hasIntermediate: false, epochKeys: 3, seed: 3),
    ]
    let devices = fabrics.map { $0.credentials(5) }
    for (fabric, key) in fabrics.flatMap({ fabric in (0..<3).map { (fabric, $0) } }) {
      let controller = fabric.credentials(9, epochKeys: key..<key + 1)
      var pair = try CASEPair(controller, to: 5, fabrics: devices)
      let result = pair.run()
      Self.check(try #require(result.initiator), try #require(result.responder))
      #expect(result.responder?.subject == .node(9, fabric: fabric.index, tags: []))
    }
  }

  @Test("A request for no node of the responder is refused: no shared trust roots")
  func noSharedRoots() throws {
    let other = TestFabric(seed: 8)
    for (own, peer, fabrics) in [
      (Self.controller, 6, [Self.device]), (Self.controller, 5, []),
      (other.credentials(9), 5, [Self.device]),
      (TestFabric(7).credentials(9), 5, [Self.device]),
      (TestFabric(epochKeys: 2).credentials(9, epochKeys: 1..<2), 5, [Self.device]),
    ] as [(FabricCredentials, NodeID, [FabricCredentials])] {
      var pair = try CASEPair(own, to: peer, fabrics: fabrics)
      let result = pair.run()
      #expect(result.opcodes == Self.refused && Self.code(pair.messages.last) == .noSharedTrustRoots)
      #expect(result.initiator == nil && result.responder == nil && result.failures.count == 2)
      let report = try StatusReport(decoding: pair.messages[1].payload)
      #expect(report.general == .failure && report.data.isEmpty)
    }
  }

  // MARK: Resumption

  /// A session of both ends.
  private static func sessions() throws -> (initiator: ResumableSession, responder: ResumableSession) {
    var pair = try CASEPair(controller, to: 5, fabrics: [device])
    let result = pair.run()
    return try (
      #require(result.initiator.flatMap { ResumableSession($0) }),
      #require(result.responder.flatMap { ResumableSession($0) })
    )
  }

  @Test("A session is resumed, and the resumed one, too")
  func resumption() throws {
    var (own, known) = try Self.sessions()
    var seen = [own.resumption.id]
    for seed in 3..<6 as Range<UInt64> {
      var pair = try CASEPair(
        Self.controller, to: 5, fabrics: [Self.device], resumable: own, known: [known], seed: seed)
      let result = pair.run()
      #expect(result.failures == [] && result.opcodes == Self.resumed)
      let (a, b) = (try #require(result.initiator), try #require(result.responder))
      Self.check(a, b)
      #expect(a.subject == .node(5, fabric: 1, tags: [0x0001_0002]))
      #expect(b.subject == .node(9, fabric: 1, tags: [0xABCD_0001, 0xABCE_0001]))
      #expect(Self.code(pair.messages.last) == .sessionEstablished)
      (own, known) = (try #require(ResumableSession(a)), try #require(ResumableSession(b)))
      #expect(!seen.contains(own.resumption.id))
      seen.append(own.resumption.id)
    }
  }

  @Test("A resumption that is unknown, of a removed fabric, or with a wrong secret becomes a whole handshake")
  func failedResumption() throws {
    let (own, known) = try Self.sessions()
    var wrong = own
    wrong.resumption.sharedSecret = SecretBytes([UInt8](repeating: 1, count: 32))
    var removed = known
    removed.fabric = 3
    for (own, known) in [(own, []), (wrong, [known]), (own, [removed])] {
      var pair = try CASEPair(Self.controller, to: 5, fabrics: [Self.device], resumable: own, known: known)
      let result = pair.run()
      #expect(result.opcodes == Self.whole)
      Self.check(try #require(result.initiator), try #require(result.responder))
    }
  }

  @Test("A resumption that the initiator has not asked for, or with a wrong proof, is refused")
  func wrongResumption() throws {
    let (own, known) = try Self.sessions()
    let pair = try CASEPair(Self.controller, to: 5, fabrics: [Self.device], resumable: own, known: [known], steps: 1)
    let plain = try CASEPair(Self.controller, to: 5, fabrics: [Self.device], steps: 1)
    #expect(Self.isRefused(plain.receive(pair.messages[1])))
    let members = try Element(decoding: pair.messages[1].payload)
    for (tag, count) in [(1, 16), (2, 16)] as [(UInt8, Int)] {
      guard case .octets(let octets) = members[tag] else { throw WrongCASEStep() }
      for bit in 0..<8 * count {
        var changed = octets
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(Self.isRefused(pair.receive(Self.replaced(pair.messages[1], tag, .octets(changed)))))
      }
    }
  }

  struct WrongCASEStep: Error {}

  private static func isRefused(_ step: HandshakeStep) -> Bool {
    guard case .fail(_, let message) = step else { return false }
    return code(message) == .invalidParameter
  }

  /// A message with another value of a member; nil: without the member.
  private static func replaced(
    _ message: HandshakeMessage, _ tag: UInt8, _ value: Element.Value?
  ) -> HandshakeMessage {
    guard let element = try? Element(decoding: message.payload), case .container(let kind, var members) = element.value
    else { return message }
    members = members.compactMap { member in
      member.tag == .context(tag) ? value.map { Element(.context(tag), $0) } : member
    }
    return HandshakeMessage(message.opcode, Element(.anonymous, .container(kind, members)).encoded)
  }

  // MARK: Malformed messages

  /// The pairs that wait for each kind of message.
  private static func pairs() throws -> [CASEPair] {
    let (own, known) = try sessions()
    return try (0..<3).map { try CASEPair(controller, to: 5, fabrics: [device], steps: $0) }
      + (0..<3).map { try CASEPair(controller, to: 5, fabrics: [device], resumable: own, known: [known], steps: $0) }
  }

  @Test("Every truncation of a message is refused")
  func truncations() throws {
    for pair in try Self.pairs() {
      let message = try #require(pair.messages.last)
      for count in 0..<message.payload.count {
        let step = pair.receive(HandshakeMessage(message.opcode, Array(message.payload[..<count])))
        guard case .fail = step else {
          Issue.record("\(message.opcode), \(count) bytes: \(step)")
          continue
        }
      }
    }
  }

  /// A change of a field that nothing protects yet, such as a session identifier, is found by the end of the handshake:
  /// by Sigma2, which only opens with the hash of the same Sigma1, and so on.
  @Test("Every changed bit of a message leads to a failure of an end")
  func changedBits() throws {
    var generator = SeededGenerator(seed: 5)
    for steps in 0..<3 {
      let pair = try CASEPair(Self.controller, to: 5, fabrics: [Self.device], steps: steps)
      let message = try #require(pair.messages.last)
      for bit in 0..<8 * message.payload.count where generator.next() % 8 == 0 {
        var changed = message
        changed.payload[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(Self.deliver(changed, pair).failures > 0, "\(message.opcode), bit \(bit)")
      }
    }
  }

  /// The session identifiers and the parameters of a resumption are not protected.
  @Test("A changed bit of a resumption leads to a failure, or to the same keys at both ends")
  func changedResumptions() throws {
    let (own, known) = try Self.sessions()
    var generator = SeededGenerator(seed: 6)
    for steps in 0..<2 {
      let pair = try CASEPair(
        Self.controller, to: 5, fabrics: [Self.device], resumable: own, known: [known], steps: steps)
      let message = try #require(pair.messages.last)
      for bit in 0..<8 * message.payload.count where steps == 1 || generator.next() % 4 == 0 {
        var changed = message
        changed.payload[bit / 8] ^= 1 << UInt8(bit % 8)
        let (sessions, failures) = Self.deliver(changed, pair)
        if failures == 0 {
          #expect(sessions.count == 2 && sessions[0].inboundKey == sessions[1].outboundKey)
        } else {
          #expect(sessions.count < 2)
        }
      }
    }
  }

  /// Delivers a message instead of the last one, and then the answers, until an end has none.
  private static func deliver(
    _ message: HandshakeMessage, _ pair: CASEPair
  ) -> (sessions: [EstablishedSession], failures: Int) {
    let isInitiator = pair.messages.count.isMultiple(of: 2)
    var (end, other): (any Handshake, any Handshake) =
      isInitiator ? (pair.initiator, pair.responder) : (pair.responder, pair.initiator)
    var sessions: [EstablishedSession] = []
    var failures = 0
    var step = end.receive(message)
    while true {
      if case .establish(let session, _) = step { sessions.append(session) }
      if case .fail = step { failures += 1 }
      guard let sent = CASEPair.sent(step) else { return (sessions, failures) }
      (end, other) = (other, end)
      step = end.receive(sent)
    }
  }

  @Test("Each member of a message must be there, and be of the right type and length")
  func members() throws {
    for (steps, tags) in [(0, 1...4), (1, 1...4), (2, 1...1)] as [(Int, ClosedRange<UInt8>)] {
      let pair = try CASEPair(Self.controller, to: 5, fabrics: [Self.device], steps: steps)
      let message = try #require(pair.messages.last)
      let wrong: [Element.Value?] = [
        nil, .null, .unsigned(0), .unsigned(65_536), .octets([]), .octets([UInt8](repeating: 4, count: 66)), .text("a"),
        .octets([UInt8](repeating: 4, count: 1201)),
      ]
      for (tag, value) in tags.flatMap({ tag in wrong.map { (tag, $0) } }) {
        #expect(Self.isRefused(pair.receive(Self.replaced(message, tag, value))), "\(steps) \(tag) \(value as Any)")
      }
    }
    let (own, known) = try Self.sessions()
    let pair = try CASEPair(Self.controller, to: 5, fabrics: [Self.device], resumable: own, known: [known])
    for tag in [6, 7] as [UInt8] {
      for value in [nil, .octets([1])] as [Element.Value?] {
        #expect(Self.isRefused(pair.receive(Self.replaced(pair.messages[0], tag, value))))
      }
    }
  }

  @Test("An ephemeral key that is not on the curve is refused")
  func wrongPoints() throws {
    var outside = Self.device.key.publicKey
    outside[64] ^= 1
    for (steps, tag) in [(0, 4), (1, 3)] as [(Int, UInt8)] {
      let pair = try CASEPair(Self.controller, to: 5, fabrics: [Self.device], steps: steps)
      #expect(Self.isRefused(pair.receive(Self.replaced(pair.messages[steps], tag, .octets(outside)))))
    }
  }

  @Test("Messages out of order are refused, and after its end a handshake answers nothing")
  func order() throws {
    for pair in try Self.pairs() {
      let expected = try #require(pair.messages.last).opcode
      for opcode in [.sigma1, .sigma2, .sigma2Resume, .sigma3, .pake1, .acknowledgement] as [SecureChannelOpcode]
      where opcode != expected {
        #expect(Self.isRefused(pair.receive(HandshakeMessage(opcode, []))))
      }
      var end: any Handshake = pair.messages.count.isMultiple(of: 2) ? pair.initiator : pair.responder
      _ = end.receive(HandshakeMessage(.pake1, []))
      guard case .fail(_, nil) = end.receive(pair.messages[pair.messages.count - 1]) else {
        Issue.record("an ended handshake has answered")
        continue
      }
    }
  }

  @Test("A status report of the peer ends the handshake without an answer")
  func reports() throws {
    for pair in try Self.pairs() {
      for message in [.status(.busy), .status(.invalidParameter), HandshakeMessage(.statusReport, [])] {
        guard case .fail(_, nil) = pair.receive(message) else {
          Issue.record("a failure has been answered")
          continue
        }
      }
    }
    // Success before the last message is no success.
    for steps in 0..<3 {
      let pair = try CASEPair(Self.controller, to: 5, fabrics: [Self.device], steps: steps)
      guard case .fail(_, nil) = pair.receive(.status(.sessionEstablished)) else {
        Issue.record("a premature report has been accepted")
        continue
      }
    }
  }

  // MARK: Certificates

  @Test("Each end refuses a peer whose certificates are wrong", arguments: ChainFault.allCases)
  func certificates(_ fault: ChainFault) throws {
    let faulty = fault.credentials(of: Self.fabric)
    for (own, peer, expected) in [
      (Self.controller, faulty, [.sigma1, .sigma2, .statusReport]), (faulty, Self.device, Self.whole),
    ] as [(FabricCredentials, FabricCredentials, [SecureChannelOpcode])] {
      var pair = try CASEPair(own, to: peer.node, fabrics: [peer])
      let result = pair.run()
      #expect(result.opcodes == expected && result.failures.count == 2)
      #expect(result.initiator == nil && result.responder == nil)
      #expect(Self.code(pair.messages.last) == .invalidParameter)
    }
  }

  @Test("Each end refuses a node of another fabric with the same root")
  func otherFabric() throws {
    let fabric = TestFabric(hasIntermediate: false)
    let (own, other) = (
      fabric.credentials(9), fabric.credentials(5, noc: { $0.subject.attributes[1] = .identifier(.fabric, 7) })
    )
    for (own, peer) in [(own, other), (other, own)] {
      var pair = try CASEPair(own, to: peer.node, fabrics: [peer])
      let result = pair.run()
      #expect(result.initiator == nil && result.responder == nil)
      #expect(result.failures.contains { $0.contains("another fabric") })
    }
  }

  @Test("Each end refuses a peer that has another key than its certificate, or is another node")
  func otherKey() throws {
    let other = Self.fabric.credentials(5, noc: { $0.publicKey = CurveKey(random: .seeded(99)).publicKey })
    // Asks for node 5, of which the certificate of node 6 comes back.
    let node = Self.fabric.credentials(5, noc: { $0.subject.attributes[0] = .identifier(.node, 6) })
    for (own, fabrics) in [(Self.controller, [other]), (other, [Self.device]), (Self.controller, [node])] {
      var pair = try CASEPair(own, to: 5, fabrics: fabrics)
      let result = pair.run()
      #expect(result.initiator == nil && result.responder == nil)
      #expect(Self.code(pair.messages.last) == .invalidParameter)
    }
  }
}
