import HAPModel
import HAPPairing
import HAPStore
import HAPTransport
import HAPWire

extension ControllerError {
  /// - Parameter subject: the accessory or object that the operation was for.
  package init(_ error: any Error, _ subject: String) {
    if let error = error as? ControllerError {
      self = error
    } else {
      let known = ControllerError(translating: error, subject)
      self.init(known.kind, known.subject, known.reason, known.advice, cause: error)
    }
  }

  private init(translating error: any Error, _ subject: String) {
    switch error {
    case let error as AccessError: self.init(error, subject)
    case let error as ClientError: self.init(error, subject)
    case SetupSecretError.noCode:
      self.init(.malformed, subject, "the setup payload has no setup code", "give the setup code of the label")
    case SetupSecretError.bluetoothOnly:
      self.init(
        .notSupported, subject, "the accessory supports HAP over Bluetooth LE only",
        "use a controller with Bluetooth LE")
    case is SetupCodeError, is SetupPayloadError:
      self.init(.malformed, subject, "\(error)", "give a code such as 031-45-154, or the text of the QR code")
    case is CancellationError: self.init(.cancelled, subject, "the task was cancelled")
    default: self.init(.storage, subject, "\(error)")
    }
  }

  /// - Parameter trouble: the reason why the network can't be searched.
  init(noSearch trouble: String, _ subject: String) {
    self.init(.notFound, subject, "the network can't be searched: \(trouble)", "check the network interfaces")
  }

  private init(_ error: AccessError, _ subject: String) {
    switch error {
    case .noPairing(_, let nearest), .notFound(_, _, nil, let nearest):
      let advice = nearest.map { "a similar name is \"\($0)\"" }
      if case .noPairing = error {
        self.init(.notPaired, subject, "no stored pairing has this name, device ID or address", advice)
      } else {
        self.init(.notFound, subject, "no accessory of this name was found on the network", advice)
      }
    case .notFound(_, _, let trouble?, _):
      self.init(noSearch: trouble, subject)
    case .ambiguous(_, let found):
      self.init(
        .ambiguous, subject, "\(found.count) accessories on the network have this name", "use an address instead")
    case .notPaired: self.init(.notPaired, subject, "the accessory has no stored pairing", "pair with it first")
    case .malformedAddress(let text, let reason):
      self.init(.malformed, text, reason, "give an address such as 192.0.2.7:51826")
    case .nameTaken(let name):
      self.init(.nameTaken, name, "a stored pairing already has this name", "choose another name")
    case .otherAccessory(let found, let id):
      self.init(
        .otherAccessory, found.name, "the accessory's setup hash doesn't match setup ID \(id)",
        "use the setup payload of this accessory")
    case .pairedHere(let name):
      self.init(.alreadyPaired, subject, "the accessory is already paired with this controller, as \"\(name)\"")
    case .pairSetup(let failure): self.init(pairSetup: failure, subject)
    case .noIdentify: self.init(.notSupported, subject, "the accessory has no characteristic Identify")
    case .identifyRefused(let status): self.init(.refused, subject, "the accessory refused Identify: status \(status)")
    case .identifyForbidden(let status):
      self.init(
        .alreadyPaired, subject, "the accessory refused Identify with \(status): another controller is paired",
        "identify it with that controller")
    case .unreadablePairings:
      self.init(.malformedMessage, subject, "an entry of the list of pairings has no identifier or no key")
    case .pairingsRefused(let code):
      let name = PairingError(rawValue: code).map { "\($0)" } ?? "\(code)"
      self.init(.refused, subject, "the accessory refused the change of its pairings: error \(name)")
    }
  }

  private init(pairSetup failure: PairingFailure, _ subject: String) {
    guard case .refused(let code) = failure.cause else {
      self.init(.malformedMessage, subject, failure.message)
      return
    }
    switch PairingError(rawValue: code) {
    case .authentication? where failure.step == 4:
      self.init(.wrongSetupCode, subject, "the setup code is wrong", "see the label, box or screen of the accessory")
    case .maxTries?:
      self.init(
        .refused, subject, "the accessory refuses further setup codes after too many wrong ones",
        "reset it to factory settings")
    case .unavailable?:
      self.init(
        .alreadyPaired, subject, "the accessory is paired with another controller",
        "add a pairing with that controller, or reset the accessory")
    case .busy?: self.init(.refused, subject, "another controller is pairing with the accessory", "try again later")
    case .backoff?: self.init(.refused, subject, "the accessory accepts no new attempt yet", "try again later")
    case .maxPeers?:
      self.init(.refused, subject, "the accessory has no space for another pairing", "remove a pairing from it")
    case .authentication?, .unknown?, nil: self.init(.refused, subject, failure.message)
    }
  }

  private init(_ error: ClientError, _ subject: String) {
    let kind: Kind
    var advice: String?
    switch error {
    case .unreachable: (kind, advice) = (.unreachable, "check that it is switched on and has this address")
    case .timedOut: kind = .timedOut
    case .closed, .lost, .flooded: kind = .connectionLost
    case .notSent, .crowded: kind = .notSent
    case .cancelled: kind = .cancelled
    // Nothing was written.
    case .status(_, "PUT /prepare"): (kind, advice) = (.refused, "write again; nothing was written")
    case .status: kind = .refused
    case .unasked, .malformed, .noTLV, .body: kind = .malformedMessage
    case .pairing(let failure):
      switch failure.cause {
      case .refused(PairingError.authentication.rawValue), .wrongSignature:
        (kind, advice) = (.pairingRevoked, "forget the pairing and pair again")
      case .refused: (kind, advice) = (.refused, "try again later")
      case .otherAccessory: kind = .otherAccessory
      default: kind = .malformedMessage
      }
    }
    self.init(kind, subject, "\(error)", advice)
  }
}
