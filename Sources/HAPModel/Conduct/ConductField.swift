/// One field of `Conduct` by its name, as profiles and the command line have it: what it takes, and how to read and set it as text.
public struct ConductField: Sendable {
  /// What a field takes, as JSON has it.
  public enum Kind: Hashable, Sendable {
    /// `true` or `false`.
    case boolean
    /// A whole number in a range.
    case integer(ClosedRange<Int>)
    /// A number in a range.
    case fraction(ClosedRange<Double>)
    /// One of these words.
    case choice([String])
    /// "250ms", "2s"; "0s".
    case duration
    /// "470 -70411", see `HTTPAnswer`.
    case answer
    /// -70409 and the like.
    case status
    /// A list of types, short or full.
    case types
  }

  /// A value of a field, as JSON has it.
  public enum Setting: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int)
    case fraction(Double)
    case text(String)
    case list([String])
  }

  /// The property's own name.
  public let name: String
  /// What it takes.
  public let kind: Kind
  private let get: @Sendable (Conduct) -> Setting
  private let set: @Sendable (inout Conduct, Setting) -> Bool

  /// The setting of a conduct.
  public func setting(of conduct: Conduct) -> Setting { get(conduct) }

  /// - Returns: false, and nothing is changed, when the setting is none of the field's.
  public func apply(_ setting: Setting, to conduct: inout Conduct) -> Bool { set(&conduct, setting) }

  /// The field of this name.
  public static func named(_ name: String) -> ConductField? { all.first { $0.name == name } }
}

extension ConductField {
  private typealias Path<Value> = WritableKeyPath<Conduct, Value> & Sendable

  private static func flag(_ name: String, _ path: Path<Bool>) -> ConductField {
    ConductField(name: name, kind: .boolean, get: { .boolean($0[keyPath: path]) }) { conduct, setting in
      guard case .boolean(let value) = setting else { return false }
      conduct[keyPath: path] = value
      return true
    }
  }

  private static func number(_ name: String, _ path: Path<Int>, _ range: ClosedRange<Int>)
    -> ConductField
  {
    ConductField(name: name, kind: .integer(range), get: { .integer($0[keyPath: path]) }) {
      conduct, setting in
      guard case .integer(let value) = setting, range.contains(value) else { return false }
      conduct[keyPath: path] = value
      return true
    }
  }

  private static func fraction(_ name: String, _ path: Path<Double>, _ range: ClosedRange<Double>)
    -> ConductField
  {
    ConductField(name: name, kind: .fraction(range), get: { .fraction($0[keyPath: path]) }) {
      conduct, setting in
      switch setting {
      case .fraction(let value) where range.contains(value): conduct[keyPath: path] = value
      case .integer(let value) where range.contains(Double(value)): conduct[keyPath: path] = Double(value)
      default: return false
      }
      return true
    }
  }

  private static func choice<Choice: RawRepresentable & CaseIterable & Sendable>(
    _ name: String, _ path: Path<Choice>
  ) -> ConductField where Choice.RawValue == String {
    ConductField(
      name: name, kind: .choice(Choice.allCases.map(\.rawValue)),
      get: { .text($0[keyPath: path].rawValue) }
    ) { conduct, setting in
      guard case .text(let word) = setting, let value = Choice(rawValue: word) else { return false }
      conduct[keyPath: path] = value
      return true
    }
  }

  private static func duration(_ name: String, _ path: Path<Duration>) -> ConductField {
    ConductField(name: name, kind: .duration, get: { .text($0[keyPath: path].shortText) }) {
      conduct, setting in
      guard case .text(let text) = setting, let value = Duration(text) else { return false }
      conduct[keyPath: path] = value
      return true
    }
  }

  private static func answer(_ name: String, _ path: Path<HTTPAnswer>) -> ConductField {
    ConductField(name: name, kind: .answer, get: { .text($0[keyPath: path].text) }) { conduct, setting in
      guard case .text(let text) = setting, let value = HTTPAnswer(text) else { return false }
      conduct[keyPath: path] = value
      return true
    }
  }

  private static func status(_ name: String, _ path: Path<HAPStatus>) -> ConductField {
    ConductField(name: name, kind: .status, get: { .integer(Int($0[keyPath: path].rawValue)) }) {
      conduct, setting in
      guard case .integer(let number) = setting, let value = Int32(exactly: number).flatMap(HAPStatus.init),
        value != .success
      else { return false }
      conduct[keyPath: path] = value
      return true
    }
  }

  private static func types(_ name: String, _ path: Path<Set<TypeID>>) -> ConductField {
    ConductField(
      name: name, kind: .types, get: { .list($0[keyPath: path].map(\.wireForm).sorted()) }
    ) { conduct, setting in
      guard case .list(let names) = setting else { return false }
      let types = names.compactMap { TypeID($0) ?? Catalogue.characteristic(named: $0)?.type }
      guard types.count == names.count else { return false }
      conduct[keyPath: path] = Set(types)
      return true
    }
  }

