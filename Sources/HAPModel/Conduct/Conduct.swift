/// The behaviour of an accessory where the protocol leaves a choice or where real stacks differ.
///
/// The default behaves as Apple's HomeKitADK does, except for the fields that docs/conduct.md lists.
/// docs/conduct.md has the comments of this file, the presets' settings and their public sources; a test compares them.
/// Cores read this type. They know no stack and no defect.
public struct Conduct: Hashable, Sendable {
  /// The default behaviour.
  public init() {}

  // MARK: Pair Setup

  /// An answer to a Pair Setup message out of order.
  public enum OutOfOrder: String, Hashable, Sendable, CaseIterable {
    /// HTTP 400 without a body.
    case badRequest = "400"
    /// HTTP 400 with the state and error Unknown.
    case badRequestWithError = "400-unknown"
    /// HTTP 500 without a body.
    case internalError = "500"
    /// HTTP 200 with the state and error Unknown.
    case unknownError = "200-unknown"
    /// HTTP 500 with the state and error Unknown.
    case internalErrorWithError = "500-unknown"
  }
  /// The answer to a Pair Setup message that is not the next one of the procedure.
  public var setupOutOfOrder: OutOfOrder = .badRequest
  /// Whether a second controller gets error Busy while another controller is pairing.
  public var tellsBusy: Bool = true
  /// The time after which M1 from another controller replaces the current Pair Setup. The time begins with the last
  /// message.
  public var setupTakeover: Duration = .seconds(30)
  /// Whether the time of `setupTakeover` begins with M1 instead of the last message.
  public var takeoverCountsFromStart: Bool = false
  /// The number of wrong setup codes after which M1 gets error MaxTries. 0: no limit.
  public var maximumTries: Int = 100
  /// Whether the number of wrong setup codes is stored and survives a restart.
  public var keepsFailedTries: Bool = true
  /// Whether a right setup code sets the number of wrong setup codes to 0.
  public var clearsFailedTries: Bool = true
  /// A byte form of the SRP secret and of A.
  public enum ProofForms: String, Hashable, Sendable, CaseIterable {
    /// Padded or without leading zeros.
    case either
    /// Only without leading zeros.
    case stripped
    /// Only padded.
    case padded
  }
  /// The byte form of the SRP secret and of the public key A from which a controller may compute its proof.
  public var proofForms: ProofForms = .either
  /// An answer to a broken M5.
  public enum ExchangeFailure: String, Hashable, Sendable, CaseIterable {
    /// State 6 with error Authentication.
    case state6 = "6-authentication"
    /// State 4 with error Authentication.
    case state4 = "4-authentication"
    /// HTTP 500 with state 6 and error Unknown.
    case internalError = "500-unknown"
    /// HTTP 500 with `{"status":-70402}`.
    case internalErrorWithStatus = "500 -70402"
  }
  /// The answer to an M5 that cannot be decrypted.
  public var exchangeFailure: ExchangeFailure = .state6
  /// The answer to an M5 with a wrong signature. It has the settings of `exchangeFailure`.
  public var signatureFailure: ExchangeFailure = .state6
  /// Whether M1 may ask for a transient or a split Pair Setup. If not, its flags are ignored.
  public var heedsSetupFlags: Bool = true

  /// An answer to Pair Setup M1 with method 1.
  public enum SetupMethod1: String, Hashable, Sendable, CaseIterable {
    /// The same answer as to method 0.
    case method0 = "method-0"
    /// An ordinary M2, then HTTP 500 without a body instead of M4. Flags are ignored.
    case internalErrorInM4 = "500-in-m4"
    /// HTTP 400 with state 2 and error Authentication.
    case badRequest = "400-authentication"
    /// HTTP 200 with state 2 and error Unavailable.
    case unavailable
  }
  /// The answer to Pair Setup M1 with method 1 (Pair Setup with Auth). The accessory has no authentication coprocessor.
  public var setupMethod1: SetupMethod1 = .method0

