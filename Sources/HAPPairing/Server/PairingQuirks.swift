/// The pairing behaviour where stacks differ. The default is HomeKitADK's behaviour, except for the fields that docs/reference/quirks.md lists.
public struct PairingQuirks: Hashable, Sendable {
  /// The default behaviour.
  public init() {}

  // MARK: Pair Setup

  /// An answer to a Pair Setup message out of order.
  public enum OutOfOrder: String, Hashable, Sendable, CaseIterable {
    /// Status 400 without a body.
    case badRequest = "400"
    /// Status 400 with the state and error Unknown.
    case badRequestWithError = "400-unknown"
    /// Status 500 without a body.
    case internalError = "500"
    /// Status 200 with the state and error Unknown.
    case unknownError = "200-unknown"
    /// Status 500 with the state and error Unknown.
    case internalErrorWithError = "500-unknown"
  }
  /// The answer to a Pair Setup message that is not the next one of the procedure.
  public var setupOutOfOrder: OutOfOrder = .badRequest
  /// Whether a second controller gets error Busy while another controller is pairing.
  public var tellsBusy: Bool = true
  /// The time after which M1 from another controller replaces the current Pair Setup. It starts with the last message.
  public var setupTakeover: Duration = .seconds(30)
  /// Whether the time of `setupTakeover` starts with M1 instead of the last message.
  public var takeoverCountsFromStart: Bool = false
  /// The number of wrong setup codes after which M1 gets error MaxTries. 0: no limit.
  public var maximumTries: Int = 100
  /// Whether the number of wrong setup codes is stored and survives a restart.
  public var keepsFailedTries: Bool = true
  /// Whether a correct setup code sets the number of wrong setup codes to 0.
  public var clearsFailedTries: Bool = true
  /// A byte encoding of the SRP secret and of A.
  public enum ProofForms: String, Hashable, Sendable, CaseIterable {
    /// Padded or without leading zeros.
    case either
    /// Only without leading zeros.
    case stripped
    /// Only padded.
    case padded
  }
  /// The byte encodings of the SRP secret and of the public key A that a controller's proof may be computed from.
  public var proofForms: ProofForms = .either
  /// An answer to a malformed M5.
  public enum ExchangeFailure: String, Hashable, Sendable, CaseIterable {
    /// State 6 with error Authentication.
    case state6 = "6-authentication"
    /// State 4 with error Authentication.
    case state4 = "4-authentication"
    /// Status 500 with state 6 and error Unknown.
    case internalError = "500-unknown"
    /// Status 500 with `{"status":-70402}`.
    case internalErrorWithStatus = "500 -70402"
  }
  /// The answer to an M5 that cannot be decrypted.
  public var exchangeFailure: ExchangeFailure = .state6
  /// The answer to an M5 with a wrong signature. It has the settings of `exchangeFailure`.
  public var signatureFailure: ExchangeFailure = .state6
  /// Whether M1 may request a transient or a split Pair Setup. If not, its flags are ignored.
  public var heedsSetupFlags: Bool = true
  /// An answer to Pair Setup M1 with method 1.
  public enum SetupMethod1: String, Hashable, Sendable, CaseIterable {
    /// The same answer as to method 0.
    case method0 = "method-0"
    /// An ordinary M2, then status 500 without a body instead of M4. Flags are ignored.
    case internalErrorInM4 = "500-in-m4"
    /// Status 400 with state 2 and error Authentication.
    case badRequest = "400-authentication"
    /// Status 200 with state 2 and error Unavailable.
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
  /// Whether a Method item in Pair Verify M1 is refused with status 400. If not, it is ignored.
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
  /// Whether List Pairings without an Identifier item gets status 400 with state 2 and error Unknown.
  public var listNeedsIdentifier: Bool = false
  /// Whether all pairings are removed when the last admin gives up its admin right. The answer is then status 500.
  public var demotionDropsAll: Bool = true
}
