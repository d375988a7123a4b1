/// The manners of an accessory: every point where the protocol leaves a choice, or where real stacks differ.
///
/// The default is the way of Apple's open kit (ADK), but for `coalescing` and `immediateEvents`. Each field says who does what: NJS HAP-NodeJS, PY
/// HAP-python, GO brutella/hap, HS HomeSpan, SDK esp-homekit-sdk, EHK esp-homekit, SW Bouke/HAP. Cores consult this; they know no stacks and no
/// defects. `ConductField.all` names every field with its place in the documents.
public struct Conduct: Hashable, Sendable {
  /// Apple's ADK's manners, but for `coalescing` and `immediateEvents`.
  public init() {}

  // MARK: Pair Setup

  /// What a message out of order is answered with.
  public enum OutOfOrder: String, Hashable, Sendable, CaseIterable {
    /// HTTP 400 without body (ADK).
    case badRequest = "400"
    /// HTTP 400 with state and error Unknown (NJS).
    case badRequestWithError = "400-unknown"
    /// HTTP 500 (PY).
    case internalError = "500"
    /// HTTP 200 with state and error Unknown (HS).
    case unknownError = "200-unknown"
  }
  /// A Pair Setup message in the wrong state of the procedure.
  public var setupOutOfOrder: OutOfOrder = .badRequest
  /// Whether a second controller is told Busy. ADK, GO, EHK, SDK: yes; NJS, PY let both go on.
  public var tellsBusy: Bool = true
  /// How long another controller may be silent before a newcomer takes Pair Setup over. ADK 30 s, SDK 40 s.
  public var setupTakeover: Duration = .seconds(30)
  /// Failed tries after which M1 gets MaxTries; 0: no limit. ADK, SDK 100; NJS 101; PY, GO, HS none.
  public var maximumTries: Int = 100
  /// Whether the count of failed tries outlives a restart. ADK: yes; NJS, SDK: no.
  public var keepsFailedTries: Bool = true
  /// Whether a right code sets the count to zero. ADK: yes; NJS: never.
  public var clearsFailedTries: Bool = true
  /// Which forms of the secret and of A a controller's proof may be made of.
  public enum ProofForms: String, Hashable, Sendable, CaseIterable {
    /// Without leading zeros or padded, whichever fits (our choice).
    case either
    /// Without leading zeros alone (ADK; PY and GO nearly).
    case stripped
    /// Padded alone (NJS, HS).
    case padded
    /// A secret that begins with a zero is refused in either form: nobody's way, but an easy mistake.
    case neither
  }
  /// The form of the secret and of A in a controller's proof. ADK: stripped; NJS, HS: padded; we take either.
  public var proofForms: ProofForms = .either
  /// What M5 whose seal is broken or whose signature is wrong is answered with.
  public enum ExchangeFailure: String, Hashable, Sendable, CaseIterable {
    /// State 6, Authentication (ADK, PY, HS).
    case state6 = "6-authentication"
    /// State 4, Authentication (NJS).
    case state4 = "4-authentication"
    /// HTTP 500 with state 6 and error Unknown (GO).
    case internalError = "500-unknown"
  }
  /// A broken M5. ADK, PY, HS: state 6; NJS: state 4; GO: 500.
  public var exchangeFailure: ExchangeFailure = .state6
  /// Whether the flags Transient and Split of M1 are heeded. ADK: yes; NJS, PY, GO, HS ignore them.
  public var heedsSetupFlags: Bool = true

  // MARK: Pair Verify

  /// What M1 gets while nobody is paired.
  public enum UnpairedVerify: String, Hashable, Sendable, CaseIterable {
    /// An ordinary M2; M3 fails (ADK, NJS).
    case m2
    /// Error Authentication in M2 (PY).
    case authentication
    /// Error Unknown in M2 (HS).
    case unknown
  }
  /// Pair Verify while nobody is paired. ADK, NJS: an ordinary M2; PY, HS: an error at once.
  public var unpairedVerify: UnpairedVerify = .m2
  /// Whether a Method item in M1 is refused with 400. ADK: yes; NJS, PY ignore it.
  public var refusesVerifyMethod: Bool = true