  // MARK: Pair Verify

  /// An answer to Pair Verify M1 without a pairing.
  public enum UnpairedVerify: String, Hashable, Sendable, CaseIterable {
    /// An ordinary M2. M3 then gets error Authentication.
    case m2
    /// State 2 with error Authentication.
    case authentication
    /// State 2 with error Unknown.
    case unknown
  }
  /// The answer to Pair Verify M1 while the accessory is not paired.
  public var unpairedVerify: UnpairedVerify = .m2
  /// Whether a Method item in Pair Verify M1 is refused with HTTP 400. If not, it is ignored.
  public var refusesVerifyMethod: Bool = true

  // MARK: Pairings

  /// The maximum number of pairings. The specification requires at least 16.
  public var maximumPairings: Int = 16
  /// Whether Add Pairing replaces the public key of a known identifier. If not, it gets error Unknown.
  public var overwritesKeys: Bool = false
  /// Whether Remove Pairing of an unknown identifier succeeds. If not, it gets error Unknown.
  public var removesUnknownPairings: Bool = true
  /// Whether the sessions of a removed controller are closed.
  public var closesRemovedSessions: Bool = true
  /// Whether List Pairings requires an admin.
  public var listsForAdminsOnly: Bool = true
  /// Whether the answer to List Pairings begins with state 2.
  public var listHasState: Bool = true
  /// Whether List Pairings without an Identifier item gets HTTP 400 with state 2 and error Unknown.
  public var listNeedsIdentifier: Bool = false
  /// Whether all pairings are removed when the last admin gives up its admin right. The answer is then HTTP 500.
  public var demotionDropsAll: Bool = true

  // MARK: Connections

  /// The maximum number of connections. The specification requires at least 8.
  public var maximumSessions: Int = 17
  /// How long a connection must be silent before a new connection replaces it, if all are in use.
  public var reclaimsAfter: Duration = .seconds(60)
  /// Whether encrypted frames of more than 1024 bytes are accepted.
  public var takesLongFrames: Bool = false

  // MARK: HTTP

