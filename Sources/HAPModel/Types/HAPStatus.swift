/// The `status` of one entry of a HAP response. HAP R2 §6.7.1.4 "HAP Status Codes"; -70412 is newer.
public enum HAPStatus: Int32, Error, Hashable, Sendable, CaseIterable {
  /// Success.
  case success = 0
  /// The controller is not allowed to do this.
  case insufficientPrivileges = -70401
  /// The accessory's device can't be reached.
  case unableToCommunicate = -70402
  /// Busy; try again.
  case busy = -70403
  /// A write to a characteristic without "pw".
  case readOnly = -70404
  /// A read of a characteristic without "pr".
  case writeOnly = -70405
  /// A subscription to a characteristic without "ev".
  case notificationUnsupported = -70406
  /// Not enough memory or other resources.
  case outOfResources = -70407
  /// The device did not answer in time.
  case timedOut = -70408
  /// No such accessory or characteristic.
  case doesNotExist = -70409
  /// The characteristic does not allow the value.
  case invalidValue = -70410
  /// Additional authorization is missing or wrong.
  case insufficientAuthorization = -70411
  /// Not allowed in the current state.
  case notAllowedInCurrentState = -70412
}
