import HAPModel
import MatterModel

extension InteractionStatus {
  /// The status for a read or a write that the accessory has refused; nil: success.
  init?(refusal status: HAPStatus) {
    let code: Code
    switch status {
    case .success: return nil
    case .insufficientPrivileges, .insufficientAuthorization: code = .unsupportedAccess
    // The specification has no status for a device that is offline.
    case .unableToCommunicate: code = .failure
    case .busy: code = .busy
    case .readOnly: code = .unsupportedWrite
    case .writeOnly: code = .unsupportedRead
    case .notificationUnsupported: code = .unreportableAttribute
    case .outOfResources: code = .resourceExhausted
    case .timedOut: code = .timeout
    case .doesNotExist: code = .unsupportedAttribute
    case .invalidValue: code = .constraintError
    case .notAllowedInCurrentState: code = .invalidInState
    }
    self.init(code)
  }
}
