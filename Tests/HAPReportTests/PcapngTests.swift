@testable import HAPReport
import Testing

struct PcapngTests {
  /// A packet, parsed by the test.
  private struct Packet {
    var time: UInt64
    var isOutbound: Bool
    var comments: [String]
    var isIPv6: Bool
    var transport: UInt8
    var source: HostAndPort
    var destination: HostAndPort
    var sequence: UInt32 = 0
    var acknowledgement: UInt32 = 0
    var flags: UInt8 = 0
    var payload: [UInt8]
  }

  private func little<Number: FixedWidthInteger>(_ bytes: [UInt8], _ at: Int, _: Number.Type) -> Number {
    bytes[at..<(at + Number.bitWidth / 8)].reversed().reduce(0) { $0 << 8 | Number($1) }
  }
  private func big<Number: FixedWidthInteger>(_ bytes: [UInt8], _ at: Int, _: Number.Type) -> Number {
    bytes[at..<(at + Number.bitWidth / 8)].reduce(0) { $0 << 8 | Number($1) }
  }

  /// Parses a file, and checks each length and checksum.
  private func packets(_ file: [UInt8]) throws -> (packets: [Packet], trailing: [String]) {
    var packets: [Packet] = []
    var trailing: [String] = []
    var at = 0
    var kinds: [UInt32] = []
    while at < file.count {
      let kind = little(file, at, UInt32.self)
      let length = Int(little(file, at + 4, UInt32.self))
      try #require(length % 4 == 0 && length >= 12 && at + length <= file.count)
      #expect(little(file, at + length - 4, UInt32.self) == UInt32(length))
      let body = Array(file[(at + 8)..<(at + length - 4)])
      kinds.append(kind)
      switch kind {
      case 0x0A0D_0D0A:
        #expect(little(body, 0, UInt32.self) == 0x1A2B_3C4D)
        #expect(little(body, 4, UInt16.self) == 1)
        #expect(try options(body, 16).map(\.code) == [4])
      case 1:
        #expect(little(body, 0, UInt16.self) == 101)
        #expect(try options(body, 8).map(\.value) == [[9]])
      case 5: trailing += try options(body, 12).map { String(decoding: $0.value, as: UTF8.self) }
      case 6:
        let count = Int(little(body, 12, UInt32.self))
        #expect(little(body, 16, UInt32.self) == UInt32(count))
        let options = try options(body, 20 + (count + 3) / 4 * 4)
        var packet = try packet(Array(body[20..<(20 + count)]))
        packet.time = UInt64(little(body, 4, UInt32.self)) << 32 | UInt64(little(body, 8, UInt32.self))
        packet.comments = options.filter { $0.code == 1 }.map { String(decoding: $0.value, as: UTF8.self) }
        packet.isOutbound = options.first { $0.code == 2 }?.value.first == 2
        packets.append(packet)
      default: Issue.record("a block of kind \(kind)")
      }
      at += length
    }
    #expect(kinds.prefix(2) == [0x0A0D_0D0A, 1])
    return (packets, trailing)
  }

  private func options(_ body: [UInt8], _ start: Int) throws -> [(code: UInt16, value: [UInt8])] {
    var options: [(code: UInt16, value: [UInt8])] = []
    var at = start
    while true {
      try #require(at + 4 <= body.count)
      let code = little(body, at, UInt16.self)
      let length = Int(little(body, at + 2, UInt16.self))
      if code == 0 {
        #expect(length == 0 && at + 4 == body.count)
        return options
      }
      options.append((code, Array(body[(at + 4)..<(at + 4 + length)])))
      at += 4 + (length + 3) / 4 * 4
    }
  }