  /// The answer to a request that requires Pair Verify. The HAP status is sent on addresses that speak JSON.
  public var unverified: HTTPAnswer = HTTPAnswer(470, .insufficientAuthorization)
  /// Whether unknown addresses require Pair Verify too.
  public var securesUnknownAddresses: Bool = true
  /// The answer to a request for an unknown address.
  public var unknownAddress: HTTPAnswer = HTTPAnswer(404)
  /// The answer to a wrong HTTP method on a known address.
  public var wrongMethod: HTTPAnswer = HTTPAnswer(405)
  /// Whether `/accessories`, `/identify` and the pairing addresses accept any HTTP method.
  public var servesAnyMethod: Bool = false
  /// The answer to a body of `PUT /characteristics` that is not the JSON object it should be.
  public var malformedBody: HTTPAnswer = HTTPAnswer(400)
  /// The answer to `GET /characteristics` without a query, or with a malformed one.
  public var malformedQuery: HTTPAnswer = HTTPAnswer(400)
  /// Whether an unknown key makes a query malformed. If not, it is ignored.
  public var refusesUnknownQueryKeys: Bool = true
  /// The values of a flag in a query.
  public enum QueryFlags: String, Hashable, Sendable, CaseIterable {
    /// `1` is on, `0` is off, and any other value is malformed.
    case strict
    /// `1` and `true` are on, and any other value is off.
    case words
    /// `1` is on, and any other value is off.
    case ones
    /// The flags are ignored.
    case ignored
  }
  /// The accepted values of `meta`, `perms`, `type` and `ev` in a query.
  public var queryFlags: QueryFlags = .strict
  /// The answer to `GET /characteristics` with an empty `id`.
  public var emptyRead: HTTPAnswer = HTTPAnswer(204)
  /// The answer to `PUT /characteristics` with an empty list.
  public var emptyWrite: HTTPAnswer = HTTPAnswer(400)
  /// Whether a request that has an ID twice is answered with HTTP 422 and -70410.
  public var refusesDuplicateIDs: Bool = false
  /// An answer to a write in which some entries failed.
  public enum PartialWrite: String, Hashable, Sendable, CaseIterable {
    /// HTTP 207 with every entry.
    case all
    /// HTTP 207 with the failed entries.
    case failures
    /// HTTP 400 with every entry. Servers of the first HAP release do this.
    case badRequest = "400"
  }
  /// The answer to a write in which some entries failed.
  public var partialWrite: PartialWrite = .all
  /// A set of answers.
  public enum Chunked: String, Hashable, Sendable, CaseIterable {
    /// None.
    case never
    /// The answer to `GET /accessories`.
    case accessories
    /// Every answer that lists accessories or characteristics.
    case json
    /// JSON of more than 2048 bytes.
    case longJSON = "long-json"
    /// Every answer with a body.
    case all
  }
  /// The answers that use chunked transfer encoding.
  public var chunked: Chunked = .never
  /// Whether requests may use chunked transfer encoding. If not, they get HTTP 400.
  public var takesChunkedRequests: Bool = true
  /// Whether header names are accepted in any case. If not, only `Content-Length` and `Content-Type` are known.
  public var takesAnyHeaderCase: Bool = true
  /// Whether `POST /identify` exists.
  public var hasIdentifyAddress: Bool = true
  /// The answer to `POST /resource` of an accessory without a camera.
  public var noResource: HTTPAnswer = HTTPAnswer(404)
  /// Whether `/resource` requires Pair Verify.
  public var securesResource: Bool = true
  /// A form of Boolean values.
  public enum Booleans: String, Hashable, Sendable, CaseIterable {
    /// `1` and `0`.
    case numbers
    /// `true` and `false`.
    case words
  }
  /// The form of Boolean values in answers and events.
  public var booleans: Booleans = .numbers
  /// Whether `/accessories` lists an empty TLV8 value as `null`. If not, it is `""`.
  public var listsEmptyTLV8AsNull: Bool = false

  // MARK: Reading and writing

  /// The status of a read of an unknown ID.
  public var unknownRead: HAPStatus = .doesNotExist
  /// The status of a write to an unknown ID.
  public var unknownWrite: HAPStatus = .doesNotExist
  /// Whether a value for an unknown ID ends the request with the answer `malformedBody`. An entry without a value then
  /// succeeds.
  public var unknownWriteEndsRequest: Bool = false
  /// Whether an entry of a write with neither a value nor `ev` is refused with -70410. If not, it is ignored.
  public var refusesIdleEntries: Bool = true
  /// Whether an entry with neither a value nor `ev` makes the whole request malformed.
  public var idleEntryIsMalformed: Bool = false
  /// Whether a bridge leaves IDs of unknown accessories out of the answer to a read.
  public var skipsUnknownAccessories: Bool = false
  /// Whether reads, writes and subscriptions without permission are refused.
  public var checksPermissions: Bool = true
  /// A way to handle a value outside the constraints.
  public enum OutOfRange: String, Hashable, Sendable, CaseIterable {
    /// The entry gets the status `refusedValue`.
    case reject
    /// The nearest allowed value is written.
    case clamp
  }
  /// What happens to a written value outside the minimum, maximum, step or length.
  public var outOfRange: OutOfRange = .reject
  /// The status of a written value that the characteristic does not accept.
  public var refusedValue: HAPStatus = .invalidValue
  /// Whether written numbers are checked against the step.
  public var checksSteps: Bool = true
  /// The distance from the next step, as a fraction of the step, within which a float is rounded. The range is 0 to
  /// 0.5.
  public var floatSnapFraction: Double = 0.1
  /// Whether written numbers are checked against the valid values.
  public var checksValidValues: Bool = true
  /// Whether `true` and `false` are accepted for a number as 1 and 0.
  public var takesBooleansAsNumbers: Bool = true
  /// Whether an integer may be written with a fraction of zero, such as `1.0`.
  public var takesWholeFloats: Bool = false
  /// Whether an integer may be written with any fraction. The fraction is cut off. If `outOfRange` is `clamp` and
  /// `checksSteps` is `true`, a number with a step is rounded instead.
  public var takesFractions: Bool = false
  /// Whether `"value":null` makes the whole request malformed. If not, the entry gets -70410.
  public var nullIsMalformed: Bool = true
  /// Whether an entry with `"value":null` counts as one without a value. It takes precedence over `nullIsMalformed`.
  public var nullIsNoValue: Bool = false
  /// Whether `r` without the permission `wr` gets status -70405. If not, `r` is ignored.
  public var refusesUnknownResponses: Bool = true
  /// Whether `r` without the permission `wr` returns the value. `refusesUnknownResponses` must be `false`.
  public var returnsUnknownResponses: Bool = false
  /// How long the device may take for one characteristic before the answer has status -70408 for it.
  public var deviceDeadline: Duration = .seconds(9)

