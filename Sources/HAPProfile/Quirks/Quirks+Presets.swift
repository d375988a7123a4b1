import HAPIP
import HAPModel

extension Quirks {
  /// The quirks of real stacks, in the order of the documentation. docs/internals/quirks-sources.md has the file and line of each setting.
  ///
  /// Help, profiles, the control API and the documentation read the presets from here. CONTRIBUTING.md says how to add one.
  public static let presets = QuirksPresets([homeKitADK, hapNodeJS, hapPython, brutellaHAP, homeSpan])

  /// A time longer than any controller waits. It means "never".
  private static let never = Duration.seconds(86_400)

  /// Apple's HomeKitADK.
  private static let homeKitADK = QuirksPreset(
    "homekit-adk", project: "apple/HomeKitADK", release: "master",
    commit: "fb201f98f5fdc7fef6a455054f08b59cca5d1ec8"
  ) { quirks in
    quirks.takeoverCountsFromStart = true
    quirks.proofForms = .stripped
    quirks.setupMethod1 = .internalErrorInM4
    quirks.chunked = .accessories
    quirks.takesChunkedRequests = false
    quirks.noResource = HTTPAnswer(nil, closes: true)
    quirks.deviceDeadline = never
    quirks.coalescing = .seconds(1)
    quirks.sendsFirstEventAtOnce = true
    quirks.immediateEvents = [0x73]
  }

  /// HAP-NodeJS 1.1.0, the library of Homebridge.
  private static let hapNodeJS = QuirksPreset(
    "hap-nodejs", project: "homebridge/HAP-NodeJS", release: "v1.1.0",
    commit: "8804db59230b4fc8e2d4a2f9971ea05a3def28d2"
  ) { quirks in
    quirks.setupOutOfOrder = .badRequestWithError
    quirks.tellsBusy = false
    quirks.setupTakeover = never
    quirks.maximumTries = 101
    quirks.keepsFailedTries = false
    quirks.clearsFailedTries = false
    quirks.proofForms = .padded
    quirks.exchangeFailure = .state4
    quirks.heedsSetupFlags = false
    quirks.refusesVerifyMethod = false
    quirks.maximumPairings = 10_000
    quirks.demotionDropsAll = false
    quirks.maximumSessions = 10_000
    quirks.reclaimsAfter = .seconds(3600)
    quirks.takesLongFrames = true
    quirks.unverified = HTTPAnswer(470, .insufficientPrivileges)
    quirks.securesUnknownAddresses = false
    quirks.unknownAddress = HTTPAnswer(404, .doesNotExist)
    quirks.wrongMethod = HTTPAnswer(400, .invalidValue)
    quirks.servesAnyMethod = true
    quirks.malformedBody = HTTPAnswer(500, .busy)
    quirks.malformedQuery = HTTPAnswer(400, .invalidValue)
    quirks.refusesUnknownQueryKeys = false
    quirks.queryFlags = .words
    quirks.emptyWrite = HTTPAnswer(204)
    quirks.refusesDuplicateIDs = true
    quirks.chunked = .all
    quirks.unknownRead = .invalidValue
    quirks.unknownWrite = .invalidValue
    quirks.checksSteps = false
    quirks.takesWholeFloats = true
    quirks.takesFractions = true
    quirks.nullIsMalformed = false
    quirks.nullIsNoValue = true
    quirks.refusesUnknownResponses = false
    quirks.wrongPIDSpends = false
    quirks.immediateEvents = [0x73, 0x126, 0x22, 0x6A]
    quirks.tellsIntermediateValues = true
    quirks.emptyRead = HTTPAnswer(400, .invalidValue)
    quirks.noResource = HTTPAnswer(404, .doesNotExist)
    quirks.malformedPrepare = HTTPAnswer(400, .invalidValue)
    quirks.malformedPrepareBody = HTTPAnswer(500, .busy)
  }

