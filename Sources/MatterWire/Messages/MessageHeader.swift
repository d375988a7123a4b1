import HAPWire

/// The part of a message before the sealed part. Matter 1.4 §4.4.1.
package struct MessageHeader: Hashable, Sendable {
  package enum Destination: Hashable, Sendable {
    case none
    case node(UInt64)
    case group(UInt16)
  }

  /// 0 for messages that are not sealed, of unicast.
  package var session: UInt16
  /// P 0x80, C 0x40, MX 0x20, and the type of the session. As received, because they are the first byte of the nonce.
  /// Matter 1.4 §4.4.1.4.
  package let securityFlags: UInt8
  package var counter: UInt32
  package var source: UInt64?
  package var destination: Destination

  private static let extensions: UInt8 = 0x20
  private static let sessionType: UInt8 = 0x03

  package init(
    session: UInt16, counter: UInt32, source: UInt64? = nil, destination: Destination = .none, isGroup: Bool = false,
    hasPrivacy: Bool = false, isControl: Bool = false
  ) {
    (self.session, self.counter, self.source, self.destination) = (session, counter, source, destination)
    securityFlags = (hasPrivacy ? 0x80 : 0) | (isControl ? 0x40 : 0) | (isGroup ? 0x01 : 0)
  }

  package var isGroup: Bool { securityFlags & Self.sessionType == 1 }
  /// Whether the privacy key hides parts of the header (P).
  package var hasPrivacy: Bool { securityFlags & 0x80 != 0 }
  /// Whether it is a control message (C).
  package var isControl: Bool { securityFlags & 0x40 != 0 }
  /// Whether the bytes after the header are sealed. The header, as it was sent, is authenticated with them.
  package var isSealed: Bool { isGroup || session != 0 }

  /// Reads a header. Extensions are skipped.
  /// - Parameter offset: set to the first byte after the header.
  package init(_ bytes: [UInt8], offset: inout Int) throws(MessageError) {
    var reader = OctetReader(bytes, offset)
    let flags = try reader.byte()
    guard flags >> 4 == 0 else { throw .version(flags >> 4) }
    session = UInt16(try reader.integer(2))
    securityFlags = try reader.byte()
    guard securityFlags & Self.sessionType < 2 else { throw .sessionType(securityFlags & Self.sessionType) }
    counter = UInt32(try reader.integer(4))
    source = flags & 0x04 != 0 ? try reader.integer(8) : nil
    switch flags & 0x03 {
    case 0: destination = .none
    case 1: destination = .node(try reader.integer(8))
    case 2: destination = .group(UInt16(try reader.integer(2)))
    default: throw .destination
    }
    if securityFlags & Self.extensions != 0 { try reader.skip(Int(try reader.integer(2))) }
    offset = reader.offset
  }

  /// Writes the header, without extensions.
  package func encode(into buffer: inout ByteBuffer) {
    let size: UInt8 =
      switch destination {
      case .none: 0
      case .node: 1
      case .group: 2
      }
    buffer.append((source == nil ? 0 : 0x04) | size)
    buffer.appendLittleEndian(UInt64(session), width: 2)
    buffer.append(securityFlags & ~Self.extensions)
    buffer.appendLittleEndian(UInt64(counter), width: 4)
    if let source { buffer.appendLittleEndian(source, width: 8) }
    switch destination {
    case .none: break
    case .node(let node): buffer.appendLittleEndian(node, width: 8)
    case .group(let group): buffer.appendLittleEndian(UInt64(group), width: 2)
    }
  }
}

/// Bytes that are no message.
package enum MessageError: Error, Equatable {
  /// The bytes end inside a header or a report.
  case truncated
  /// A version other than 0.
  case version(UInt8)
  /// A session type that Matter reserves.
  case sessionType(UInt8)
  /// A form of the destination that Matter reserves.
  case destination
}

extension MessageError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .truncated: "the message ends inside its header or its report"
    case .version(let version): "the message has version \(version), which is not known: version 0 is"
    case .sessionType(let type): "the message has the reserved session type \(type)"
    case .destination: "the message has a reserved form of its destination"
    }
  }
}

/// Reads little-endian integers.
struct OctetReader {
  let bytes: [UInt8]
  private(set) var offset: Int

  init(_ bytes: [UInt8], _ offset: Int = 0) { (self.bytes, self.offset) = (bytes, offset) }

  mutating func byte() throws(MessageError) -> UInt8 { UInt8(try integer(1)) }

  /// - Parameter width: 1...8 bytes.
  mutating func integer(_ width: Int) throws(MessageError) -> UInt64 {
    guard let value = bytes.littleEndian(width, at: offset) else { throw .truncated }
    offset += width
    return value
  }

  mutating func skip(_ count: Int) throws(MessageError) {
    guard bytes.count - offset >= count else { throw .truncated }
    offset += count
  }
}
