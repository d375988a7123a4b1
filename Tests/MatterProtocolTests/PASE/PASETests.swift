import HAPCrypto
import HAPTestSupport
import HAPWire
import MatterModel
import MatterWire
import Synchronization
import Testing

@testable import MatterProtocol

private final class Calls: Sendable {
  let count = Mutex(0)
}

@Suite("PASE") struct PASETests {
  @Test("The verifier of a passcode is computed once, when the share of a commissioner has arrived")
  func lateVerifier() throws {
    let calls = Calls()
    let (derivation, known) = (PASEPair.derivation, try verifier(20_202_021, PASEPair.derivation))
    let access = try #require(
      PasscodeAccess(iterations: derivation.iterations, salt: derivation.salt) {
        calls.count.withLock { $0 += 1 }
        return known
      })
    for _ in 0..<2 {
      let before = calls.count.withLock { $0 }
      let initiator = PASEInitiator(passcode: 20_202_021, localSession: 1, random: .seeded(1))
      var (sender, responder) = (
        initiator,
        PASEResponder(verifier: { access.verifier }, derivation: derivation, localSession: 2, random: .seeded(2))
      )
      let parameters = try #require(responder.receive(initiator.request).sent)
      let share = try #require(sender.receive(parameters).sent)
      #expect(calls.count.withLock { $0 } == before)
      let answer = try #require(responder.receive(share).sent)
      let proof = try #require(sender.receive(answer).sent)
      guard case .establish = responder.receive(proof) else { throw WrongStep() }
      #expect(calls.count.withLock { $0 } == 1)
    }
  }

  @Test("The device's end gives the messages and the keys of the vector")
  func vector() throws {
    for vector in try vectorFile("matter").list("pase") {
      // The draws: the responder's random, then the 48 bytes of y.
      let response = vector.bytes("response")
      let parts = try Element(decoding: response)
      guard case .octets(let responderRandom) = parts[2], case .unsigned(let session) = parts[3] else {
        throw WrongStep()
      }
      let random = scripted([responderRandom, [UInt8](repeating: 0, count: 16) + vector.bytes("y")])
      let derivation = try #require(
        PasscodeDerivation(iterations: vector["iterations"] as! Int, salt: vector.bytes("salt")))
      let known = try verifier(UInt32(vector["passcode"] as! Int), derivation)
      var responder = PASEResponder(
        verifier: { known }, derivation: derivation, localSession: UInt16(session), parameters: nil,
        random: random)
      let first = responder.receive(HandshakeMessage(.pbkdfParamRequest, vector.bytes("request")))
      #expect(first.sent == HandshakeMessage(.pbkdfParamResponse, response))
      let second = responder.receive(HandshakeMessage(.pake1, vector.bytes("pake1")))
      #expect(second.sent == HandshakeMessage(.pake2, vector.bytes("pake2")))
      let last = responder.receive(HandshakeMessage(.pake3, vector.bytes("pake3")))
      guard case .establish(let established, let message) = last else { throw WrongStep() }
      #expect(message == HandshakeMessage(.statusReport, [UInt8](repeating: 0, count: 8)))
      #expect(established.inboundKey == SecretBytes(vector.bytes("i2r")))
      #expect(established.outboundKey == SecretBytes(vector.bytes("r2i")))
      #expect(established.attestationChallenge == SecretBytes(vector.bytes("attestation_challenge")))
      #expect(established.subject == .passcode(fabric: 0))
      #expect(established.localNode == 0 && established.peerNode == 0 && established.resumption == nil)
      #expect(established.localSession == UInt16(session) && established.peerSession == 0x47)
    }
  }

  @Test("Two ends with one passcode establish one session", arguments: [false, true])
  func agreement(_ isKnown: Bool) throws {
    var pair = try PASEPair(known: isKnown)
    let (first, second) = try #require(pair.run().sessions)
    #expect(first.outboundKey == second.inboundKey && first.inboundKey == second.outboundKey)
    #expect(first.inboundKey != first.outboundKey)
    #expect(first.attestationChallenge == second.attestationChallenge)
    #expect(first.localSession == 11 && first.peerSession == 22)
    #expect(second.localSession == 22 && second.peerSession == 11)
    #expect(first.peerParameters.idleInterval == .milliseconds(800))
    #expect(second.peerParameters.idleInterval == .milliseconds(900))
    let response = try Element(decoding: pair.messages[1].payload)
    #expect((response[4] == nil) == isKnown, "the parameters of the passcode are sent only if they are not known")
  }

  @Test("A wrong passcode is refused by the commissioner, and by the device")
  func wrongPasscode() throws {
    var pair = try PASEPair(passcode: 20_202_022)
    let result = pair.run()
    #expect(result.sessions == nil)
    #expect(result.failures == ["the passcode is wrong", "the peer reports status 1/2"])
    pair = try PASEPair(steps: 4)
    var wrong = pair.messages[4]
    wrong.payload.replaceSubrange(4..<36, with: [UInt8](repeating: 7, count: 32))
    pair.receive(wrong).expectRefusal("the passcode is wrong")
  }

  @Test("Every message that is cut off is refused in every state", arguments: 0...5)
  func truncation(_ step: Int) throws {
    let pair = try PASEPair(steps: step)
    let message = pair.messages[step]
    for count in 0..<message.payload.count {
      let cut = pair.receive(HandshakeMessage(message.opcode, Array(message.payload[..<count])))
      // The status report that ends the handshake gets no answer.
      if step == 5 { cut.expectFailure("the status report is malformed") } else { cut.expectRefusal() }
    }
    guard step < 5 else { return }
    pair.receive(HandshakeMessage(message.opcode, message.payload + [0x18])).expectRefusal()
    pair.receive(HandshakeMessage(message.opcode, [0x16, 0x18])).expectRefusal("the payload is not a structure")
  }

  @Test("Every message out of order is refused, and ends the handshake", arguments: 0...5)
  func order(_ step: Int) throws {
    let all = try PASEPair(steps: 5).messages
    let pair = try PASEPair(steps: step)
    for other in all where other.opcode != all[step].opcode && other.opcode != .statusReport {
      pair.receive(other).expectRefusal()
      var end = pair.receiver
      _ = end.receive(other)
      end.receive(all[step]).expectFailure("the handshake has ended")
    }
    for opcode in [SecureChannelOpcode.sigma1, .sigma2, .acknowledgement] {
      pair.receive(HandshakeMessage(opcode, all[step].payload)).expectRefusal()
    }
    // A message for the second time.
    if step > 1 { pair.receive(all[step - 2]).expectRefusal() }
  }

  @Test("A status report of the peer ends the handshake without an answer", arguments: 0...5)
  func reports(_ step: Int) throws {
    let pair = try PASEPair(steps: step)
    let busy = HandshakeMessage(.statusReport, [8, 0, 0, 0, 0, 0, 4, 0, 0x88, 0x13])
    pair.receive(busy).expectFailure("the peer reports status 8/4")
    let foreign = HandshakeMessage(.statusReport, [0, 0, 1, 0, 0, 0, 0, 0])
    pair.receive(foreign).expectFailure("the peer reports status 0/0")
    let contradiction = HandshakeMessage(.statusReport, [1, 0, 0, 0, 0, 0, 0, 0])
    pair.receive(contradiction).expectFailure("the peer reports status 1/0")
    guard step < 5 else { return }
    pair.receive(.status(.sessionEstablished)).expectFailure("the status report is premature")
  }

  /// A change of one member: the step, the tag, and the new value; nil: it is left out.
  struct Change: Sendable, CustomTestStringConvertible {
    var step: Int
    var tag: UInt8
    var value: Element.Value?
    var testDescription: String { "step \(step), tag \(tag): \(value.map { "\($0)" } ?? "absent")" }
  }

  private static let changes: [Change] = {
    let wrongOctets: [Element.Value?] = [
      nil, .null, .text("a"), .octets([]), .octets([UInt8](repeating: 1, count: 31)),
      .octets([UInt8](repeating: 1, count: 33)),
    ]
    let wrongProofs = wrongOctets + [.octets([UInt8](repeating: 1, count: 32))]
    let wrongPoints =
      wrongOctets + [
        .octets([UInt8](repeating: 0, count: 65)), .octets([4] + [UInt8](repeating: 1, count: 64)),
      ]
    let wrongSessions: [Element.Value?] = [nil, .unsigned(0), .unsigned(65_536), .signed(5), .unsigned(.max)]
    let wrongFlags: [Element.Value?] = [nil, .unsigned(1), .null]
    func all(_ step: Int, _ tag: UInt8, _ values: [Element.Value?]) -> [Change] {
      values.map { Change(step: step, tag: tag, value: $0) }
    }
    func derivation(_ iterations: Element.Value, _ salt: Int) -> Element.Value {
      .container(
        .structure,
        [
          Element(.context(1), iterations),
          Element(.context(2), .octets([UInt8](repeating: 1, count: salt))),
        ])
    }
    let request =
      all(0, 1, wrongOctets) + all(0, 2, wrongSessions) + all(0, 4, wrongFlags)
      + all(0, 3, [nil, .unsigned(1), .unsigned(65_535), .bool(false)])
      + all(0, 5, [.unsigned(1), .container(.list, [])])
    let wrongDerivations: [Element.Value?] = [
      nil, .null, .container(.array, []), .container(.structure, []), derivation(.unsigned(999), 16),
      derivation(.unsigned(100_001), 16), derivation(.unsigned(.max), 16), derivation(.signed(1000), 16),
      derivation(.unsigned(1000), 15), derivation(.unsigned(1000), 33),
    ]
    let response =
      all(1, 1, wrongProofs) + all(1, 2, wrongOctets)
      + all(1, 3, wrongSessions) + all(1, 4, wrongDerivations) + all(1, 5, [.bool(true)])
    let shares = all(2, 1, wrongPoints) + all(3, 1, wrongPoints)
    return request + response + shares + all(3, 2, wrongProofs) + all(4, 1, wrongProofs)
  }()

  @Test("Every wrong member is refused", arguments: changes)
  func wrongMembers(_ change: Change) throws {
    let pair = try PASEPair(steps: change.step)
    let message = pair.messages[change.step]
    let payload = try Element(decoding: message.payload)
    guard case .container(_, var members) = payload.value else { throw WrongStep() }
    members.removeAll { $0.tag == .context(change.tag) }
    if let value = change.value { members.append(Element(.context(change.tag), value)) }
    let changed = Element(.anonymous, .container(.structure, members))
    pair.receive(HandshakeMessage(message.opcode, changed.encoded)).expectRefusal()
  }

  @Test("Members that are not known are skipped")
  func unknownMembers() throws {
    for step in 0..<5 {
      let pair = try PASEPair(steps: step)
      let message = pair.messages[step]
      let more = Element(.context(99), .container(.list, [Element(.context(1), .null)])).encoded
      let answer = pair.receive(HandshakeMessage(message.opcode, message.payload.dropLast() + more + [0x18]))
      // They are part of the context of the proofs, so the other end notices a change of the first two messages.
      if step < 3 { _ = try #require(answer.sent) } else if case .fail(let failure, _) = answer { throw failure }
    }
  }

  @Test("A device that sends other parameters than the known ones, or none, is refused")
  func otherDerivation() throws {
    let other = try #require(PasscodeDerivation(iterations: 1001, salt: [UInt8](repeating: 3, count: 32)))
    let response = try PASEPair(steps: 1).messages[1]
    let shortResponse = try PASEPair(known: true, steps: 1).messages[1]
    for (known, response, isAccepted) in [
      (PASEPair.derivation, response, true), (other, response, false), (nil, shortResponse, false),
      (other, shortResponse, true),
    ] {
      // The same seed gives the same first random.
      var end = PASEInitiator(passcode: 20_202_021, known: known, localSession: 11, random: .seeded(1))
      let step = end.receive(response)
      if isAccepted {
        #expect(step.sent?.opcode == .pake1)
      } else {
        step.expectRefusal("the parameters of the passcode are missing, or differ from the known ones")
      }
    }
  }

  @Test(
    "Derivations out of range are refused", arguments: [(999, 16), (100_001, 16), (1000, 15), (1000, 33), (-1, 16)])
  func derivations(_ iterations: Int, _ salt: Int) {
    #expect(PasscodeDerivation(iterations: iterations, salt: [UInt8](repeating: 0, count: salt)) == nil)
  }
}
