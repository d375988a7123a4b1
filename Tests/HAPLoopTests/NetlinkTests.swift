import Testing

@testable import HAPLoop

/// A message as the kernel writes it: header, body, padding to a multiple of four.
private func message(_ kind: UInt16, _ body: [UInt8], length: UInt32? = nil) -> [UInt8] {
  var bytes = native(length ?? UInt32(16 + body.count)) + native(kind) + native(UInt16(0))
  bytes += native(UInt32(7)) + native(UInt32(0)) + body
  while bytes.count % 4 != 0 { bytes.append(0) }
  return bytes
}

private func native<T: FixedWidthInteger>(_ value: T) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

private func attribute(_ kind: UInt16, _ value: [UInt8], length: UInt16? = nil) -> [UInt8] {
  var bytes = native(length ?? UInt16(4 + value.count)) + native(kind) + value
  while bytes.count % 4 != 0 { bytes.append(0) }
  return bytes
}

private func link(_ index: UInt32, flags: UInt32) -> [UInt8] {
  [0, 0] + native(UInt16(1)) + native(index) + native(flags) + native(UInt32.max)
}

private func address(_ index: UInt32, family: UInt8, flags: UInt8, _ attributes: [UInt8]...) -> [UInt8] {
  [family, 24, flags, 0] + native(index) + attributes.flatMap(\.self)
}

private let v4: [UInt8] = [192, 168, 7, 9]
private let v6: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]

@Suite struct NetlinkTests {
  @Test("Links and addresses are read in order") func read() {
    let datagram =
      message(16, link(3, flags: 0x41)) + message(16, link(3, flags: 0x1)) + message(17, link(4, flags: 0))
      + message(20, address(3, family: 2, flags: 0x80, attribute(1, v4), attribute(3, Array("eth0\0".utf8))))
      + message(21, address(3, family: 10, flags: 0, attribute(1, v6)))
    #expect(
      NetlinkMessage.messages(in: datagram) == [
        .link(index: 3, isUp: true, isRunning: true), .link(index: 3, isUp: true, isRunning: false),
        .linkGone(index: 4),
        .address(index: 3, bytes: v4, isUsable: true), .addressGone(index: 3, bytes: v6),
      ])
  }

  @Test("On a point-to-point link, the address is the local one") func pointToPoint() {
    let body = address(5, family: 2, flags: 0, attribute(1, [10, 0, 0, 2]), attribute(2, [10, 0, 0, 1]))
    #expect(
      NetlinkMessage.messages(in: message(20, body)) == [.address(index: 5, bytes: [10, 0, 0, 1], isUsable: true)])
  }

  @Test(
    "A tentative or duplicate address is unusable; an optimistic one is usable",
    arguments: [(0, true), (0x40, false), (0x08, false), (0x48, false), (0x44, true), (0x4C, false), (0x80, true)]
      as [(UInt8, Bool)])
  func usable(_ flags: UInt8, _ isUsable: Bool) {
    let short = message(20, address(2, family: 10, flags: flags, attribute(1, v6)))
    #expect(NetlinkMessage.messages(in: short) == [.address(index: 2, bytes: v6, isUsable: isUsable)])
    // The attribute, if present, takes precedence.
    let long = message(20, address(2, family: 10, flags: 0, attribute(1, v6), attribute(8, native(UInt32(flags)))))
    #expect(NetlinkMessage.messages(in: long) == [.address(index: 2, bytes: v6, isUsable: isUsable)])
  }

  @Test("Other kinds and families are skipped, and the messages after them are read") func others() {
    let datagram =
      message(3, [0, 0, 0, 0]) + message(24, [UInt8](repeating: 0, count: 12))
      + message(20, address(1, family: 7, flags: 0, attribute(1, v4))) + message(4, []) + message(17, link(9, flags: 0))
    #expect(NetlinkMessage.messages(in: datagram) == [.overrun, .linkGone(index: 9)])
  }

  @Test("A truncated datagram yields its complete messages") func truncated() {
    let first = message(20, address(3, family: 2, flags: 0, attribute(1, v4)))
    let second = message(16, link(3, flags: 1))
    let whole = first + second
    for count in 0..<whole.count {
      let found = NetlinkMessage.messages(in: Array(whole[..<count]))
      #expect(found == (count < first.count ? [] : [.address(index: 3, bytes: v4, isUsable: true)]), "\(count)")
    }
  }

  @Test(
    "A wrong length ends the reading, and never reads out of bounds",
    arguments: [0, 1, 15, 17, 33, 4096, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] as [UInt32])
  func lyingMessageLength(_ length: UInt32) {
    let datagram = message(16, link(3, flags: 1), length: length)
    let found = NetlinkMessage.messages(in: datagram)
    #expect(found.isEmpty, "\(length)")
  }

  @Test("An attribute with a wrong length yields no address", arguments: [0, 3, 9, 200, 0xFFFF] as [UInt16])
  func lyingAttributeLength(_ length: UInt16) {
    let body = address(3, family: 2, flags: 0, attribute(1, v4, length: length))
    #expect(NetlinkMessage.messages(in: message(20, body)).isEmpty)
  }

  @Test("An address with the wrong size for its family is ignored") func wrongSize() {
    for (family, bytes) in [(2, v6), (10, v4), (2, []), (2, [1, 2, 3])] as [(UInt8, [UInt8])] {
      #expect(
        NetlinkMessage.messages(in: message(20, address(3, family: family, flags: 0, attribute(1, bytes)))).isEmpty)
    }
  }

  @Test("A datagram with any byte changed is read without a trap") func mutated() {
    let whole =
      message(16, link(3, flags: 0x41))
      + message(20, address(3, family: 10, flags: 0, attribute(1, v6), attribute(8, native(UInt32(0x40)))))
    for position in whole.indices {
      for value in [0, 1, 3, 4, 15, 16, 17, 127, 128, 255] as [UInt8] {
        var changed = whole
        changed[position] = value
        #expect(NetlinkMessage.messages(in: changed).count <= 2)
      }
    }
  }
}