  /// HAP-python, the library of Home Assistant.
  private static let hapPython = QuirksPreset(
    "hap-python", project: "ikalchev/HAP-python", release: "v4.9.2",
    commit: "34c96590ff7021d9331346013450588cbb48b7af"
  ) { quirks in
    quirks.setupOutOfOrder = .internalError
    quirks.tellsBusy = false
    quirks.setupTakeover = .zero
    quirks.maximumTries = 0
    quirks.keepsFailedTries = false
    quirks.proofForms = .stripped
    quirks.signatureFailure = .internalErrorWithStatus
    quirks.heedsSetupFlags = false
    quirks.unpairedVerify = .authentication
    quirks.refusesVerifyMethod = false
    quirks.maximumPairings = 10_000
    quirks.overwritesKeys = true
    quirks.closesRemovedSessions = false
    quirks.demotionDropsAll = false
    quirks.maximumSessions = 10_000
    quirks.reclaimsAfter = .seconds(324_000)
    quirks.takesLongFrames = true
    quirks.unverified = HTTPAnswer(401, .insufficientPrivileges)
    quirks.securesUnknownAddresses = false
    quirks.unknownAddress = HTTPAnswer(500, .unableToCommunicate)
    quirks.wrongMethod = HTTPAnswer(500, .unableToCommunicate)
    quirks.malformedBody = HTTPAnswer(500, .unableToCommunicate)
    quirks.malformedQuery = HTTPAnswer(500, .unableToCommunicate)
    quirks.refusesUnknownQueryKeys = false
    quirks.queryFlags = .ignored
    quirks.emptyWrite = HTTPAnswer(204)
    quirks.hasIdentifyAddress = false
    quirks.securesResource = false
    quirks.booleans = .words
    quirks.unknownRead = .unableToCommunicate
    quirks.unknownWrite = .unableToCommunicate
    quirks.skipsUnknownAccessories = true
    quirks.checksPermissions = false
    quirks.outOfRange = .clamp
    quirks.refusedValue = .unableToCommunicate
    quirks.takesWholeFloats = true
    quirks.takesFractions = true
    quirks.nullIsMalformed = false
    quirks.refusesUnknownResponses = false
    quirks.deviceDeadline = never
    quirks.enforcesTimedWrites = false
    quirks.wrongPIDSpends = false
    quirks.laterPrepareReplaces = false
    quirks.executesUnpreparedWrites = true
    quirks.coalescing = .milliseconds(500)
    quirks.immediateEvents = [0x73, 0x126]
    quirks.modelIsName = true
    quirks.emptyRead = HTTPAnswer(500, .unableToCommunicate)
    quirks.noResource = HTTPAnswer(500, .unableToCommunicate)
    quirks.unknownWriteEndsRequest = true
    quirks.refusesIdleEntries = false
    quirks.malformedPrepare = HTTPAnswer(200, .invalidValue)
    quirks.malformedPrepareBody = HTTPAnswer(500, .unableToCommunicate)
  }