  /// Every field, in the order of the documentation. A test compares the names with the properties of `Conduct`.
  public static let all: [ConductField] = [
    choice("setupOutOfOrder", \.setupOutOfOrder),
    flag("tellsBusy", \.tellsBusy),
    duration("setupTakeover", \.setupTakeover),
    flag("takeoverCountsFromStart", \.takeoverCountsFromStart),
    number("maximumTries", \.maximumTries, 0...1_000_000),
    flag("keepsFailedTries", \.keepsFailedTries),
    flag("clearsFailedTries", \.clearsFailedTries),
    choice("proofForms", \.proofForms),
    choice("exchangeFailure", \.exchangeFailure),
    choice("signatureFailure", \.signatureFailure),
    flag("heedsSetupFlags", \.heedsSetupFlags),
    choice("setupMethod1", \.setupMethod1),
    choice("unpairedVerify", \.unpairedVerify),
    flag("refusesVerifyMethod", \.refusesVerifyMethod),
    number("maximumPairings", \.maximumPairings, 1...10_000),
    flag("overwritesKeys", \.overwritesKeys),
    flag("removesUnknownPairings", \.removesUnknownPairings),
    flag("closesRemovedSessions", \.closesRemovedSessions),
    flag("listsForAdminsOnly", \.listsForAdminsOnly),
    flag("listHasState", \.listHasState),
    flag("listNeedsIdentifier", \.listNeedsIdentifier),
    flag("demotionDropsAll", \.demotionDropsAll),
    number("maximumSessions", \.maximumSessions, 1...10_000),
    duration("reclaimsAfter", \.reclaimsAfter),
    flag("takesLongFrames", \.takesLongFrames),
    answer("unverified", \.unverified),
    flag("securesUnknownAddresses", \.securesUnknownAddresses),
    answer("unknownAddress", \.unknownAddress),
    answer("wrongMethod", \.wrongMethod),
    flag("servesAnyMethod", \.servesAnyMethod),
    answer("malformedBody", \.malformedBody),
    answer("malformedQuery", \.malformedQuery),
    flag("refusesUnknownQueryKeys", \.refusesUnknownQueryKeys),
    choice("queryFlags", \.queryFlags),
    answer("emptyRead", \.emptyRead),
    answer("emptyWrite", \.emptyWrite),
    flag("refusesDuplicateIDs", \.refusesDuplicateIDs),
    choice("partialWrite", \.partialWrite),
    choice("chunked", \.chunked),
    flag("takesChunkedRequests", \.takesChunkedRequests),
    flag("takesAnyHeaderCase", \.takesAnyHeaderCase),
    flag("hasIdentifyAddress", \.hasIdentifyAddress),
    answer("noResource", \.noResource),
    flag("securesResource", \.securesResource),
    choice("booleans", \.booleans),
    flag("listsEmptyTLV8AsNull", \.listsEmptyTLV8AsNull),
    status("unknownRead", \.unknownRead),
    status("unknownWrite", \.unknownWrite),
    flag("unknownWriteEndsRequest", \.unknownWriteEndsRequest),
    flag("refusesIdleEntries", \.refusesIdleEntries),
    flag("idleEntryIsMalformed", \.idleEntryIsMalformed),
    flag("skipsUnknownAccessories", \.skipsUnknownAccessories),
    flag("checksPermissions", \.checksPermissions),
    choice("outOfRange", \.outOfRange),
    status("refusedValue", \.refusedValue),
    flag("checksSteps", \.checksSteps),
    fraction("floatSnapFraction", \.floatSnapFraction, 0...0.5),
    flag("checksValidValues", \.checksValidValues),
    flag("takesBooleansAsNumbers", \.takesBooleansAsNumbers),
    flag("takesWholeFloats", \.takesWholeFloats),
    flag("takesFractions", \.takesFractions),
    flag("nullIsMalformed", \.nullIsMalformed),
    flag("nullIsNoValue", \.nullIsNoValue),
    flag("refusesUnknownResponses", \.refusesUnknownResponses),
    flag("returnsUnknownResponses", \.returnsUnknownResponses),
    duration("deviceDeadline", \.deviceDeadline),
    answer("malformedPrepare", \.malformedPrepare),
    answer("malformedPrepareBody", \.malformedPrepareBody),
    flag("enforcesTimedWrites", \.enforcesTimedWrites),
    choice("timedWriteScope", \.timedWriteScope),
    flag("wrongPIDSpends", \.wrongPIDSpends),
    flag("laterPrepareReplaces", \.laterPrepareReplaces),
    flag("executesUnpreparedWrites", \.executesUnpreparedWrites),
    duration("coalescing", \.coalescing),
    flag("sendsFirstEventAtOnce", \.sendsFirstEventAtOnce),
    types("immediateEvents", \.immediateEvents),
    flag("tellsIntermediateValues", \.tellsIntermediateValues),
    flag("tellsWriter", \.tellsWriter),
    flag("tellsUnchanged", \.tellsUnchanged),
    choice("protocolVersion", \.protocolVersion),
    flag("stateNumberGrows", \.stateNumberGrows),
    flag("configurationWrapsToZero", \.configurationWrapsToZero),
    flag("modelIsName", \.modelIsName),
  ]
}
