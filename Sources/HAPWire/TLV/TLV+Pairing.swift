/// Item types of pairing messages. HAP R2 §5.15 table 5-6.
package enum TLVType {
  package static let method: UInt8 = 0x00
  package static let identifier: UInt8 = 0x01
  package static let salt: UInt8 = 0x02
  package static let publicKey: UInt8 = 0x03
  package static let proof: UInt8 = 0x04
  package static let encryptedData: UInt8 = 0x05
  package static let state: UInt8 = 0x06
  package static let error: UInt8 = 0x07
  /// Obsolete.
  package static let retryDelay: UInt8 = 0x08
  package static let certificate: UInt8 = 0x09
  package static let signature: UInt8 = 0x0A
  /// Bit 0: admin.
  package static let permissions: UInt8 = 0x0B
  /// Obsolete.
  package static let fragmentData: UInt8 = 0x0C
  /// Obsolete.
  package static let fragmentLast: UInt8 = 0x0D
  package static let sessionID: UInt8 = 0x0E
  package static let flags: UInt8 = 0x13
  package static let separator: UInt8 = 0xFF
}

/// The Method item.
package enum PairingMethod: UInt8, Sendable {
  case pairSetup = 0
  case pairSetupWithAuth = 1
  case pairVerify = 2
  case addPairing = 3
  case removePairing = 4
  case listPairings = 5
  case pairResume = 6
}

/// The Error item. HAP R2 §5.15 table 5-5.
package enum PairingError: UInt8, Sendable, Equatable {
  case unknown = 1
  case authentication = 2
  /// Obsolete.
  case backoff = 3
  case maxPeers = 4
  case maxTries = 5
  case unavailable = 6
  case busy = 7
}

/// The Flags item, little-endian, 1–4 bytes on the wire.
package struct PairingFlags: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let transient = PairingFlags(rawValue: 1 << 4)
  package static let split = PairingFlags(rawValue: 1 << 24)
}

extension TLV {
  /// A message that begins with its State.
  package init(state: UInt8) { self.init([Item(type: TLVType.state, value: [state])]) }

  /// Returns State and Error, the refusal of a pairing procedure.
  package static func error(_ error: PairingError, state: UInt8) -> TLV {
    var message = TLV(state: state)
    message.append(TLVType.error, [error.rawValue])
    return message
  }

  package var state: UInt8? { byte(TLVType.state) }
  package var error: PairingError? { byte(TLVType.error).flatMap(PairingError.init) }
}
