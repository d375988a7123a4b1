import HAPWire

/// The payload of a StatusReport. Matter 1.4 appendix D.
package struct StatusReport: Hashable, Sendable {
  package enum General: UInt16, Hashable, Sendable {
    case success = 0, failure, badPrecondition, outOfRange, badRequest, unsupported, unexpected, resourceExhausted, busy
    case timeout, `continue`, aborted, invalidArgument, notFound, alreadyExists, permissionDenied, dataLoss,
      messageTooLarge
  }

  /// Codes of the secure channel. Matter 1.4 §4.11.1.3.
  package enum SecureChannelCode: UInt16, Hashable, Sendable, CaseIterable {
    case sessionEstablished = 0
    case noSharedTrustRoots = 1
    case invalidParameter = 2
    case closeSession = 3
    /// The data is the minimum wait in milliseconds, two bytes.
    case busy = 4
    case sessionNotFound = 5
  }

  package var general: General
  /// The vendor in the upper half, the protocol in the lower one.
  package var protocolID: UInt32
  package var code: UInt16
  package var data: [UInt8]

  package init(_ general: General, protocolID: UInt32, code: UInt16, data: [UInt8] = []) {
    (self.general, self.protocolID, self.code, self.data) = (general, protocolID, code, data)
  }

  package init(_ code: SecureChannelCode, data: [UInt8] = []) {
    let general: General =
      switch code {
      case .sessionEstablished, .closeSession: .success
      case .busy: .busy
      case .noSharedTrustRoots, .invalidParameter, .sessionNotFound: .failure
      }
    self.init(general, protocolID: 0, code: code.rawValue, data: data)
  }

  /// The code, if it is one of the secure channel.
  package var secureChannelCode: SecureChannelCode? { protocolID == 0 ? SecureChannelCode(rawValue: code) : nil }

  /// - Throws: `.truncated`; a general code that is not known counts as `failure`.
  package init(decoding payload: [UInt8]) throws(MessageError) {
    var reader = OctetReader(payload)
    general = General(rawValue: UInt16(try reader.integer(2))) ?? .failure
    protocolID = UInt32(try reader.integer(4))
    code = UInt16(try reader.integer(2))
    data = Array(payload[reader.offset...])
  }

  package func encode(into buffer: inout ByteBuffer) {
    buffer.appendLittleEndian(UInt64(general.rawValue), width: 2)
    buffer.appendLittleEndian(UInt64(protocolID), width: 4)
    buffer.appendLittleEndian(UInt64(code), width: 2)
    buffer.append(data)
  }
}
