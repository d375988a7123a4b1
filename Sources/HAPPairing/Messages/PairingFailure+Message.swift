import HAPWire

extension PairingFailure {
  /// The error as a text for the user of the controller.
  package var message: String {
    let procedure = "M\(step)"
    return switch cause {
    case .refused(let code):
      switch PairingError(rawValue: code) {
      case .authentication?: "\(procedure): the accessory refuses: authentication failed"
      case .backoff?:
        "\(procedure): the accessory asks to wait \(retryDelay.map { "\($0) s " } ?? "")before the next try"
      case .maxPeers?: "\(procedure): the accessory has no room for another pairing"
      case .maxTries?: "\(procedure): the accessory got too many wrong setup codes and needs a factory reset"
      case .unavailable?: "\(procedure): the accessory is paired already, or can't be paired now"
      case .busy?: "\(procedure): another controller is pairing with the accessory; try again in half a minute"
      case .unknown?, nil: "\(procedure): the accessory refuses with error \(code)"
      }
    case .unexpectedState(let state): "\(procedure): the answer has state \(state.map { "\($0)" } ?? "none")"
    case .unexpectedMessage: "an unexpected answer arrived"
    case .missing(let type): "\(procedure): item \(type) is missing"
    case .wrongLength(let type, let count): "\(procedure): item \(type) has \(count) bytes"
    case .unreadable: "\(procedure): the answer is not TLV8, or an item occurs twice"
    case .worthlessKey: "\(procedure): the accessory's public key is not secure"
    case .wrongProof: "\(procedure): the accessory's proof does not match the setup code"
    case .brokenSeal: "\(procedure): the seal is broken"
    case .wrongSignature: "\(procedure): the accessory's signature is not correct"
    case .otherAccessory(let identifier):
      "\(procedure): the answer is from another accessory, \(String(decoding: identifier, as: UTF8.self))"
    }
  }
}