  // MARK: Pairings

  /// Most pairings; at least 16 by the specification. ADK, HS, SDK: 16; NJS, PY, GO: no limit.
  public var maximumPairings: Int = 16
  /// Whether Add of a known identifier with another key replaces the key. ADK, NJS: no, error Unknown; PY, SW: yes.
  public var overwritesKeys: Bool = false
  /// Whether Remove of an unknown identifier succeeds. All but GO (error Unknown).
  public var removesUnknownPairings: Bool = true
  /// Whether sessions of a removed controller are closed. ADK, NJS, HS: yes; PY: no.
  public var closesRemovedSessions: Bool = true
  /// Whether List is for admins alone. ADK, NJS, PY, HS: yes; GO: no.
  public var listsForAdminsOnly: Bool = true
  /// Whether the answer to List begins with a state. All but GO.
  public var listHasState: Bool = true
  /// Whether demoting the last admin drops all pairings, with 500 and the end of the connection (ADK), or just leaves none (NJS).
  public var demotionDropsAll: Bool = true

  // MARK: Connections

  /// Most connections at once; at least 8 by the specification. ADK: 17; NJS, PY, GO: no limit.
  public var maximumSessions: Int = 17
  /// How long a connection was silent that gives way to a new one when all are taken. ADK 60 s; NJS 1 h; PY 90 h.
  public var reclaimsAfter: Duration = .seconds(60)
  /// Whether frames of more than 1024 bytes are taken. ADK: no; NJS, PY: yes.
  public var takesLongFrames: Bool = false

  // MARK: HTTP

  /// A secured address before Pair Verify; the status is told on addresses that speak JSON. ADK 470 -70411; NJS, SDK 470 -70401; PY 401 -70401;
  /// GO 400 -70401; HS 470 and closes.
  public var unverified: HTTPAnswer = HTTPAnswer(470, .insufficientAuthorization)
  /// Whether unknown addresses need a session too. ADK: yes; NJS: no, 404.
  public var securesUnknownAddresses: Bool = true
  /// An unknown address. ADK, HS 404; NJS 404 -70409; PY 500.
  public var unknownAddress: HTTPAnswer = HTTPAnswer(404)
  /// A known address with a wrong method. ADK 405; NJS 400; PY 500; HS, EHK 404.
  public var wrongMethod: HTTPAnswer = HTTPAnswer(405)
  /// A body that is no JSON, or not the object it should be. ADK 400; NJS, SDK 500 -70403; PY 500.
  public var malformedBody: HTTPAnswer = HTTPAnswer(400)
  /// `GET /characteristics` without a query, or with one that can't be read. ADK 400; PY 500.
  public var malformedQuery: HTTPAnswer = HTTPAnswer(400)
  /// Whether an unknown key in a query makes it malformed. ADK: yes; most pass it over.
  public var refusesUnknownQueryKeys: Bool = true
  /// What `meta`, `perms`, `type` and `ev` may be in a query.
  public enum QueryFlags: String, Hashable, Sendable, CaseIterable {
    /// 1 is on, 0 is off, anything else malformed (ADK).
    case strict
    /// 1 and `true` are on, all else is off (NJS, SDK).
    case words
    /// 1 is on, all else is off (GO, HS).
    case ones
    /// They are passed over (PY).
    case ignored
  }
  /// The words a query may use for on and off.
  public var queryFlags: QueryFlags = .strict
  /// `GET /characteristics` whose `id` is empty. ADK 204; NJS, GO 400 -70410; PY 500.
  public var emptyRead: HTTPAnswer = HTTPAnswer(204)
  /// `PUT /characteristics` without an entry. ADK 400; PY, NJS 204.
  public var emptyWrite: HTTPAnswer = HTTPAnswer(400)
  /// Whether an id that stands twice in a request makes it 422 with -70410 (NJS). Others work on both.
  public var refusesDuplicateIDs: Bool = false
  /// What a write is answered with of which a part failed.
  public enum PartialWrite: String, Hashable, Sendable, CaseIterable {
    /// 207 with every entry (ADK, NJS, PY, HS).
    case all
    /// 207 with the failed entries alone (GO).
    case failures
    /// 400 with every entry (SW and servers of the first release).
    case badRequest = "400"
  }
  /// The answer to a write of which a part failed. All but GO and SW: 207 with every entry.
  public var partialWrite: PartialWrite = .all
  /// Which answers are sent in chunks.
  public enum Chunked: String, Hashable, Sendable, CaseIterable {
    /// None: Content-Length everywhere (PY, HS, and our choice).
    case never
    /// `/accessories` (ADK).
    case accessories
    /// All JSON (NJS).
    case json
    /// JSON of more than 2048 bytes (GO, by way of its language's HTTP server).
    case longJSON = "long-json"
  }
  /// Chunked answers. ADK: `/accessories`; NJS: all JSON; GO: long JSON; PY, HS and our choice: none.
  public var chunked: Chunked = .never
  /// Whether chunked requests are taken. ADK: 400; NJS, PY, GO and our choice: yes.
  public var takesChunkedRequests: Bool = true
  /// Whether names of header fields count in any case. All but HS, which knows `Content-Length` and `Content-Type` in this spelling alone.
  public var takesAnyHeaderCase: Bool = true
  /// Whether `POST /identify` exists for unpaired accessories. PY, HS: no.
  public var hasIdentifyAddress: Bool = true
  /// `POST /resource` where there is no camera. ADK, NJS 404; PY 500.
  public var noResource: HTTPAnswer = HTTPAnswer(404)
  /// Whether `/resource` needs a session. All but PY.
  public var securesResource: Bool = true
  /// Truth values in answers and events. Controllers take both.
  public enum Booleans: String, Hashable, Sendable, CaseIterable {
    /// `1` and `0` (ADK, NJS).
    case numbers
    /// `true` and `false` (PY, GO).
    case words
  }
  /// Truth values in JSON. ADK, NJS: numbers; PY, GO: words.
  public var booleans: Booleans = .numbers
  /// Whether a readable tlv8 that has nothing to say is listed as null in `/accessories`, not as "". ADK: ""; some devices: null.
  public var listsEmptyTLV8AsNull: Bool = false

