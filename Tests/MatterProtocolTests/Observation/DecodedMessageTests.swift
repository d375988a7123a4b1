import HAPTestSupport
import HAPWire
import MatterInteraction
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("Messages as text") struct DecodedMessageTests {
  private static func decoded(_ opcode: InteractionOpcode, _ payload: [UInt8]) -> DecodedMessage {
    DecodedMessage(.interactionModel, opcode: opcode.rawValue, payload)
  }

  private static func structure(_ members: [Element]) -> [UInt8] {
    Element(.anonymous, .container(.structure, members)).encoded
  }

  @Test("Names of the catalogue are shown, and numbers of what it does not have") func names() {
    func parts(_ pattern: AttributePattern) -> [String] { Self.decoded(.read, ReadRequest([pattern]).encoded).parts }
    #expect(parts(.init(1, 6, 0)) == ["endpoint 1 OnOff.OnOff"])
    #expect(parts(.init()) == ["every endpoint every cluster.*"])
    #expect(parts(.init(0, 0x1D, 0xFFFD)) == ["endpoint 0 Descriptor.ClusterRevision"])
    #expect(parts(.init(2, 0xFFF1_FD01, 0x4000)) == ["endpoint 2 0xFFF1FD01.0x4000"])
    #expect(parts(.init(2, 6, 0x77)) == ["endpoint 2 OnOff.0x77"])
    let events = ReadRequest([], events: [.init(0, 0x28, 0, isUrgent: true)], eventsFrom: 9)
    #expect(
      Self.decoded(.read, events.encoded).parts
        == ["endpoint 0 BasicInformation.StartUp (event, urgent)", "events from number 9"])
  }

  @Test("Values of each type are shown, and characters that could forge a line are escaped") func values() {
    let values: [(Element.Value, String)] = [
      (.signed(-3), "-3"), (.unsigned(3), "3"), (.bool(true), "true"), (.single(0.5), "0.5"), (.double(0.25), "0.25"),
      (.null, "null"), (.octets([1, 255]), "0x01ff"), (.text("a\n\"b\""), #""a\n\"b\"""#),
      (.octets([UInt8](repeating: 7, count: 40)), "0x" + String(repeating: "07", count: 32) + "… (40 bytes)"),
      (.container(.array, [Element(.anonymous, .unsigned(1)), Element(.anonymous, .null)]), "[1, null]"),
      (.container(.structure, [Element(.context(4), .bool(false))]), "{4: false}"),
    ]
    for (value, text) in values {
      let request = WriteRequest([.init(.init(1, 6, 0), .replace(value))])
      #expect(Self.decoded(.write, request.encoded).parts == ["endpoint 1 OnOff.OnOff = \(text)"])
    }
    let appended = WriteRequest([.init(.init(0, 0x1F, 0), .append(.null))], isTimed: true, hasMore: true)
    #expect(
      Self.decoded(.write, appended.encoded).parts
        == ["endpoint 0 AccessControl.Acl, one more entry: null", "timed", "more follows"])
  }

  @Test(
    "Keys, verifiers, PIN codes and network credentials of commands are hidden",
    arguments: [
      CommandPattern(0, 0x3E, 6), .init(0, 0x3F, 0), .init(0, 0x3C, 0), .init(1, 0x101, 1), .init(0, 0x31, 2),
    ])
  func secrets(path: CommandPattern) {
    let secret = Element.Value.octets([UInt8](repeating: 0xAB, count: 16))
    let nested = Element(.context(1), .container(.structure, [Element(.context(0), secret)]))
    let request = InvokeRequest([.init(path, [Element(.context(0), secret), nested])])
    let text = Self.decoded(.invoke, request.encoded).parts.joined()
    #expect(!text.contains("abab"))
    #expect(text.hasSuffix("{0: (16 bytes, hidden), 1: {0: (16 bytes, hidden)}}"))
  }

  @Test(
    "PIN codes that are texts are hidden, and all texts of commands that the catalogue does not have",
    arguments: [CommandPattern(1, 0x50E, 2), .init(1, 0x50F, 0), .init(1, 0xFFF1_FD01, 0), .init(1, 6, 0x77)])
  func textSecrets(path: CommandPattern) {
    let nested = Element(.context(1), .container(.array, [Element(.anonymous, .text("12345678"))]))
    let fields = [Element(.context(0), .text("12345678")), nested]
    let hidden = "{0: (text, hidden), 1: [(text, hidden)]}"
    #expect(Self.decoded(.invoke, InvokeRequest([.init(path, fields)]).encoded).parts.joined().hasSuffix(hidden))
    let response = InvokeResponse([.init(path, .response(1, fields))])
    // The catalogue has no names of responses, so those of a known cluster are shown.
    let isHidden = Self.decoded(.invokeResponse, response.encoded).parts.joined().hasSuffix(hidden)
    #expect(isHidden == (path.cluster != 6))
  }

  @Test(
    "A malformed payload has its reason",
    arguments: [
      (1, 2, [], "TLV, byte 0: the bytes end inside an element"),
      (1, 2, [0x15], "TLV, byte 1: the bytes end inside an element"),
      (1, 8, [0x15, 0x3F, 0], "TLV, byte 1: the element type 31 is reserved"),
      (1, 5, [0x15, 0x18, 0], "TLV, byte 2: there are bytes after the element"),
      (1, 2, [0x15, 0x24, 0, 1, 0x18], "a member of the ReadRequest is missing, or has a wrong type or range"),
      (1, 3, [0x15, 0x18], "a member of the SubscribeRequest is missing, or has a wrong type or range"),
      (1, 10, [0x15, 0x25, 0, 0, 0, 0x18], nil), (1, 77, [], "the opcode is not known"),
      (2, 1, [], "the opcode is not known"), (0, 0x99, [], "the opcode is not known"), (0, 0x10, [], nil),
      (0, 0x20, [], "the payload is not a structure"),
      (0, 0x30, [0x15, 0x18], "field 1 is missing or has a wrong value"),
      (0, 0x22, [0x15, 0x24, 1, 5, 0x18], "field 1 is missing or has a wrong value"),
      (0, 0x40, [0, 0, 0], "the message ends inside its header or its report"),
    ] as [(UInt32, UInt8, [UInt8], String?)])
  func problems(protocolID: UInt32, opcode: UInt8, payload: [UInt8], problem: String?) {
    let decoded = DecodedMessage.decode(protocolID, opcode, payload)
    #expect(decoded.problem == problem)
    #expect(!decoded.name.isEmpty)
  }

  @Test("A status report has its codes, and the wait of Busy") func statusReports() {
    func parts(_ report: StatusReport) -> [String] {
      var buffer = ByteBuffer()
      report.encode(into: &buffer)
      return DecodedMessage(.secureChannel, opcode: 0x40, buffer.bytes).parts
    }
    #expect(parts(StatusReport(.sessionEstablished)) == ["success (0), session established (0)"])
    #expect(parts(StatusReport(.busy, data: [0xF4, 1])) == ["busy (8), busy (4)", "wait 500 ms"])
    #expect(parts(StatusReport(.noSharedTrustRoots)) == ["failure (1), no shared trust roots (1)"])
    #expect(
      parts(StatusReport(.failure, protocolID: 1, code: 7, data: [1])) == [
        "failure (1), protocol 0x1 (7)", "data: 1 bytes",
      ])
  }

  @Test("Any bytes have a text", arguments: 0..<16) func noise(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let valid = [
      ReadRequest([.init(1, 6, 0)]).encoded,
      InvokeRequest([.init(.init(1, 6, 2), [Element(.context(0), .null)])]).encoded,
      SubscribeRequest([.init()], minimum: 0, maximum: 9).encoded,
      WriteRequest([.init(.init(1, 6, 0), .replace(.text("x")))]).encoded, Self.structure([]),
    ]
    for round in 0..<2_000 {
      var payload = valid[round % valid.count]
      for _ in 0..<Int(generator.next() % 4) where !payload.isEmpty {
        payload[Int(generator.next() % UInt64(payload.count))] = UInt8(truncatingIfNeeded: generator.next())
      }
      payload.removeLast(Int(generator.next() % UInt64(payload.count + 1)) / 3)
      let (number, opcode) = (UInt32(generator.next() % 3), UInt8(truncatingIfNeeded: generator.next() % 80))
      let decoded = DecodedMessage.decode(number, opcode, payload)
      #expect(!decoded.name.isEmpty && decoded.parts.allSatisfy { !$0.contains("\n") })
    }
  }
}
