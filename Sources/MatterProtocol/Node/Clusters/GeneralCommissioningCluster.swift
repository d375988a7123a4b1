import MatterModel
import MatterWire

/// The cluster GeneralCommissioning. Matter 1.4 §11.10.
extension MatterNode {
  private enum CommissioningError: UInt8 {
    case none, valueOutsideRange, invalidAuthentication, noFailSafe, busyWithOtherAdmin
  }

  func generalCommissioningValue(_ attribute: AttributeNumber) -> Element.Value? {
    switch attribute {
    case 0: .number(breadcrumb)
    // The usual and the maximum time of the fail-safe, in seconds.
    case 1: .fields([(0, .unsigned(60)), (1, .number(FailSafe.mostSeconds))])
    case 2: .number(state.regulatoryConfig)
    // Indoor and outdoor.
    case 3: .unsigned(2)
    case 4: .bool(true)
    default: nil
    }
  }

  mutating func invokeGeneralCommissioning(
    _ command: CommandNumber, _ fields: FieldReader, for subject: Subject
  ) throws(InteractionStatus) -> CommandOutcome {
    let error =
      switch command {
      case 0: try armFailSafe(fields, for: subject)
      case 2: try setRegulatoryConfig(fields, for: subject)
      case 4: completeCommissioning(for: subject)
      default: throw InteractionStatus(.unsupportedCommand)
      }
    return .response(command + 1, [Element(.context(0), .number(error.rawValue)), Element(.context(1), .text(""))])
  }

  private mutating func armFailSafe(
    _ fields: FieldReader, for subject: Subject
  ) throws(InteractionStatus) -> CommissioningError {
    let seconds: UInt16 = try fields.number(0)
    let breadcrumb: UInt64 = try fields.number(1)
    if let failSafe {
      guard failSafe.fabric == subject.fabric else { return .busyWithOtherAdmin }
    } else if window != nil, case .node = subject {
      // The commissioner for whom the window was opened comes first.
      return .busyWithOtherAdmin
    }
    if seconds == 0 {
      expireFailSafe("the commissioner has disarmed the fail-safe")
    } else {
      arm(for: subject, seconds: seconds)
      setBreadcrumb(breadcrumb)
    }
    return .none
  }

  private mutating func setRegulatoryConfig(
    _ fields: FieldReader, for subject: Subject
  ) throws(InteractionStatus) -> CommissioningError {
    let config: UInt8 = try fields.number(0)
    let location = try fields.text(1, byteCount: NodeState.locationBytes...NodeState.locationBytes)
    let breadcrumb: UInt64 = try fields.number(2)
    guard config <= 2 else { return .valueOutsideRange }
    change(by: subject) { ($0.regulatoryConfig, $0.location) = (config, location) }
    setBreadcrumb(breadcrumb)
    return .none
  }

  private mutating func completeCommissioning(for subject: Subject) -> CommissioningError {
    guard let failSafe else { return .noFailSafe }
    guard case .node(_, fabric: failSafe.fabric, tags: _) = subject, failSafe.fabric != 0 else {
      return .invalidAuthentication
    }
    completeCommissioning()
    return .none
  }
}
