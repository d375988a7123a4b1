import HAPIP
import HAPModel

extension Conduct {
  /// The quirks of real stacks, in the order of the documentation. docs/conduct-sources.md has the file and line of each setting.
  ///
  /// Help, profiles, the control API and the documentation read the presets from here. CONTRIBUTING.md says how to add one.
  public static let presets = ConductPresets([homeKitADK, hapNodeJS, hapPython, brutellaHAP, homeSpan])

  /// A time longer than any controller waits. It means "never".
  private static let never = Duration.seconds(86_400)

  /// Apple's HomeKitADK.
  private static let homeKitADK = ConductPreset(
    "homekit-adk", project: "apple/HomeKitADK", release: "master",
    commit: "fb201f98f5fdc7fef6a455054f08b59cca5d1ec8"
  ) { conduct in
    conduct.takeoverCountsFromStart = true
    conduct.proofForms = .stripped
    conduct.setupMethod1 = .internalErrorInM4
    conduct.chunked = .accessories
    conduct.takesChunkedRequests = false
    conduct.noResource = HTTPAnswer(nil, closes: true)
    conduct.deviceDeadline = never
    conduct.coalescing = .seconds(1)
    conduct.sendsFirstEventAtOnce = true
    conduct.immediateEvents = [0x73]
  }

  /// HAP-NodeJS 1.1.0, the library of Homebridge.
  private static let hapNodeJS = ConductPreset(
    "hap-nodejs", project: "homebridge/HAP-NodeJS", release: "v1.1.0",
    commit: "8804db59230b4fc8e2d4a2f9971ea05a3def28d2"
  ) { conduct in
    conduct.setupOutOfOrder = .badRequestWithError
    conduct.tellsBusy = false
    conduct.setupTakeover = never
    conduct.maximumTries = 101
    conduct.keepsFailedTries = false
    conduct.clearsFailedTries = false
    conduct.proofForms = .padded
    conduct.exchangeFailure = .state4
    conduct.heedsSetupFlags = false
    conduct.refusesVerifyMethod = false
    conduct.maximumPairings = 10_000
    conduct.demotionDropsAll = false
    conduct.maximumSessions = 10_000
    conduct.reclaimsAfter = .seconds(3600)
    conduct.takesLongFrames = true
    conduct.unverified = HTTPAnswer(470, .insufficientPrivileges)
    conduct.securesUnknownAddresses = false
    conduct.unknownAddress = HTTPAnswer(404, .doesNotExist)
    conduct.wrongMethod = HTTPAnswer(400, .invalidValue)
    conduct.servesAnyMethod = true
    conduct.malformedBody = HTTPAnswer(500, .busy)
    conduct.malformedQuery = HTTPAnswer(400, .invalidValue)
    conduct.refusesUnknownQueryKeys = false
    conduct.queryFlags = .words
    conduct.emptyWrite = HTTPAnswer(204)
    conduct.refusesDuplicateIDs = true
    conduct.chunked = .all
    conduct.unknownRead = .invalidValue
    conduct.unknownWrite = .invalidValue
    conduct.checksSteps = false
    conduct.takesWholeFloats = true
    conduct.takesFractions = true
    conduct.nullIsMalformed = false
    conduct.nullIsNoValue = true
    conduct.refusesUnknownResponses = false
    conduct.wrongPIDSpends = false
    conduct.immediateEvents = [0x73, 0x126, 0x22, 0x6A]
    conduct.tellsIntermediateValues = true
    conduct.emptyRead = HTTPAnswer(400, .invalidValue)
    conduct.noResource = HTTPAnswer(404, .doesNotExist)
    conduct.malformedPrepare = HTTPAnswer(400, .invalidValue)
    conduct.malformedPrepareBody = HTTPAnswer(500, .busy)
  }

