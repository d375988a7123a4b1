import HAPTestSupport
import HAPWire
import Testing

@testable import MatterWire

@Suite("Matter's messages: headers and reports") struct MessageTests {
  private static func encoded(_ body: (inout ByteBuffer) -> Void) -> [UInt8] {
    var buffer = ByteBuffer()
    body(&buffer)
    return buffer.bytes
  }

  @Test("Plain messages of the vectors are read and written")
  func plain() throws {
    let vectors = try vectorFile("matter").object("messages").list("plain")
    #expect(vectors.count == 2)
    for vector in vectors {
      let packet = vector.bytes("packet")
      var offset = 0
      let header = try MessageHeader(packet, offset: &offset)
      #expect(header.session == vector["session"] as? UInt16 ?? 0 && !header.isSealed && !header.isGroup)
      #expect(header.counter == (vector["counter"] as! Int).magnitude)
      #expect(header.source == (vector["source_node"] as? String).map { UInt64($0, radix: 16)! })
      if let node = vector["destination_node"] as? String {
        #expect(header.destination == .node(UInt64(node, radix: 16)!))
      } else {
        #expect(header.destination == .none)
      }
      let exchange = try ExchangeHeader(packet, offset: &offset)
      #expect(Int(exchange.opcode) == vector["opcode"] as? Int && Int(exchange.exchange) == vector["exchange"] as? Int)
      #expect(exchange.protocolID == .secureChannel)
      #expect(exchange.acknowledged.map(Int.init) == vector["acknowledged"] as? Int)
      let flags = vector["exchange_flags"] as! Int
      #expect(exchange.isFromInitiator == (flags & 1 != 0) && exchange.wantsAcknowledgement == (flags & 4 != 0))
      _ = try Element(decoding: Array(packet[offset...]))
      let written = Self.encoded {
        header.encode(into: &$0); exchange.encode(into: &$0)
      }
      #expect(written == Array(packet[..<offset]))
      for count in 0..<offset {
        #expect(throws: MessageError.truncated) {
          var place = 0
          _ = try MessageHeader(Array(packet[..<count]), offset: &place)
          _ = try ExchangeHeader(Array(packet[..<count]), offset: &place)
        }
      }
    }
  }

  @Test("The headers of sealed messages, and the first bytes of their nonces")
  func sealed() throws {
    let vectors = try vectorFile("matter").object("messages").list("sealed")
    #expect(vectors.count == 2)
    for vector in vectors {
      var offset = 0
      let header = try MessageHeader(vector.bytes("packet"), offset: &offset)
      #expect(header.isSealed && Self.encoded { header.encode(into: &$0) } == vector.bytes("header"))
      #expect(offset == vector.bytes("header").count)
      let nonce = Self.encoded {
        $0.append(header.securityFlags)
        $0.appendLittleEndian(UInt64(header.counter), width: 4)
      }
      #expect(vector.bytes("nonce").starts(with: nonce))
    }
  }

  @Test("Random headers are read as they were written; extensions are skipped", arguments: 1...100)
  func random(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let header = MessageHeader(
      session: .random(in: 0...0xFFFF, using: &random), counter: .random(in: 0 ... .max, using: &random),
      source: Bool.random(using: &random) ? .random(in: 0 ... .max, using: &random) : nil,
      destination: [.none, .node(.random(in: 0 ... .max, using: &random)), .group(7)].randomElement(using: &random)!,
      isGroup: .random(using: &random), hasPrivacy: .random(using: &random), isControl: .random(using: &random))
    let exchange = ExchangeHeader(
      isFromInitiator: .random(using: &random), wantsAcknowledgement: .random(using: &random),
      opcode: .random(in: 0...255, using: &random), exchange: .random(in: 0...0xFFFF, using: &random),
      protocolID: .init(vendor: Bool.random(using: &random) ? 0xFFF1 : 0, .random(in: 0...9, using: &random)),
      acknowledged: Bool.random(using: &random) ? .random(in: 0 ... .max, using: &random) : nil)
    let plain = Self.encoded { header.encode(into: &$0) }
    for isExtended in [false, true] {
      var bytes = plain
      if isExtended {
        bytes[3] |= 0x20
        bytes += [3, 0, 1, 2, 3]
      }
      let begin = bytes.count
      bytes += Self.encoded { exchange.encode(into: &$0) }
      if isExtended {
        bytes[begin] |= 0x08
        bytes += [1, 0, 9]
      }
      var offset = 0
      let read = try MessageHeader(bytes + [7], offset: &offset)
      #expect(read.securityFlags == header.securityFlags | (isExtended ? 0x20 : 0))
      #expect(read.session == header.session && read.counter == header.counter)
      #expect(read.source == header.source && read.destination == header.destination)
      #expect(Self.encoded { read.encode(into: &$0) } == plain, "extensions are not written")
      #expect(try ExchangeHeader(bytes + [7], offset: &offset) == exchange)
      #expect(offset == bytes.count)
    }
  }

  @Test("Each flag of a header is where the design says")
  func flags() throws {
    func header(_ text: String) throws -> MessageHeader {
      var offset = 0
      let header = try MessageHeader(hex(text), offset: &offset)
      #expect(offset == hex(text).count)
      return header
    }
    let privacy = try header("00 0100 80 04030201")
    #expect(privacy.hasPrivacy && !privacy.isControl && !privacy.isGroup && privacy.counter == 0x0102_0304)
    let control = try header("00 0100 40 04030201")
    #expect(control.isControl && !control.hasPrivacy && control.isSealed && control.securityFlags == 0x40)
    let group = try header("06 0000 01 04030201 0807060504030201 3412")
    #expect(group.isGroup && group.isSealed && group.source == 0x0102_0304_0506_0708)
    #expect(group.destination == .group(0x1234))
    let extended = try header("00 0100 3c 04030201 0200 aabb")
    #expect(extended.securityFlags == 0x3C && !extended.isGroup, "the nonce has the flags as they were sent")
  }

  @Test(
    "Reserved forms of a header are refused",
    arguments: [
      ("1000000000000000", MessageError.version(1)), ("0000000200000000", .sessionType(2)),
      ("0000000300000000", .sessionType(3)), ("0300000000000000", .destination), ("000000", .truncated),
      ("00000020000000000500", .truncated),
    ])
  func reserved(_ text: String, _ error: MessageError) {
    var offset = 0
    #expect(throws: error) { try MessageHeader(hex(text), offset: &offset) }
    #expect(offset == 0)
  }

  @Test("Status reports of the vectors are read and written")
  func reports() throws {
    let codes: [String: StatusReport.SecureChannelCode] = [
      "session established": .sessionEstablished, "failure, invalid parameter": .invalidParameter,
      "failure, no shared trust roots": .noSharedTrustRoots, "close session": .closeSession,
    ]
    for vector in try vectorFile("matter").object("messages").list("status_report") {
      let code = try #require(codes[vector.text("name")])
      let report = StatusReport(code)
      #expect(Self.encoded { report.encode(into: &$0) } == vector.bytes("payload"))
      #expect(try StatusReport(decoding: vector.bytes("payload")) == report)
      #expect(report.secureChannelCode == code)
    }
    let busy = StatusReport(.busy, data: [0xE8, 0x03])
    #expect(Self.encoded { busy.encode(into: &$0) } == hex("0800 00000000 0400 e803"))
    #expect(try StatusReport(decoding: hex("0800 00000000 0400 e803")) == busy)
    #expect(throws: MessageError.truncated) { try StatusReport(decoding: hex("08000000000004")) }
    let unknown = try StatusReport(decoding: hex("ff00 0100f1ff 0900"))
    #expect(unknown.general == .failure && unknown.protocolID == 0xFFF1_0001 && unknown.secureChannelCode == nil)
  }
}
