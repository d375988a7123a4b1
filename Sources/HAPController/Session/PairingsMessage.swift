import HAPIP
import HAPModel
import HAPStore
import HAPTransport
import HAPWire

/// The parser of answers to `POST /pairings`.
enum PairingsMessage {
  /// - Throws: `AccessError.pairingsRefused`; `ClientError` if the answer can't be read.
  static func reply(_ answer: LinkMessage) throws -> TLV {
    let reply = try ControllerConnection.tlv(.success(answer), "POST /pairings").get()
    if let code = reply.byte(TLVType.error) { throw AccessError.pairingsRefused(code) }
    return reply
  }

  /// - Throws: `AccessError.pairingsRefused`, `.unreadablePairings`; `ClientError` if the answer can't be read.
  static func list(_ answer: LinkMessage) throws -> [Pairing] {
    let reply = try reply(answer)
    var pairings: [Pairing] = []
    var (identifier, key, isAdmin): ([UInt8]?, [UInt8]?, Bool) = (nil, nil, false)
    func end() throws {
      if identifier == nil, key == nil { return }
      guard let identifier, let key, key.count == 32 else {
        throw AccessError.unreadablePairings
      }
      pairings.append(Pairing(identifier: identifier, publicKey: key, isAdmin: isAdmin))
    }
    // Separators are between the entries. An identifier always begins an entry.
    for item in reply.items {
      switch item.type {
      case TLVType.separator, TLVType.identifier:
        try end()
        (identifier, key, isAdmin) = (item.type == TLVType.identifier ? item.value : nil, nil, false)
      case TLVType.publicKey: key = item.value
      case TLVType.permissions: isAdmin = (item.value.first ?? 0) & 1 == 1
      default: break
      }
    }
    try end()
    return pairings
  }
}

extension TLV {
  package static let listing = pairingsRequest(.listPairings)

  /// Returns Add Pairing. HAP R2 §5.10.
  package static func adding(_ pairing: Pairing) -> TLV {
    var message = pairingsRequest(.addPairing)
    message.append(TLVType.identifier, pairing.identifier)
    message.append(TLVType.publicKey, pairing.publicKey)
    message.append(TLVType.permissions, [pairing.isAdmin ? 1 : 0])
    return message
  }

  /// Returns Remove Pairing for a controller's own pairing.
  package static func removing(_ pairing: ControllerPairing) -> TLV { removing(pairing.controllerID) }

  /// Returns Remove Pairing. HAP R2 §5.11.
  package static func removing(_ identifier: [UInt8]) -> TLV {
    var message = pairingsRequest(.removePairing)
    message.append(TLVType.identifier, identifier)
    return message
  }

  package static func pairingsRequest(_ method: PairingMethod) -> TLV {
    var message = TLV(state: 1)
    message.append(TLVType.method, [method.rawValue])
    return message
  }
}