  // MARK: Timed writes

  /// The answer to `PUT /prepare` with a JSON object that has no good `ttl` and `pid`.
  public var malformedPrepare: HTTPAnswer = HTTPAnswer(400)
  /// The answer to `PUT /prepare` with a body that is not a JSON object.
  public var malformedPrepareBody: HTTPAnswer = HTTPAnswer(400)
  /// Whether characteristics with `tw` refuse a write that was not prepared.
  public var enforcesTimedWrites: Bool = true
  /// A set of sessions.
  public enum TimedWriteScope: String, Hashable, Sendable, CaseIterable {
    /// The session that prepared it.
    case session
    /// Any session.
    case accessory
  }
  /// The sessions that may use a prepared write.
  public var timedWriteScope: TimedWriteScope = .session
  /// Whether a wrong `pid` cancels the prepared write.
  public var wrongPIDSpends: Bool = true
  /// Whether a second `/prepare` cancels the first. If not, both stay valid until they expire.
  public var laterPrepareReplaces: Bool = true
  /// Whether a write with an unknown or expired `pid` is executed. If not, every entry gets -70410.
  public var executesUnpreparedWrites: Bool = false

  // MARK: Events

  /// The time for which changes wait, so that one EVENT can report several of them.
  public var coalescing: Duration = .milliseconds(250)
  /// Whether an event is sent at once if the last EVENT on the connection is older than `coalescing`.
  public var sendsFirstEventAtOnce: Bool = false
  /// The characteristic types whose events are sent at once.
  public var immediateEvents: Set<TypeID> = [0x73, 0x126, 0x22, 0x6A]
  /// Whether an EVENT has every change of a characteristic. If not, it has the last value.
  public var tellsIntermediateValues: Bool = false
  /// Whether a controller gets the event for a value that it wrote.
  public var tellsWriter: Bool = false
  /// Whether a value that is equal to the current one causes an event.
  public var tellsUnchanged: Bool = false

  // MARK: Advertising

  /// A value of `pv`.
  public enum ProtocolVersion: String, Hashable, Sendable, CaseIterable {
    /// Version 1.0.
    case one = "1.0"
    /// Version 1.1.
    case oneOne = "1.1"
  }
  /// The member `pv` of the TXT record.
  public var protocolVersion: ProtocolVersion = .oneOne
  /// Whether `s#` grows when the TXT record changes. If not, it is always 1.
  public var stateNumberGrows: Bool = false
  /// Whether 0 follows 65535 in `c#`. If not, 1 follows.
  public var configurationWrapsToZero: Bool = false
  /// Whether `md` is the name of the accessory. If not, it is the model.
  public var modelIsName: Bool = false
}
