import HAPCrypto
import MatterModel
import MatterWire

/// The cluster AdministratorCommissioning. Matter 1.4 §11.19.
extension MatterNode {
  private enum WindowError: UInt8 {
    case busy = 2
    case passcodeParameters = 3
    case notOpen = 4

    var status: InteractionStatus { InteractionStatus(.failure, cluster: rawValue) }
  }

  func administratorCommissioningValue(_ attribute: AttributeNumber) -> Element.Value? {
    switch attribute {
    case 0: .number(window?.status ?? 0)
    case 1: .optional(window?.opener?.fabric)
    case 2: .optional(window?.opener?.vendor)
    default: nil
    }
  }

  mutating func invokeAdministratorCommissioning(
    _ command: CommandNumber, _ fields: FieldReader, for subject: Subject
  ) throws(InteractionStatus) -> CommandOutcome {
    switch command {
    case 0: try openEnhancedWindow(fields, for: subject)
    case 1: try openBasicWindow(fields, for: subject)
    case 2: try revoke()
    default: throw InteractionStatus(.unsupportedCommand)
    }
    return .status(.success)
  }

  private mutating func openEnhancedWindow(_ fields: FieldReader, for subject: Subject) throws(InteractionStatus) {
    let timeout: UInt16 = try fields.number(0)
    let bytes = try fields.octets(1, count: 0...Int.max)
    let discriminator: UInt16 = try fields.number(2)
    let iterations: UInt32 = try fields.number(3)
    let salt = try fields.octets(4, count: 0...Int.max)
    let opener = try windowOpener(subject)
    guard let verifier = SPAKE2Plus.Verifier(SecretBytes(bytes)),
      let passcode = PasscodeAccess(verifier: verifier, iterations: Int(iterations), salt: salt)
    else { throw WindowError.passcodeParameters.status }
    guard NodeWindow.timeouts.contains(timeout), discriminator <= OnboardingLimits.mostDiscriminator else {
      throw InteractionStatus(.invalidCommand)
    }
    open(
      CommissioningWindow(
        kind: .enhanced, passcode: passcode, discriminator: discriminator, deadline: now + .seconds(timeout),
        instance: drawInstance(), opener: opener))
  }

  private mutating func openBasicWindow(_ fields: FieldReader, for subject: Subject) throws(InteractionStatus) {
    let timeout: UInt16 = try fields.number(0)
    let opener = try windowOpener(subject)
    guard NodeWindow.timeouts.contains(timeout) else { throw InteractionStatus(.invalidCommand) }
    var next = ownWindow(until: now + .seconds(timeout))
    next.opener = opener
    open(next)
  }

  /// Checks that a window can be opened by the subject.
  private func windowOpener(_ subject: Subject) throws(InteractionStatus) -> CommissioningWindow.Opener {
    guard let fabric = state[subject.fabric] else { throw WindowError.passcodeParameters.status }
    guard window == nil, failSafe == nil else { throw WindowError.busy.status }
    return CommissioningWindow.Opener(fabric: fabric.index, vendor: fabric.vendor)
  }

  private mutating func revoke() throws(InteractionStatus) {
    guard window != nil else { throw WindowError.notOpen.status }
    expireFailSafe("the window was revoked")
    endWindow(.revoked)
  }
}
