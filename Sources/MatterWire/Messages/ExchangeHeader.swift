import HAPWire

/// The header of the sealed part: the exchange, and what the message is. Matter 1.4 §4.4.3 ("protocol header").
package struct ExchangeHeader: Hashable, Sendable {
  /// A protocol of a vendor. 0 is Matter itself.
  package struct ProtocolID: Hashable, Sendable {
    package var vendor: UInt16
    package var number: UInt16

    package init(vendor: UInt16 = 0, _ number: UInt16) { (self.vendor, self.number) = (vendor, number) }

    package static let secureChannel = ProtocolID(0)
    package static let interactionModel = ProtocolID(1)
  }

  /// Whether the sender began the exchange (I).
  package var isFromInitiator: Bool
  /// Whether the sender wants an acknowledgement (R).
  package var wantsAcknowledgement: Bool
  package var opcode: UInt8
  package var exchange: UInt16
  package var protocolID: ProtocolID
  /// The counter of the message that this one acknowledges (A).
  package var acknowledged: UInt32?

  package init(
    isFromInitiator: Bool, wantsAcknowledgement: Bool, opcode: UInt8, exchange: UInt16, protocolID: ProtocolID,
    acknowledged: UInt32? = nil
  ) {
    (self.isFromInitiator, self.wantsAcknowledgement) = (isFromInitiator, wantsAcknowledgement)
    (self.opcode, self.exchange, self.protocolID) = (opcode, exchange, protocolID)
    self.acknowledged = acknowledged
  }

  /// Reads a header. Extensions are skipped.
  /// - Parameter offset: set to the first byte of the payload.
  package init(_ bytes: [UInt8], offset: inout Int) throws(MessageError) {
    var reader = OctetReader(bytes, offset)
    let flags = try reader.byte()
    (isFromInitiator, wantsAcknowledgement) = (flags & 0x01 != 0, flags & 0x04 != 0)
    opcode = try reader.byte()
    exchange = UInt16(try reader.integer(2))
    // The order is that of matter.js and of older releases of connectedhomeip. No known device sends a vendor.
    let vendor = flags & 0x10 != 0 ? UInt16(try reader.integer(2)) : 0
    protocolID = ProtocolID(vendor: vendor, UInt16(try reader.integer(2)))
    acknowledged = flags & 0x02 != 0 ? UInt32(try reader.integer(4)) : nil
    if flags & 0x08 != 0 { try reader.skip(Int(try reader.integer(2))) }
    offset = reader.offset
  }

  package func encode(into buffer: inout ByteBuffer) {
    var flags: UInt8 = isFromInitiator ? 0x01 : 0
    if acknowledged != nil { flags |= 0x02 }
    if wantsAcknowledgement { flags |= 0x04 }
    if protocolID.vendor != 0 { flags |= 0x10 }
    buffer.append(flags)
    buffer.append(opcode)
    buffer.appendLittleEndian(UInt64(exchange), width: 2)
    if protocolID.vendor != 0 { buffer.appendLittleEndian(UInt64(protocolID.vendor), width: 2) }
    buffer.appendLittleEndian(UInt64(protocolID.number), width: 2)
    if let acknowledged { buffer.appendLittleEndian(UInt64(acknowledged), width: 4) }
  }
}