  /// brutella/hap 0.0.35, for Go.
  private static let brutellaHAP = QuirksPreset(
    "brutella-hap", project: "brutella/hap", release: "v0.0.35",
    commit: "bc03ca629d44dd58570c2979843f9f677818e31c"
  ) { quirks in
    quirks.setupOutOfOrder = .internalErrorWithError
    quirks.setupTakeover = never
    quirks.maximumTries = 0
    quirks.keepsFailedTries = false
    quirks.proofForms = .stripped
    quirks.exchangeFailure = .internalError
    quirks.heedsSetupFlags = false
    quirks.setupMethod1 = .badRequest
    quirks.refusesVerifyMethod = false
    quirks.maximumPairings = 10_000
    quirks.removesUnknownPairings = false
    quirks.listsForAdminsOnly = false
    quirks.listHasState = false
    quirks.listNeedsIdentifier = true
    quirks.demotionDropsAll = false
    quirks.maximumSessions = 10_000
    quirks.reclaimsAfter = never
    quirks.takesLongFrames = true
    quirks.unverified = HTTPAnswer(400, .insufficientPrivileges)
    quirks.securesUnknownAddresses = false
    quirks.malformedBody = HTTPAnswer(400, .invalidValue)
    quirks.malformedQuery = HTTPAnswer(400, .invalidValue)
    quirks.refusesUnknownQueryKeys = false
    quirks.queryFlags = .ones
    quirks.emptyWrite = HTTPAnswer(204)
    quirks.partialWrite = .failures
    quirks.chunked = .longJSON
    quirks.securesResource = false
    quirks.booleans = .words
    quirks.unknownRead = .unableToCommunicate
    quirks.unknownWrite = .unableToCommunicate
    quirks.outOfRange = .clamp
    quirks.checksSteps = false
    quirks.takesWholeFloats = true
    quirks.takesFractions = true
    quirks.nullIsMalformed = false
    quirks.nullIsNoValue = true
    quirks.refusesUnknownResponses = false
    quirks.returnsUnknownResponses = true
    quirks.deviceDeadline = never
    quirks.executesUnpreparedWrites = true
    quirks.coalescing = .zero
    quirks.tellsIntermediateValues = true
    quirks.protocolVersion = .one
    quirks.configurationWrapsToZero = true
    quirks.modelIsName = true
    quirks.emptyRead = HTTPAnswer(400, .invalidValue)
    quirks.refusesIdleEntries = false
    quirks.malformedPrepare = HTTPAnswer(400, .invalidValue)
    quirks.malformedPrepareBody = HTTPAnswer(400, .invalidValue)
  }

  /// HomeSpan 2.1.6, for the ESP32.
  private static let homeSpan = QuirksPreset(
    "homespan", project: "HomeSpan/HomeSpan", release: "2.1.6",
    commit: "0a82a56857e311681015f3f406e39eb2308fdce0"
  ) { quirks in
    quirks.setupOutOfOrder = .unknownError
    quirks.tellsBusy = false
    quirks.maximumTries = 0
    quirks.keepsFailedTries = false
    quirks.proofForms = .padded
    quirks.heedsSetupFlags = false
    quirks.setupMethod1 = .unavailable
    quirks.unpairedVerify = .unknown
    quirks.refusesVerifyMethod = false
    quirks.demotionDropsAll = false
    quirks.maximumSessions = 10_000
    quirks.reclaimsAfter = never
    quirks.takesLongFrames = true
    quirks.unverified = HTTPAnswer(470, closes: true)
    quirks.securesUnknownAddresses = false
    quirks.unknownAddress = HTTPAnswer(404, closes: true)
    quirks.wrongMethod = HTTPAnswer(404, closes: true)
    quirks.malformedBody = HTTPAnswer(nil)
    quirks.malformedQuery = HTTPAnswer(404, closes: true)
    quirks.refusesUnknownQueryKeys = false
    quirks.queryFlags = .ones
    quirks.emptyRead = HTTPAnswer(nil)
    quirks.emptyWrite = HTTPAnswer(nil)
    quirks.takesChunkedRequests = false
    quirks.takesAnyHeaderCase = false
    quirks.hasIdentifyAddress = false
    quirks.noResource = HTTPAnswer(404, closes: true)
    quirks.securesResource = false
    quirks.idleEntryIsMalformed = true
    quirks.checksSteps = false
    quirks.checksValidValues = false
    quirks.takesWholeFloats = true
    quirks.takesFractions = true
    quirks.nullIsMalformed = false
    quirks.refusesUnknownResponses = false
    quirks.returnsUnknownResponses = true
    quirks.deviceDeadline = never
    quirks.enforcesTimedWrites = false
    quirks.timedWriteScope = .accessory
    quirks.wrongPIDSpends = false
    quirks.laterPrepareReplaces = false
    quirks.coalescing = .zero
    quirks.tellsUnchanged = true
    quirks.malformedPrepare = HTTPAnswer(200, .invalidValue)
    quirks.malformedPrepareBody = HTTPAnswer(200, .invalidValue)
  }
}