  // MARK: Reading and writing

  /// The status of a read of an unknown id. ADK, HS -70409; NJS -70410; PY, GO -70402.
  public var unknownRead: HAPStatus = .doesNotExist
  /// The status of a write to an unknown id. ADK, HS -70409; NJS -70410; GO -70402.
  public var unknownWrite: HAPStatus = .doesNotExist
  /// Whether a write to an unknown id ends the request there, answered as a malformed body is (PY).
  public var unknownWriteEndsRequest: Bool = false
  /// Whether an entry of a write with neither value nor subscription is refused with -70410. ADK, NJS: yes; PY, GO pass it over.
  public var refusesIdleEntries: Bool = true
  /// Whether a bridge leaves ids of unknown accessories out of the answer to a read (PY).
  public var skipsUnknownAccessories: Bool = false
  /// Whether reads, writes and subscriptions that the permissions don't allow are refused. All but PY.
  public var checksPermissions: Bool = true
  /// What to do with a written number or text that the constraints do not allow.
  public enum OutOfRange: String, Hashable, Sendable, CaseIterable {
    /// Answer -70410 (ADK, NJS, SDK).
    case reject
    /// Take the nearest allowed value (PY, GO).
    case clamp
  }
  /// A write outside minimum, maximum, step or length.
  public var outOfRange: OutOfRange = .reject
  /// The status of a written value that the characteristic can't take. PY -70402; all others -70410.
  public var refusedValue: HAPStatus = .invalidValue
  /// Whether numbers are held against the step. ADK: yes; NJS: no; SDK: integers alone.
  public var checksSteps: Bool = true
  /// How far off its grid a float may be to be taken and rounded, as a fraction of the step, 0…0.5. ADK: 0.1; SDK looks at no float (0.5).
  public var floatSnapFraction: Double = 0.1
  /// Whether numbers are held against valid values and their range. All but SDK and HS.
  public var checksValidValues: Bool = true
  /// Whether true and false written to a number count as 1 and 0. ADK: yes; others refuse or convert likewise.
  public var takesBooleansAsNumbers: Bool = true
  /// Whether an integer may be written with a fraction of zero, `1.0`. ADK: no; NJS, PY, GO: yes.
  public var takesWholeFloats: Bool = false
  /// Whether `"value":null` makes the whole request malformed (ADK), or its entry -70410 (NJS).
  public var nullIsMalformed: Bool = true
  /// Whether `r` for a characteristic without `wr` has status -70405 (ADK), or is passed over (NJS, PY).
  public var refusesUnknownResponses: Bool = true
  /// How long the device may take for a read or a write of a characteristic before -70408 stands for it, and for it alone. NJS: 9 s;
  /// ADK waits for as long as the device takes.
  public var deviceDeadline: Duration = .seconds(9)

