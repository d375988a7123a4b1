import HAPPairing
import HAPWire

extension Failure {
  /// The failure of a Pair Setup.
  init(pairSetup failure: PairingFailure) {
    let message =
      switch failure.refusal {
      case .authentication? where failure.step == 4:
        "the code is wrong; it is on the accessory's label, box or screen. After too many wrong codes, the accessory rejects all codes"
      case .authentication?: "the accessory rejects hapctl's proof (\(failure.message)); try again"
      case .maxTries?:
        "the accessory has received too many wrong codes, and now rejects the right code too: reset it to factory settings, as its manual describes"
      case .unavailable?:
        "the accessory is already paired with another controller: remove that pairing with that controller, or reset the accessory"
      case .busy?: "another controller is pairing with the accessory; try again in half a minute"
      case .backoff?: "the accessory asks to wait \(failure.waitText) before the next try"
      case .maxPeers?: "the accessory has no room for another pairing; remove one, or reset it"
      case .unknown?, nil:
        switch failure.cause {
        case .wrongProof: "\(failure.message): another device answers at its address, or it is defective"
        default: "pairing failed: \(failure.message)"
        }
      }
    self.init(.problem, message)
  }

  /// The failure of a Pair Verify.
  init(pairVerify failure: PairingFailure) {
    let again = "delete the pairing ('hapctl unpair … --forget') and pair again"
    let message =
      switch (failure.refusal, failure.cause) {
      case (.authentication?, _):
        "the accessory no longer has this pairing: it was reset, or the pairing was removed; \(again)"
      case (.maxTries?, _), (.busy?, _), (.unavailable?, _):
        "the accessory refuses the session for now (\(failure.message)); try again later"
      case (.backoff?, _): "the accessory asks to wait \(failure.waitText) before the next try"
      case (_, .otherAccessory):
        "\(failure.message): the intended accessory has another address now, or was reset; if it was reset, \(again)"
      case (_, .wrongSignature):
        "\(failure.message): it was reset, or another device answers at its address; if it was reset, \(again)"
      default: "the session can't be established: \(failure.message)"
      }
    self.init(.problem, message)
  }
}

extension PairingFailure {
  /// The error code from the accessory; nil if it sent none, or one that HAP doesn't define.
  fileprivate var refusal: PairingError? {
    if case .refused(let code) = cause { PairingError(rawValue: code) } else { nil }
  }

  fileprivate var waitText: String { retryDelay.map { "\($0) s" } ?? "a while" }
}