  private func packet(_ bytes: [UInt8]) throws -> Packet {
    let isIPv6 = bytes[0] >> 4 == 6
    let head = isIPv6 ? 40 : 20
    let addresses = isIPv6 ? (bytes[8..<24], bytes[24..<40]) : (bytes[12..<16], bytes[16..<20])
    if isIPv6 {
      #expect(Int(big(bytes, 4, UInt16.self)) == bytes.count - 40)
    } else {
      #expect(Int(big(bytes, 2, UInt16.self)) == bytes.count)
      #expect(sum(Array(bytes[..<20])) == 0xFFFF)
    }
    let transport = isIPv6 ? bytes[6] : bytes[9]
    let segment = Array(bytes[head...])
    let length = UInt32(segment.count)
    let pseudoHeader = Array(addresses.0 + addresses.1) + [UInt8(length >> 24 & 255), UInt8(length >> 16 & 255)]
    #expect(
      sum(pseudoHeader + [UInt8(length >> 8 & 255), UInt8(length & 255), 0, 0, 0, transport] + segment) == 0xFFFF)
    var packet = Packet(
      time: 0, isOutbound: false, comments: [], isIPv6: isIPv6, transport: transport,
      source: HostAndPort(address: Array(addresses.0), port: big(segment, 0, UInt16.self)),
      destination: HostAndPort(address: Array(addresses.1), port: big(segment, 2, UInt16.self)), payload: [])
    if transport == 6 {
      packet.sequence = big(segment, 4, UInt32.self)
      packet.acknowledgement = big(segment, 8, UInt32.self)
      packet.flags = segment[13]
      #expect(segment[12] == 0x50)
      packet.payload = Array(segment[20...])
    } else {
      #expect(Int(big(segment, 4, UInt16.self)) == segment.count)
      packet.payload = Array(segment[8...])
    }
    return packet
  }

  /// Returns the checksum of RFC 1071 without the complement: all ones for valid data.
  private func sum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = 0
    for (index, byte) in bytes.enumerated() { sum += index % 2 == 0 ? UInt32(byte) << 8 : UInt32(byte) }
    while sum > 0xFFFF { sum = (sum & 0xFFFF) + (sum >> 16) }
    return sum
  }

  @Test("A transcript is a TCP stream that opens, carries its messages and closes, and an mDNS packet")
  func conversation() throws {
    let file = PcapngWriter.bytes(of: Fixture.conversation, application: "test", epoch: .seconds(1_700_000_000))
    let (packets, trailing) = try packets(file)
    #expect(packets.map(\.flags) == [0x02, 0x12, 0x10, 0x18, 0x18, 0, 0x18, 0x11, 0x10])
    #expect(packets.map(\.isOutbound) == [true, false, true, true, false, false, true, false, true])
    #expect(packets[0].comments == ["main: open"])
    #expect(packets[3].payload == Fixture.conversation[1].bytes)
    #expect(packets[3].comments == ["main: POST /pair-setup"])
    #expect(packets[4].payload == Fixture.conversation[2].bytes)
    #expect(packets[5].transport == 17)
    #expect(packets[5].destination.port == 5353)
    #expect(packets[5].comments == ["note: saved salt", "announcement of Kitchen Sink._hap._tcp.local"])
    #expect(packets[6].comments == ["hook: reboot", "main: 3 bytes that are no frame"])
    #expect(packets[0].time == 1_700_000_001_200_000_000)
    #expect(packets[3].time == 1_700_000_001_201_000_000)
    #expect(packets[3].source == HostAndPort("127.0.0.1:40000"))
    #expect(packets[3].destination == HostAndPort("127.0.0.1:51826"))
    #expect(trailing.isEmpty)
  }

  @Test(
    "Each side's sequence numbers count its bytes, and the other side acknowledges them",
    arguments: 0..<40 as Range<UInt64>)
  func sequences(_ seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let address = ["127.0.0.1:40000", "[::1]:40000", "[fe80::1%eth0]:7", "", "nonsense"].randomElement(using: &random)!
    var said: [[UInt8]] = []
    let transcript = (0..<20).map { index in
      let bytes = (0..<Int.random(in: 0...9000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let kind: TranscriptEntry.Kind = [.message, .raw, .note, .message, .connection].randomElement(using: &random)!
      let direction: TranscriptEntry.Direction = Bool.random(using: &random) ? .sent : .received
      if kind == .message || kind == .raw, !bytes.isEmpty { said.append(bytes) }
      return TranscriptEntry(
        time: .milliseconds(index), kind: kind, direction: direction, connection: "main",
        title: Bool.random(using: &random) ? "x" : "reset by the accessory", bytes: bytes, localAddress: address,
        peerAddress: address)
    }
    let (packets, _) = try packets(PcapngWriter.bytes(of: transcript, application: "test"))
    var next: [Bool: UInt32] = [:]
    for packet in packets {
      if packet.flags != 0x02 {
        #expect(packet.acknowledgement == next[!packet.isOutbound] ?? packet.acknowledgement)
      }
      if let expected = next[packet.isOutbound] { #expect(packet.sequence == expected) }
      let counted = UInt32(packet.payload.count) + (packet.flags & 0x03 != 0 ? 1 : 0)
      next[packet.isOutbound] = packet.sequence &+ counted
      #expect(packet.payload.count <= 1440)
    }
    #expect(packets.flatMap(\.payload) == said.flatMap { $0 })
  }

  @Test("Any entry makes a valid file", arguments: 0..<60 as Range<UInt64>)
  func anyEntry(_ seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let addresses = [
      "127.0.0.1:5353", "[::1]:5353", "0.0.0.0:5353", "[::]:5353", "", "x:1", "[::1]", "1.2.3.4:70000",
      "[1:2:3:4:5:6:7:8]:1",
      "[::ffff:1.2.3.4]:9",
    ]
    let transcript = (0..<12).map { _ in
      TranscriptEntry(
        time: .milliseconds(Int.random(in: -10...10_000, using: &random)),
        kind: [.message, .raw, .connection, .mdns, .hook, .note].randomElement(using: &random)!,
        direction: [.sent, .received, .none].randomElement(using: &random)!, connection: Fixture.randomText(&random),
        title: Fixture.randomText(&random) + String(repeating: "ä", count: Int.random(in: 0...9000, using: &random)),
        bytes: Array(repeating: 7, count: [0, 1, 1440, 70_000].randomElement(using: &random)!),
        localAddress: addresses.randomElement(using: &random)!, peerAddress: addresses.randomElement(using: &random)!)
    }
    _ = try packets(PcapngWriter.bytes(of: transcript, application: "test"))
  }

  @Test("Comments after the last packet are kept")
  func trailing() throws {
    let note = TranscriptEntry(time: .seconds(1), kind: .note, title: "the end")
    let (packets, trailing) = try packets(PcapngWriter.bytes(of: [note], application: "test"))
    #expect(packets.isEmpty)
    #expect(trailing == ["note: the end"])
  }

  @Test(
    "Addresses are parsed",
    arguments: [
      ("127.0.0.1:80", [127, 0, 0, 1], 80), ("[::]:1", Array(repeating: 0, count: 16), 1),
      ("[fe80::1%en0]:51826", [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 51826),
      ("[1:2:3:4:5:6:7:8]:9", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8], 9),
      ("[::ffff:1.2.3.4]:9", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 1, 2, 3, 4], 9),
      ("[1::]:9", [0, 1] + Array(repeating: 0, count: 14), 9),
    ] as [(String, [UInt8], UInt16)])
  func addresses(_ text: String, _ address: [UInt8], _ port: UInt16) {
    #expect(HostAndPort(text) == HostAndPort(address: address, port: port))
  }

  @Test(
    "Malformed addresses are nil",
    arguments: [
      "", ":", "127.0.0.1", "127.0.0:80", "127.0.0.256:1", "1.2.3.4:65536", "1.2.3.4:-1", "[::1]", "[:::]:1", "[1:2]:1",
      "[1:2:3:4:5:6:7:8:9]:1", "[1::2::3]:1", "[12345::]:1", "::1:80", "localhost:80", "1.2.3.4.5:1", "[g::]:1",
      "[1:2:3:4:5:6:7:8::]:1",
    ])
  func noAddresses(_ text: String) {
    #expect(HostAndPort(text) == nil)
  }
}
