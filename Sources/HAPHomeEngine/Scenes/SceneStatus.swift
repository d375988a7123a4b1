import HAPHome
import HAPModel

extension HomeError.Code {
  /// The number for the HAP status of one entry; nil for success. Apple's table is not public, this one is ours.
  /// - Parameters:
  ///   - status: HAP R2 §6.7.1.4. Any other number than a status gives `accessorySentInvalidResponse`.
  ///   - isBridged: whether the accessory is behind a bridge.
  public init?(status: Int, isBridged: Bool) {
    guard let known = Int32(exactly: status).flatMap(HAPStatus.init(rawValue:)) else {
      self = .accessorySentInvalidResponse
      return
    }
    switch known {
    case .success: return nil
    case .insufficientPrivileges: self = .insufficientPrivileges
    case .unableToCommunicate: self = isBridged ? .bridgedAccessoryNotReachable : .communicationFailure
    case .busy, .notAllowedInCurrentState: self = .accessoryIsBusy
    case .readOnly: self = .readOnlyCharacteristic
    case .writeOnly: self = .writeOnlyCharacteristic
    case .notificationUnsupported: self = .notificationNotSupported
    case .outOfResources: self = .accessoryOutOfResources
    case .timedOut: self = .operationTimedOut
    case .doesNotExist: self = .notFound
    case .invalidValue: self = .invalidValueType
    case .insufficientAuthorization: self = .invalidOrMissingAuthorizationData
    }
  }

  /// The status of an answer as text for a person, with what to do: `the accessory answered with the status -70411: …`.
  /// - Parameter status: HAP R2 §6.7.1.4, or any other number.
  package static func explanation(ofStatus status: Int) -> String {
    let meaning =
      switch Int32(exactly: status).flatMap(HAPStatus.init(rawValue:)) {
      case .success: "success"
      case .insufficientPrivileges: "the controller is not allowed to do this; use an administrator's pairing"
      case .unableToCommunicate: "it can't reach the device; check that the device has power"
      case .busy: "it is busy; try again later"
      case .readOnly: "the characteristic takes no writes"
      case .writeOnly: "the characteristic can't be read"
      case .notificationUnsupported: "the characteristic has no events; read it"
      case .outOfResources: "it has no memory left; try again later, or start it again"
      case .timedOut: "the device did not answer it in time; try again"
      case .doesNotExist: "it has no such characteristic any more; start it again, so that it shows its present ones"
      case .invalidValue: "it does not accept the value; try another"
      case .insufficientAuthorization: "it needs other authorization data; set the data before the write"
      case .notAllowedInCurrentState: "its state does not allow this now; try again later"
      case nil: "HAP has no such status; update the accessory"
      }
    return "the accessory answered with the status \(status): \(meaning)"
  }

  /// The number for a request without a valid answer; nil for an answer that has a status.
  package init?(failure: SceneAnswer) {
    switch failure {
    case .done, .statuses, .refused: return nil
    case .notSent: self = .accessoryNotReachable
    case .connectionLost: self = .communicationFailure
    case .unreadable: self = .accessorySentInvalidResponse
    case .wrongSignature: self = .messageAuthenticationFailed
    }
  }
}

extension SceneResult.Outcome {
  /// The outcome for one entry.
  /// - Parameters:
  ///   - status: the status of the entry; nil if the answer has none.
  ///   - target: the characteristic.
  static func answered(_ status: Int?, by target: SceneTarget) -> Self {
    guard let status else {
      return .unknown(target.error(.accessorySentInvalidResponse, "the answer has no status for it"))
    }
    guard let code = HomeError.Code(status: status, isBridged: target.isBridged) else { return .done }
    return .refused(status: status, target.error(code, HomeError.Code.explanation(ofStatus: status)))
  }

  static func refusedRequest(_ status: Int?, by target: SceneTarget) -> Self {
    // An accessory that refuses the request and reports success contradicts itself.
    let code = status.flatMap { HomeError.Code(status: $0, isBridged: target.isBridged) }
    let reason = status.map { "with the status \($0)" } ?? "without a status"
    return .refused(
      status: status,
      target.error(code ?? .accessorySentInvalidResponse, "the accessory refused the whole request \(reason)"))
  }

  static func notConnected(_ target: SceneTarget) -> Self {
    .notSent(target.error(.notSent, "there is no connection; check that the accessory has power"))
  }

  static func noAnswer(_ target: SceneTarget) -> Self {
    .unknown(target.error(.operationTimedOut, "there was no answer in time; read the value"))
  }

  static func connectionLost(_ target: SceneTarget) -> Self {
    .unknown(target.error(.connectionLost, "the connection ended before the answer; read the value"))
  }

  static func unreadable(_ target: SceneTarget) -> Self {
    .unknown(target.error(.unreadable, "the answer is unreadable; read the value"))
  }

  static func wrongSignature(_ target: SceneTarget) -> Self {
    .unknown(
      target.error(.wrongSignature, "the answer has a wrong authentication tag; read the value"))
  }
}

extension SceneTarget {
  fileprivate func error(_ failure: SceneAnswer, _ reason: String) -> HomeError {
    guard let code = HomeError.Code(failure: failure) else { preconditionFailure("\(failure) is an answer") }
    return error(code, reason)
  }
}