  /// HAP-python, the library of Home Assistant.
  private static let hapPython = ConductPreset(
    "hap-python", project: "ikalchev/HAP-python", release: "v4.9.2",
    commit: "34c96590ff7021d9331346013450588cbb48b7af"
  ) { conduct in
    conduct.setupOutOfOrder = .internalError
    conduct.tellsBusy = false
    conduct.setupTakeover = .zero
    conduct.maximumTries = 0
    conduct.keepsFailedTries = false
    conduct.proofForms = .stripped
    conduct.signatureFailure = .internalErrorWithStatus
    conduct.heedsSetupFlags = false
    conduct.unpairedVerify = .authentication
    conduct.refusesVerifyMethod = false
    conduct.maximumPairings = 10_000
    conduct.overwritesKeys = true
    conduct.closesRemovedSessions = false
    conduct.demotionDropsAll = false
    conduct.maximumSessions = 10_000
    conduct.reclaimsAfter = .seconds(324_000)
    conduct.takesLongFrames = true
    conduct.unverified = HTTPAnswer(401, .insufficientPrivileges)
    conduct.securesUnknownAddresses = false
    conduct.unknownAddress = HTTPAnswer(500, .unableToCommunicate)
    conduct.wrongMethod = HTTPAnswer(500, .unableToCommunicate)
    conduct.malformedBody = HTTPAnswer(500, .unableToCommunicate)
    conduct.malformedQuery = HTTPAnswer(500, .unableToCommunicate)
    conduct.refusesUnknownQueryKeys = false
    conduct.queryFlags = .ignored
    conduct.emptyWrite = HTTPAnswer(204)
    conduct.hasIdentifyAddress = false
    conduct.securesResource = false
    conduct.booleans = .words
    conduct.unknownRead = .unableToCommunicate
    conduct.unknownWrite = .unableToCommunicate
    conduct.skipsUnknownAccessories = true
    conduct.checksPermissions = false
    conduct.outOfRange = .clamp
    conduct.refusedValue = .unableToCommunicate
    conduct.takesWholeFloats = true
    conduct.takesFractions = true
    conduct.nullIsMalformed = false
    conduct.refusesUnknownResponses = false
    conduct.deviceDeadline = never
    conduct.enforcesTimedWrites = false
    conduct.wrongPIDSpends = false
    conduct.laterPrepareReplaces = false
    conduct.executesUnpreparedWrites = true
    conduct.coalescing = .milliseconds(500)
    conduct.immediateEvents = [0x73, 0x126]
    conduct.modelIsName = true
    conduct.emptyRead = HTTPAnswer(500, .unableToCommunicate)
    conduct.noResource = HTTPAnswer(500, .unableToCommunicate)
    conduct.unknownWriteEndsRequest = true
    conduct.refusesIdleEntries = false
    conduct.malformedPrepare = HTTPAnswer(200, .invalidValue)
    conduct.malformedPrepareBody = HTTPAnswer(500, .unableToCommunicate)
  }

