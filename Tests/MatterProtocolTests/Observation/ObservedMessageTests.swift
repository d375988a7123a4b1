@testable import MatterController
import HAPCrypto
import HAPTestSupport
import HAPWire
import MatterInteraction
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

extension ServerEnd {
  /// The messages that were observed so far.
  fileprivate var observed: [ObservedMessage] {
    reports.compactMap { if case .message(let message) = $0 { message } else { nil } }
  }
}

extension ObservedMessage {
  fileprivate var message: Message? { if case .message(let message) = content { message } else { nil } }
  fileprivate var reason: String? { if case .unreadable(_, let reason) = content { reason } else { nil } }
  fileprivate var decoded: DecodedMessage? {
    message.map { DecodedMessage($0.header.protocolID, opcode: $0.header.opcode, $0.payload) }
  }
  /// "> ReadRequest": what the node received; "<": what it sent.
  fileprivate var step: String? { decoded.map { "\(isReceived ? ">" : "<") \($0.name)" } }
}

@Suite("Observed messages") struct ObservedMessageTests {
  @Test("A commissioning is observed step by step, without its secrets") func commissioning() throws {
    let world = NodeWorld(try ServerEnd())
    world.server.server.reportsMessages = true
    #expect(world.commission())
    let observed = world.server.observed
    let steps = observed.compactMap(\.step).filter { !$0.hasSuffix("Acknowledgement") }
    #expect(
      steps.prefix(6) == [
        "> PBKDFParamRequest", "< PBKDFParamResponse", "> Pake1", "< Pake2", "> Pake3", "< StatusReport",
      ])
    let handshake = try #require(steps.firstIndex(of: "> Sigma1"))
    #expect(steps[handshake..<handshake + 4] == ["> Sigma1", "< Sigma2", "> Sigma3", "< StatusReport"])
    let complete = try #require(steps.lastIndex(of: "> InvokeRequest"))
    #expect(complete > handshake && steps[complete + 1] == "< InvokeResponse")
    #expect(observed.allSatisfy { $0.decoded?.problem == nil })

