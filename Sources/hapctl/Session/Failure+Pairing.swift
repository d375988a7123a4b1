import HAPPairing
import HAPWire

extension Failure {
  /// Pair Setup ended without a pairing.
  init(pairSetup failure: PairingFailure) {
    let message =
      switch failure.refusal {
      case .authentication? where failure.step == 4:
        "the code is wrong; it is on the accessory's label, box or screen. After too many wrong ones the accessory takes none any more"
      case .authentication?: "the accessory doesn't believe us (\(failure.message)); try again"
      case .maxTries?:
        "the accessory has seen too many wrong codes, and takes no more, not even the right one: reset it to factory settings, as its manual says"
      case .unavailable?:
        "the accessory is paired already, with another controller: remove it there ('hapctl pairings add' lets a second one in), or reset it"
      case .busy?: "another controller is pairing with the accessory; try again in half a minute"
      case .backoff?: "the accessory asks to wait \(failure.waitText) before the next try"
      case .maxPeers?: "the accessory has no room for another pairing; remove one, or reset it"
      case .unknown?, nil:
        switch failure.cause {
        case .wrongProof: "\(failure.message): somebody else answers in its place, or it is broken"
        default: "pairing failed: \(failure.message)"
        }
      }
    self.init(.problem, message)
  }

  /// Pair Verify ended without a session.
  init(pairVerify failure: PairingFailure) {
    let again = "forget it ('hapctl unpair … --forget') and pair again"
    let message =
      switch (failure.refusal, failure.cause) {
      case (.authentication?, _):
        "the accessory doesn't know this pairing any more: it was reset, or somebody removed us; \(again)"
      case (.maxTries?, _), (.busy?, _), (.unavailable?, _):
        "the accessory can't now (\(failure.message)); try again later"
      case (.backoff?, _): "the accessory asks to wait \(failure.waitText) before the next try"
      case (_, .otherAccessory):
        "\(failure.message): the one that is meant has another address now, or was reset; in that case \(again)"
      case (_, .wrongSignature):
        "\(failure.message): it was reset, or somebody else answers in its place; if it was reset, \(again)"
      default: "the session can't be made: \(failure.message)"
      }
    self.init(.problem, message)
  }
}

extension PairingFailure {
  /// The error that the accessory named; nil: it named none, or one that HAP doesn't have.
  fileprivate var refusal: PairingError? {
    if case .refused(let code) = cause { PairingError(rawValue: code) } else { nil }
  }

  fileprivate var waitText: String { retryDelay.map { "\($0) s" } ?? "a while" }
}