  /// brutella/hap 0.0.35, for Go.
  private static let brutellaHAP = ConductPreset(
    "brutella-hap", project: "brutella/hap", release: "v0.0.35",
    commit: "bc03ca629d44dd58570c2979843f9f677818e31c"
  ) { conduct in
    conduct.setupOutOfOrder = .internalErrorWithError
    conduct.setupTakeover = never
    conduct.maximumTries = 0
    conduct.keepsFailedTries = false
    conduct.proofForms = .stripped
    conduct.exchangeFailure = .internalError
    conduct.heedsSetupFlags = false
    conduct.setupMethod1 = .badRequest
    conduct.refusesVerifyMethod = false
    conduct.maximumPairings = 10_000
    conduct.removesUnknownPairings = false
    conduct.listsForAdminsOnly = false
    conduct.listHasState = false
    conduct.listNeedsIdentifier = true
    conduct.demotionDropsAll = false
    conduct.maximumSessions = 10_000
    conduct.reclaimsAfter = never
    conduct.takesLongFrames = true
    conduct.unverified = HTTPAnswer(400, .insufficientPrivileges)
    conduct.securesUnknownAddresses = false
    conduct.malformedBody = HTTPAnswer(400, .invalidValue)
    conduct.malformedQuery = HTTPAnswer(400, .invalidValue)
    conduct.refusesUnknownQueryKeys = false
    conduct.queryFlags = .ones
    conduct.emptyWrite = HTTPAnswer(204)
    conduct.partialWrite = .failures
    conduct.chunked = .longJSON
    conduct.securesResource = false
    conduct.booleans = .words
    conduct.unknownRead = .unableToCommunicate
    conduct.unknownWrite = .unableToCommunicate
    conduct.outOfRange = .clamp
    conduct.checksSteps = false
    conduct.takesWholeFloats = true
    conduct.takesFractions = true
    conduct.nullIsMalformed = false
    conduct.nullIsNoValue = true
    conduct.refusesUnknownResponses = false
    conduct.returnsUnknownResponses = true
    conduct.deviceDeadline = never
    conduct.executesUnpreparedWrites = true
    conduct.coalescing = .zero
    conduct.tellsIntermediateValues = true
    conduct.protocolVersion = .one
    conduct.configurationWrapsToZero = true
    conduct.modelIsName = true
    conduct.emptyRead = HTTPAnswer(400, .invalidValue)
    conduct.refusesIdleEntries = false
    conduct.malformedPrepare = HTTPAnswer(400, .invalidValue)
    conduct.malformedPrepareBody = HTTPAnswer(400, .invalidValue)
  }

  /// HomeSpan 2.1.6, for the ESP32.
  private static let homeSpan = ConductPreset(
    "homespan", project: "HomeSpan/HomeSpan", release: "2.1.6",
    commit: "0a82a56857e311681015f3f406e39eb2308fdce0"
  ) { conduct in
    conduct.setupOutOfOrder = .unknownError
    conduct.tellsBusy = false
    conduct.maximumTries = 0
    conduct.keepsFailedTries = false
    conduct.proofForms = .padded
    conduct.heedsSetupFlags = false
    conduct.setupMethod1 = .unavailable
    conduct.unpairedVerify = .unknown
    conduct.refusesVerifyMethod = false
    conduct.demotionDropsAll = false
    conduct.maximumSessions = 10_000
    conduct.reclaimsAfter = never
    conduct.takesLongFrames = true
    conduct.unverified = HTTPAnswer(470, closes: true)
    conduct.securesUnknownAddresses = false
    conduct.unknownAddress = HTTPAnswer(404, closes: true)
    conduct.wrongMethod = HTTPAnswer(404, closes: true)
    conduct.malformedBody = HTTPAnswer(nil)
    conduct.malformedQuery = HTTPAnswer(404, closes: true)
    conduct.refusesUnknownQueryKeys = false
    conduct.queryFlags = .ones
    conduct.emptyRead = HTTPAnswer(nil)
    conduct.emptyWrite = HTTPAnswer(nil)
    conduct.takesChunkedRequests = false
    conduct.takesAnyHeaderCase = false
    conduct.hasIdentifyAddress = false
    conduct.noResource = HTTPAnswer(404, closes: true)
    conduct.securesResource = false
    conduct.idleEntryIsMalformed = true
    conduct.checksSteps = false
    conduct.checksValidValues = false
    conduct.takesWholeFloats = true
    conduct.takesFractions = true
    conduct.nullIsMalformed = false
    conduct.refusesUnknownResponses = false
    conduct.returnsUnknownResponses = true
    conduct.deviceDeadline = never
    conduct.enforcesTimedWrites = false
    conduct.timedWriteScope = .accessory
    conduct.wrongPIDSpends = false
    conduct.laterPrepareReplaces = false
    conduct.coalescing = .zero
    conduct.tellsUnchanged = true
    conduct.malformedPrepare = HTTPAnswer(200, .invalidValue)
    conduct.malformedPrepareBody = HTTPAnswer(200, .invalidValue)
  }
}