    let parts = observed.compactMap(\.decoded).flatMap(\.parts)
    for command in [
      "GeneralCommissioning.ArmFailSafe", "OperationalCredentials.CsrRequest", "OperationalCredentials.AddNoc",
    ] {
      #expect(parts.contains { $0.hasPrefix("endpoint 0 \(command) {") }, "\(command)")
    }
    // The IPK.
    let added = try #require(parts.first { $0.contains("AddNoc {") })
    #expect(added.contains("2: (16 bytes, hidden)"))
    let ids = observed.compactMap(\.message).map { $0.subject.map(\.name) ?? "none" }
    #expect(Set(ids) == ["none", "Matter commissioner", "Matter fabric 1 node 0000000000000065"])
    #expect(observed.compactMap(\.message).allSatisfy { ($0.session == 0) == ($0.subject == nil) })
  }

  @Test("Requests and answers have their paths, values and statuses") func requests() throws {
    let world = NodeWorld(try ServerEnd())
    #expect(world.commission())
    world.server.server.reportsMessages = true
    _ = world.request(.command(LightTarget.toggle))
    _ = world.request(.read(AttributePattern(LightTarget.onOff)))
    _ = world.request(.read(AttributePattern(77, 6, 0)))
    _ = world.request(
      .subscribe(SubscribeRequest([AttributePattern(LightTarget.onOff)], minimum: 1, maximum: 60)))
    let decoded = world.server.observed.compactMap(\.decoded)
    let texts = decoded.map { "\($0.name): \($0.parts.joined(separator: "; "))" }
    for text in [
      "InvokeRequest: endpoint 1 OnOff.Toggle {}", "InvokeResponse: endpoint 1 OnOff.Toggle: success (0x0)",
      "ReadRequest: endpoint 1 OnOff.OnOff", "ReportData: endpoint 1 OnOff.OnOff = true",
      "ReportData: endpoint 77 OnOff.OnOff: unsupported endpoint (0x7F)",
      "SubscribeRequest: endpoint 1 OnOff.OnOff; every 1 to 60 s",
    ] {
      #expect(texts.contains(text), "\(text): \(texts)")
    }
    #expect(texts.contains { $0.hasPrefix("SubscribeResponse: subscription ") && $0.hasSuffix("s between reports") })
    #expect(texts.contains { $0.hasPrefix("StatusResponse: success (0x0)") })
  }

  @Test("Without an observer nothing is reported, and nothing is kept for later") func unobserved() throws {
    let world = NodeWorld(try ServerEnd())
    #expect(world.commission())
    #expect(world.server.observed.isEmpty)
    world.server.server.reportsMessages = true
    _ = world.request(.command(LightTarget.toggle))
    world.server.server.reportsMessages = false
    let count = world.server.observed.count
    #expect(count > 0)
    _ = world.request(.command(LightTarget.toggle))
    #expect(world.server.observed.count == count)
  }

  @Test("Each retransmission and each duplicate is marked, with the payload of the original") func repetitions() throws
  {
    let pair = LayerPair()
    (pair.client.layer.isObserved, pair.server.layer.isObserved) = (true, true)
    let (exchange, packet) = pair.request([1, 2])
    while let deadline = pair.client.deadline { pair.client.advance(to: deadline) }
    #expect(pair.client.failed == [exchange])
    let sent = pair.client.takeObserved()
    #expect(sent.map { $0.message?.isRepeated } == [false, true, true, true, true])
    #expect(Set(sent.compactMap(\.message).map(\.counter)).count == 1)
    #expect(sent.allSatisfy { !$0.isReceived && $0.message?.payload == [1, 2] && $0.peer == pair.server.address })

    for _ in 0..<2 { pair.server.receive(packet, from: pair.client.address) }
    let heard = pair.server.takeObserved()
    #expect(heard.filter(\.isReceived).map { $0.message?.isRepeated } == [false, true])
    // The duplicate is acknowledged again.
    let answer = try #require(heard.last?.message)
    #expect(heard.last?.isReceived == false && heard.last?.decoded?.name == "Acknowledgement")
    #expect(answer.header.acknowledged == sent[0].message?.counter)
  }

  /// Loses the first two transmissions of each message.
  private final class LosingTap: NodeTap {
    func receives(_ message: TappedMessage) -> TapDecision { .handle }
    func sends(_ message: inout TappedMessage) -> Int { 2 }
  }

  @Test("After lost transmissions, the first one that leaves is no repetition") func lostTransmissions() throws {
    let pair = LayerPair()
    pair.client.layer.isObserved = true
    pair.client.layer.tap = LosingTap()
    let exchange = try #require(pair.client.open(pair.clientSession))
    pair.client.send([1], on: exchange)
    #expect(pair.client.takeObserved().isEmpty)
    while let deadline = pair.client.deadline { pair.client.advance(to: deadline) }
    #expect(pair.client.takeObserved().map { $0.message?.isRepeated } == [false, true, true])
  }

  @Test("A message that was sent before the observer came is not repeated in the record") func lateObserver() {
    let pair = LayerPair()
    _ = pair.request([1])
    pair.client.layer.isObserved = true
    while let deadline = pair.client.deadline { pair.client.advance(to: deadline) }
    #expect(pair.client.takeObserved().isEmpty)
  }

  @Test("Each damaged packet is observed as it was received, with the reason why it is dropped") func damage() {
    let pair = LayerPair()
    let (_, packet) = pair.request([1, 2, 3])
    pair.server.layer.isObserved = true
    for bit in 0..<8 * packet.count {
      var wrong = packet
      wrong[bit / 8] ^= 1 << UInt8(bit % 8)
      pair.server.receive(wrong, from: pair.client.address)
      let observed = pair.server.takeObserved()
      #expect(observed.count == 1 && observed[0].content == .unreadable(wrong, reason: observed[0].reason ?? ""))
    }
    for count in 0..<packet.count { pair.server.receive(Array(packet[..<count]), from: pair.client.address) }
    let cutOff = pair.server.takeObserved()
    #expect(cutOff.count == packet.count && cutOff.allSatisfy { $0.reason?.isEmpty == false })
    pair.server.receive(packet, from: pair.client.address)
    #expect(pair.server.takeObserved().map { $0.message?.payload } == [[1, 2, 3]])
  }

  @Test("A sealed packet without a readable header is observed as it was received, still encrypted") func sealed() {
    let pair = LayerPair()
    pair.server.layer.isObserved = true
    let end = established(isInitiator: true)
    let header = MessageHeader(session: end.peerSession, counter: 1)
    var buffer = ByteBuffer()
    header.encode(into: &buffer)
    let head = buffer.bytes
    // The counter is little endian, then the node.
    let nonce: [UInt8] = [header.securityFlags, 1, 0, 0, 0, UInt8(end.localNode), 0, 0, 0, 0, 0, 0, 0]
    // A header has six bytes or more.
    var packet = head + [5, 2, 1] + [UInt8](repeating: 0, count: CCMCipher.tagByteCount)
    let cipher = CCMCipher(key: end.outboundKey, .sealing)
    packet.withUnsafeMutableBytes { packet in
      nonce.withUnsafeBytes { nonce in
        cipher.seal(
          UnsafeMutableRawBufferPointer(rebasing: packet[head.count..<head.count + 3]),
          tag: packet.baseAddress! + head.count + 3, nonce: nonce,
          aad: UnsafeRawBufferPointer(rebasing: packet[..<head.count]))
      }
    }
    pair.server.receive(packet, from: pair.client.address)
    let reason = "the message ends inside its header or its report"
    #expect(pair.server.takeObserved().map(\.content) == [.unreadable(packet, reason: reason)])
  }

  @Test(
    "The reason names the fault of the datagram",
    arguments: [
      ([], "the message ends inside its header or its report"), ([0xF0], "the message has version 15"),
      ([0x00, 0, 0, 0x01, 1, 0, 0, 0], "messages of groups"),
      ([0x00, 0x34, 0x12, 0, 1, 0, 0, 0], "there is no session 4660"),
      // A request of the interaction model without a session.
      ([0x04, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0x05, 2, 1, 0, 1, 0], "it has no session"),
      ([0x00, 0, 0, 0, 1, 0, 0, 0, 0x05], "the message ends inside its header"),
    ] as [([UInt8], String)])
  func reasons(datagram: [UInt8], says: String) {
    let pair = LayerPair()
    pair.server.layer.isObserved = true
    pair.server.receive(datagram, from: pair.client.address)
    let observed = pair.server.takeObserved()
    #expect(observed.count == 1 && observed.first?.reason?.hasPrefix(says) == true, "\(observed)")
  }
}

extension LayerEnd {
  fileprivate func takeObserved() -> [ObservedMessage] { layer.takeObserved() }
}