  // MARK: Timed writes

  /// `PUT /prepare` without a `ttl` or `pid`. ADK 400; NJS, GO 400 -70410; PY, HS 200 -70410.
  public var malformedPrepare: HTTPAnswer = HTTPAnswer(400)
  /// Whether `tw` characteristics refuse a write that was not prepared. ADK, NJS: yes; PY, HS don't look.
  public var enforcesTimedWrites: Bool = true
  /// Who may spend what was prepared.
  public enum TimedWriteScope: String, Hashable, Sendable, CaseIterable {
    /// The session that prepared it (ADK, NJS, GO, SDK).
    case session
    /// Any session (HS).
    case accessory
  }
  /// Who may spend a prepared write. HS: any session; all others: its own session.
  public var timedWriteScope: TimedWriteScope = .session
  /// Whether a wrong `pid` spends the prepared one too. ADK: yes; PY, HS: no.
  public var wrongPIDSpends: Bool = true
  /// Whether a later `/prepare` replaces an earlier one. ADK, NJS, GO: yes; PY, HS: all stay good until they expire.
  public var laterPrepareReplaces: Bool = true
  /// Whether a write with an expired or unknown `pid` is done as if it were prepared (PY).
  public var executesUnpreparedWrites: Bool = false

  // MARK: Events

  /// How long changes wait so that several go in one EVENT. ADK: 1 s; NJS 250 ms; PY 500 ms; GO sends at once.
  /// The one deliberate departure of the default from ADK, with the next.
  public var coalescing: Duration = .milliseconds(250)
  /// Characteristic types whose events don't wait. ADK: Programmable Switch Event alone; PY also Button Event; NJS also Motion Detected and
  /// Contact Sensor State.
  public var immediateEvents: Set<TypeID> = [0x73, 0x126, 0x22, 0x6A]
  /// Whether several changes of one characteristic within the window are all told, or only the last value. ADK, PY: the last; NJS, SDK: all.
  public var tellsIntermediateValues: Bool = false
  /// Whether who wrote a value gets the event for it too (EHK).
  public var tellsWriter: Bool = false
  /// Whether a write or report of the value that is there already is an event (HS).
  public var tellsUnchanged: Bool = false

  // MARK: Advertising

  /// `pv`. ADK, NJS, PY, HS 1.1; GO, EHK, SW 1.0.
  public enum ProtocolVersion: String, Hashable, Sendable, CaseIterable {
    case one = "1.0"
    case oneOne = "1.1"
  }
  /// The record's `pv`.
  public var protocolVersion: ProtocolVersion = .oneOne
  /// Whether `s#` grows when the record is advertised anew (SDK). All others: always 1.
  public var stateNumberGrows: Bool = false
  /// Whether `c#` goes on with 0 after 65535 (GO). All others: 1.
  public var configurationWrapsToZero: Bool = false
  /// Whether `md` is the name instead of the model (PY, GO).
  public var modelIsName: Bool = false
}
