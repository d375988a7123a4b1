import HAPModel

/// The HAP over IP behaviour of an accessory where stacks differ. The default is that of HomeKitADK, except for the
/// fields that docs/reference/quirks.md lists.
public struct IPQuirks: Hashable, Sendable {
  /// The default behaviour.
  public init() {}

  // MARK: Connections

  /// The maximum number of connections. The specification requires at least 8.
  public var maximumSessions: Int = 17
  /// How long a connection must be silent before a new connection replaces it, if all are in use.
  public var reclaimsAfter: Duration = .seconds(60)
  /// Whether encrypted frames of more than 1024 bytes are accepted.
  public var takesLongFrames: Bool = false

  // MARK: HTTP

  /// The answer to a request that requires Pair Verify. The HAP status is sent on addresses with JSON bodies.
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

  /// Whether an entry with neither a value nor `ev` makes the whole request malformed.
  public var idleEntryIsMalformed: Bool = false
  /// Whether a bridge leaves IDs of unknown accessories out of the answer to a read.
  public var skipsUnknownAccessories: Bool = false
  /// Whether `"value":null` makes the whole request malformed. If not, the entry gets -70410.
  public var nullIsMalformed: Bool = true
  /// Whether an entry with `"value":null` counts as one without a value. It takes precedence over `nullIsMalformed`.
  public var nullIsNoValue: Bool = false

  // MARK: Timed writes

  /// The answer to `PUT /prepare` with a JSON object that has no good `ttl` and `pid`.
  public var malformedPrepare: HTTPAnswer = HTTPAnswer(400)
  /// The answer to `PUT /prepare` with a body that is not a JSON object.
  public var malformedPrepareBody: HTTPAnswer = HTTPAnswer(400)
  /// Whether a write with an unknown or expired `pid` is executed. If not, every entry gets -70410.
  public var executesUnpreparedWrites: Bool = false

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
