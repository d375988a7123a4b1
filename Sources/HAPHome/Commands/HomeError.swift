/// The reason why a command was refused, with the number that Apple's API has for it. A refused command changes nothing.
public struct HomeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The numbers of HMError, as far as this project gives them. Headers of the iOS 16.4 SDK.
  public enum Code: Int, CaseIterable, Hashable, Sendable {
    case unexpectedError = -1
    case alreadyExists = 1
    case notFound = 2
    case invalidParameter = 3
    case accessoryNotReachable = 4
    case readOnlyCharacteristic = 5
    case writeOnlyCharacteristic = 6
    case notificationNotSupported = 7
    case operationTimedOut = 8
    case objectAssociatedToAnotherHome = 11
    case objectNotAssociatedToAnyHome = 12
    case objectAlreadyAssociatedToHome = 13
    case accessoryIsBusy = 14
    case accessoryOutOfResources = 16
    case insufficientPrivileges = 17
    case accessoryPairingFailed = 18
    case operationCancelled = 23
    case roomForHomeCannotBeInZone = 24
    case noActionsInActionSet = 25
    case noRegisteredActionSets = 26
    case fireDateInPast = 28
    case roomForHomeCannotBeUpdated = 29
    case actionInAnotherActionSet = 30
    case objectWithSimilarNameExistsInHome = 31
    case homeWithSimilarNameExists = 32
    case renameWithSimilarName = 33
    case cannotRemoveNonBridgeAccessory = 34
    case nameContainsProhibitedCharacters = 35
    case nameDoesNotStartWithValidCharacters = 36
    case recurrenceTooSmall = 42
    case invalidValueType = 43
    case valueLowerThanMinimum = 44
    case valueHigherThanMaximum = 45
    case stringLongerThanMaximum = 46
    case operationNotSupported = 48
    case maximumObjectLimitReached = 49
    case accessorySentInvalidResponse = 50
    case stringShorterThanMinimum = 51
    case communicationFailure = 54
    case messageAuthenticationFailed = 55
    case accessoryDiscoveryFailed = 57
    case nameDoesNotEndWithValidCharacters = 60
    case accessoryIsBlocked = 61
    case invalidAssociatedServiceType = 62
    case actionSetExecutionFailed = 63
    case actionSetExecutionPartialSuccess = 64
    case actionSetExecutionInProgress = 65
    case dateMustBeOnSpecifiedBoundaries = 70
    case cannotActivateTriggerTooFarInFuture = 71
    case recurrenceTooLarge = 72
    case networkUnavailable = 78
    case cannotUnblockNonBridgeAccessory = 81
    case cannotRemoveBuiltinActionSet = 83
    case locationForHomeDisabled = 84
    case invalidOrMissingAuthorizationData = 87
    case bridgedAccessoryNotReachable = 88
    case noHomeHub = 91
  }

  /// The number.
  public let code: Code
  /// The rule of home.md §4 that refused the command; nil for other errors.
  public let rule: HomeRule?
  /// What was refused, on which object, and what to do.
  public let message: String

  /// Creates an error.
  public init(_ code: Code, _ rule: HomeRule?, _ message: String) {
    (self.code, self.rule, self.message) = (code, rule, message)
  }

  /// The message, with the rule.
  public var description: String { rule.map { "\(message) (rule \($0.rawValue))" } ?? message }
}

/// The invariants of a home. docs/internals/home.md lists them.
public enum HomeRule: String, CaseIterable, Hashable, Sendable {
  case n1 = "N1"
  case n2 = "N2"
  case n3 = "N3"
  case n4 = "N4"
  case n5 = "N5"
  case n6 = "N6"
  case n7 = "N7"
  case o1 = "O1"
  case o2 = "O2"
  case r1 = "R1"
  case r2 = "R2"
  case z1 = "Z1"
  case a1 = "A1"
  case a2 = "A2"
  case a3 = "A3"
  case s1 = "S1"
  case s2 = "S2"
  case s3 = "S3"
  case s4 = "S4"
  case t1 = "T1"
  case t2 = "T2"
  case t3 = "T3"
  case t4 = "T4"
  case t5 = "T5"
  case t6 = "T6"
  case t7 = "T7"
  case t8 = "T8"
  case u1 = "U1"
  case l1 = "L1"
}
