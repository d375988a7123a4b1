import HAPHome
import HAPHomeFile
import HAPWeb

extension WebProblem {
  /// Has the number of Apple's API, and the rule.
  init(_ error: HomeError) {
    self.init(error.code.status, error.code.word, error.message)
    (number, rule) = (error.code.rawValue, error.rule?.rawValue)
  }

  static func unknown(_ kind: String, _ text: String, _ hint: String = "") -> WebProblem {
    WebProblem(404, "not-found", "there is no \(kind) \"\(text.prefix(100))\"\(hint)")
  }
}

extension HomeError.Code {
  /// The status of an answer with this error.
  fileprivate var status: Int {
    switch self {
    case .notFound, .objectNotAssociatedToAnyHome: 404
    case .insufficientPrivileges: 403
    case .accessoryNotReachable, .bridgedAccessoryNotReachable, .networkUnavailable, .noHomeHub, .accessoryIsBusy,
      .accessoryDiscoveryFailed:
      503
    case .operationTimedOut: 504
    case .accessorySentInvalidResponse, .communicationFailure, .messageAuthenticationFailed: 502
    case .unexpectedError: 500
    case .invalidParameter, .nameContainsProhibitedCharacters, .nameDoesNotStartWithValidCharacters,
      .nameDoesNotEndWithValidCharacters, .invalidValueType, .valueLowerThanMinimum, .valueHigherThanMaximum,
      .stringLongerThanMaximum, .stringShorterThanMinimum, .fireDateInPast, .recurrenceTooSmall, .recurrenceTooLarge,
      .dateMustBeOnSpecifiedBoundaries, .cannotActivateTriggerTooFarInFuture, .invalidAssociatedServiceType,
      .invalidOrMissingAuthorizationData:
      422
    case .alreadyExists, .readOnlyCharacteristic, .writeOnlyCharacteristic, .notificationNotSupported,
      .objectAssociatedToAnotherHome, .objectAlreadyAssociatedToHome,
      .accessoryOutOfResources, .accessoryPairingFailed, .operationCancelled, .roomForHomeCannotBeInZone,
      .noActionsInActionSet, .noRegisteredActionSets, .roomForHomeCannotBeUpdated, .actionInAnotherActionSet,
      .objectWithSimilarNameExistsInHome, .homeWithSimilarNameExists, .renameWithSimilarName,
      .cannotRemoveNonBridgeAccessory, .operationNotSupported, .maximumObjectLimitReached, .accessoryIsBlocked,
      .actionSetExecutionFailed, .actionSetExecutionPartialSuccess, .actionSetExecutionInProgress,
      .cannotUnblockNonBridgeAccessory, .cannotRemoveBuiltinActionSet, .locationForHomeDisabled:
      409
    }
  }

  /// The name of the case with hyphens: "not-found".
  var word: String {
    "\(self)".reduce(into: "") { word, letter in
      if letter.isUppercase { word += "-" }
      word += letter.lowercased()
    }
  }
}
